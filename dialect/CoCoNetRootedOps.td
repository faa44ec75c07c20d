//===- CoCoNetRootedOps.td - collectives to and from a root, permute, barrier ===//

#ifndef COCONET_ROOTED_OPS_TD
#define COCONET_ROOTED_OPS_TD

include "CoCoNetCollectiveBase.td"
include "CoCoNetRankBase.td"
include "CoCoNetKernelBase.td"

#endif // COCONET_ROOTED_OPS_TD
