//===- CoCoNetEnums.td - Enumerations -----------------------*- tablegen -*-===//

#ifndef COCONET_ENUMS_TD
#define COCONET_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def CoCoNet_ReductionKind : I32EnumAttr<"ReductionKind", "How values combine", [
    I32EnumAttrCase<"sum", 0>,
    I32EnumAttrCase<"max", 1>,
    I32EnumAttrCase<"min", 2>,
  ]> {
  let cppNamespace = "::coconet";
  let genSpecializedAttr = 0;
}

#endif // COCONET_ENUMS_TD
