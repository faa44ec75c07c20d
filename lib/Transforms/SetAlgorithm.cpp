//===- SetAlgorithm.cpp - how a collective is done --------------------------===//

#include "Transforms/SetAlgorithm.h"
#include "IR/RankOps.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_SETALGORITHM
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

/// All members get what all give, which can be done in one exchange or in two.
static bool reducesAll(Operation *op) {
  auto fused = dyn_cast<FusedOp>(op);
  return fused ? fused.getKind() == FusedKind::all_reduce
               : isa<AllReduceOp, RankAllReduceOp>(op);
}

static LogicalResult checkTarget(Operation *op, StringRef algorithm,
                                 Refusal &refusal) {
  if (auto fused = dyn_cast_if_present<FusedOp>(op->getParentOp()))
    return refusal.set(op,
                       "cannot choose an algorithm for " + describe(op) +
                           ": it lies in " + describe(fused),
                       "a fused region is done as a whole; name the region");
  auto fused = dyn_cast<FusedOp>(op);
  if (!isa<CollectiveOpInterface>(op) &&
      !(fused && fused.getKind() != FusedKind::computation))
    return refusal.set(op,
                       "cannot choose an algorithm for " + describe(op) +
                           ": it communicates nothing",
                       "name a collective, or a fused region around some");
  if (!reducesAll(op) &&
      llvm::is_contained({"one_shot", "two_shot"}, algorithm))
    return refusal.set(op,
                       "cannot choose '" + algorithm + "' for " + describe(op) +
                           ": it is an algorithm for all_reduce",
                       "name an all_reduce, or a fused region around one");
  return success();
}

LogicalResult coconet::setAlgorithm(Operation *op, StringRef algorithm,
                                    std::optional<int64_t> channels,
                                    Refusal &refusal) {
  if (!llvm::is_contained({"one_shot", "two_shot", "ring", "library"},
                          algorithm))
    return refusal.set(op,
                       "cannot choose '" + algorithm + "' for " + describe(op) +
                           ": there is no such algorithm",
                       "algorithms are one_shot, two_shot, ring and library");
  if (channels && *channels < 1)
    return refusal.set(
        op, "cannot use " + Twine(*channels) + " channels for " + describe(op),
        "give 1 or more");
  if (failed(checkTarget(op, algorithm, refusal)))
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
