//===- SliceState.cpp - state held in slices --------------------------------===//

#include "Transforms/SliceState.h"
#include "IR/Layout.h"
#include "Transforms/Passes.h"
#include "Transforms/SliceLists.h"
#include "llvm/ADT/StringExtras.h"

namespace coconet {
#define GEN_PASS_DEF_SLICESTATE
#include "CoCoNetPasses.h.inc"
} // namespace coconet

using namespace mlir;
using namespace coconet;

SmallVector<unsigned> coconet::findArguments(func::FuncOp function,
                                             StringRef name, Refusal &refusal) {
  SmallVector<StringRef> names;
  SmallVector<unsigned> members;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto attr = function.getArgAttrOfType<StringAttr>(index, argNameAttr);
    if (!attr)
      continue;
    if (attr.getValue() == name)
      return {index};
    names.push_back(attr.getValue());
    auto [list, number] = attr.getValue().rsplit('.');
    unsigned position;
    if (list == name && !number.getAsInteger(10, position))
      members.push_back(index);
  }
  if (members.empty())
    refusal.set(function, "no argument is named '" + name + "'",
                names.empty()
                    ? std::string("give arguments names with coconet.arg_name")
                    : "the names are " + llvm::join(names, ", "));
  return members;
}

namespace {
/// The uses of a state argument that sliceState rewrites.
struct StateUses {
  SmallVector<ShardOp> shards;
  UpdateOp update;
  AllGatherOp gather; // of the update's value
};
} // namespace

static std::string describeArgument(func::FuncOp function, unsigned argument) {
  auto name = function.getArgAttrOfType<StringAttr>(argument, argNameAttr);
  return name ? "state '" + name.str() + "'"
              : "argument " + Twine(argument).str();
}

/// Sort the uses of the argument; a use that is neither shard nor update keeps
/// it whole.
static LogicalResult collectUses(func::FuncOp function, unsigned argument,
                                 StateUses &uses, Refusal &refusal) {
  std::string what = describeArgument(function, argument);
  for (Operation *user : function.getArgument(argument).getUsers()) {
    if (auto shard = dyn_cast<ShardOp>(user)) {
      uses.shards.push_back(shard);
    } else if (auto update = dyn_cast<UpdateOp>(user)) {
      uses.update = update;
    } else {
      return refusal.set(user,
                         "cannot slice " + what + ": " + describe(user) +
                             " uses it whole",
                         "reorder the all_gather past this op first, so that "
                         "it works on slices");
    }
  }
  if (!uses.update)
    return refusal.set(function, "cannot slice " + what + ": it is not updated",
                       "only state that is updated from slices is held in "
                       "slices");
  return success();
}

static LogicalResult checkUses(func::FuncOp function, unsigned argument,
                               StateUses &uses, Refusal &refusal) {
  std::string what = describeArgument(function, argument);
  uses.gather = uses.update.getValue().getDefiningOp<AllGatherOp>();
  if (!uses.gather || uses.gather.getGroupsAttr())
    return refusal.set(uses.update,
                       "cannot slice " + what +
                           ": its new value is not gathered from slices",
                       "reorder an all_gather past the computation of the new "
                       "value first, and slice state before fusing");
  Type slice = uses.gather.getOperand().getType();
  for (ShardOp shard : uses.shards)
    if (shard.getType() != slice) {
      refusal.set(shard, "cannot slice " + what + ": it is cut in two ways",
                  "all its uses go through one cut");
      refusal.addNote(uses.gather.getLoc(), "the other cut is here");
      return failure();
    }
  if (!Layout::of(function.getArgument(argument)).isReplicated())
    return refusal.set(function,
                       "cannot slice " + what +
                           ": it is not "
                           "replicated",
                       "only replicated state is sliced");
  for (Operation *user : uses.update.getResult().getUsers())
    if (!isa<func::ReturnOp>(user))
      return refusal.set(user,
                         "cannot slice " + what + ": " + describe(user) +
                             " uses its new value whole",
                         "use the slices instead");
  return success();
}

LogicalResult coconet::checkChangesType(func::FuncOp function,
                                        Refusal &refusal) {
  if (!function.getBody().hasOneBlock())
    return refusal.set(function,
                       "cannot slice state of a function " +
                           Twine(function.isExternal() ? "without a body"
                                                       : "of several blocks"),
                       "state is sliced in functions of one block");
  auto module = function->getParentOfType<ModuleOp>();
  if (!module)
    return success();
  if (auto calls = SymbolTable::getSymbolUses(function, module);
      calls && !calls->empty())
    return refusal.set(calls->begin()->getUser(),
                       "cannot slice state of '" + function.getName() +
                           "': the function is called",
                       "slicing changes the function's type; inline it first");
  return success();
}

