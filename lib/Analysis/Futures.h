//===- Futures.h - what is under way ----------------------------*- C++ -*-===//

#ifndef COCONET_ANALYSIS_FUTURES_H
#define COCONET_ANALYSIS_FUTURES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace coconet {

/// Report communication of a rank program that is started and not waited for
/// exactly once on every path, and writes to tensors that it reads meanwhile.
mlir::LogicalResult checkFutures(mlir::FunctionOpInterface function);

} // namespace coconet

#endif // COCONET_ANALYSIS_FUTURES_H
