//===- CoCoNetCAPI.cpp - C functions for the Python package ---------------===//

#include "CAPI/CoCoNetCAPI.h"
#include "InitAll.h"

#include "mlir/CAPI/IR.h"

void coconetRegisterAll(MlirDialectRegistry registry) {
  coconet::registerAll(*unwrap(registry));
}

void coconetRegisterAllPasses(void) { coconet::registerAllPasses(); }
