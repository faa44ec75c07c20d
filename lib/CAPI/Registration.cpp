//===- Registration.cpp - Dialects and passes for Python ------------------===//

#include "CAPI/Registration.h"
#include "InitAll.h"

#include "mlir/CAPI/IR.h"

void coconetRegisterAll(MlirDialectRegistry registry) {
  coconet::registerAll(*unwrap(registry));
}

void coconetRegisterAllPasses(void) { coconet::registerAllPasses(); }
