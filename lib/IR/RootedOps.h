//===- RootedOps.h - collectives with a root, permute, barrier *- C++ -*-===//

#ifndef COCONET_IR_ROOTEDOPS_H
#define COCONET_IR_ROOTEDOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetRootedOps.h.inc"

#endif // COCONET_IR_ROOTEDOPS_H
