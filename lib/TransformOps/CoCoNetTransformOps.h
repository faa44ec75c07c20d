//===- CoCoNetTransformOps.h - The schedule language ------------*- C++ -*-===//

#ifndef COCONET_TRANSFORMOPS_COCONETTRANSFORMOPS_H
#define COCONET_TRANSFORMOPS_COCONETTRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "CoCoNetTransformOps.h.inc"

namespace coconet {

/// Adds the `transform.coconet.*` ops to the transform dialect.
void registerTransformOps(mlir::DialectRegistry &registry);

} // namespace coconet

#endif // COCONET_TRANSFORMOPS_COCONETTRANSFORMOPS_H
