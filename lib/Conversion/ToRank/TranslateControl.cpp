//===- TranslateControl.cpp - loops and branches of one rank --------------===//

#include "Conversion/ToRank/RankTranslator.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

LogicalResult RankTranslator::translateBlock(
    Block &from, Block *to, function_ref<LogicalResult(Operation *)> finish) {
  OpBuilder before = outer;
  llvm::DenseMap<Value, OpFoldResult> knownBefore = known;
  outer.setInsertionPointToEnd(to);
  inner = outer;
  LogicalResult result = success();
  for (Operation &op : from) {
    result =
        op.hasTrait<OpTrait::IsTerminator>() ? finish(&op) : translateOp(&op);
    if (failed(result))
      break;
  }
  outer = before;
  inner = outer;
  // Sizes that were found equal may be values of the block.
  known = std::move(knownBefore);
  return result;
}

/// Type of one rank's part where it is carried or yielded.
static Type carriedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? localType(tensor) : type;
}

Value RankTranslator::carried(Value value, Location loc) {
  Value local = values[value].value;
  Type type = carriedType(value.getType());
  return local.getType() == type
             ? local
             : tensor::CastOp::create(outer, loc, type, local);
}

LogicalResult RankTranslator::translateFor(scf::ForOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> initial;
  for (Value value : op.getInitArgs())
    initial.push_back(carried(value, loc));
  auto loop = scf::ForOp::create(
      outer, loc, values[op.getLowerBound()].value,
      values[op.getUpperBound()].value, values[op.getStep()].value, initial,
      [](OpBuilder &, Location, Value, ValueRange) {});
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  set(op.getInductionVar(), loop.getInductionVar(), {});
  for (auto [value, argument, local, result, given] : llvm::zip(
           op.getInitArgs(), op.getRegionIterArgs(), loop.getRegionIterArgs(),
           op.getResults(), loop.getResults())) {
    SmallVector<OpFoldResult> sizes(values[value].sizes);
    set(argument, local, sizes);
    set(result, given, sizes);
  }
  return translateBlock(
      *op.getBody(), loop.getBody(), [&](Operation *end) -> LogicalResult {
        SmallVector<Value> yielded;
        for (auto [operand, argument] :
             llvm::zip(end->getOperands(), op.getRegionIterArgs())) {
          SmallVector<OpFoldResult> wanted(values[argument].sizes);
          for (auto [size, next] : llvm::zip(wanted, values[operand].sizes))
            if (failed(unify(op, size, next)))
              return failure();
          yielded.push_back(carried(operand, end->getLoc()));
        }
        scf::YieldOp::create(outer, end->getLoc(), yielded);
        return success();
      });
}

namespace {
/// What one branch yields.
struct Branch {
  SmallVector<Value> values;
  SmallVector<SmallVector<OpFoldResult>> sizes;
};
} // namespace

/// Whether the size is one of values outside of the op.
static bool isOutside(OpFoldResult size, Operation *op) {
  auto value = dyn_cast<Value>(size);
  if (!value)
    return true;
  // The region that is being built around the op has no parent yet.
  Operation *parent = value.getParentBlock()->getParentOp();
  return !parent || !op->isAncestor(parent);
}

LogicalResult RankTranslator::translateIf(scf::IfOp op) {
  Location loc = op.getLoc();
  // Yields its sizes too where those are of a branch: how many is known last.
  auto draft = scf::IfOp::create(outer, loc, TypeRange(),
                                 values[op.getCondition()].value,
                                 /*addThenBlock=*/true,
                                 /*addElseBlock=*/bool(op.elseBlock()));
  Branch branches[2];
  for (unsigned i = 0; i < (op.elseBlock() ? 2 : 1); ++i) {
    Block &to = draft->getRegion(i).front();
    to.clear();
    auto finish = [&](Operation *end) {
      for (Value operand : end->getOperands()) {
        branches[i].values.push_back(carried(operand, end->getLoc()));
        SmallVector<OpFoldResult> sizes;
        for (OpFoldResult size : values[operand].sizes)
          sizes.push_back(representative(size));
        branches[i].sizes.push_back(sizes);
      }
      return success();
    };
    if (failed(translateBlock(op->getRegion(i).front(), &to, finish)))
      return failure();
  }
  // Per result its sizes; those without value are yielded, in order.
  SmallVector<SmallVector<OpFoldResult>> sizes(op.getNumResults());
  for (unsigned index = 0; index < op.getNumResults(); ++index)
    for (auto [a, b] :
         llvm::zip(branches[0].sizes[index], branches[1].sizes[index])) {
      bool one = isEqualConstantIntOrValue(a, b) && isOutside(a, draft);
      sizes[index].push_back(one ? a : OpFoldResult());
      if (one)
        continue;
      for (auto [branch, size] : {std::pair(0, a), std::pair(1, b)}) {
        OpBuilder at = OpBuilder::atBlockEnd(&draft->getRegion(branch).front());
        branches[branch].values.push_back(IndexMath(at, loc).value(size));
      }
    }
  auto result = scf::IfOp::create(
      outer, loc, TypeRange(ValueRange(branches[0].values)),
      draft.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (unsigned i = 0; i < (op.elseBlock() ? 2 : 1); ++i) {
    result->getRegion(i).takeBody(draft->getRegion(i));
    OpBuilder at = OpBuilder::atBlockEnd(&result->getRegion(i).front());
    scf::YieldOp::create(at, loc, branches[i].values);
  }
  draft.erase();
  unsigned next = op.getNumResults();
  for (auto [value, local, known] :
       llvm::zip(op.getResults(), result.getResults(), sizes)) {
    for (OpFoldResult &size : known)
      if (!size)
        size = result.getResult(next++);
    set(value, local, known);
  }
  return success();
}
