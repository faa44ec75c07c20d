//===- ValidateLayouts.cpp - keep other dialects off laid-out tensors -------===//

#include "IR/CoCoNet.h"
#include "Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

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

namespace {
struct ValidateLayouts : coconet::impl::ValidateLayoutsBase<ValidateLayouts> {
  void runOnOperation() override {
    bool valid = true;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<CoCoNetDialect>(op->getDialect()) ||
          isa<func::FuncOp, func::ReturnOp, func::CallOp>(op))
        return;
      if (!llvm::any_of(op->getOperandTypes(), isLaidOut) &&
          !llvm::any_of(op->getResultTypes(), isLaidOut))
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
