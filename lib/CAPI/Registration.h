//===- Registration.h - Dialects and passes for Python ----------*- C++ -*-===//

#ifndef COCONET_CAPI_REGISTRATION_H
#define COCONET_CAPI_REGISTRATION_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers every dialect of the project and of its lowerings.
MLIR_CAPI_EXPORTED void coconetRegisterAll(MlirDialectRegistry registry);

/// Registers every pass and pipeline; may be called more than once.
MLIR_CAPI_EXPORTED void coconetRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif // COCONET_CAPI_REGISTRATION_H
