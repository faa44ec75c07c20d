//===- Attributes.cpp - Attributes of the dialect for Python --------------===//

#include "CAPI/Attributes.h"
#include "IR/CoCoNet.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace coconet;

bool coconetAttributeIsAReduction(MlirAttribute attr) {
  return llvm::isa<ReductionAttr>(unwrap(attr));
}

MlirAttribute coconetReductionAttrGet(MlirContext context, MlirStringRef kind) {
  auto reduction = symbolizeReduction(unwrap(kind));
  if (!reduction)
    return {nullptr};
  return wrap(
      mlir::Attribute(ReductionAttr::get(unwrap(context), *reduction)));
}

MlirStringRef coconetReductionAttrGetKind(MlirAttribute attr) {
  auto reduction = llvm::cast<ReductionAttr>(unwrap(attr));
  return wrap(stringifyReduction(reduction.getValue()));
}
