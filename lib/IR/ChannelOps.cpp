//===- ChannelOps.cpp - send and receive --------------------------------===//

#include "IR/ChannelOps.h"
#include "IR/Assembly.h"

using namespace mlir;
using namespace coconet;

#define GET_OP_CLASSES
#include "CoCoNetChannelOps.cpp.inc"

void CoCoNetDialect::addChannelOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetChannelOps.cpp.inc"
      >();
}
