//===- Typing.h - types an op would have ------------------------*- C++ -*-===//

#ifndef COCONET_ANALYSIS_TYPING_H
#define COCONET_ANALYSIS_TYPING_H

#include "Analysis/Legality.h"
#include "mlir/IR/IRMapping.h"

namespace coconet {

/// Result type that `op` would have if its operands had the given types; null
/// where it would not verify, with the error and its notes in `refusal`. The
/// program is left alone.
mlir::FailureOr<mlir::RankedTensorType>
typeWithOperands(mlir::Operation *op, mlir::TypeRange operandTypes,
                 Refusal &refusal);

/// Result type of a collective that is not part of a program.
mlir::FailureOr<mlir::RankedTensorType> typeOfDetached(mlir::Operation *op,
                                                       Refusal &refusal);

} // namespace coconet

#endif // COCONET_ANALYSIS_TYPING_H
