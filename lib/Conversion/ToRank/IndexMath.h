//===- IndexMath.h - sizes and offsets as folded index arithmetic -*- C++ -*-===//

#ifndef COCONET_CONVERSION_TORANK_INDEXMATH_H
#define COCONET_CONVERSION_TORANK_INDEXMATH_H

#include "IR/Layout.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace coconet {

/// One chunk of a cut dimension: elements start to start + length.
struct Chunk {
  mlir::OpFoldResult start, length;
};

/// Builds index arithmetic and folds what is static.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpFoldResult constant(int64_t value);
  mlir::Value value(mlir::OpFoldResult size);
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult min(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult max(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// Quotient towards zero and rounded up; the divisor is not 0.
  mlir::OpFoldResult div(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult rem(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// Size of dimension `dim` of a tensor or buffer.
  mlir::OpFoldResult dim(mlir::Value shaped, int64_t dim);
  llvm::SmallVector<mlir::OpFoldResult> dims(mlir::Value shaped);

  /// The chunk of `size` elements at position `index` of `parts` equal chunks,
  /// of which the last ones are short or empty.
  Chunk chunk(mlir::OpFoldResult size, int64_t parts, mlir::OpFoldResult index);
  Chunk chunk(mlir::OpFoldResult size, mlir::OpFoldResult parts,
              mlir::OpFoldResult index);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Type of one rank's tensor. A cut dimension has its static chunk size where
/// the division is exact, else an open one; a chunk of one element is open too,
/// since pointwise ops would take a size of 1 for a repeated dimension.
mlir::RankedTensorType localType(mlir::RankedTensorType type);

} // namespace coconet

#endif // COCONET_CONVERSION_TORANK_INDEXMATH_H
