//===- Refusal.h - errors with a remedy -------------------------*- C++ -*-===//

#ifndef COCONET_IR_REFUSAL_H
#define COCONET_IR_REFUSAL_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace coconet {

/// Report `'op' op message` at `location` with the remedy as a note; silent
/// without location. Always failure.
mlir::LogicalResult refuse(std::optional<mlir::Location> location,
                           llvm::StringRef opName, const llvm::Twine &message,
                           const llvm::Twine &remedy);
mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &message,
                           const llvm::Twine &remedy);

} // namespace coconet

#endif // COCONET_IR_REFUSAL_H
