//===- MergeAllReduce.h - two collectives as one ----------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_MERGEALLREDUCE_H
#define COCONET_TRANSFORMS_MERGEALLREDUCE_H

#include "Analysis/Legality.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// AG(RS(x)) becomes AR(x), the inverse of splitAllReduce. The reduce_scatter
/// has no other use.
mlir::FailureOr<AllReduceOp> mergeAllReduce(mlir::RewriterBase &rewriter,
                                            ReduceScatterOp scatter,
                                            AllGatherOp gather,
                                            Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_MERGEALLREDUCE_H
