//===- ReorderPastSend.h - send slices, gather after receiving --*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_REORDERPASTSEND_H
#define COCONET_TRANSFORMS_REORDERPASTSEND_H

#include "Analysis/Legality.h"
#include "IR/ChannelOps.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// Send(AG(x)) becomes AG'(Send(x)): a k-th of the bytes crosses. The new
/// all_gather is behind the recv, in the other function, and has the name of the
/// first, which goes unless something else uses it.
///
/// The receiver's mesh has the axes that cut x, with the same sizes.
mlir::FailureOr<AllGatherOp> reorderPastSend(mlir::RewriterBase &rewriter,
                                             AllGatherOp gather, SendOp send,
                                             Refusal &refusal);

/// Send(x) becomes AG(Send(shard(x))): each rank sends its slice along `dim`, or
/// flat, of a value that is replicated along the axes. The all_gather behind the
/// recv is called `NAME.ag`. The receiver's mesh has the axes, with the same
/// sizes.
mlir::FailureOr<AllGatherOp> sliceSend(mlir::RewriterBase &rewriter,
                                       SendOp send, std::optional<int64_t> dim,
                                       llvm::ArrayRef<mlir::StringAttr> axes,
                                       Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_REORDERPASTSEND_H
