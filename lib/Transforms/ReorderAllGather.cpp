//===- ReorderAllGather.cpp - compute on slices, gather after ---------------===//

#include "Transforms/ReorderAllGather.h"
#include "Analysis/Typing.h"
#include "IR/Layout.h"
#include "Transforms/NamedOps.h"
#include "Transforms/Passes.h"
#include "Transforms/ReorderPastSend.h"
#include "mlir/IR/AffineExpr.h"

namespace coconet {
#define GEN_PASS_DEF_REORDERALLGATHER
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

ReorderPlan::ReorderPlan(Value whole, RankedTensorType slice,
                         ArrayRef<StringAttr> axes)
    : axes(axes), mesh(Layout::of(slice).mesh), slice(slice) {
  types[whole] = slice;
}

/// The layout's cut by the axes: a dimension, or null for flat; nullopt where
/// it is not cut by them.
std::optional<IntegerAttr> ReorderPlan::cutDim(RankedTensorType type) const {
  Layout layout = Layout::of(type);
  for (auto [dim, list] : llvm::enumerate(layout.dims))
    if (!list.empty() && isSuffix(axes, list))
      return Builder(type.getContext()).getI64IntegerAttr(dim);
  if (!layout.flat.empty() && isSuffix(axes, layout.flat))
    return IntegerAttr();
  return std::nullopt;
}

/// Iterator that the operand reads along at its dimension `dim`, or -1.
static int64_t iteratorAt(AffineMap map, unsigned dim) {
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
  return expr ? int64_t(expr.getPosition()) : -1;
}

/// Dimension along which operand `index` must be cut to go with the slices;
/// nullopt where it is taken as it is.
std::optional<IntegerAttr> ReorderPlan::shardDim(Operation *op,
                                                 unsigned index) const {
  auto iterated = dyn_cast<IterationOpInterface>(op);
  auto type = cast<RankedTensorType>(op->getOperand(index).getType());
  if (!iterated || !Layout::of(type).isReplicated())
    return std::nullopt;
  Iteration iteration = iterated.getIteration();
  for (auto [other, value] : llvm::enumerate(op->getOperands())) {
    RankedTensorType slice = sliceType(value);
    std::optional<IntegerAttr> cut =
        slice ? cutDim(slice) : std::optional<IntegerAttr>();
    if (!cut)
      continue;
    if (!*cut) // Flat: whole operands are cut the same way, scalars are not.
      return iteration.operandMaps[index].isIdentity() && type.getRank() > 0
                 ? std::optional<IntegerAttr>(IntegerAttr())
                 : std::nullopt;
    int64_t iterator =
        iteratorAt(iteration.operandMaps[other], (*cut).getInt());
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (iterator >= 0 &&
          iteratorAt(iteration.operandMaps[index], dim) == iterator)
        return Builder(op->getContext()).getI64IntegerAttr(dim);
  }
  return std::nullopt;
}

/// The operand's type cut by `axes` along `dim`, or flat.
static RankedTensorType shardType(RankedTensorType type, MeshAttr mesh,
                                  IntegerAttr dim, ArrayRef<StringAttr> axes) {
  Layout layout = Layout::of(type);
  layout.mesh = mesh;
  AxisList &list = dim ? layout.dims[dim.getInt()] : layout.flat;
  list.append(axes.begin(), axes.end());
  return layout.apply(type);
}

LogicalResult ReorderPlan::planOperands(PlannedOp &plan,
                                        SmallVectorImpl<Type> &operandTypes,
                                        Refusal &refusal) {
  bool depends = false;
  for (auto [index, value] : llvm::enumerate(plan.op->getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (RankedTensorType slice = sliceType(value)) {
      depends = true;
      type = slice;
    } else if (std::optional<IntegerAttr> dim = shardDim(plan.op, index)) {
      type = shardType(type, mesh, *dim, axes);
      plan.shards.push_back({unsigned(index), type, *dim});
    }
    operandTypes.push_back(type);
  }
  if (depends)
    return success();
  // The norm of a parameter beside that of its update.
  if (isa<NormOp, ReduceOp>(plan.op) && isScalarReduction(plan.op)) {
    auto type = cast<RankedTensorType>(operandTypes[0]);
    if (type.getShape() == slice.getShape() &&
        Layout::of(type).isReplicated()) {
      IntegerAttr dim = *cutDim(slice);
      operandTypes[0] = shardType(type, mesh, dim, axes);
      plan.shards.push_back({0, cast<RankedTensorType>(operandTypes[0]), dim});
      return success();
    }
  }
  return refusal.set(plan.op, "it does not depend on the gathered value",
                     "leave it out of the set");
}

LogicalResult ReorderPlan::add(Operation *op, Refusal &refusal) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isa_and_nonnull<CoCoNetDialect>(op->getDialect()) ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      !isMemoryEffectFree(op) || isa<CollectiveOpInterface>(op))
    return refusal.set(
        op, isa<UpdateOp>(op) ? "it updates state" : "it is no computation",
        "only computations are reordered; leave it out");
  PlannedOp plan{op, {}, {}, {}};
  SmallVector<Type> operandTypes;
  if (failed(planOperands(plan, operandTypes, refusal)))
    return failure();
  FailureOr<RankedTensorType> type =
      typeWithOperands(op, operandTypes, refusal);
  if (failed(type)) {
    refusal.message = "it does not type on slices: " + refusal.message;
    return failure();
  }
  plan.type = *type;
  RankedTensorType result = *type;
  Layout layout = Layout::of(*type);
  // What was pending before needs no all_reduce now.
  Layout before = Layout::of(op->getResult(0));
  if (llvm::any_of(axes, [&](StringAttr axis) {
        return layout.partialAlong(axis) && !before.partialAlong(axis);
      }))
    result = plan.reducedType = withoutAxes(layout, axes).apply(*type);
  // Rules carry the whole axis list of a cut along, or turn it into pending
  // values.
  assert((cutDim(result) || result == op->getResult(0).getType()) &&
         "a result on slices is cut, or the same");
  types[op->getResult(0)] = result;
  plans.push_back(std::move(plan));
  set.insert(op);
  return success();
}

