//===- Pipelines.cpp - Named pipelines ------------------------------------===//

#include "Pipelines/Pipelines.h"
#include "Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

void coconet::registerPipelines() {
  mlir::PassPipelineRegistration<>(
      "coconet-simplify", "Remove what a schedule leaves behind",
      [](mlir::OpPassManager &pm) {
        pm.addPass(coconet::createRemoveDoubleNeg());
        pm.addPass(mlir::createCanonicalizerPass());
        pm.addPass(mlir::createCSEPass());
      });
}
