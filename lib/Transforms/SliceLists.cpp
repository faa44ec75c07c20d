//===- SliceLists.cpp - lists of state held in slices -----------------------===//

#include "Transforms/SliceLists.h"
#include "IR/Layout.h"

using namespace mlir;
using namespace coconet;

ForEachOp coconet::findListUser(BlockArgument argument) {
  for (Operation *user : argument.getUsers())
    if (auto op = dyn_cast<ForEachOp>(user))
      return op;
  return {};
}

static std::string nameOf(func::FuncOp function, Value state) {
  auto argument = dyn_cast<BlockArgument>(state);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return "a value that is no argument";
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    argNameAttr);
  return name ? "state '" + name.str() + "'"
              : "argument " + std::to_string(argument.getArgNumber());
}

/// One member of the list: a replicated state that the list and its update use.
static LogicalResult checkMember(func::FuncOp function, Value state,
                                 StateList &list, Refusal &refusal) {
  std::string what = "cannot slice " + nameOf(function, state);
  auto argument = dyn_cast<BlockArgument>(state);
  if (!argument || argument.getOwner() != &function.getBody().front() ||
      !function.getArgAttr(argument.getArgNumber(), stateAttr))
    return refusal.set(list.op,
                       what + ", which is in the same list: it is no state",
                       "make lists of states alone");
  if (!Layout::of(state).isReplicated())
    return refusal.set(list.op, what + ": it is not replicated",
                       "only replicated state is sliced");
  UpdateOp update;
  for (OpOperand &use : state.getUses()) {
    if (auto found = dyn_cast<UpdateOp>(use.getOwner()))
      update = found;
    else if (use.getOwner() != list.op ||
             use.getOperandNumber() / list.op.getCount() != list.operandList)
      return refusal.set(use.getOwner(),
                         what + ": " + describe(use.getOwner()) +
                             " uses it whole",
                         "only one list and an update use it");
  }
  auto value = update ? dyn_cast<OpResult>(update.getValue()) : OpResult();
  if (!value || value.getOwner() != list.op || !value.hasOneUse())
    return refusal.set(list.op,
                       what + ": its new value is not made by the list alone",
                       "update it with a result of the list, used once");
  for (Operation *user : update.getResult().getUsers())
    if (!isa<func::ReturnOp>(user))
      return refusal.set(
          user, what + ": " + describe(user) + " uses its new value whole",
          "use the slices instead");
  list.updates.push_back(update);
  return success();
}

/// The region cuts the state, and gathers the new value from such slices.
static LogicalResult checkRegion(const std::string &what, StateList &list,
                                 Refusal &refusal) {
  Value yielded = list.op.getYield().getOperand(list.resultList);
  list.gather = yielded.getDefiningOp<AllGatherOp>();
  if (!list.gather || list.gather.getGroupsAttr() ||
      list.gather->getBlock() != &list.op.getBody().front())
    return refusal.set(list.op,
                       what + ": its new value is not gathered from slices",
                       "reorder an all_gather past the computation of the new "
                       "value first, and slice state before fusing");
  Type slice = list.gather.getOperand().getType();
  for (Operation *user : list.op.argumentOf(list.operandList).getUsers()) {
    auto shard = dyn_cast<ShardOp>(user);
    if (!shard)
      return refusal.set(user, what + ": " + describe(user) + " uses it whole",
                         "reorder the all_gather past this op first, so that "
                         "it works on slices");
    if (shard.getType() != slice) {
      refusal.set(shard, what + ": it is cut in two ways",
                  "all its uses go through one cut");
      refusal.addNote(list.gather.getLoc(), "the other cut is here");
      return failure();
    }
    list.shards.push_back(shard);
  }
  return success();
}

FailureOr<StateList> coconet::checkSliceList(func::FuncOp function,
                                             unsigned argument,
                                             Refusal &refusal) {
  BlockArgument state = function.getArgument(argument);
  StateList list;
  list.op = findListUser(state);
  for (OpOperand &use : state.getUses())
    if (use.getOwner() == list.op)
      list.operandList = use.getOperandNumber() / list.op.getCount();
  std::string what = "cannot slice " + nameOf(function, state);
  for (Value member : list.op.operandsOf(list.operandList))
    if (failed(checkMember(function, member, list, refusal)))
      return failure();
  auto numberOf = [](UpdateOp update) {
    return cast<OpResult>(update.getValue()).getResultNumber();
  };
  int64_t count = list.op.getCount();
  list.resultList = numberOf(list.updates.front()) / count;
  for (auto [position, update] : llvm::enumerate(list.updates))
    if (numberOf(update) != list.resultList * count + position)
      return refusal.set(update,
                         what + ": the list and its new values differ in order",
                         "update each state with the result at its place");
  if (failed(checkRegion(what, list, refusal)))
    return failure();
  return list;
}

void coconet::sliceStateList(RewriterBase &rewriter, StateList &list) {
  Value slice = list.gather.getOperand();
  auto type = cast<RankedTensorType>(slice.getType());
  BlockArgument argument = list.op.argumentOf(list.operandList);
  rewriter.modifyOpInPlace(list.op, [&] { argument.setType(type); });
  for (ShardOp shard : list.shards)
    rewriter.replaceOp(shard, argument);
  YieldOp yield = list.op.getYield();
  rewriter.modifyOpInPlace(yield,
                           [&] { yield->setOperand(list.resultList, slice); });
  if (list.gather.getResult().use_empty())
    rewriter.eraseOp(list.gather);
  // The tensors keep their shapes, and are cut flat.
  Layout flat = Layout::of(withFlatCut(type));
  for (UpdateOp update : list.updates) {
    auto whole = cast<RankedTensorType>(update.getState().getType());
    flat.dims.assign(whole.getRank(), {});
    RankedTensorType cut = flat.apply(whole);
    rewriter.modifyOpInPlace(update, [&] {
      update.getState().setType(cut);
      update.getValue().setType(cut);
      update.getResult().setType(cut);
    });
  }
}
