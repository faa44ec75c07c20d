//===- ToCPU.cpp - from a scheduled program to LLVM on CPU threads ----------===//
//
// Recipes without logic; comments explain the order.
//
//===----------------------------------------------------------------------===//

#include "Pipelines/Pipelines.h"
#include "Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace coconet;

namespace {
struct ToRankOptions : PassPipelineOptions<ToRankOptions> {
  Option<bool> check{
      *this, "check", llvm::cl::init(true),
      llvm::cl::desc("prove that ranks meet and leave data in flight alone")};
  Option<bool> watch{
      *this, "watch", llvm::cl::init(false),
      llvm::cl::desc("fail the run at the first value that is not finite")};
};
} // namespace

static void buildToRank(OpPassManager &pm, const ToRankOptions &options) {
  pm.addPass(createValidateLayouts());
  pm.addPass(createInlinerPass());
  pm.addPass(createDecompose());
  pm.addPass(createToRank());
  // The same sizes and positions are computed for many ops.
  pm.addPass(createCSEPass());
  if (options.check)
    pm.addPass(createCheckCommunication());
  // Takes apart what was checked as a whole.
  if (options.watch)
    pm.addPass(createWatchNonfinite());
}

void coconet::buildBufferize(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  // Values that a loop carries may change places.
  options.allowReturnAllocsFromLoops = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // Before deallocation, which would copy a returned argument.
  pm.addPass(createDropStateResults());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Scalars need no allocation.
  pm.addNestedPass<func::FuncOp>(
      bufferization::createPromoteBuffersToStackPass());
  bufferization::buildBufferDeallocationPipeline(
      pm, bufferization::BufferDeallocationPipelineOptions());
  // What is returned and not the caller's to free, a constant, is copied.
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
}

void coconet::buildKernelsToLLVM(OpPassManager &pm) {
  pm.addPass(createLowerKernels());
  pm.addPass(createPackArguments());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  arith::ArithExpandOpsPassOptions expand;
  // bf16 conversions would become calls of functions that nobody defines.
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  // What has no LLVM intrinsic is left to the mathematical library.
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  // One by one: the pass that converts all dialects wants those of unused
  // dialects registered too.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createBFloatAsBits());
}

static void buildRankToCPU(OpPassManager &pm) {
  pm.addPass(createToKernels());
  pm.addPass(createCSEPass());
  buildBufferize(pm);
  buildKernelsToLLVM(pm);
}

static void buildToCPU(OpPassManager &pm, const ToRankOptions &options) {
  buildToRank(pm, options);
  buildRankToCPU(pm);
}

void coconet::registerLoweringPipelines() {
  PassPipelineRegistration<ToRankOptions>(
      "coconet-lower-to-rank",
      "validate, decompose and translate to what one rank runs", buildToRank);
  PassPipelineRegistration<>(
      "coconet-bufferize",
      "kernels over tensors to kernels over buffers, state in place",
      buildBufferize);
  PassPipelineRegistration<>("coconet-kernels-to-llvm",
                             "kernels over buffers to the LLVM dialect",
                             buildKernelsToLLVM);
  PassPipelineRegistration<>(
      "coconet-rank-to-cpu",
      "what one rank runs to the LLVM dialect for CPU threads", buildRankToCPU);
  PassPipelineRegistration<ToRankOptions>(
      "coconet-to-cpu",
      "a scheduled program over a bound mesh to the "
      "LLVM dialect for CPU threads",
      buildToCPU);
}
