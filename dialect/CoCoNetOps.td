//===- CoCoNetOps.td - ops that most of the compiler knows ------------------===//
//
// Their classes are in IR/CoCoNet.h. The other families have headers of their
// own, so that a change there rebuilds what knows them.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_OPS_TD
#define COCONET_OPS_TD

include "CoCoNetPointwiseOps.td"
include "CoCoNetTensorOps.td"
include "CoCoNetCollectiveOps.td"

#endif // COCONET_OPS_TD
