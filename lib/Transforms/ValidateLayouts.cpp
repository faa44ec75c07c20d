//===- ValidateLayouts.cpp - keep other dialects off laid-out tensors -------===//

#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace coconet {
#define GEN_PASS_DEF_VALIDATELAYOUTS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

static bool isLaidOut(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
}

/// An element of a local tensor: every rank has its own.
static bool isOwnElement(Operation *op) {
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  if (!extract)
    return false;
  Layout layout = Layout::of(extract.getTensor());
  return !layout.isCut() && layout.partial.empty() && layout.rooted.empty();
}

/// Axes along which scalars differ: those of the local tensors that they come
/// from.
static AxisList findDiffering(ValueRange scalars) {
  llvm::SetVector<Value> work(scalars.begin(), scalars.end());
  llvm::SetVector<StringAttr> axes;
  for (size_t i = 0; i < work.size(); ++i) {
    Value value = work[i];
    if (isa<RankedTensorType>(value.getType())) {
      for (StringAttr axis : Layout::of(value).local)
        axes.insert(axis);
      continue;
    }
    if (auto result = dyn_cast<OpResult>(value)) {
      work.insert(result.getOwner()->operand_begin(),
                  result.getOwner()->operand_end());
      for (Region &region : result.getOwner()->getRegions())
        if (!region.empty())
          work.insert(region.front().getTerminator()->operand_begin(),
                      region.front().getTerminator()->operand_end());
      continue;
    }
    Operation *parent = value.getParentBlock()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      work.insert(loop.getOperands().begin(), loop.getOperands().end());
      work.insert(loop.getYieldedValues().begin(),
                  loop.getYieldedValues().end());
    }
  }
  return AxisList(axes.begin(), axes.end());
}

/// What ranks decide each for themselves is local.
static LogicalResult checkControl(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  AxisList axes = branch ? findDiffering(ValueRange{branch.getCondition()})
                         : findDiffering(op->getOperands().take_front(3));
  if (axes.empty())
    return success();
  std::string text = formatAxes(axes);
  if (!branch)
    return refuse(op, "has bounds that differ along " + text,
                  "take them from a tensor that is equal along " + text +
                      ": all_reduce it first");
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    Layout layout = Layout::of(result);
    for (StringAttr axis : axes)
      if (!layout.isLocalAlong(axis))
        return refuse(op,
                      "has a condition that differs along " + text +
                          ", and result " + Twine(index) + " is " +
                          layout.describe(axis) + " there",
                      "let the result be local along " + text +
                          ", or all_reduce the condition first");
  }
  return success();
}

namespace {
struct ValidateLayouts : coconet::impl::ValidateLayoutsBase<ValidateLayouts> {
  void runOnOperation() override {
    bool valid = true;
    getOperation()->walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::IfOp>(op)) {
        valid &= succeeded(checkControl(op));
        return;
      }
      if (isa_and_nonnull<CoCoNetDialect>(op->getDialect()) ||
          isa<func::FuncOp, func::ReturnOp, func::CallOp, scf::YieldOp>(op))
        return;
      if (!llvm::any_of(op->getOperandTypes(), isLaidOut) &&
          !llvm::any_of(op->getResultTypes(), isLaidOut))
        return;
      if (isOwnElement(op))
        return;
      InFlightDiagnostic diag =
          op->emitOpError() << "does not know layouts and is used on a tensor "
                               "that carries one";
      diag.attachNote() << "use an op of the coconet dialect; others are for "
                           "plain tensors, after --coconet-to-rank";
      valid = false;
    });
    if (!valid)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
