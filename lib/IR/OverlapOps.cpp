//===- OverlapOps.cpp - overlap, start and wait ----------------------------===//

#include "IR/OverlapOps.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

static LogicalResult verifyYield(Operation *op, Region &body, TypeRange types) {
  if (body.getNumArguments() != 0)
    return refuse(op, "has block arguments",
                  "use values from outside directly");
  auto yield = dyn_cast<YieldOp>(body.front().getTerminator());
  if (!yield || yield.getOperandTypes() != types)
    return refuse(op, "yields other types than its results",
                  "yield one value per result, of its type");
  return success();
}

LogicalResult OverlapOp::verifyRegions() {
  return verifyYield(*this, getBody(), getResultTypes());
}

LogicalResult RankStartOp::verifyRegions() {
  return verifyYield(*this, getBody(), getFuture().getType().getTypes());
}

LogicalResult RankWaitOp::verify() {
  if (getFuture().getType().getTypes() ==
      ArrayRef(llvm::to_vector(getResultTypes())))
    return success();
  return refuse(*this, "has other results than the future delivers",
                "the results are those of the future, in order");
}

#define GET_OP_CLASSES
#include "CoCoNetOverlapOps.cpp.inc"

void CoCoNetDialect::addOverlapOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetOverlapOps.cpp.inc"
      >();
}
