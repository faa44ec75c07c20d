//===- NeuralOps.h - layers of neural networks -------------*- C++ -*-===//

#ifndef COCONET_IR_NEURALOPS_H
#define COCONET_IR_NEURALOPS_H

#include "IR/CoCoNet.h"

#define GET_OP_CLASSES
#include "CoCoNetNeuralOps.h.inc"

#endif // COCONET_IR_NEURALOPS_H
