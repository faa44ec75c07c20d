//===- LowerNeural.h - layers of neural networks to kernels -----*- C++ -*-===//

#ifndef COCONET_CONVERSION_TOKERNELS_LOWERNEURAL_H
#define COCONET_CONVERSION_TOKERNELS_LOWERNEURAL_H

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/NeuralOps.h"

namespace coconet {

/// The result of an op of IR/NeuralOps.h by kernels; null for other ops.
mlir::Value lowerNeural(mlir::OpBuilder &builder, mlir::Operation *op);

mlir::Value lowerConv(mlir::OpBuilder &builder, Conv2dOp op);
mlir::Value lowerConvInputGradient(mlir::OpBuilder &builder,
                                   Conv2dInputGradientOp op);
mlir::Value lowerConvWeightGradient(mlir::OpBuilder &builder,
                                    Conv2dWeightGradientOp op);
mlir::Value lowerPool(mlir::OpBuilder &builder, Pool2dOp op);

/// An empty tensor; `sizes` are those of all dimensions.
mlir::Value makeEmptyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::RankedTensorType type,
                            llvm::ArrayRef<mlir::OpFoldResult> sizes);
/// `init` with a value in every element.
mlir::Value makeFilled(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value init, mlir::TypedAttr value);
/// In the body of a kernel: an element in type `wide` where `inside` holds, and
/// `otherwise`, without a read, where it does not.
mlir::Value readElement(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tensor, mlir::ValueRange position,
                        mlir::Value inside, mlir::Type wide,
                        mlir::TypedAttr otherwise);
/// Whether 0 <= index < limit.
mlir::Value isBelow(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value index, mlir::Value limit);

} // namespace coconet

#endif // COCONET_CONVERSION_TOKERNELS_LOWERNEURAL_H
