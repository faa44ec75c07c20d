//===- CoCoNetAttrs.td - Attributes -------------------------*- tablegen -*-===//

#ifndef COCONET_ATTRS_TD
#define COCONET_ATTRS_TD

include "CoCoNetDialect.td"
include "CoCoNetEnums.td"

def CoCoNet_ReductionAttr
    : EnumAttr<CoCoNet_Dialect, CoCoNet_ReductionKind, "reduction"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // COCONET_ATTRS_TD
