//===- CheckChannels.cpp - every send has its recv --------------------------===//

#include "Analysis/Channels.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_CHECKCHANNELS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;

namespace {
struct CheckChannels : coconet::impl::CheckChannelsBase<CheckChannels> {
  void runOnOperation() override {
    if (failed(coconet::findChannels(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
