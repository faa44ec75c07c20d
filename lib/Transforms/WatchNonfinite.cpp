//===- WatchNonfinite.cpp - check every float where it is computed --------===//

#include "IR/CoCoNet.h"
#include "IR/OverlapOps.h"
#include "IR/RankOps.h"
#include "Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace coconet {
#define GEN_PASS_DEF_WATCHNONFINITE
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

static bool isFloatTensor(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && isa<FloatType>(tensor.getElementType());
}

/// The ops of the region in place of it, where no kernel has to be one pass.
static void takeApart(FusedOp op) {
  Operation *yield = op.getBody().front().getTerminator();
  for (Operation &inner :
       llvm::make_early_inc_range(op.getBody().front().without_terminator()))
    inner.moveBefore(op);
  op->replaceAllUsesWith(yield->getOperands());
  op->erase();
}

static void watch(OpBuilder &builder, Location loc, Value value,
                  const Twine &what, Operation *source = nullptr) {
  auto check = RankCheckFiniteOp::create(builder, loc, value, what.str());
  if (source)
    if (Attribute name = source->getAttr(nameAttr))
      check->setAttr(nameAttr, name);
}

static void watchArguments(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  for (BlockArgument argument : function.getArguments()) {
    if (!isFloatTensor(argument))
      continue;
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      argNameAttr);
    watch(builder, argument.getLoc(), argument,
          name ? "argument '" + name.getValue() + "'"
               : "argument " + Twine(argument.getArgNumber()));
  }
}

/// Whether the op makes values that a later op may be blamed for: not copies of
/// values that were watched where they were computed, and not constants.
static bool computes(Operation *op) {
  return isa<CoCoNetDialect>(op->getDialect()) &&
         !isa<RankReshapeOp, RankShardOp, ReshapeOp, SliceOp, TransposeOp,
              BroadcastToOp, ConcatOp, ConstantOp, UpdateOp, RankStartOp>(op) &&
         !op->getParentOfType<RankStartOp>();
}

static void watchFunction(func::FuncOp function) {
  SmallVector<FusedOp> regions;
  function.walk([&](FusedOp op) {
    if (!op->getParentOfType<RankStartOp>())
      regions.push_back(op);
  });
  llvm::for_each(regions, takeApart);
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (op != function && op->getDialect() && computes(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Value result :
         llvm::make_filter_range(op->getResults(), isFloatTensor))
      watch(builder, op->getLoc(), result,
            "the result of " + op->getName().stripDialect(), op);
  }
  watchArguments(function);
}

namespace {
struct WatchNonfinite : coconet::impl::WatchNonfiniteBase<WatchNonfinite> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<CoCoNetDialect>();
  }

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        watchFunction(function);
  }
};
} // namespace
