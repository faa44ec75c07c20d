//===- FuseOps.cpp - ops as one kernel --------------------------------------===//

#include "Transforms/FuseOps.h"
#include "IR/ChannelOps.h"
#include "IR/Layout.h"
#include "Transforms/FuseSend.h"
#include "Transforms/MoveIntoRegion.h"
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

static bool isPointwiseOp(Operation *op) {
  auto iterated = dyn_cast<IterationOpInterface>(op);
  return iterated && iterated.isPointwise();
}

/// What the region of the set is, by the ops that it holds.
static FusedKind kindOf(const OpSet &set) {
  if (llvm::any_of(set, llvm::IsaPred<SendOp>))
    return FusedKind::send;
  bool scatters = llvm::any_of(set, llvm::IsaPred<ReduceScatterOp>);
  bool gathers = llvm::any_of(set, llvm::IsaPred<AllGatherOp>);
  if (scatters)
    return gathers ? FusedKind::all_reduce : FusedKind::reduce_scatter;
  if (gathers)
    return FusedKind::all_gather;
  return llvm::any_of(set, llvm::IsaPred<MatmulOp>) ? FusedKind::matmul
                                                    : FusedKind::computation;
}

/// A reduction of slices, or the exchange behind one, inside of a chain.
static bool isInnerReduction(Operation *op, const OpSet &set) {
  if (!isScalarReduction(op))
    return false;
  Value operand = op->getOperand(0);
  return set.contains(operand.getDefiningOp()) ||
         (!isa<AllReduceOp>(op) && Layout::of(operand).isCut());
}

static LogicalResult refuseKind(Operation *op, FusedKind kind,
                                Refusal &refusal) {
  if (isa<AllReduceOp>(op))
    return refusal.set(op, "cannot fuse " + describe(op),
                       "split it into reduce_scatter and all_gather, and "
                       "reorder the all_gather past the computation first");
  if (isa<MatmulOp>(op) && kind != FusedKind::matmul)
    return refusal.set(op, "cannot fuse " + describe(op) + " and a collective",
                       "overlap them, or fuse the matmul with the pointwise "
                       "ops after it");
  if (isa<IterationOpInterface>(op) || isa<NormOp, SoftmaxOp>(op))
    return refusal.set(
        op, "cannot fuse " + describe(op) + ": it is no pointwise op",
        "fuse the pointwise ops before and after it, each side by itself");
  return refusal.set(op, "cannot fuse " + describe(op),
                     "only pointwise ops, shard, reduce_scatter and "
                     "all_gather are fused");
}

/// Every op may stand in a fused region.
static LogicalResult checkKinds(const OpSet &set, Refusal &refusal) {
  FusedKind kind = kindOf(set);
  Operation *product = nullptr;
  for (Operation *op : set) {
    bool chain = kind != FusedKind::computation && kind != FusedKind::matmul;
    if (isPointwiseOp(op) || isChainOp(op) || isa<ShardOp>(op) ||
        (chain && isInnerReduction(op, set)))
      continue;
    if (kind != FusedKind::matmul || !isa<MatmulOp>(op))
      return refuseKind(op, kind, refusal);
    if (product) {
      refusal.set(op,
                  "cannot fuse " + describe(product) + " and " + describe(op),
                  "fuse each matmul with the pointwise ops that follow it");
      refusal.addNote(product->getLoc(), "the other matmul is here");
      return failure();
    }
    product = op;
  }
  if (product)
    for (Value operand : product->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && set.contains(producer))
        return refusal.set(producer,
                           "cannot fuse " + describe(producer) +
                               ": it computes an operand of " +
                               describe(product),
                           "fuse what follows the matmul");
  return success();
}

/// Why the collective cannot be part of the chain.
static LogicalResult checkLink(CollectiveOpInterface op,
                               CollectiveOpInterface chain, const OpSet &set,
                               Refusal &refusal) {
  if (op.getGroupAxes() != chain.getGroupAxes() ||
      op.getGroupLists() != chain.getGroupLists() ||
      op->getAttr("dim") != chain->getAttr("dim")) {
    refusal.set(op,
                "cannot fuse " + describe(chain) + " and " + describe(op) +
                    ": they differ in group or dimension",
                "fuse collectives of one group and one dimension");
    refusal.addNote(chain.getLoc(), "the other collective is here");
    return failure();
  }
  Operation *producer = op->getOperand(0).getDefiningOp();
  if (isa<ReduceScatterOp>(*op))
    return !set.contains(producer)
               ? success()
               : refusal.set(op,
                             "cannot fuse " + describe(op) +
                                 ": it reduces what the set computes",
                             "a chain begins with its reduce_scatters; fuse "
                             "the computation before it by itself");
  if (!set.contains(producer))
    return refusal.set(op,
                       "cannot fuse " + describe(op) +
                           ": what it gathers is computed outside of the set",
                       "add the op that computes it");
  for (Operation *user : op->getUsers())
    if (set.contains(user))
      return refusal.set(
          user, "cannot fuse " + describe(user) + ": it uses a gathered value",
          "reorder the all_gather past it first");
  return success();
}

/// The collectives are one chain: one group, one dimension, reduce_scatter of
/// outside values first and all_gather of inside values last.
static LogicalResult checkChain(const OpSet &set, Refusal &refusal) {
  CollectiveOpInterface chain;
  for (Operation *op : set)
    if (isChainOp(op) &&
        (!chain || (isa<ReduceScatterOp>(op) && !isa<ReduceScatterOp>(*chain))))
      chain = cast<CollectiveOpInterface>(op);
  for (Operation *op : set)
    if (isChainOp(op) &&
        failed(checkLink(cast<CollectiveOpInterface>(op), chain, set, refusal)))
      return failure();
  for (Operation *op : set)
    if (isa<ShardOp>(op) && set.contains(op->getOperand(0).getDefiningOp()))
      return refusal.set(
          op, "cannot fuse " + describe(op) + ": it cuts what the set computes",
          "fuse what comes before it by itself");
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
    if (isa<AllGatherOp, ShardOp>(op) ||
        isOneElement(op->getResult(0).getType()))
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
  if (kindOf(set) == FusedKind::send)
    return checkSend(set, refusal);
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

FailureOr<FusedOp> coconet::fuseOps(RewriterBase &rewriter,
                                    ArrayRef<Operation *> ops, StringRef name,
                                    Refusal &refusal) {
  assert(!ops.empty() && "nothing to fuse");
  FailureOr<OpSet> sorted = sortInBlock(ops, refusal);
  if (failed(sorted) || failed(checkFusion(*sorted, refusal)))
    return failure();
  OpSet set = *sorted;
  FusedKind kind = kindOf(set);
  Operation *fused =
      moveIntoRegion(rewriter, set, [&](Location location, TypeRange types) {
        return FusedOp::create(rewriter, location, types,
                               FusedKindAttr::get(rewriter.getContext(), kind));
      });
  if (!name.empty())
    setName(fused, name);
  return cast<FusedOp>(fused);
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
