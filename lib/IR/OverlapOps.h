//===- OverlapOps.h - overlap, start and wait --------------*- C++ -*-===//

#ifndef COCONET_IR_OVERLAPOPS_H
#define COCONET_IR_OVERLAPOPS_H

#include "IR/CoCoNet.h"

namespace coconet {

/// Links a symmetric kernel with the `symmetric_start` that it waits for.
inline constexpr llvm::StringLiteral startedAttr = "coconet.started";

/// Whether other members read or write the operand of a symmetric kernel.
bool isPublished(mlir::Operation *kernel, unsigned operand);

} // namespace coconet

#define GET_OP_CLASSES
#include "CoCoNetOverlapOps.h.inc"

#endif // COCONET_IR_OVERLAPOPS_H
