//===- CoCoNetPasses.td - Passes ----------------------------*- tablegen -*-===//

#ifndef COCONET_PASSES_TD
#define COCONET_PASSES_TD

include "mlir/Pass/PassBase.td"

def RemoveDoubleNeg : Pass<"coconet-remove-double-neg"> {
  let summary = "Remove pairs of negations";
}

#endif // COCONET_PASSES_TD
