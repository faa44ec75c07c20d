//===- Attributes.h - Attributes of the dialect for Python ------*- C++ -*-===//

#ifndef COCONET_CAPI_ATTRIBUTES_H
#define COCONET_CAPI_ATTRIBUTES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// True for `#coconet.reduction<...>`.
MLIR_CAPI_EXPORTED bool coconetAttributeIsAReduction(MlirAttribute attr);

/// The attribute of the reduction called `kind`; null if there is none.
MLIR_CAPI_EXPORTED MlirAttribute coconetReductionAttrGet(MlirContext context,
                                                         MlirStringRef kind);

/// The name of the reduction, as in the textual form.
MLIR_CAPI_EXPORTED MlirStringRef
coconetReductionAttrGetKind(MlirAttribute attr);

#ifdef __cplusplus
}
#endif

#endif // COCONET_CAPI_ATTRIBUTES_H
