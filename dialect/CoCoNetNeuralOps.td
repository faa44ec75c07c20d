//===- CoCoNetNeuralOps.td - layers of neural networks ------------------===//

#ifndef COCONET_NEURAL_OPS_TD
#define COCONET_NEURAL_OPS_TD

include "CoCoNetOpBase.td"
include "CoCoNetRankBase.td"
include "CoCoNetKernelBase.td"

#endif // COCONET_NEURAL_OPS_TD
