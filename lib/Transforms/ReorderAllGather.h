//===- ReorderAllGather.h - compute on slices, gather after -----*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_REORDERALLGATHER_H
#define COCONET_TRANSFORMS_REORDERALLGATHER_H

#include "Analysis/Legality.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// What a reorder made, in block order.
struct ReorderedOps {
  llvm::SmallVector<mlir::Operation *> computations;
  llvm::SmallVector<AllGatherOp> gathers;
  /// Those that reductions over the cut need.
  llvm::SmallVector<AllReduceOp> allReduces;
};

/// A replicated operand that is sharded for an op of the set.
struct PlannedShard {
  unsigned operand;
  mlir::RankedTensorType type;
  mlir::IntegerAttr dim; // null: flat
};

/// What becomes of one computation.
struct PlannedOp {
  mlir::Operation *op;
  mlir::RankedTensorType type;
  llvm::SmallVector<PlannedShard> shards;
  /// The type after the all_reduce that a reduction over the cut brings; null
  /// where there is none.
  mlir::RankedTensorType reducedType;
};

/// Decides, op by op, which computations can work on slices of a value, and
/// rewrites them. Nothing changes before `apply`.
class ReorderPlan {
public:
  /// `whole` is the value that an all_gather along `axes` makes, or will make,
  /// of a slice of type `slice`.
  ReorderPlan(mlir::Value whole, mlir::RankedTensorType slice,
              llvm::ArrayRef<mlir::StringAttr> axes);

  /// Let `op` work on slices; refused where it does not type on them or does
  /// not depend on the value, but for a reduction to one element of a replicated
  /// value of the same shape. Ops are added in block order.
  mlir::LogicalResult add(mlir::Operation *op, Refusal &refusal);

  /// Rewrite the ops behind `gather`. Pointwise ops whose results only these
  /// slices use work on slices too.
  ReorderedOps apply(mlir::RewriterBase &rewriter, AllGatherOp gather);

  const OpSet &getOps() const { return set; }

private:
  std::optional<mlir::IntegerAttr> shardDim(mlir::Operation *op,
                                            unsigned index) const;
  mlir::RankedTensorType sliceType(mlir::Value value) const {
    return types.lookup_or(value, mlir::RankedTensorType());
  }
  std::optional<mlir::IntegerAttr> cutDim(mlir::RankedTensorType type) const;
  mlir::LogicalResult planOperands(PlannedOp &plan,
                                   llvm::SmallVectorImpl<mlir::Type> &types,
                                   Refusal &refusal);
  mlir::Value buildSlices(mlir::RewriterBase &rewriter, PlannedOp &plan,
                          mlir::ArrayAttr axesAttr, ReorderedOps &made);

  void sinkShards(mlir::RewriterBase &rewriter, ReorderedOps &made);

  llvm::SmallVector<mlir::StringAttr> axes;
  MeshAttr mesh;
  mlir::RankedTensorType slice;
  OpSet set;
  llvm::SmallVector<PlannedOp, 4> plans;
  /// Types of the value and of results of the set after the reorder.
  llvm::DenseMap<mlir::Value, mlir::RankedTensorType> types;
  /// While rewriting: slices of whole values, and shards made so far.
  llvm::DenseMap<mlir::Value, mlir::Value> slices;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> shards;
};

/// C(AG(x)) becomes AG(C(x)) (CoCoNet section 3.2): every computation of `ops`
/// works on slices, replicated operands are sharded, each value used elsewhere
/// is gathered, and a reduction over the cut dimension brings an all_reduce.
/// The all_gather goes unless something outside of the set uses it.
///
/// The set is convex; its ops depend on the all_gather and type with slices for
/// operands, or are pointwise ops on replicated values that only the set uses.
mlir::FailureOr<ReorderedOps>
reorderAllGather(mlir::RewriterBase &rewriter, AllGatherOp gather,
                 llvm::ArrayRef<mlir::Operation *> ops, Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_REORDERALLGATHER_H
