//===- KernelOps.h - kernels of one rank -------------------*- C++ -*-===//

#ifndef COCONET_IR_KERNELOPS_H
#define COCONET_IR_KERNELOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetKernelOps.h.inc"

#endif // COCONET_IR_KERNELOPS_H
