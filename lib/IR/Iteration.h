//===- Iteration.h - the box an op iterates over ----------------*- C++ -*-===//
//
// Pointwise ops, contractions and reductions described in one form, and what
// follows from it for shapes and layouts.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_IR_ITERATION_H
#define COCONET_IR_ITERATION_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace coconet {

enum class Reduction : uint32_t;

/// How the result depends on operands that are pending reductions.
enum class Linearity {
  None,     ///< on none of them linearly
  First,    ///< linear in operand 0
  Joint,    ///< linear in all operands taken together
  Product,  ///< linear in either operand, not in both
  Quotient, ///< linear in operand 0, floats only
  Select,   ///< linear in operands 1 and 2 taken together
  Cast,     ///< linear in operand 0 to the same or a wider float
  Reduce,   ///< sum and mean; max and min pass a pending max and min
  Max,      ///< passes a pending max
  Min       ///< passes a pending min
};

inline bool isParallel(mlir::utils::IteratorType type) {
  return type == mlir::utils::IteratorType::parallel;
}

/// The iteration of one op with one result.
struct Iteration {
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  /// Extent of each iterator; ShapedType::kDynamic where unknown.
  llvm::SmallVector<int64_t> extents;
  /// Per operand, a projected permutation of the iterators; a dimension of
  /// size 1 that is repeated is the constant 0.
  llvm::SmallVector<mlir::AffineMap> operandMaps;
  mlir::AffineMap resultMap;
  /// Element type of the result.
  mlir::Type elementType;
  /// How reduction iterators combine; unset where there are none.
  std::optional<Reduction> combining;

  /// All iterators are parallel and every dimension is read at the element
  /// written or repeated.
  bool isPointwise() const;
};

/// Iteration of a pointwise op: shapes aligned on the right, static size 1
/// repeated. Reports a mismatch at `location`.
mlir::FailureOr<Iteration>
buildPointwiseIteration(mlir::ValueRange operands, mlir::Type elementType,
                        std::optional<mlir::Location> location);

/// Whether an op of that linearity is linear and homogeneous in the operands of
/// the set, the others held fixed.
bool isLinearIn(Linearity linearity, const llvm::SmallBitVector &operands,
                mlir::TypeRange operandTypes, mlir::Type resultType);

/// Check the rate and the stream of a dropout.
mlir::LogicalResult verifyDropout(mlir::Operation *op,
                                  const llvm::APFloat &rate, int64_t stream);

/// Result type of an op that iterates as given over operands with layouts.
mlir::LogicalResult
inferIterationType(llvm::StringRef opName, const Iteration &iteration,
                   mlir::ValueRange operands, Linearity linearity,
                   bool monotone, std::optional<mlir::Location> location,
                   llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace coconet

#endif // COCONET_IR_ITERATION_H
