//===- ListOps.h - lists of tensors ------------------------*- C++ -*-===//

#ifndef COCONET_IR_LISTOPS_H
#define COCONET_IR_LISTOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetListOps.h.inc"

#endif // COCONET_IR_LISTOPS_H
