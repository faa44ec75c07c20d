//===- MergeAllReduce.cpp - two collectives as one --------------------------===//

#include "Transforms/MergeAllReduce.h"
#include "Analysis/Typing.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_MERGEALLREDUCE
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

static LogicalResult checkMerge(ReduceScatterOp scatter, AllGatherOp gather,
                                Refusal &refusal) {
  if (gather.getOperand() != scatter.getResult())
    return refusal.set(
        gather,
        "cannot merge " + describe(scatter) + " and " + describe(gather) +
            ": the second does not take the "
            "result of the first",
        "name a reduce_scatter and the all_gather of its result");
  if (auto fused = dyn_cast<FusedOp>(gather->getParentOp()))
    return refusal.set(gather,
                       "cannot merge " + describe(scatter) + " and " +
                           describe(gather) + ": they lie in " +
                           describe(fused),
                       "merge before fusing");
  if (failed(checkUnchunked(gather, "cannot merge", refusal)))
    return failure();
  if (gather->getBlock() != scatter->getBlock())
    return refusal.set(gather,
                       "cannot merge " + describe(scatter) + " and " +
                           describe(gather) + ": they lie in different regions",
                       "an all_reduce runs where both of them run");
  if (!scatter.getResult().hasOneUse()) {
    Operation *other =
        *llvm::find_if(scatter.getResult().getUsers(), [&](Operation *user) {
          return user != gather.getOperation();
        });
    refusal.set(scatter,
                "cannot merge " + describe(scatter) +
                    ": its result has another use",
                "an all_reduce gives no slices; keep the two, or let that use "
                "take the gathered value");
    refusal.addNote(other->getLoc(), describe(other) + " uses the slice");
    return failure();
  }
  if (gather.getAxesAttr() != scatter.getAxesAttr() ||
      gather.getGroupsAttr() != scatter.getGroupsAttr() ||
      gather.getDimAttr() != scatter.getDimAttr())
    return refusal.set(gather,
                       "cannot merge " + describe(scatter) + " and " +
                           describe(gather) +
                           ": they differ in axes, groups or dimension",
                       "merge collectives of one group and one dimension");
  for (StringRef name : {wireTypeAttr, algorithmAttr, channelsAttr})
    if (gather->getAttr(name) != scatter->getAttr(name))
      return refusal.set(gather,
                         "cannot merge " + describe(scatter) + " and " +
                             describe(gather) + ": they differ in " + name,
                         "give both the same, or none");
  return success();
}

FailureOr<AllReduceOp> coconet::mergeAllReduce(RewriterBase &rewriter,
                                               ReduceScatterOp scatter,
                                               AllGatherOp gather,
                                               Refusal &refusal) {
  if (failed(checkMerge(scatter, gather, refusal)))
    return failure();
  StringRef name = getName(scatter);
  name.consume_back(".rs");
  rewriter.setInsertionPoint(gather);
  auto reduce = AllReduceOp::create(
      rewriter, scatter.getLoc(), gather.getType(), scatter.getReductionAttr(),
      scatter.getOperand(), scatter.getAxesAttr(), scatter.getGroupsAttr());
  for (StringRef kept : {wireTypeAttr, algorithmAttr, channelsAttr})
    if (Attribute value = gather->getAttr(kept))
      reduce->setAttr(kept, value);
  if (!name.empty())
    setName(reduce, name);
  rewriter.replaceOp(gather, reduce);
  rewriter.eraseOp(scatter);
  return reduce;
}

namespace {
struct MergeAllReduce : coconet::impl::MergeAllReduceBase<MergeAllReduce> {
  using MergeAllReduceBase::MergeAllReduceBase;

  void runOnOperation() override {
    FailureOr<SmallVector<ReduceScatterOp>> ops =
        findNamed<ReduceScatterOp>(getOperation(), name);
    if (failed(ops))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (ReduceScatterOp op : *ops) {
      auto gathers = llvm::make_filter_range(op.getResult().getUsers(),
                                             llvm::IsaPred<AllGatherOp>);
      if (gathers.empty()) {
        InFlightDiagnostic diag = op.emitError()
                                  << describe(op) << " is not gathered";
        diag.attachNote() << "merge takes a reduce_scatter and the all_gather "
                             "of its result";
        return signalPassFailure();
      }
      Refusal refusal;
      if (succeeded(mergeAllReduce(
              rewriter, op, cast<AllGatherOp>(*gathers.begin()), refusal)))
        continue;
      refusal.report(DiagnosticSeverity::Error);
      return signalPassFailure();
    }
  }
};
} // namespace
