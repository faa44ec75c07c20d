//===- DropStateResults.cpp - returned states are argument buffers ----------===//

#include "IR/CoCoNet.h"
#include "IR/Refusal.h"
#include "Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace coconet {
#define GEN_PASS_DEF_DROPSTATERESULTS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

/// The buffer behind changes of shape.
static Value underlying(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            op))
      break;
    buffer = op->getOperand(0);
  }
  return buffer;
}

static LogicalResult dropStates(func::FuncOp function) {
  // What a kernel wrote into its state is not copied there again.
  function.walk([](memref::CopyOp copy) {
    if (underlying(copy.getSource()) == underlying(copy.getTarget()))
      copy.erase();
  });
  auto states = function->getAttrOfType<IntegerAttr>(statesAttr);
  if (!states)
    return success();
  auto end = cast<func::ReturnOp>(function.getBody().back().getTerminator());
  unsigned kept = end.getNumOperands() - states.getInt();
  for (Value state : end.getOperands().drop_front(kept))
    if (!isa<BlockArgument>(underlying(state)))
      return refuse(function, "writes a state to a buffer that is not its own",
                    "bufferize with function boundaries and identity layouts");
  end.getOperandsMutable().erase(kept, states.getInt());
  llvm::BitVector dropped(function.getNumResults());
  dropped.set(kept, function.getNumResults());
  if (failed(function.eraseResults(dropped)))
    return failure();
  function->removeAttr(statesAttr);
  return success();
}

namespace {
struct DropStateResults
    : coconet::impl::DropStateResultsBase<DropStateResults> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(dropStates(function)))
        return signalPassFailure();
  }
};
} // namespace
