//===- SplitAllReduce.cpp - all_reduce as two collectives -------------------===//

#include "Transforms/SplitAllReduce.h"
#include "Analysis/Typing.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_SPLITALLREDUCE
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

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
  if (StringRef name = getName(op); !name.empty()) {
    setName(scatter, name + ".rs");
    setName(gather, name + ".ag");
  }
  rewriter.replaceOp(op, gather);
  return SplitCollectives{scatter, gather};
}

namespace {
struct SplitAllReduce : coconet::impl::SplitAllReduceBase<SplitAllReduce> {
  using SplitAllReduceBase::SplitAllReduceBase;

  void runOnOperation() override {
    FailureOr<SmallVector<AllReduceOp>> ops =
        findNamed<AllReduceOp>(getOperation(), name);
    if (failed(ops))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (AllReduceOp op : *ops) {
      Refusal refusal;
      std::optional<int64_t> cut;
      if (!flat)
        cut = dim;
      if (succeeded(splitAllReduce(rewriter, op, cut, refusal)))
        continue;
      refusal.report(DiagnosticSeverity::Error);
      return signalPassFailure();
    }
  }
};
} // namespace
