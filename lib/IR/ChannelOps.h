//===- ChannelOps.h - send and receive ---------------------*- C++ -*-===//

#ifndef COCONET_IR_CHANNELOPS_H
#define COCONET_IR_CHANNELOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetChannelOps.h.inc"

#endif // COCONET_IR_CHANNELOPS_H
