//===- ScalarOps.h - pointwise ops on one element ---------------*- C++ -*-===//

#ifndef COCONET_CONVERSION_TOKERNELS_SCALAROPS_H
#define COCONET_CONVERSION_TOKERNELS_SCALAROPS_H

#include "IR/CoCoNet.h"
#include "mlir/IR/Builders.h"

namespace coconet {

/// Index of the element along a dimension of the op's result.
using IndexFn = llvm::function_ref<mlir::Value(int64_t dim)>;

/// The pointwise op `op` on scalars, in arith and math. f16 and bf16 are
/// computed in f32 and rounded after the op. Null if there is no such op.
mlir::Value buildScalar(mlir::OpBuilder &builder, mlir::Operation *op,
                        mlir::ValueRange scalars, IndexFn index);

/// Convert between element types as `coconet.cast` does.
mlir::Value castScalar(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::Type type);

/// f16 and bf16 as f32, other types as they are.
mlir::Type computeType(mlir::Type type);

/// Combine two values of one compute type; `avg` combines as `sum`.
mlir::Value combineScalars(mlir::OpBuilder &builder, mlir::Location loc,
                           Reduction reduction, mlir::Value a, mlir::Value b);

/// The value that a reduction starts from.
mlir::TypedAttr neutralElement(mlir::OpBuilder &builder, Reduction reduction,
                               mlir::Type type);

} // namespace coconet

#endif // COCONET_CONVERSION_TOKERNELS_SCALAROPS_H
