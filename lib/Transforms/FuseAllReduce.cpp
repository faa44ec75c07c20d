//===- FuseAllReduce.cpp - fuse every all_reduce with what follows ----------===//
//
// The automatic schedule: for each all_reduce the same split, reorder and fuse
// that a schedule would name by hand.
//
//===----------------------------------------------------------------------===//

#include "IR/Layout.h"
#include "IR/OverlapOps.h"
#include "Transforms/FuseOps.h"
#include "Transforms/Passes.h"
#include "Transforms/ReorderAllGather.h"
#include "Transforms/SliceLists.h"
#include "Transforms/SliceState.h"
#include "Transforms/SplitAllReduce.h"
#include <queue>

namespace coconet {
#define GEN_PASS_DEF_FUSEALLREDUCE
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

namespace {

class AllReduceFuser {
public:
  AllReduceFuser(func::FuncOp function, bool sliceState)
      : function(function), rewriter(function.getContext()),
        wantsSlicedState(sliceState) {}

  void run();

private:
  /// Fuse one all_reduce; failure, with the reason, leaves it alone.
  LogicalResult fuse(AllReduceOp op, Refusal &refusal);
  /// Add to the plan what depends on the all_reduce, is pointwise and types on
  /// slices. `blocker` says what ended it.
  void collectComputations(AllReduceOp op, ReorderPlan &plan, Refusal &blocker);
  /// Cut the state whose new value one of the gathers makes.
  void sliceStates(ReorderedOps &reordered);
  std::optional<unsigned> stateMadeBy(AllGatherOp gather);
  FailureOr<StateList> stateListMadeBy(AllGatherOp gather);

  func::FuncOp function;
  IRRewriter rewriter;
  bool wantsSlicedState;
};

} // namespace

/// Pointwise, of the shape and layout of the all_reduce; or one element, as
/// reductions and what is computed from them.
static bool isSameSpace(AllReduceOp op, Operation *other) {
  if (isa<NormOp, ReduceOp>(other) && isScalarReduction(other))
    return true;
  auto iterated = dyn_cast<IterationOpInterface>(other);
  if (!iterated || !iterated.isPointwise())
    return false;
  auto type = cast<RankedTensorType>(other->getResult(0).getType());
  return isOneElement(type) ||
         (type.getShape() == op.getType().getShape() &&
          type.getEncoding() == op.getType().getEncoding());
}

namespace {
/// Visits ops that depend on a value, in block order, as long as one is left
/// that uses an op inside of the set.
class Dependents {
public:
  explicit Dependents(Operation *op) : block(op->getBlock()) { push(op, true); }

  bool empty() const { return candidates.empty(); }
  Operation *pop() {
    Operation *op = queue.top();
    queue.pop();
    candidates.erase(op);
    return op;
  }
  /// Let the users of `op` follow, which is inside of the set or not.
  void push(Operation *op, bool inside) {
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (!ancestor)
        continue;
      if (inside)
        candidates.insert(ancestor);
      if (seen.insert(ancestor).second)
        queue.push(ancestor);
    }
  }

private:
  struct IsLater {
    bool operator()(Operation *a, Operation *b) const {
      return a != b && b->isBeforeInBlock(a);
    }
  };
  Block *block;
  std::priority_queue<Operation *, std::vector<Operation *>, IsLater> queue;
  llvm::SmallPtrSet<Operation *, 16> seen, candidates;
};
} // namespace

void AllReduceFuser::collectComputations(AllReduceOp op, ReorderPlan &plan,
                                         Refusal &blocker) {
  // Dependents that stay outside; what uses them stays outside too, so that
  // the set is convex.
  llvm::SmallPtrSet<Operation *, 16> outside;
  Dependents dependents(op);
  while (!dependents.empty()) {
    Operation *dependent = dependents.pop();
    bool tainted = dependent->getNumRegions() != 0 ||
                   llvm::any_of(dependent->getOperands(), [&](Value operand) {
                     return outside.contains(operand.getDefiningOp());
                   });
    Refusal why;
    if (!tainted && !isSameSpace(op, dependent))
      why.set(dependent,
              describe(dependent) + " is no pointwise op of the same shape",
              "only pointwise computation on the whole value is fused");
    bool inside =
        !tainted && !why.location && succeeded(plan.add(dependent, why));
    dependents.push(dependent, inside);
    if (inside)
      continue;
    if (!blocker.location && why.location &&
        !isa<UpdateOp, func::ReturnOp>(dependent))
      blocker = why;
    outside.insert(dependent);
  }
}

/// The state argument whose new value, not returned whole, is what `gather`
/// makes; nullopt without.
std::optional<unsigned> AllReduceFuser::stateMadeBy(AllGatherOp gather) {
  for (Operation *user : gather->getUsers()) {
    auto update = dyn_cast<UpdateOp>(user);
    auto state =
        update ? dyn_cast<BlockArgument>(update.getState()) : BlockArgument();
    Refusal refusal;
    if (state && update.getValue() == gather.getResult() &&
        succeeded(checkSliceState(function, state.getArgNumber(), refusal)) &&
        update.getResult().use_empty())
      return state.getArgNumber();
  }
  return std::nullopt;
}

