//===- Attributes.cpp - Attributes of the dialect for Python --------------===//

#include "CAPI/Attributes.h"
#include "IR/CoCoNetDialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace coconet;

bool coconetAttributeIsAReduction(MlirAttribute attr) {
  return llvm::isa<ReductionKindAttr>(unwrap(attr));
}

MlirAttribute coconetReductionAttrGet(MlirContext context, MlirStringRef kind) {
  auto reduction = symbolizeReductionKind(unwrap(kind));
  if (!reduction)
    return {nullptr};
  return wrap(
      mlir::Attribute(ReductionKindAttr::get(unwrap(context), *reduction)));
}

MlirStringRef coconetReductionAttrGetKind(MlirAttribute attr) {
  auto reduction = llvm::cast<ReductionKindAttr>(unwrap(attr));
  return wrap(stringifyReductionKind(reduction.getValue()));
}