LogicalResult coconet::checkSliceState(func::FuncOp function, unsigned argument,
                                       Refusal &refusal) {
  StateUses uses;
  if (!function.getArgAttr(argument, stateAttr))
    return refusal.set(function,
                       "cannot slice " + describeArgument(function, argument) +
                           ": it is no state",
                       "mark the argument with 'coconet.state'");
  if (failed(collectUses(function, argument, uses, refusal)))
    return failure();
  return checkUses(function, argument, uses, refusal);
}

void coconet::sliceState(RewriterBase &rewriter, func::FuncOp function,
                         unsigned argument) {
  StateUses uses;
  Refusal none;
  [[maybe_unused]] LogicalResult legal =
      failure(failed(collectUses(function, argument, uses, none)) ||
              failed(checkUses(function, argument, uses, none)));
  assert(succeeded(legal) && "checkSliceState succeeded");

  auto type = cast<RankedTensorType>(uses.gather.getOperand().getType());
  BlockArgument state = function.getArgument(argument);
  rewriter.modifyOpInPlace(function, [&] { state.setType(type); });
  for (ShardOp shard : uses.shards)
    rewriter.replaceOp(shard, state);
  rewriter.modifyOpInPlace(uses.update, [&] {
    uses.update.getValueMutable().assign(uses.gather.getOperand());
    uses.update.getResult().setType(type);
  });
  if (uses.gather.getResult().use_empty())
    rewriter.eraseOp(uses.gather);
}

void coconet::updateFunctionType(RewriterBase &rewriter,
                                 func::FuncOp function) {
  Block &body = function.getBody().front();
  rewriter.modifyOpInPlace(function, [&] {
    function.setType(
        FunctionType::get(function.getContext(), body.getArgumentTypes(),
                          body.getTerminator()->getOperandTypes()));
  });
}

namespace {
/// States of one function that are to be sliced.
struct Request {
  func::FuncOp function;
  llvm::SmallSetVector<unsigned, 4> arguments;
  /// Those of them that lists consist of.
  SmallVector<StateList> lists;
};
} // namespace

/// A list is sliced as a whole.
static LogicalResult checkListRequests(Request &request, Refusal &refusal) {
  func::FuncOp function = request.function;
  for (unsigned argument : request.arguments) {
    BlockArgument state = function.getArgument(argument);
    ForEachOp op = findListUser(state);
    if (!op || llvm::any_of(request.lists, [&](StateList &list) {
          return llvm::is_contained(list.op.operandsOf(list.operandList),
                                    state) &&
                 list.op == op;
        }))
      continue;
    FailureOr<StateList> list = checkSliceList(function, argument, refusal);
    if (failed(list))
      return failure();
    for (Value member : op.operandsOf(list->operandList)) {
      unsigned other = cast<BlockArgument>(member).getArgNumber();
      if (!request.arguments.contains(other))
        return refusal.set(op,
                           "cannot slice " +
                               describeArgument(function, argument) +
                               " without " + describeArgument(function, other) +
                               ", which is in the same list",
                           "slice all states of the list");
    }
    request.lists.push_back(*list);
  }
  return success();
}

LogicalResult coconet::sliceStates(RewriterBase &rewriter,
                                   ArrayRef<func::FuncOp> functions,
                                   ArrayRef<StringRef> names,
                                   Refusal &refusal) {
  SmallVector<Request> requests;
  for (func::FuncOp function : functions)
    requests.push_back({function, {}, {}});
  for (StringRef name : names) {
    bool found = false;
    for (Request &request : requests)
      for (unsigned argument : findArguments(request.function, name, refusal)) {
        found = true;
        request.arguments.insert(argument);
        if (failed(checkChangesType(request.function, refusal)) ||
            (!findListUser(request.function.getArgument(argument)) &&
             failed(checkSliceState(request.function, argument, refusal))))
          return failure();
      }
    if (!found)
      return failure();
  }
  for (Request &request : requests)
    if (failed(checkListRequests(request, refusal)))
      return failure();
  for (Request &request : requests) {
    for (unsigned argument : request.arguments)
      if (!findListUser(request.function.getArgument(argument)))
        sliceState(rewriter, request.function, argument);
    for (StateList &list : request.lists)
      sliceStateList(rewriter, list);
    if (!request.arguments.empty())
      updateFunctionType(rewriter, request.function);
  }
  return success();
}

namespace {
struct SliceState : coconet::impl::SliceStateBase<SliceState> {
  using SliceStateBase::SliceStateBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<StringRef> states(names.begin(), names.end());
    Refusal refusal;
    if (succeeded(sliceStates(rewriter, getOperation(), states, refusal)))
      return;
    refusal.report(DiagnosticSeverity::Error);
    signalPassFailure();
  }
};
} // namespace
