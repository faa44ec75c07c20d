//===- Communication.h - what ranks wait for --------------------*- C++ -*-===//

#ifndef COCONET_ANALYSIS_COMMUNICATION_H
#define COCONET_ANALYSIS_COMMUNICATION_H

#include "mlir/IR/BuiltinOps.h"

namespace coconet {

/// Report what keeps the rank programs of a module from communicating: ranks
/// that do not meet, and data in flight that is written. Changes nothing.
mlir::LogicalResult checkCommunication(mlir::ModuleOp module);

} // namespace coconet

#endif // COCONET_ANALYSIS_COMMUNICATION_H
