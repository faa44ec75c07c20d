//===- SetAlgorithm.h - how a collective is done ----------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_SETALGORITHM_H
#define COCONET_TRANSFORMS_SETALGORITHM_H

#include "Analysis/Legality.h"

namespace coconet {

/// Choose the algorithm, and with a number the channels, of a collective or of
/// a fused region around some.
mlir::LogicalResult setAlgorithm(mlir::Operation *op, llvm::StringRef algorithm,
                                 std::optional<int64_t> channels,
                                 Refusal &refusal);

} // namespace coconet

#endif // COCONET_TRANSFORMS_SETALGORITHM_H
