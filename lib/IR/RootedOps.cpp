//===- RootedOps.cpp - collectives with a root, permute, barrier --------===//

#include "IR/RootedOps.h"
#include "IR/Assembly.h"

using namespace mlir;
using namespace coconet;

#define GET_OP_CLASSES
#include "CoCoNetRootedOps.cpp.inc"

void CoCoNetDialect::addRootedOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetRootedOps.cpp.inc"
      >();
}
