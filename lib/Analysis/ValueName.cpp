//===- ValueName.cpp - The coconet.name of an op --------------------------===//

#include "Analysis/ValueName.h"

#include "mlir/IR/BuiltinAttributes.h"

llvm::StringRef coconet::getName(mlir::Operation *op) {
  auto name = op->getAttrOfType<mlir::StringAttr>("coconet.name");
  return name ? name.getValue() : llvm::StringRef();
}
