//===- CoCoNetDialect.h - The coconet dialect -------------------*- C++ -*-===//

#ifndef COCONET_IR_COCONETDIALECT_H
#define COCONET_IR_COCONETDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "CoCoNetDialect.h.inc"
#include "CoCoNetEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "CoCoNetAttrs.h.inc"

#include "CoCoNetInterfaces.h.inc"

#define GET_OP_CLASSES
#include "CoCoNetOps.h.inc"

#endif // COCONET_IR_COCONETDIALECT_H
