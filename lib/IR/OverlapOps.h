//===- OverlapOps.h - overlap, start and wait --------------*- C++ -*-===//

#ifndef COCONET_IR_OVERLAPOPS_H
#define COCONET_IR_OVERLAPOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetOverlapOps.h.inc"

#endif // COCONET_IR_OVERLAPOPS_H
