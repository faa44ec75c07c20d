//===- IndependentOps.h - what can run beside communication -----*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_INDEPENDENTOPS_H
#define COCONET_TRANSFORMS_INDEPENDENTOPS_H

#include "mlir/IR/Operation.h"

namespace coconet {

/// The ops, and if they all communicate and share a block, the computation that
/// no path joins to them and that lies between the communication before and that
/// behind them: what can run beside them while other communication keeps its
/// place.
llvm::SmallVector<mlir::Operation *>
addIndependent(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace coconet

#endif // COCONET_TRANSFORMS_INDEPENDENTOPS_H
