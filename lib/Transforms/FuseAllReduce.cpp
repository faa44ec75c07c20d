//===- FuseAllReduce.cpp - fuse every all_reduce with what follows ----------===//
//
// The automatic schedule: for each all_reduce the same split, reorder and fuse
// that a schedule would name by hand.
//
//===----------------------------------------------------------------------===//

#include "IR/Layout.h"
#include "Transforms/FuseOps.h"
#include "Transforms/Passes.h"
#include "Transforms/ReorderAllGather.h"
#include "Transforms/SliceState.h"
#include "Transforms/SplitAllReduce.h"

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

  func::FuncOp function;
  IRRewriter rewriter;
  bool wantsSlicedState;
};

} // namespace

/// Ops of the block that depend on `op`, in block order.
static SmallVector<Operation *> findDependents(Operation *op) {
  OpSet dependents;
  SmallVector<Operation *> worklist = {op};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      if (ancestor && dependents.insert(ancestor))
        worklist.push_back(ancestor);
    }
  SmallVector<Operation *> sorted = dependents.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) {
    return a != b && a->isBeforeInBlock(b);
  });
  return sorted;
}

/// Pointwise, of the shape and layout of the all_reduce.
static bool isSameSpace(AllReduceOp op, Operation *other) {
  auto iterated = dyn_cast<IterationOpInterface>(other);
  if (!iterated || !iterated.isPointwise())
    return false;
  auto type = cast<RankedTensorType>(other->getResult(0).getType());
  return type.getShape() == op.getType().getShape() &&
         type.getEncoding() == op.getType().getEncoding();
}

void AllReduceFuser::collectComputations(AllReduceOp op, ReorderPlan &plan,
                                         Refusal &blocker) {
  // Dependents that stay outside; what uses them stays outside too, so that
  // the set is convex.
  llvm::SmallPtrSet<Operation *, 16> outside;
  for (Operation *dependent : findDependents(op)) {
    bool tainted =
        dependent->getNumRegions() != 0 ||
        llvm::any_of(dependent->getOperands(), [&](Value operand) {
          return outside.contains(operand.getDefiningOp());
        });
    Refusal why;
    if (!tainted && !isSameSpace(op, dependent))
      why.set(dependent,
              describe(dependent) + " is no pointwise op of the same shape",
              "only pointwise computation on the whole value is fused");
    else if (!tainted && succeeded(plan.add(dependent, why)))
      continue;
    if (!blocker.location && why.location &&
        !isa<UpdateOp, func::ReturnOp>(dependent))
      blocker = why;
    outside.insert(dependent);
  }
}

void AllReduceFuser::sliceStates(ReorderedOps &reordered) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    // The gather goes with the state: look for it before.
    auto made = [&](AllGatherOp gather) {
      return llvm::any_of(gather->getUsers(), [&](Operation *user) {
        auto update = dyn_cast<UpdateOp>(user);
        return update && update.getState() == function.getArgument(index) &&
               update.getValue() == gather.getResult();
      });
    };
    auto gather = llvm::find_if(reordered.gathers, made);
    Refusal refusal;
    if (gather == reordered.gathers.end() ||
        failed(checkSliceState(function, index, refusal)))
      continue;
    // A value that is returned whole is wanted whole.
    bool returned = llvm::any_of(
        (*gather)->getUsers(), [&](Operation *user) {
          return llvm::any_of(user->getResult(0).getUsers(),
                              llvm::IsaPred<func::ReturnOp>);
        });
    if (returned)
      continue;
    bool goes = (*gather)->hasOneUse();
    (void)sliceState(rewriter, function, index, refusal);
    if (goes)
      reordered.gathers.erase(gather);
  }
}

LogicalResult AllReduceFuser::fuse(AllReduceOp op, Refusal &refusal) {
  if (op.getType().getRank() == 0)
    return refusal.set(op, "it reduces one element, so there is nothing to cut",
                       "it is best left as it is");
  if (op.getGroupsAttr())
    return refusal.set(op, "its group is given as lists",
                       "name the axes of the mesh");
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
  SplitCollectives split = *splitAllReduce(rewriter, op, dim, refusal);
  ReorderedOps reordered = plan.apply(rewriter, split.allGather);
  if (wantsSlicedState)
    sliceStates(reordered);
  SmallVector<Operation *> ops(reordered.computations);
  ops.push_back(split.reduceScatter);
  ops.append(reordered.gathers.begin(), reordered.gathers.end());
  return fuseOps(rewriter, ops, name, refusal);
}

void AllReduceFuser::run() {
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
}

namespace {
struct FuseAllReduce : coconet::impl::FuseAllReduceBase<FuseAllReduce> {
  using FuseAllReduceBase::FuseAllReduceBase;

  void runOnOperation() override {
    AllReduceFuser(getOperation(), sliceState).run();
  }
};
} // namespace
