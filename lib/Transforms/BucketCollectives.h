//===- BucketCollectives.h - many collectives as one ------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_BUCKETCOLLECTIVES_H
#define COCONET_TRANSFORMS_BUCKETCOLLECTIVES_H

#include "Analysis/Legality.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// Collectives of one kind become one in a `for_each` over the list of their
/// operands; with `bytes`, one for as many as fit, in program order. All are
/// called `name`, or as the first of them where it is empty, and numbered where
/// there are several. A bucket of one stays as it is, but for the name.
///
/// all_reduce, broadcast, and reduce_scatter and all_gather of the flattening;
/// equal in reduction, element type, layout, group, root and attributes, and
/// without a path from one to another.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
bucketCollectives(mlir::RewriterBase &rewriter,
                  llvm::ArrayRef<mlir::Operation *> ops, llvm::StringRef name,
                  std::optional<int64_t> bytes, Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_BUCKETCOLLECTIVES_H
