//===- FuseOps.cpp - ops as one kernel --------------------------------------===//

#include "Transforms/FuseOps.h"
#include "IR/Layout.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"

namespace coconet {
#define GEN_PASS_DEF_FUSEOPS
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static bool isChainOp(Operation *op) {
  return isa<ReduceScatterOp, AllGatherOp>(op);
}

/// Every op may stand in a fused region.
static LogicalResult checkKinds(const OpSet &set, Refusal &refusal) {
  for (Operation *op : set) {
    if (isChainOp(op) || isa<ShardOp>(op))
      continue;
    auto iterated = dyn_cast<IterationOpInterface>(op);
    if (iterated && iterated.isPointwise())
      continue;
    if (isa<AllReduceOp>(op))
      return refusal.set(op, "cannot fuse " + describe(op),
                         "split it into reduce_scatter and all_gather, and "
                         "reorder the all_gather past the computation first");
    if (iterated || isa<NormOp, SoftmaxOp>(op))
      return refusal.set(
          op, "cannot fuse " + describe(op) + ": it is no pointwise op",
          "fuse the pointwise ops before and after it, each "
          "side by itself");
    return refusal.set(op, "cannot fuse " + describe(op),
                       "only pointwise ops, shard, reduce_scatter and "
                       "all_gather are fused");
  }
  return success();
}

/// The collectives are one chain: one group, one dimension, reduce_scatter of
/// outside values first and all_gather of inside values last.
static LogicalResult checkChain(const OpSet &set, Refusal &refusal) {
  CollectiveOpInterface chain;
  for (Operation *op : set)
    if (!chain && isa<ReduceScatterOp>(op))
      chain = cast<CollectiveOpInterface>(op);
  for (Operation *op : set) {
    if (!isChainOp(op))
      continue;
    if (!chain)
      return refusal.set(
          op, "cannot fuse " + describe(op) + " without a reduce_scatter",
          "add the reduce_scatter that the chain begins with");
    auto collective = cast<CollectiveOpInterface>(op);
    if (collective.getGroupAxes() != chain.getGroupAxes() ||
        collective.getGroupLists() != chain.getGroupLists() ||
        op->getAttr("dim") != chain->getAttr("dim")) {
      refusal.set(op,
                  "cannot fuse " + describe(chain) + " and " + describe(op) +
                      ": they differ in group or dimension",
                  "fuse collectives of one group and one dimension");
      refusal.addNote(chain.getLoc(), "the other collective is here");
      return failure();
    }
    Operation *producer = op->getOperand(0).getDefiningOp();
    if (isa<ReduceScatterOp>(op) && set.contains(producer))
      return refusal.set(op,
                         "cannot fuse " + describe(op) +
                             ": it reduces what the set computes",
                         "a chain begins with its reduce_scatters; fuse the "
                         "computation before it by itself");
    if (isa<AllGatherOp>(op) && !set.contains(producer))
      return refusal.set(op,
                         "cannot fuse " + describe(op) +
                             ": what it gathers is computed outside of the set",
                         "add the op that computes it");
    if (isa<AllGatherOp>(op))
      for (Operation *user : op->getUsers())
        if (set.contains(user))
          return refusal.set(user,
                             "cannot fuse " + describe(user) +
                                 ": it uses a gathered value",
                             "reorder the all_gather past it first");
  }
  return success();
}

/// All computed values have one shape and one cut.
static LogicalResult checkSpace(const OpSet &set, Refusal &refusal) {
  Operation *first = nullptr;
  auto spaceOf = [](Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return RankedTensorType::get(type.getShape(),
                                 IntegerType::get(type.getContext(), 1),
                                 type.getEncoding());
  };
  for (Operation *op : set) {
    if (isa<AllGatherOp, ShardOp>(op))
      continue;
    if (!first)
      first = op;
    if (spaceOf(op) == spaceOf(first))
      continue;
    refusal.set(op,
                "cannot fuse " + describe(first) + " and " + describe(op) +
                    ": they iterate over different shapes or cuts",
                "leave one of them out");
    refusal.addNote(first->getLoc(), "the other op is here");
    return failure();
  }
  return success();
}

/// Shards outside of the set that feed only it.
static void addShards(OpSet &set) {
  OpSet shards;
  for (Operation *op : set)
    for (Value operand : op->getOperands())
      if (auto shard = operand.getDefiningOp<ShardOp>())
        if (!set.contains(shard) && shard->getBlock() == op->getBlock() &&
            llvm::all_of(shard->getUsers(),
                         [&](Operation *user) { return set.contains(user); }))
          shards.insert(shard);
  set.insert_range(shards);
}

static LogicalResult checkFusion(OpSet &set, Refusal &refusal) {
  if (auto outer = dyn_cast<FusedOp>(set.front()->getParentOp()))
    return refusal.set(set.front(),
                       "cannot fuse " + describe(set.front()) +
                           ": it lies in " + describe(outer) + " already",
                       "name the ops once, with all that belong together");
  if (failed(checkKinds(set, refusal)) || failed(checkChain(set, refusal)) ||
      failed(checkSpace(set, refusal)))
    return failure();
  if (failed(checkConvex(set, refusal))) {
    refusal.message = "cannot fuse: " + refusal.message;
    return failure();
  }
  if (llvm::any_of(set, isChainOp)) {
    addShards(set);
    SmallVector<Operation *> ops = set.takeVector();
    set = *sortInBlock(ops, refusal);
    return success();
  }
  for (Operation *op : set)
    if (isa<ShardOp>(op))
      return refusal.set(op, "cannot fuse " + describe(op) + " as computation",
                         "leave it out, or add the reduce_scatter");
  return success();
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// Move ops between the first and the last of the set that depend on it behind
/// the last. Convexity makes this legal.
static void moveDependentsAfter(RewriterBase &rewriter, const OpSet &set) {
  Operation *point = set.back();
  for (Operation *op : findDependentsWithin(set)) {
    rewriter.moveOpAfter(op, point);
    point = op;
  }
}

FailureOr<FusedOp> coconet::fuseOps(RewriterBase &rewriter,
                                    ArrayRef<Operation *> ops, StringRef name,
                                    Refusal &refusal) {
  assert(!ops.empty() && "nothing to fuse");
  FailureOr<OpSet> sorted = sortInBlock(ops, refusal);
  if (failed(sorted) || failed(checkFusion(*sorted, refusal)))
    return failure();
  OpSet set = *sorted;
  FusedKind kind = llvm::any_of(set, isChainOp) ? FusedKind::all_reduce
                                                : FusedKind::computation;
  SmallVector<Value> liveOuts = findLiveOuts(set);
  moveDependentsAfter(rewriter, set);

  rewriter.setInsertionPointAfter(set.back());
  SmallVector<Location> locations;
  for (Operation *op : set)
    locations.push_back(op->getLoc());
  auto fused = FusedOp::create(rewriter, rewriter.getFusedLoc(locations),
                               TypeRange(ValueRange(liveOuts)),
                               FusedKindAttr::get(rewriter.getContext(), kind));
  if (!name.empty())
    setName(fused, name);
  Block *body = rewriter.createBlock(&fused.getBody());
  for (Operation *op : set)
    rewriter.moveOpBefore(op, body, body->end());
  for (auto [value, result] : llvm::zip(liveOuts, fused.getResults()))
    rewriter.replaceUsesWithIf(value, result, [&](OpOperand &use) {
      return !fused->isProperAncestor(use.getOwner());
    });
  rewriter.setInsertionPointToEnd(body);
  YieldOp::create(rewriter, fused.getLoc(), liveOuts);
  return fused;
}

namespace {
struct FuseOps : coconet::impl::FuseOpsBase<FuseOps> {
  using FuseOpsBase::FuseOpsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<Operation *>> ops =
        findAllNamed(getOperation(), *names);
    if (failed(ops))
      return signalPassFailure();
    Refusal refusal;
    IRRewriter rewriter(&getContext());
    if (succeeded(fuseOps(rewriter, *ops, result, refusal)))
      return;
    refusal.report(DiagnosticSeverity::Error);
    signalPassFailure();
  }
};
} // namespace