static FailureOr<OpSet> checkSet(AllGatherOp gather, ArrayRef<Operation *> ops,
                                 Refusal &refusal) {
  if (ops.empty())
    return refusal.set(
        gather, "there is nothing to reorder " + describe(gather) + " past",
        "name the computations that use it");
  if (gather.getGroupsAttr())
    return refusal.set(gather,
                       "cannot reorder " + describe(gather) +
                           ": its group is given as lists",
                       "name the axes of the mesh, so that the cut is part of "
                       "the type");
  SmallVector<Operation *> all(ops);
  all.push_back(gather);
  FailureOr<OpSet> sorted = sortInBlock(all, refusal);
  if (failed(sorted))
    return failure();
  if (failed(checkConvex(*sorted, refusal))) {
    refusal.message =
        "cannot reorder " + describe(gather) + ": " + refusal.message;
    return failure();
  }
  sorted->remove(gather);
  return sorted;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// The computation of the plan on slices, with its shards before and its
/// all_reduce behind.
Value ReorderPlan::buildSlices(RewriterBase &rewriter, PlannedOp &plan,
                               ArrayAttr axesAttr, ReorderedOps &made) {
  Location loc = plan.op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : plan.op->getOperands())
    operands.push_back(slices.lookup_or(operand, operand));
  for (const PlannedShard &shard : plan.shards) {
    Value &value = operands[shard.operand];
    Value &cached = shards[{value, shard.type}];
    if (!cached)
      cached = ShardOp::create(rewriter, loc, shard.type, value, shard.dim,
                               axesAttr);
    value = cached;
  }
  Operation *computation = rewriter.clone(*plan.op);
  computation->setOperands(operands);
  computation->getResult(0).setType(plan.type);
  made.computations.push_back(computation);
  if (!plan.reducedType)
    return computation->getResult(0);
  Reduction kind = *Layout::of(plan.type).partialAlong(axes.front());
  auto reduce =
      AllReduceOp::create(rewriter, loc, plan.reducedType,
                          ReductionAttr::get(rewriter.getContext(), kind),
                          computation->getResult(0), axesAttr, ArrayAttr());
  if (StringRef name = getName(plan.op); !name.empty())
    setName(reduce, name + ".ar");
  made.allReduces.push_back(reduce);
  return reduce;
}

