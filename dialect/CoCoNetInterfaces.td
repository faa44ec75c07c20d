//===- CoCoNetInterfaces.td - Op interfaces -----------------*- tablegen -*-===//

#ifndef COCONET_INTERFACES_TD
#define COCONET_INTERFACES_TD

include "mlir/IR/OpBase.td"

#endif // COCONET_INTERFACES_TD
