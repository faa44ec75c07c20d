//===- CoCoNetDialect.cpp - The coconet dialect ---------------------------===//

#include "IR/CoCoNetDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coconet;

#include "CoCoNetDialect.cpp.inc"
#include "CoCoNetEnums.cpp.inc"
#include "CoCoNetInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "CoCoNetAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "CoCoNetOps.cpp.inc"

void CoCoNetDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "CoCoNetAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "CoCoNetOps.cpp.inc"
      >();
}
