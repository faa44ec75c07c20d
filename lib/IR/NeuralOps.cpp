//===- NeuralOps.cpp - layers of neural networks ------------------------===//

#include "IR/NeuralOps.h"
#include "IR/Assembly.h"

using namespace mlir;
using namespace coconet;

#define GET_OP_CLASSES
#include "CoCoNetNeuralOps.cpp.inc"

void CoCoNetDialect::addNeuralOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetNeuralOps.cpp.inc"
      >();
}
