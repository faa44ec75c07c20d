//===- SplitAllReduce.h - all_reduce as two collectives ---------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_SPLITALLREDUCE_H
#define COCONET_TRANSFORMS_SPLITALLREDUCE_H

#include "Analysis/Legality.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

struct SplitCollectives {
  ReduceScatterOp reduceScatter;
  AllGatherOp allGather;
};

/// Type of the slice that splitAllReduce would make; nothing changes.
mlir::FailureOr<mlir::RankedTensorType>
typeOfSplit(AllReduceOp op, std::optional<int64_t> dim, Refusal &refusal);

/// AR(x) becomes AG(RS(x)) along `dim`, or flat without one (CoCoNet section
/// 3.1). The parts are named after the all_reduce, `avg.rs` and `avg.ag`.
mlir::FailureOr<SplitCollectives> splitAllReduce(mlir::RewriterBase &rewriter,
                                                 AllReduceOp op,
                                                 std::optional<int64_t> dim,
                                                 Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_SPLITALLREDUCE_H
