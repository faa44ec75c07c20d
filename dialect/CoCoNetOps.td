//===- CoCoNetOps.td - Operations ---------------------------*- tablegen -*-===//

#ifndef COCONET_OPS_TD
#define COCONET_OPS_TD

include "CoCoNetDialect.td"
include "CoCoNetAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CoCoNet_NegOp : Op<CoCoNet_Dialect, "neg", [Pure, SameOperandsAndResultType]> {
  let summary = "Negation, element by element";
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // COCONET_OPS_TD
