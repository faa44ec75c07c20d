//===- DropStateResults.cpp - returned states are argument buffers ----------===//

#include "IR/CoCoNet.h"
#include "IR/Refusal.h"
#include "Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace coconet {
#define GEN_PASS_DEF_DROPSTATERESULTS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

/// The buffer behind changes of shape, and behind loops and branches that give
/// the same one whatever they do.
static Value underlying(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    unsigned index = cast<OpResult>(buffer).getResultNumber();
    if (isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            op)) {
      buffer = op->getOperand(0);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (underlying(loop.getYieldedValues()[index]) !=
          loop.getRegionIterArg(index))
        break;
      buffer = loop.getInitArgs()[index];
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Value one = underlying(branch.thenYield().getOperand(index));
      if (one != underlying(branch.elseYield().getOperand(index)))
        break;
      buffer = one;
    } else {
      break;
    }
  }
  return buffer;
}

static Value makeBuffer(OpBuilder &builder, Location loc, Value like) {
  auto type = cast<MemRefType>(like.getType());
  SmallVector<Value> open;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      open.push_back(memref::DimOp::create(builder, loc, like, dim));
  return memref::AllocOp::create(builder, loc, type, open);
}

/// Copy values to states where they do not lie there. One that lies in another
/// argument is read before that is written.
static void copyStates(OpBuilder &builder, ValueRange states,
                       ValueRange values) {
  SmallVector<std::pair<Value, Value>> copies;
  for (auto [state, value] : llvm::zip(states, values)) {
    Value base = underlying(value);
    if (base == state)
      continue;
    Location loc = value.getLoc();
    if (isa<BlockArgument>(base)) {
      Value saved = makeBuffer(builder, loc, value);
      memref::CopyOp::create(builder, loc, value, saved);
      value = saved;
    }
    copies.emplace_back(value, state);
  }
  for (auto [value, state] : copies)
    memref::CopyOp::create(builder, value.getLoc(), value, state);
}

static LogicalResult dropStates(func::FuncOp function) {
  // What a kernel wrote into its state is not copied there again.
  function.walk([](memref::CopyOp copy) {
    if (underlying(copy.getSource()) == underlying(copy.getTarget()))
      copy.erase();
  });
  auto attribute = function->getAttrOfType<IntegerAttr>(statesAttr);
  if (!attribute)
    return success();
  SmallVector<Value> states;
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), stateAttr))
      states.push_back(argument);
  if (int64_t(states.size()) != attribute.getInt())
    return refuse(function,
                  "returns " + Twine(attribute.getInt()) + " states and has " +
                      Twine(states.size()),
                  "keep the attribute coconet.state of arguments");
  auto end = cast<func::ReturnOp>(function.getBody().back().getTerminator());
  unsigned kept = end.getNumOperands() - states.size();
  OpBuilder builder(end);
  copyStates(builder, states, end.getOperands().drop_front(kept));
  end.getOperandsMutable().erase(kept, states.size());
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
