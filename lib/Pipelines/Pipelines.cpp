//===- Pipelines.cpp - named pipelines --------------------------------------===//

#include "Pipelines/Pipelines.h"
#include "Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace coconet;

void coconet::registerPipelines() {
}