/// How each operand of a pointwise op is cut when its result is cut along
/// `dim`, or flat: null where it is taken as it is. Nullopt where it cannot be.
static std::optional<SmallVector<RankedTensorType>>
sinkTypes(IterationOpInterface op, MeshAttr mesh, IntegerAttr dim,
          ArrayRef<StringAttr> axes) {
  Iteration iteration = op.getIteration();
  SmallVector<RankedTensorType> cuts;
  for (auto [operand, map] :
       llvm::zip(op->getOperands(), iteration.operandMaps)) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (!Layout::of(type).isReplicated())
      return std::nullopt;
    IntegerAttr cut = dim;
    bool along = false;
    for (unsigned d = 0; dim && d < type.getRank(); ++d)
      if (iteratorAt(map, d) == dim.getInt()) {
        along = true;
        cut = Builder(dim.getContext()).getI64IntegerAttr(d);
      }
    if (!dim) {
      along = map.isIdentity() && type.getRank() > 0;
      if (!along && !isOneElement(type))
        return std::nullopt;
    }
    cuts.push_back(along ? shardType(type, mesh, cut, axes)
                         : RankedTensorType());
  }
  // A result is cut if an operand is.
  if (llvm::all_of(cuts, [](RankedTensorType type) { return !type; }))
    return std::nullopt;
  return cuts;
}

/// shard(C(a)) becomes C(shard(a)) where nothing else uses the pointwise C, as
/// often as it goes.
void ReorderPlan::sinkShards(RewriterBase &rewriter, ReorderedOps &made) {
  SetVector<Operation *> worklist;
  auto collect = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto shard = operand.getDefiningOp<ShardOp>())
        worklist.insert(shard);
  };
  for (Operation *op : made.computations)
    collect(op);
  while (!worklist.empty()) {
    auto shard = cast<ShardOp>(worklist.pop_back_val());
    auto producer = shard.getOperand().getDefiningOp<IterationOpInterface>();
    if (!producer || !producer.isPointwise() ||
        producer->getBlock() != shard->getBlock())
      continue;
    SmallVector<Operation *> users(producer->getUsers());
    bool onlySlices = llvm::all_of(users, [&](Operation *user) {
      return isa<ShardOp>(user) &&
             user->getResult(0).getType() == shard.getType() &&
             user->getBlock() == shard->getBlock();
    });
    std::optional<SmallVector<RankedTensorType>> cuts =
        sinkTypes(producer, mesh, shard.getDimAttr(), axes);
    if (!onlySlices || !cuts)
      continue;
    rewriter.setInsertionPoint(producer);
    SmallVector<Value> operands(producer->getOperands());
    for (auto [operand, cut] : llvm::zip(operands, *cuts))
      if (cut)
        operand = ShardOp::create(rewriter, producer.getLoc(), cut, operand,
                                  cutDim(cut).value(), shard.getAxesAttr());
    Operation *sliced = rewriter.clone(*producer);
    sliced->setOperands(operands);
    sliced->getResult(0).setType(shard.getType());
    for (Operation *user : users) {
      worklist.remove(user);
      rewriter.replaceOp(user, sliced->getResults());
    }
    rewriter.eraseOp(producer);
    made.computations.push_back(sliced);
    collect(sliced);
  }
}

ReorderedOps ReorderPlan::apply(RewriterBase &rewriter, AllGatherOp gather) {
  ReorderedOps made;
  slices[gather.getResult()] = gather.getOperand();
  SmallVector<Value> values = findLiveOuts(set);
  llvm::DenseSet<Value> liveOuts(values.begin(), values.end());
  for (PlannedOp &plan : plans) {
    rewriter.setInsertionPoint(plan.op);
    Value original = plan.op->getResult(0);
    Value slice = buildSlices(rewriter, plan, gather.getAxesAttr(), made);
    slices[original] = slice;
    if (!liveOuts.contains(original))
      continue;
    Value whole = slice;
    // Another operand may have cut the result all along.
    std::optional<IntegerAttr> dim =
        cutDim(cast<RankedTensorType>(slice.getType()));
    if (dim && slice.getType() != original.getType()) {
      auto after =
          AllGatherOp::create(rewriter, plan.op->getLoc(), original.getType(),
                              slice, *dim, gather.getAxesAttr(), ArrayAttr());
      if (StringRef name = getName(gather); !name.empty())
        setName(after, name);
      made.gathers.push_back(after);
      whole = after;
    }
    rewriter.replaceUsesWithIf(original, whole, [&](OpOperand &use) {
      return !set.contains(use.getOwner());
    });
  }
  for (Operation *op : llvm::reverse(set))
    rewriter.eraseOp(op);
  if (gather.getResult().use_empty())
    rewriter.eraseOp(gather);
  sinkShards(rewriter, made);
  return made;
}

