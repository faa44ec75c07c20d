//===- KernelBuilder.h - rank ops to kernels over tensors -------*- C++ -*-===//

#ifndef COCONET_CONVERSION_TOKERNELS_KERNELBUILDER_H
#define COCONET_CONVERSION_TOKERNELS_KERNELBUILDER_H

#include "Conversion/ToRank/IndexMath.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace coconet {

class SymmetricKernelOp;

/// A tensor from outside that a group of pointwise ops reads.
struct Leaf {
  mlir::Value tensor;
  mlir::AffineMap map;
  Access access = Access::shared;
  std::optional<Reduction> reduction;
  /// In which it is read by others; null: its own.
  mlir::FloatType wireType;
};

/// The members of a collective.
struct Group {
  MeshAttr mesh;
  mlir::ArrayAttr axes, groups;
  bool operator==(const Group &other) const {
    return mesh == other.mesh && axes == other.axes && groups == other.groups;
  }
};

/// A group of pointwise ops, and collectives fused with them, that is evaluated
/// element by element over one box.
class ElementwiseGroup {
public:
  /// `outputs` are results of `ops` (or of ops before them) of one rank.
  ElementwiseGroup(llvm::ArrayRef<mlir::Operation *> ops,
                   mlir::ValueRange outputs);

  /// Collect what is read. With a group, chunks of `dim` are iterated over.
  mlir::LogicalResult analyze();
  mlir::LogicalResult analyze(const Group &group, int64_t dim);

  /// Evaluate at one element, given those of the leaves; one value an output.
  llvm::SmallVector<mlir::Value>
  evaluate(mlir::OpBuilder &builder, mlir::ValueRange elements,
           llvm::function_ref<mlir::Value(int64_t)> boxIndex);

  /// Size of box dimension `dim` where a leaf has it, as a whole or (with
  /// `whole` unset) as a chunk.
  std::optional<mlir::OpFoldResult> boxSize(IndexMath &math, int64_t dim,
                                            bool whole = false);

  llvm::SmallVector<Leaf> leaves;
  llvm::SmallVector<mlir::Value> outputs;
  int64_t rank = 0;
  std::optional<Group> group;
  int64_t dim = 0;

private:
  mlir::LogicalResult visit(mlir::Operation *op);
  void addLeaf(mlir::Operation *user, mlir::Value tensor, Access access,
               std::optional<Reduction> reduction = {},
               mlir::FloatType wireType = {});
  bool isInside(mlir::Value value) const {
    return needed.contains(value.getDefiningOp());
  }

  /// The ops that the outputs need, in order.
  llvm::SetVector<mlir::Operation *> needed;
  /// Values and the leaf that stands for each of them.
  llvm::DenseMap<std::pair<mlir::Value, int>, unsigned> leafOf;
  llvm::SmallVector<int64_t> boxShape;
};

/// Values in and around a fused region that have equal sizes: because an op says
/// so, or because their sizes are known.
class EqualSizes {
public:
  explicit EqualSizes(mlir::Block &block);

  /// The value that stands for those of one size. Of a reduction it is that of
  /// the operand, which is what a kernel iterates over.
  mlir::Value of(mlir::Value value) const;

private:
  llvm::EquivalenceClasses<mlir::Value> classes;
};

/// The value of a splat constant, else null.
mlir::TypedAttr splatOf(mlir::Value value);

/// The tensor whose new value the result becomes: a state, or what a loop
/// carries; null if there is none.
mlir::Value findDestination(mlir::Value result);

/// The tensor that the result is to be written into: a state that it becomes
/// the new value of, else an empty one of these sizes.
mlir::Value makeInit(mlir::OpBuilder &builder, mlir::Value result,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// One `linalg.generic` for results of pointwise ops, which have one rank.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
buildGeneric(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Operation *> ops,
             mlir::ValueRange outputs, mlir::ValueRange results);

/// One symmetric kernel for a collective chain with the ops fused around it.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
buildSymmetric(mlir::OpBuilder &builder, mlir::Operation *source,
               const Group &group, int64_t dim,
               llvm::ArrayRef<mlir::Operation *> ops, mlir::ValueRange outputs,
               mlir::ValueRange results);

/// Replace operations on lists by kernels over lists, or by ops on each tensor.
mlir::LogicalResult expandLists(mlir::func::FuncOp function);
mlir::LogicalResult lowerFused(mlir::OpBuilder &builder, FusedOp op);
/// Collectives that are not fused.
mlir::LogicalResult lowerCollective(mlir::OpBuilder &builder,
                                    mlir::Operation *op);
/// Communication that is started: the kernel comes where it, or what is started
/// later, is waited for, and what it publishes where it is started. `number` is
/// new in the function.
mlir::LogicalResult lowerStart(RankStartOp op, unsigned number);
/// One end of a channel; with the ops fused with a send.
void lowerChannelOp(mlir::OpBuilder &builder, mlir::Operation *op);
mlir::LogicalResult lowerFusedSend(mlir::OpBuilder &builder, FusedOp op);
/// Contractions, reductions and shape ops.
mlir::LogicalResult lowerTensorOp(mlir::OpBuilder &builder,
                                  mlir::Operation *op);
/// The type in which the values of a collective travel; null: their own.
mlir::FloatType wireTypeOf(mlir::Operation *op);
/// The value of one element after it has travelled.
mlir::Value roundToWire(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value scalar, mlir::FloatType wireType);
/// The tensor with elements of another float type, where `result`, if there is
/// one, is to be.
mlir::Value castElements(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor, mlir::Type element,
                         mlir::Value result = {});
/// Whether the target does the collective, or the fused region, as its
/// `coconet.algorithm` and `coconet.channels` say.
mlir::LogicalResult checkAlgorithm(mlir::Operation *op, bool reducesAll);
/// Whether members can do all the work of a kernel for themselves.
mlir::LogicalResult checkOneShot(mlir::Operation *source,
                                 SymmetricKernelOp kernel);

/// The same elements in row-major order as `type`.
mlir::Value reshapeTensor(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::RankedTensorType type,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// Members, dimension and position of a rank collective.
Group groupOf(CollectiveOpInterface op);
Chunk chunkOf(mlir::OpBuilder &builder, mlir::Location loc, const Group &group,
              mlir::OpFoldResult size);

} // namespace coconet

#endif // COCONET_CONVERSION_TOKERNELS_KERNELBUILDER_H
