//===- CoCoNetChannelOps.td - send and receive between unlike ranks -----===//

#ifndef COCONET_CHANNEL_OPS_TD
#define COCONET_CHANNEL_OPS_TD

include "CoCoNetCollectiveBase.td"
include "CoCoNetRankBase.td"
include "CoCoNetKernelBase.td"

#endif // COCONET_CHANNEL_OPS_TD
