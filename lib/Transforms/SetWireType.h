//===- SetWireType.h - narrow values on the wire ----------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_SETWIRETYPE_H
#define COCONET_TRANSFORMS_SETWIRETYPE_H

#include "Analysis/Legality.h"

namespace coconet {

/// Let the values of a collective, or of those in a fused region, travel as
/// `type`, f16 or bf16. Lossy.
mlir::LogicalResult setWireType(mlir::Operation *op, mlir::Type type,
                                Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_SETWIRETYPE_H
