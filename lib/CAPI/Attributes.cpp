//===- Attributes.cpp - Attributes of the dialect for Python --------------===//

#include "CAPI/Attributes.h"
#include "IR/CoCoNet.h"
#include "IR/RootedOps.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace coconet;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool coconetAttributeIsAReduction(MlirAttribute attr) {
  return llvm::isa<ReductionAttr>(unwrap(attr));
}

MlirAttribute coconetReductionAttrGet(MlirContext context, MlirStringRef kind) {
  auto reduction = symbolizeReduction(unwrap(kind));
  if (!reduction)
    return {nullptr};
  return wrap(mlir::Attribute(ReductionAttr::get(unwrap(context), *reduction)));
}

MlirStringRef coconetReductionAttrGetKind(MlirAttribute attr) {
  auto reduction = llvm::cast<ReductionAttr>(unwrap(attr));
  return wrap(stringifyReduction(reduction.getValue()));
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

static MeshAttr asMesh(MlirAttribute attr) {
  return llvm::cast<MeshAttr>(unwrap(attr));
}

bool coconetAttributeIsAMesh(MlirAttribute attr) {
  return llvm::isa<MeshAttr>(unwrap(attr));
}

MlirAttribute coconetMeshAttrGet(MlirContext context, intptr_t count,
                                 const MlirStringRef *axes,
                                 const int64_t *sizes) {
  mlir::MLIRContext *ctx = unwrap(context);
  llvm::SmallVector<mlir::StringAttr> names;
  llvm::SmallVector<int64_t> bound;
  for (intptr_t i = 0; i < count; ++i) {
    names.push_back(mlir::StringAttr::get(ctx, unwrap(axes[i])));
    bound.push_back(sizes[i] < 0 ? mlir::ShapedType::kDynamic : sizes[i]);
  }
  auto emitError = mlir::detail::getDefaultDiagnosticEmitFn(ctx);
  return wrap(mlir::Attribute(MeshAttr::getChecked(
      emitError, ctx, llvm::ArrayRef(names), llvm::ArrayRef(bound))));
}

intptr_t coconetMeshAttrGetNumAxes(MlirAttribute mesh) {
  return asMesh(mesh).getAxes().size();
}

MlirStringRef coconetMeshAttrGetAxis(MlirAttribute mesh, intptr_t index) {
  return wrap(asMesh(mesh).getAxes()[index].getValue());
}

int64_t coconetMeshAttrGetSize(MlirAttribute mesh, intptr_t index) {
  int64_t size = asMesh(mesh).getSizes()[index];
  return mlir::ShapedType::isDynamic(size) ? -1 : size;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static LayoutAttr asLayout(MlirAttribute attr) {
  return llvm::cast<LayoutAttr>(unwrap(attr));
}

bool coconetAttributeIsALayout(MlirAttribute attr) {
  return llvm::isa<LayoutAttr>(unwrap(attr));
}

MlirAttribute coconetLayoutAttrGet(MlirAttribute mesh, MlirAttribute dims,
                                   MlirAttribute flat, MlirAttribute partial,
                                   MlirAttribute local, MlirAttribute rooted) {
  mlir::MLIRContext *context = unwrap(mesh).getContext();
  auto emitError = mlir::detail::getDefaultDiagnosticEmitFn(context);
  return wrap(mlir::Attribute(LayoutAttr::getChecked(
      emitError, context, asMesh(mesh),
      llvm::cast<mlir::ArrayAttr>(unwrap(dims)),
      llvm::cast<mlir::ArrayAttr>(unwrap(flat)),
      llvm::cast<mlir::DictionaryAttr>(unwrap(partial)),
      llvm::cast<mlir::ArrayAttr>(unwrap(local)),
      llvm::cast<mlir::DictionaryAttr>(unwrap(rooted)))));
}

MlirAttribute coconetLayoutAttrGetMesh(MlirAttribute layout) {
  return wrap(mlir::Attribute(asLayout(layout).getMesh()));
}

MlirAttribute coconetLayoutAttrGetDims(MlirAttribute layout) {
  return wrap(mlir::Attribute(asLayout(layout).getDims()));
}

MlirAttribute coconetLayoutAttrGetFlat(MlirAttribute layout) {
  return wrap(mlir::Attribute(asLayout(layout).getFlat()));
}

MlirAttribute coconetLayoutAttrGetPartial(MlirAttribute layout) {
  return wrap(mlir::Attribute(asLayout(layout).getPartial()));
}

MlirAttribute coconetLayoutAttrGetLocal(MlirAttribute layout) {
  return wrap(mlir::Attribute(asLayout(layout).getLocal()));
}

MlirAttribute coconetLayoutAttrGetRooted(MlirAttribute layout) {
  return wrap(mlir::Attribute(asLayout(layout).getRooted()));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

MlirType coconetOperationInferType(MlirOperation op) {
  return llvm::TypeSwitch<mlir::Operation *, MlirType>(unwrap(op))
      .Case<AllReduceOp, ReduceScatterOp, AllGatherOp, AllToAllOp, BroadcastOp,
            ReduceToRootOp, GatherToRootOp, ScatterFromRootOp, PermuteOp,
            ShardOp, ReshapeOp, BroadcastToOp>([](auto inferred) -> MlirType {
        mlir::FailureOr<mlir::RankedTensorType> type = inferred.inferType();
        if (mlir::failed(type))
          return {nullptr};
        return wrap(mlir::Type(*type));
      })
      .Default([](mlir::Operation *) { return MlirType{nullptr}; });
}
