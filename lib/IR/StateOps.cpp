//===- StateOps.cpp - state --------------------------------------------------===//

#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace coconet;

LogicalResult UpdateOp::verify() {
  auto argument = dyn_cast<BlockArgument>(getState());
  auto function =
      argument && argument.getOwner()->isEntryBlock()
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  if (!function || !function.getArgAttr(argument.getArgNumber(), stateAttr))
    return refuse(*this, "does not update a state argument",
                  "mark the function argument with 'coconet.state'");
  Operation *parent = (*this)->getParentOp();
  if (parent != function && !isa<CoCoNetDialect>(parent->getDialect()))
    return refuse(*this,
                  "is inside of '" + parent->getName().getStringRef() + "'",
                  "carry or yield the value, and update the state after it");
  for (Operation *user : getState().getUsers())
    if (user != getOperation() && isa<UpdateOp>(user) &&
        cast<UpdateOp>(user).getState() == getState()) {
      InFlightDiagnostic diag =
          emitOpError() << "updates argument " << argument.getArgNumber()
                        << ", which is updated elsewhere too";
      diag.attachNote(user->getLoc()) << "a state is updated once";
      return diag;
    }
  return success();
}
