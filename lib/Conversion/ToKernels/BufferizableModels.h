//===- BufferizableModels.h - how kernels become buffers --------*- C++ -*-===//

#ifndef COCONET_CONVERSION_TOKERNELS_BUFFERIZABLEMODELS_H
#define COCONET_CONVERSION_TOKERNELS_BUFFERIZABLEMODELS_H

namespace mlir {
class DialectRegistry;
class MemRefType;
} // namespace mlir

namespace coconet {

/// Makes the kernel ops known to one-shot bufferization. A symmetric kernel may
/// write the buffer of an input that it reads at the same elements.
void registerBufferizableModels(mlir::DialectRegistry &registry);

/// Whether elements follow one another in memory, from wherever they start.
/// Buffers that others read have no gaps.
bool isContiguous(mlir::MemRefType type);

} // namespace coconet

#endif // COCONET_CONVERSION_TOKERNELS_BUFFERIZABLEMODELS_H
