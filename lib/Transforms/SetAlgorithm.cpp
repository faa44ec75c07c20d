//===- SetAlgorithm.cpp - how a collective is done --------------------------===//

#include "Transforms/SetAlgorithm.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_SETALGORITHM
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

static LogicalResult checkTarget(Operation *op, Refusal &refusal) {
  if (auto fused = dyn_cast_if_present<FusedOp>(op->getParentOp()))
    return refusal.set(op,
                       "cannot choose an algorithm for " + describe(op) +
                           ": it lies in " + describe(fused),
                       "a fused region is done as a whole; name the region");
  auto fused = dyn_cast<FusedOp>(op);
  if (isa<CollectiveOpInterface>(op) ||
      (fused && fused.getKind() != FusedKind::computation))
    return success();
  return refusal.set(op,
                     "cannot choose an algorithm for " + describe(op) +
                         ": it communicates nothing",
                     "name a collective, or a fused region around some");
}

LogicalResult coconet::setAlgorithm(Operation *op, StringRef algorithm,
                                    std::optional<int64_t> channels,
                                    Refusal &refusal) {
  if (!llvm::is_contained({"one_shot", "two_shot", "ring", "library"},
                          algorithm))
    return refusal.set(op, "there is no algorithm '" + algorithm + "'",
                       "algorithms are one_shot, two_shot, ring and library");
  if (channels && *channels < 1)
    return refusal.set(op, Twine(*channels) + " channels", "give 1 or more");
  if (failed(checkTarget(op, refusal)))
    return failure();
  Builder builder(op->getContext());
  op->setAttr(algorithmAttr, builder.getStringAttr(algorithm));
  if (channels)
    op->setAttr(channelsAttr, builder.getI64IntegerAttr(*channels));
  else
    op->removeAttr(channelsAttr);
  return success();
}

namespace {
struct SetAlgorithm : coconet::impl::SetAlgorithmBase<SetAlgorithm> {
  using SetAlgorithmBase::SetAlgorithmBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Operation *>> ops =
        findAllNamed(getOperation(), name);
    if (failed(ops))
      return signalPassFailure();
    std::optional<int64_t> count;
    if (channels)
      count = channels;
    for (Operation *op : *ops) {
      Refusal refusal;
      if (succeeded(setAlgorithm(op, algorithm, count, refusal)))
        continue;
      refusal.report(DiagnosticSeverity::Error);
      return signalPassFailure();
    }
  }
};
} // namespace
