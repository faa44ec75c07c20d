//===- CoCoNet.td - Entry of the coconet dialect -----------*- tablegen -*-===//

#ifndef COCONET_TD
#define COCONET_TD

include "CoCoNetDialect.td"
include "CoCoNetEnums.td"
include "CoCoNetAttrs.td"
include "CoCoNetInterfaces.td"
include "CoCoNetOps.td"

#endif // COCONET_TD
