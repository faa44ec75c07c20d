//===- Attributes.h - Attributes of the dialect for Python ------*- C++ -*-===//

#ifndef COCONET_CAPI_ATTRIBUTES_H
#define COCONET_CAPI_ATTRIBUTES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// True for `#coconet.reduction<...>`.
MLIR_CAPI_EXPORTED bool coconetAttributeIsAReduction(MlirAttribute attr);

/// The attribute of the reduction called `kind`; null if there is none.
MLIR_CAPI_EXPORTED MlirAttribute coconetReductionAttrGet(MlirContext context,
                                                         MlirStringRef kind);

/// The name of the reduction, as in the textual form.
MLIR_CAPI_EXPORTED MlirStringRef
coconetReductionAttrGetKind(MlirAttribute attr);

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// True for `#coconet.mesh<...>`.
MLIR_CAPI_EXPORTED bool coconetAttributeIsAMesh(MlirAttribute attr);

/// The mesh of `count` axes; a negative size is open. Null, with an error at
/// the unknown location, where the parts make no mesh.
MLIR_CAPI_EXPORTED MlirAttribute coconetMeshAttrGet(MlirContext context,
                                                    intptr_t count,
                                                    const MlirStringRef *axes,
                                                    const int64_t *sizes);

MLIR_CAPI_EXPORTED intptr_t coconetMeshAttrGetNumAxes(MlirAttribute mesh);
MLIR_CAPI_EXPORTED MlirStringRef coconetMeshAttrGetAxis(MlirAttribute mesh,
                                                        intptr_t index);

/// The size of the axis at `index`; -1 where it is open.
MLIR_CAPI_EXPORTED int64_t coconetMeshAttrGetSize(MlirAttribute mesh,
                                                  intptr_t index);

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// True for `#coconet.layout<...>`.
MLIR_CAPI_EXPORTED bool coconetAttributeIsALayout(MlirAttribute attr);

/// The layout of these parts, builtin attributes as in the specification. Null,
/// with an error at the unknown location, where they make no layout.
MLIR_CAPI_EXPORTED MlirAttribute coconetLayoutAttrGet(
    MlirAttribute mesh, MlirAttribute dims, MlirAttribute flat,
    MlirAttribute partial, MlirAttribute local, MlirAttribute rooted);

MLIR_CAPI_EXPORTED MlirAttribute coconetLayoutAttrGetMesh(MlirAttribute layout);
MLIR_CAPI_EXPORTED MlirAttribute coconetLayoutAttrGetDims(MlirAttribute layout);
MLIR_CAPI_EXPORTED MlirAttribute coconetLayoutAttrGetFlat(MlirAttribute layout);
MLIR_CAPI_EXPORTED MlirAttribute
coconetLayoutAttrGetPartial(MlirAttribute layout);
MLIR_CAPI_EXPORTED MlirAttribute
coconetLayoutAttrGetLocal(MlirAttribute layout);
MLIR_CAPI_EXPORTED MlirAttribute
coconetLayoutAttrGetRooted(MlirAttribute layout);

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The result type that follows from the operand of a collective, shard,
/// reshape or broadcast_to, whose own result type may still be wrong (it gives
/// the mesh of a shard, the shape of the other two). Null, with an error, where
/// the operand is not acceptable; null alone for other ops.
MLIR_CAPI_EXPORTED MlirType coconetOperationInferType(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // COCONET_CAPI_ATTRIBUTES_H
