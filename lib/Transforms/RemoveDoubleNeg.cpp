//===- RemoveDoubleNeg.cpp - Remove pairs of negations --------------------===//

#include "IR/CoCoNetDialect.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_REMOVEDOUBLENEG
#include "CoCoNetPasses.h.inc"
} // namespace coconet

namespace {
struct RemoveDoubleNegPass
    : coconet::impl::RemoveDoubleNegBase<RemoveDoubleNegPass> {
  void runOnOperation() override {
    getOperation()->walk([](coconet::NegOp op) {
      if (auto inner = op.getInput().getDefiningOp<coconet::NegOp>())
        op.getResult().replaceAllUsesWith(inner.getInput());
    });
  }
};
} // namespace