/// The same for a list of states, of which `gather` makes the new values.
FailureOr<StateList> AllReduceFuser::stateListMadeBy(AllGatherOp gather) {
  auto op = dyn_cast<ForEachOp>(gather->getParentOp());
  if (!op)
    return failure();
  for (OpOperand &use : gather->getUses()) {
    if (use.getOwner() != op.getYield())
      continue;
    for (Operation *user :
         op.resultsOf(use.getOperandNumber()).front().getUsers()) {
      auto update = dyn_cast<UpdateOp>(user);
      auto state =
          update ? dyn_cast<BlockArgument>(update.getState()) : BlockArgument();
      if (!state || findListUser(state) != op)
        continue;
      Refusal refusal;
      FailureOr<StateList> list =
          checkSliceList(function, state.getArgNumber(), refusal);
      if (succeeded(list) && list->gather == gather &&
          llvm::all_of(list->updates, [](UpdateOp each) {
            return each.getResult().use_empty();
          }))
        return list;
    }
  }
  return failure();
}

void AllReduceFuser::sliceStates(ReorderedOps &reordered) {
  llvm::erase_if(reordered.gathers, [&](AllGatherOp gather) {
    if (FailureOr<StateList> list = stateListMadeBy(gather); succeeded(list)) {
      bool goes = gather->hasOneUse();
      sliceStateList(rewriter, *list);
      return goes;
    }
    std::optional<unsigned> state = stateMadeBy(gather);
    if (!state)
      return false;
    bool goes = gather->hasOneUse();
    sliceState(rewriter, function, *state);
    return goes;
  });
}

LogicalResult AllReduceFuser::fuse(AllReduceOp op, Refusal &refusal) {
  if (op.getType().getRank() == 0)
    return refusal.set(op, "it reduces one element, so there is nothing to cut",
                       "it is best left as it is");
  if (auto overlap = op->getParentOfType<OverlapOp>();
      overlap && overlap.getChunks() > 1)
    return refusal.set(op, "it runs in chunks in " + describe(overlap),
                       "overlap after all other transformations");
  if (op.getGroupsAttr())
    return refusal.set(op, "its group is given as lists",
                       "name the axes of the mesh");
  for (StringRef attr : {wireTypeAttr, algorithmAttr, channelsAttr})
    if (op->hasAttr(attr))
      return refusal.set(op, "other values would take its " + attr.str(),
                         "set it after fusing, on the collectives or the "
                         "region that are to have it");
  // The outermost dimension that has something to cut: its slices are
  // contiguous.
  auto *found = llvm::find_if(op.getType().getShape(),
                              [](int64_t size) { return size != 1; });
  int64_t dim = found == op.getType().getShape().end()
                    ? 0
                    : found - op.getType().getShape().begin();
  FailureOr<RankedTensorType> slice = typeOfSplit(op, dim, refusal);
  if (failed(slice))
    return failure();
  ReorderPlan plan(op.getResult(), *slice, op.getGroupAxes());
  Refusal blocker;
  collectComputations(op, plan, blocker);
  if (plan.getOps().empty()) {
    if (!blocker.location)
      return refusal.set(op, "no computation follows it",
                         "fusion needs pointwise computation on its result");
    refusal = blocker;
    return failure();
  }

  std::string name = getName(op).str();
  bool wantedWhole = llvm::any_of(op->getUsers(), [&](Operation *user) {
    return !plan.getOps().contains(user);
  });
  SplitCollectives split = *splitAllReduce(rewriter, op, dim, refusal);
  ReorderedOps reordered = plan.apply(rewriter, split.allGather);
  if (wantedWhole)
    reordered.gathers.push_back(split.allGather);
  if (wantsSlicedState)
    sliceStates(reordered);
  // What only computes a smaller operand has another shape and stays before.
  SmallVector<Operation *> ops;
  llvm::copy_if(
      reordered.computations, std::back_inserter(ops),
      [&](Operation *computation) {
        auto type = cast<RankedTensorType>(computation->getResult(0).getType());
        return type.getShape() == slice->getShape() || isOneElement(type);
      });
  ops.push_back(split.reduceScatter);
  ops.append(reordered.allReduces.begin(), reordered.allReduces.end());
  ops.append(reordered.gathers.begin(), reordered.gathers.end());
  return fuseOps(rewriter, ops, name, refusal);
}

void AllReduceFuser::run() {
  Refusal fixedType;
  wantsSlicedState &= succeeded(checkChangesType(function, fixedType));
  SmallVector<AllReduceOp> ops;
  function.walk([&](AllReduceOp op) { ops.push_back(op); });
  for (AllReduceOp op : ops) {
    std::string what = describe(op);
    Location loc = op.getLoc();
    Refusal refusal;
    if (succeeded(fuse(op, refusal)))
      continue;
    Refusal remark{loc, what + " is left alone: " + refusal.message, {}};
    for (auto &[where, note] : refusal.notes)
      remark.addNote(where, note);
    remark.report(DiagnosticSeverity::Remark);
  }
  if (wantsSlicedState)
    updateFunctionType(rewriter, function);
}

namespace {
struct FuseAllReduce : coconet::impl::FuseAllReduceBase<FuseAllReduce> {
  using FuseAllReduceBase::FuseAllReduceBase;

  void runOnOperation() override {
    AllReduceFuser(getOperation(), sliceState).run();
  }
};
} // namespace
