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

/// AR(x) becomes BC(reduce_to_root(x)), named `avg.reduce` and `avg.bc`.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
splitReduceBroadcast(mlir::RewriterBase &rewriter, AllReduceOp op, int64_t root,
                     Refusal &refusal);

/// AR(x) becomes AG_in(AR_out(RS_in(x))), named `avg.rs`, `avg.ar`, `avg.ag`.
/// Sums of f16 and bf16 are f32 between the levels.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
splitHierarchical(mlir::RewriterBase &rewriter, AllReduceOp op,
                  std::optional<int64_t> dim,
                  llvm::ArrayRef<mlir::StringAttr> inner,
                  llvm::ArrayRef<mlir::StringAttr> outer, Refusal &refusal);

/// Refused where the all_reduce lies in a fused region, or an algorithm was chosen
/// for it, which its parts do
/// not have.
mlir::LogicalResult checkSplittable(AllReduceOp op, Refusal &refusal);

/// Let the values of one collective travel as those of another.
void keepWireType(mlir::Operation *from, mlir::Operation *to);

} // namespace coconet

#endif // COCONET_TRANSFORMS_SPLITALLREDUCE_H
