//===- OverlapOps.h - chunk-wise overlap ------------------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_OVERLAPOPS_H
#define COCONET_TRANSFORMS_OVERLAPOPS_H

#include "Analysis/Legality.h"
#include "IR/OverlapOps.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// Move ops into one `coconet.overlap` region of `chunks` chunks along `dim` of
/// the first result, called `name` unless that is empty. Of a channel that is
/// sent or received in chunks the other end is chunked too, in a region of its
/// own function with those of the ops that are there. Where refused, nothing has
/// changed.
mlir::FailureOr<llvm::SmallVector<OverlapOp>>
overlapOps(mlir::RewriterBase &rewriter, llvm::ArrayRef<mlir::Operation *> ops,
           int64_t chunks, int64_t dim, llvm::StringRef name, Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_OVERLAPOPS_H
