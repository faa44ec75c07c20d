//===- Pipelines.h - Named pipelines ----------------------------*- C++ -*-===//

#ifndef COCONET_PIPELINES_PIPELINES_H
#define COCONET_PIPELINES_PIPELINES_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace coconet {

/// Registers the named pipelines with the pass registry.
void registerPipelines();

/// Registers the pipelines that lower a scheduled program.
void registerLoweringPipelines();

/// Parts of the lowering: from kernels over tensors to buffers, and from there
/// to the LLVM dialect.
void buildBufferize(mlir::OpPassManager &pm);
void buildKernelsToLLVM(mlir::OpPassManager &pm);

} // namespace coconet

#endif // COCONET_PIPELINES_PIPELINES_H
