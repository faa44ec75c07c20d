//===- SplitAllReduce.cpp - all_reduce as two collectives -------------------===//

#include "Transforms/SplitAllReduce.h"
#include "Analysis/Typing.h"
#include "IR/RootedOps.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_SPLITALLREDUCE
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

void coconet::keepWireType(Operation *from, Operation *to) {
  if (Attribute type = from->getAttr(wireTypeAttr))
    to->setAttr(wireTypeAttr, type);
}

LogicalResult coconet::checkSplittable(AllReduceOp op, Refusal &refusal) {
  if (auto fused = dyn_cast<FusedOp>(op->getParentOp()))
    return refusal.set(
        op, "cannot split " + describe(op) + ": it lies in " + describe(fused),
        "split before fusing");
  if (failed(checkUnchunked(op, "cannot split", refusal)))
    return failure();
  if (!op->hasAttr(algorithmAttr) && !op->hasAttr(channelsAttr))
    return success();
  return refusal.set(
      op, "cannot split " + describe(op) + ": an algorithm was chosen for it",
      "choose algorithms after splitting");
}

static IntegerAttr dimAttrOf(AllReduceOp op, std::optional<int64_t> dim) {
  return dim ? Builder(op.getContext()).getI64IntegerAttr(*dim) : IntegerAttr();
}

FailureOr<RankedTensorType> coconet::typeOfSplit(AllReduceOp op,
                                                 std::optional<int64_t> dim,
                                                 Refusal &refusal) {
  OpBuilder detached(op.getContext());
  auto scatter = ReduceScatterOp::create(detached, op.getLoc(), op.getType(),
                                         op.getReductionAttr(), op.getOperand(),
                                         dimAttrOf(op, dim), op.getAxesAttr(),
                                         op.getGroupsAttr());
  FailureOr<RankedTensorType> slice = typeOfDetached(scatter, refusal);
  scatter.erase();
  if (failed(slice)) {
    refusal.message = "cannot split " + describe(op) +
                      " into reduce_scatter and all_gather: " + refusal.message;
    refusal.location = op.getLoc();
  }
  return slice;
}

FailureOr<SplitCollectives> coconet::splitAllReduce(RewriterBase &rewriter,
                                                    AllReduceOp op,
                                                    std::optional<int64_t> dim,
                                                    Refusal &refusal) {
  if (failed(checkSplittable(op, refusal)))
    return failure();
  FailureOr<RankedTensorType> slice = typeOfSplit(op, dim, refusal);
  if (failed(slice))
    return failure();
  IntegerAttr dimAttr = dimAttrOf(op, dim);
  rewriter.setInsertionPoint(op);
  auto scatter = ReduceScatterOp::create(
      rewriter, op.getLoc(), *slice, op.getReductionAttr(), op.getOperand(),
      dimAttr, op.getAxesAttr(), op.getGroupsAttr());
  auto gather =
      AllGatherOp::create(rewriter, op.getLoc(), op.getType(), scatter, dimAttr,
                          op.getAxesAttr(), op.getGroupsAttr());
  keepWireType(op, scatter);
  keepWireType(op, gather);
  if (StringRef name = getName(op); !name.empty()) {
    setName(scatter, name + ".rs");
    setName(gather, name + ".ag");
  }
  rewriter.replaceOp(op, gather);
  return SplitCollectives{scatter, gather};
}

FailureOr<SmallVector<Operation *>>
coconet::splitReduceBroadcast(RewriterBase &rewriter, AllReduceOp op,
                              int64_t root, Refusal &refusal) {
  if (failed(checkSplittable(op, refusal)))
    return failure();
  OpBuilder detached(op.getContext());
  auto reduce = ReduceToRootOp::create(detached, op.getLoc(), op.getType(),
                                       op.getReductionAttr(), op.getOperand(),
                                       detached.getI64IntegerAttr(root),
                                       op.getAxesAttr(), op.getGroupsAttr());
  FailureOr<RankedTensorType> rooted = typeOfDetached(reduce, refusal);
  if (failed(rooted)) {
    reduce.erase();
    refusal.message = "cannot split " + describe(op) +
                      " into reduce_to_root and broadcast: " + refusal.message;
    refusal.location = op.getLoc();
    return failure();
  }
  rewriter.setInsertionPoint(op);
  rewriter.insert(reduce);
  reduce.getResult().setType(*rooted);
  auto broadcast = BroadcastOp::create(rewriter, op.getLoc(), op.getType(),
                                       reduce, reduce.getRootAttr(),
                                       op.getAxesAttr(), op.getGroupsAttr());
  keepWireType(op, reduce);
  keepWireType(op, broadcast);
  if (StringRef name = getName(op); !name.empty()) {
    setName(reduce, name + ".reduce");
    setName(broadcast, name + ".bc");
  }
  rewriter.replaceOp(op, broadcast);
  return SmallVector<Operation *>{reduce, broadcast};
}

namespace {
struct SplitAllReduce : coconet::impl::SplitAllReduceBase<SplitAllReduce> {
  using SplitAllReduceBase::SplitAllReduceBase;

  void runOnOperation() override {
    FailureOr<SmallVector<AllReduceOp>> ops =
        findNamed<AllReduceOp>(getOperation(), name);
    if (failed(ops))
      return signalPassFailure();
    if (into != "rs_ag" && into != "reduce_broadcast" &&
        into != "hierarchical") {
      emitError(getOperation()->getLoc())
          << "an all_reduce is not split into '" << into.getValue()
          << "'; into is rs_ag, reduce_broadcast or hierarchical";
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    for (AllReduceOp op : *ops) {
      Refusal refusal;
      if (succeeded(split(rewriter, op, refusal)))
        continue;
      refusal.report(DiagnosticSeverity::Error);
      return signalPassFailure();
    }
  }

private:
  LogicalResult split(RewriterBase &rewriter, AllReduceOp op,
                      Refusal &refusal) {
    std::optional<int64_t> cut;
    if (!flat)
      cut = dim;
    if (into == "rs_ag")
      return splitAllReduce(rewriter, op, cut, refusal);
    if (into == "reduce_broadcast")
      return splitReduceBroadcast(rewriter, op, root, refusal);
    auto names = [&](ArrayRef<std::string> axes) {
      return llvm::map_to_vector(axes, [&](const std::string &axis) {
        return StringAttr::get(&getContext(), axis);
      });
    };
    return splitHierarchical(rewriter, op, cut, names(*inner), names(*outer),
                             refusal);
  }
};
} // namespace
