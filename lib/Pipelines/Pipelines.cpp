//===- Pipelines.cpp - named pipelines --------------------------------------===//
//
// Recipes without logic; comments explain the order.
//
//===----------------------------------------------------------------------===//

#include "Pipelines/Pipelines.h"
#include "Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace coconet;

namespace {
struct FuseAllReducePipelineOptions
    : PassPipelineOptions<FuseAllReducePipelineOptions> {
  Option<bool> sliceState{
      *this, "slice-state",
      llvm::cl::desc("hold state in slices where all its uses allow it")};
};
} // namespace

static void buildFuseAllReduce(OpPassManager &pm,
                               const FuseAllReducePipelineOptions &options) {
  pm.addPass(createValidateLayouts());
  // Equal computations are one before the dependents of a collective are
  // collected.
  pm.addPass(createCSEPass());
  FuseAllReduceOptions fuse;
  fuse.sliceState = options.sliceState;
  pm.addNestedPass<func::FuncOp>(createFuseAllReduce(fuse));
  pm.addPass(createCanonicalizerPass());
}

void coconet::registerPipelines() {
  PassPipelineRegistration<FuseAllReducePipelineOptions>(
      "fuse-allreduce",
      "split, reorder and fuse every all_reduce with the computation after it",
      buildFuseAllReduce);
  registerLoweringPipelines();
}
