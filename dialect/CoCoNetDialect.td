//===- CoCoNetDialect.td - The dialect ----------------------*- tablegen -*-===//

#ifndef COCONET_DIALECT_TD
#define COCONET_DIALECT_TD

include "mlir/IR/DialectBase.td"

def CoCoNet_Dialect : Dialect {
  let name = "coconet";
  let summary = "Distributed tensor programs";
  let cppNamespace = "::coconet";
  let useDefaultAttributePrinterParser = 1;
}

#endif // COCONET_DIALECT_TD
