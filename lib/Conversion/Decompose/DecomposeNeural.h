//===- DecomposeNeural.h - expand layers of neural networks -----*- C++ -*-===//

#ifndef COCONET_CONVERSION_DECOMPOSE_DECOMPOSENEURAL_H
#define COCONET_CONVERSION_DECOMPOSE_DECOMPOSENEURAL_H

#include "IR/CoCoNet.h"
#include "mlir/IR/PatternMatch.h"

namespace coconet {

/// Reduce over dimensions, kept with size 1, across the axes that cut them.
mlir::Value reduceAcross(mlir::OpBuilder &builder, mlir::Location loc,
                         ReduceKind kind, mlir::Value operand,
                         llvm::ArrayRef<int64_t> dims, bool keepDims = true);

/// Expansions of layer_norm, rms_norm and cross_entropy.
void addNeuralPatterns(mlir::RewritePatternSet &patterns);

} // namespace coconet

#endif // COCONET_CONVERSION_DECOMPOSE_DECOMPOSENEURAL_H
