//===- Refusal.cpp - errors with a remedy -----------------------------------===//

#include "IR/Refusal.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

LogicalResult coconet::refuse(std::optional<Location> location,
                              StringRef opName, const Twine &message,
                              const Twine &remedy) {
  if (!location)
    return failure();
  InFlightDiagnostic diag = emitError(*location);
  diag << "'" << opName << "' op " << message;
  diag.attachNote(*location) << remedy;
  return diag;
}

LogicalResult coconet::refuse(Operation *op, const Twine &message,
                              const Twine &remedy) {
  return refuse(op->getLoc(), op->getName().getStringRef(), message, remedy);
}
