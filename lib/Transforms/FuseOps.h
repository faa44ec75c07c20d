//===- FuseOps.h - ops as one kernel ----------------------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_FUSEOPS_H
#define COCONET_TRANSFORMS_FUSEOPS_H

#include "Analysis/Legality.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// Move pointwise ops, and with them at most one chain of reduce_scatter and
/// all_gather, into a `fused` region (CoCoNet section 3.3). Shards that only the
/// set uses come along.
///
/// The set is convex, its computations have one iteration space, and its
/// collectives have one group and one dimension.
mlir::FailureOr<FusedOp> fuseOps(mlir::RewriterBase &rewriter,
                                 llvm::ArrayRef<mlir::Operation *> ops,
                                 llvm::StringRef name, Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_FUSEOPS_H
