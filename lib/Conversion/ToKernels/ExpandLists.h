//===- ExpandLists.h - kernels over lists -----------------------*- C++ -*-===//

#ifndef COCONET_CONVERSION_TOKERNELS_EXPANDLISTS_H
#define COCONET_CONVERSION_TOKERNELS_EXPANDLISTS_H

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/ListOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace coconet {

/// Ops that one kernel carries out for each tensor of the lists.
struct ListUnit {
  mlir::Operation *source;
  llvm::SmallVector<mlir::Operation *> ops;
  /// What is computed, and the values of the region that it is.
  llvm::SmallVector<mlir::Value> outputs, results;
  std::optional<Group> group;
};

/// A fused region, cut behind its reductions to one element: the phase of each
/// op, and who takes part.
struct FusedPhases {
  llvm::DenseMap<mlir::Operation *, unsigned> of;
  unsigned count = 1;
  std::optional<Group> group;
};

/// Replaces one operation on lists.
class ListExpander {
public:
  explicit ListExpander(ForEachOp op)
      : op(op), builder(op), m(builder, op.getLoc()), count(op.getCount()) {}

  mlir::LogicalResult expand();

private:
  //===-- Values, and ops one by one (ExpandLists.cpp) --------------------===//
  /// Nothing in the op depends on the position.
  bool isCommon(mlir::Operation *inner);
  /// The tensors that a value of the region stands for, one a position.
  llvm::SmallVector<mlir::Value> listOf(mlir::Value value);
  /// The same as a value of the region's type.
  mlir::Value valueAt(mlir::Value value, int64_t position);
  mlir::Value convert(mlir::Value value, mlir::RankedTensorType type);
  mlir::FailureOr<mlir::Value>
  shape(mlir::Value value, mlir::RankedTensorType type, int64_t position);
  /// One copy of the op for each position.
  void unroll(mlir::Operation *inner);

  //===-- Kernels (ListKernels.cpp) ---------------------------------------===//
  /// The op as a kernel, if there is one for it.
  std::optional<ListUnit> findUnit(mlir::Operation *inner);
  mlir::LogicalResult buildKernel(const ListUnit &unit);
  /// What others take along: slices, and values that only reductions want.
  bool isDeferred(mlir::Operation *inner);
  /// all_reduce and broadcast, of scalars too.
  bool isCollective(mlir::Operation *inner);
  void buildCollective(mlir::Operation *inner);
  /// A fused region as kernels, if there are some for all its ops.
  std::optional<FusedPhases> findPhases(FusedOp fused);
  mlir::LogicalResult buildPhases(FusedOp fused, FusedPhases &phases);
  /// The kernels of one phase: of the chunks, of whole tensors, and of scalars.
  mlir::LogicalResult buildPhase(FusedOp fused, FusedPhases &phases,
                                 unsigned phase);
  /// Tensors that a kernel writes: those of the states that they become, else
  /// ones of so many elements.
  llvm::SmallVector<mlir::Value>
  makeInits(mlir::Value result,
            llvm::function_ref<mlir::OpFoldResult(int64_t)> sizeAt);
  /// Number of elements at a position of the logical tensors, and of what a unit
  /// computes of them.
  mlir::OpFoldResult wholeSize(int64_t position) {
    return mlir::getAsOpFoldResult(op.operandsOf(0)[position]);
  }
  mlir::OpFoldResult partSize(const ListUnit &unit, llvm::ArrayRef<Leaf> leaves,
                              int64_t position);
  ListKernelOp createKernel(mlir::Operation *source,
                            llvm::ArrayRef<mlir::Value> inputs,
                            llvm::ArrayRef<mlir::Value> scalars,
                            llvm::ArrayRef<mlir::Value> inits,
                            llvm::ArrayRef<mlir::Attribute> accesses,
                            llvm::ArrayRef<mlir::Attribute> reductions,
                            const std::optional<Group> &group,
                            mlir::IntegerAttr root = {});
  void finishKernel(ListKernelOp kernel, llvm::ArrayRef<mlir::Value> results);

  ForEachOp op;
  mlir::OpBuilder builder;
  IndexMath m;
  int64_t count;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> lists;
  /// Values of the region that are the same at all positions.
  mlir::IRMapping common;
};

} // namespace coconet

#endif // COCONET_CONVERSION_TOKERNELS_EXPANDLISTS_H
