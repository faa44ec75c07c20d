//===- RankOps.h - one rank's view -------------------------*- C++ -*-===//

#ifndef COCONET_IR_RANKOPS_H
#define COCONET_IR_RANKOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetRankOps.h.inc"

#endif // COCONET_IR_RANKOPS_H
