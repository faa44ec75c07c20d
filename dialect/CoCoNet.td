//===- CoCoNet.td - the coconet dialect, entry point ------------------------===//
//
// The specification of the dialect. Everything else (C++ classes, Python
// builders, the xDSL mirror, the reference pages) is generated from here.
//
//===----------------------------------------------------------------------===//

#ifndef COCONET_TD
#define COCONET_TD

include "CoCoNetDialect.td"
include "CoCoNetEnums.td"
include "CoCoNetAttrs.td"
include "CoCoNetInterfaces.td"
include "CoCoNetTypes.td"
include "CoCoNetOps.td"
include "CoCoNetNeuralOps.td"
include "CoCoNetRootedOps.td"
include "CoCoNetChannelOps.td"
include "CoCoNetListOps.td"
include "CoCoNetOverlapOps.td"
include "CoCoNetRankOps.td"
include "CoCoNetKernelOps.td"

#endif // COCONET_TD
