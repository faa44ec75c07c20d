//===- CheckCommunication.cpp - ranks meet, data in flight is left alone --===//

#include "Analysis/Communication.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_CHECKCOMMUNICATION
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;

namespace {
struct CheckCommunication
    : coconet::impl::CheckCommunicationBase<CheckCommunication> {
  void runOnOperation() override {
    if (failed(coconet::checkCommunication(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
