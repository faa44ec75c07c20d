//===- ListOps.cpp - lists of tensors --------------------------------------===//

#include "IR/ListOps.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

LogicalResult ForEachOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  int64_t count = getCount();
  if (count < 1)
    return refuse(*this, "is over " + Twine(count) + " tensors",
                  "a list has at least one tensor");
  if (int64_t(getOperands().size()) != count * block.getNumArguments())
    return refuse(*this,
                  "has " + Twine(getOperands().size()) + " operands for " +
                      Twine(block.getNumArguments()) + " lists of " +
                      Twine(count),
                  "give every list of the region as many tensors as `count`");
  if (!yield || int64_t(getResults().size()) != count * yield.getNumOperands())
    return refuse(*this,
                  "has " + Twine(getResults().size()) +
                      " results, which are not " + Twine(count) +
                      " for each yielded value",
                  "yield one value per list of results");
  return success();
}

#define GET_OP_CLASSES
#include "CoCoNetListOps.cpp.inc"

void CoCoNetDialect::addListOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetListOps.cpp.inc"
      >();
}
