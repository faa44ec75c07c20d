//===- RankTranslator.h - from a distributed to a rank program --*- C++ -*-===//

#ifndef COCONET_CONVERSION_TORANK_RANKTRANSLATOR_H
#define COCONET_CONVERSION_TORANK_RANKTRANSLATOR_H

#include "Conversion/ToRank/IndexMath.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace coconet {

/// What one rank holds of a distributed value, and the sizes of the logical
/// one (of a local value: of this rank's).
struct RankValue {
  mlir::Value value;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  /// `value` is the row-major flattening of what the type says: a flat slice
  /// gathered inside of a fused region, where nothing can be reshaped.
  bool flattened = false;
};

/// Writes the rank function of one distributed function. Sharding is explicit.
class RankTranslator {
public:
  RankTranslator(mlir::func::FuncOp source, mlir::func::FuncOp target)
      : source(source), target(target), context(source.getContext()),
        outer(context), inner(context) {}

  /// Types of the rank function, its argument attributes, and its body.
  mlir::LogicalResult translate();

private:
  //===-- Function boundary (RankTranslator.cpp) --------------------------===//
  void addArguments();
  mlir::LogicalResult unifyNamedDims();
  mlir::LogicalResult finish(mlir::func::ReturnOp op);
  mlir::LogicalResult translateOp(mlir::Operation *op);
  mlir::LogicalResult translateFused(FusedOp op);
  mlir::LogicalResult copyForeign(mlir::Operation *op);

  //===-- Computation (TranslateCompute.cpp) ------------------------------===//
  mlir::LogicalResult translateIteration(IterationOpInterface op);
  mlir::LogicalResult translateMean(ReduceOp op);
  mlir::LogicalResult translateNorm(NormOp op);
  mlir::LogicalResult translateDropout(DropoutOp op);
  mlir::LogicalResult translateReshape(ReshapeOp op);
  mlir::LogicalResult translateInferred(mlir::Operation *op);
  mlir::LogicalResult translateUpdate(UpdateOp op);
  /// Logical sizes of the result of an iterated op; sizes that must agree and
  /// may not are checked at run time.
  mlir::FailureOr<llvm::SmallVector<mlir::OpFoldResult>>
  iteratedSizes(IterationOpInterface op);
  /// A tensor of rank 0 that holds the product of sizes as a float.
  mlir::Value countTensor(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          mlir::FloatType type, mlir::Location loc);

  //===-- Communication (TranslateCollectives.cpp) ------------------------===//
  mlir::LogicalResult translateCollective(CollectiveOpInterface op);
  mlir::LogicalResult translateReduceScatter(ReduceScatterOp op);
  mlir::LogicalResult translateAllGather(AllGatherOp op);
  mlir::LogicalResult translateAllToAll(AllToAllOp op);
  mlir::LogicalResult translateShard(ShardOp op);
  /// The operand as it is cut: as it lies, or flattened.
  mlir::FailureOr<mlir::Value> cutOperand(mlir::Operation *op,
                                          std::optional<int64_t> dim);
  /// With open sizes, a second cut is checked to divide exactly at run time.
  void checkExactCut(mlir::Operation *op, mlir::OpFoldResult size,
                     llvm::ArrayRef<mlir::StringAttr> before,
                     llvm::ArrayRef<mlir::StringAttr> added, MeshAttr mesh);

  //===-- Shared ----------------------------------------------------------===//
  RankValue &operator[](mlir::Value value) { return values[value]; }
  IndexMath math(mlir::Location loc) { return IndexMath(outer, loc); }
  void set(mlir::Value value, mlir::Value local,
           llvm::ArrayRef<mlir::OpFoldResult> sizes, bool flattened = false) {
    values[value] = {local, llvm::to_vector(sizes), flattened};
  }
  /// Sizes of this rank's part of a distributed value.
  llvm::SmallVector<mlir::OpFoldResult> localSizes(mlir::Value value,
                                                   mlir::Location loc);
  /// Chunk of one cut of `size` elements by the axes.
  Chunk chunkOf(mlir::OpFoldResult size, llvm::ArrayRef<mlir::StringAttr> axes,
                MeshAttr mesh, mlir::Location loc);
  mlir::Value reshape(mlir::Value value, mlir::RankedTensorType type,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      mlir::Location loc);
  /// The same size by either name from here on; differing ones fail the run.
  mlir::LogicalResult unify(mlir::Operation *op, mlir::OpFoldResult &a,
                            mlir::OpFoldResult b);
  mlir::OpFoldResult representative(mlir::OpFoldResult size);
  void check(mlir::OpFoldResult expected, mlir::OpFoldResult actual,
             const llvm::Twine &what, mlir::Location loc);
  /// Rebuild the op on rank values, with inferred result types.
  mlir::FailureOr<mlir::Operation *> rebuild(mlir::Operation *op,
                                             mlir::ValueRange operands);

  mlir::func::FuncOp source, target;
  mlir::MLIRContext *context;
  /// Index arithmetic and what cannot be in a fused region: end of the body.
  mlir::OpBuilder outer;
  /// Tensor ops: as `outer`, or the end of the fused region.
  mlir::OpBuilder inner;
  llvm::DenseMap<mlir::Value, RankValue> values;
  llvm::DenseMap<mlir::Value, mlir::OpFoldResult> known;
};

} // namespace coconet

#endif // COCONET_CONVERSION_TORANK_RANKTRANSLATOR_H
