//===- ValueName.h - The coconet.name of an op ------------------*- C++ -*-===//

#ifndef COCONET_ANALYSIS_VALUENAME_H
#define COCONET_ANALYSIS_VALUENAME_H

#include "mlir/IR/Operation.h"

namespace coconet {

/// The name that the program gave to `op`, empty where it gave none.
llvm::StringRef getName(mlir::Operation *op);

} // namespace coconet

#endif // COCONET_ANALYSIS_VALUENAME_H