/// Ops of the set whose values come from the gather.
static llvm::DenseSet<Operation *> findGathered(const OpSet &set,
                                                Operation *gather) {
  llvm::DenseSet<Operation *> gathered = {gather};
  for (Operation *op : set)
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return gathered.contains(operand.getDefiningOp());
        }))
      gathered.insert(op);
  return gathered;
}

/// A pointwise op that only the set uses; where it works on replicated values
/// alone, its shards sink through it.
static bool feedsSlices(Operation *op, const OpSet &set) {
  auto iterated = dyn_cast<IterationOpInterface>(op);
  return iterated && iterated.isPointwise() &&
         llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return set.contains(user); });
}

FailureOr<ReorderedOps> coconet::reorderAllGather(RewriterBase &rewriter,
                                                  AllGatherOp gather,
                                                  ArrayRef<Operation *> ops,
                                                  Refusal &refusal) {
  if (failed(checkUnchunked(gather, "cannot reorder", refusal)))
    return failure();
  for (StringRef name : {wireTypeAttr, algorithmAttr, channelsAttr})
    if (gather->hasAttr(name))
      return refusal.set(gather,
                         "cannot reorder " + describe(gather) +
                             ": other values would take its " + name,
                         "set it after reordering, on the all_gathers that "
                         "are to have it");
  FailureOr<OpSet> set = checkSet(gather, ops, refusal);
  if (failed(set))
    return failure();
  ReorderPlan plan(gather.getResult(),
                   cast<RankedTensorType>(gather.getOperand().getType()),
                   gather.getGroupAxes());
  llvm::DenseSet<Operation *> gathered = findGathered(*set, gather);
  for (Operation *op : *set) {
    if (!gathered.contains(op) && feedsSlices(op, *set))
      continue;
    if (failed(plan.add(op, refusal))) {
      refusal.message = "cannot reorder " + describe(gather) + " past " +
                        describe(op) + ": " + refusal.message;
      refusal.location = op->getLoc();
      refusal.addNote(gather.getLoc(), "the all_gather is here");
      return failure();
    }
  }
  if (llvm::none_of(plan.getOps(),
                    [&](Operation *op) { return gathered.contains(op); }))
    return refusal.set(gather,
                       "cannot reorder " + describe(gather) +
                           ": no computation of the set depends on it",
                       "name the computations that use the gathered value");
  return plan.apply(rewriter, gather);
}

namespace {
struct ReorderAllGather
    : coconet::impl::ReorderAllGatherBase<ReorderAllGather> {
  using ReorderAllGatherBase::ReorderAllGatherBase;

  void runOnOperation() override {
    FailureOr<SmallVector<AllGatherOp>> gathers =
        findNamed<AllGatherOp>(getOperation(), name);
    if (failed(gathers))
      return signalPassFailure();
    FailureOr<SmallVector<Operation *>> ops =
        findAllNamed(getOperation(), *past);
    if (failed(ops))
      return signalPassFailure();
    if (gathers->size() != 1) {
      gathers->back().emitError() << gathers->size() << " ops are named '"
                                  << name << "'; reorder moves one all_gather";
      return signalPassFailure();
    }
    Refusal refusal;
    IRRewriter rewriter(&getContext());
    auto send = ops->size() == 1 ? dyn_cast<SendOp>(ops->front()) : SendOp();
    if (send ? succeeded(
                   reorderPastSend(rewriter, gathers->front(), send, refusal))
             : succeeded(
                   reorderAllGather(rewriter, gathers->front(), *ops, refusal)))
      return;
    refusal.report(DiagnosticSeverity::Error);
    signalPassFailure();
  }
};
} // namespace
