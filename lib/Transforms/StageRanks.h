//===- StageRanks.h - which ranks run which function ------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMS_STAGERANKS_H
#define COCONET_TRANSFORMS_STAGERANKS_H

#include "mlir/IR/BuiltinOps.h"

namespace coconet {

/// Derive `coconet.ranks` from `coconet.stage` where meshes are bound: stages
/// take consecutive ranks in their order, each as many as its mesh has. All lists
/// of the module together are then the ranks 0 to N - 1, each once.
mlir::LogicalResult assignStageRanks(mlir::ModuleOp module);

} // namespace coconet

#endif // COCONET_TRANSFORMS_STAGERANKS_H
