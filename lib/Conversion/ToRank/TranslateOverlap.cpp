//===- TranslateOverlap.cpp - chunks, started and waited for ----------------===//
//
// The ops of an overlap are written once a chunk. Each op belongs to a stage:
// the number of communicating ops on the longest path before it. At one time
// stage s works on a chunk, and stage s + 1, which waits for what stage s has
// started, on the chunk before:
//
//   compute 0, start 0, compute 1, start 1, wait 0, use 0, compute 2, ...
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToRank/OverlapExpansion.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "IR/RootedOps.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void OverlapExpansion::findStages() {
  DenseMap<Operation *, unsigned> number;
  ArrayRef<Operation *> ops = copies.front().ops;
  for (auto [index, each] : llvm::enumerate(ops)) {
    number[each] = index;
    unsigned stage = 0;
    each->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (auto found = number.find(producer);
              found != number.end() && producer != each)
            stage = std::max(stage, stages[found->second] +
                                        communicates(ops[found->second]));
    });
    stages.push_back(stage);
    numStages = std::max(numStages, stage + communicates(each) + 1);
  }
}

SmallVector<unsigned> OverlapExpansion::order(unsigned stage) {
  ArrayRef<Operation *> ops = copies.front().ops;
  llvm::SmallPtrSet<Operation *, 16> needed;
  for (unsigned index = ops.size(); index-- > 0;) {
    if (stages[index] != stage ||
        !(communicates(ops[index]) || needed.contains(ops[index])))
      continue;
    needed.insert(ops[index]);
    ops[index]->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          needed.insert(producer);
    });
  }
  SmallVector<unsigned> first, rest;
  for (auto [index, each] : llvm::enumerate(ops))
    if (stages[index] == stage)
      (needed.contains(each) ? first : rest).push_back(index);
  llvm::append_range(first, rest);
  return first;
}

/// Whether the op gathers a flattening, which becomes a tensor of its shape only
/// behind the op.
static bool gathersFlat(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<AllGatherOp, GatherToRootOp>(nested) &&
                       !nested->getAttr("dim")
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult OverlapExpansion::start(Copy &copy, Operation *each) {
  if (gathersFlat(each))
    return refuse(each, "gathers a flattening while others compute",
                  "gather along a dimension");
  Region region;
  t.inner.setInsertionPointToEnd(&region.emplaceBlock());
  LogicalResult translated = t.translateOp(each);
  SmallVector<Value> yielded;
  for (Value result : each->getResults())
    yielded.push_back(t.values[result].value);
  if (succeeded(translated))
    YieldOp::create(t.inner, each->getLoc(), yielded);
  t.inner = t.outer;
  if (failed(translated))
    return failure();
  auto types = llvm::to_vector_of<Type>(ValueRange(yielded).getTypes());
  auto started = RankStartOp::create(t.outer, each->getLoc(),
                                     FutureType::get(t.context, types));
  started.getBody().takeBody(region);
  copy.started[each] = started;
  return success();
}

void OverlapExpansion::wait(Copy &copy, Operation *each) {
  RankStartOp started = copy.started.lookup(each);
  if (!started)
    return;
  copy.started.erase(each);
  auto waited = RankWaitOp::create(t.outer, started.getLoc(),
                                   started.getFuture().getType().getTypes(),
                                   started.getFuture());
  for (auto [value, delivered] :
       llvm::zip(each->getResults(), waited.getResults()))
    t.values[value].value = delivered;
}

/// A merged dimension is split into the sizes that it was merged from: of a
/// chunk, several of them may be open.
LogicalResult OverlapExpansion::emitReshape(Copy &copy, ReshapeOp each) {
  ChunkDim from = dims.lookup(each.getOperand());
  ChunkDim to = dims.lookup(each.getResult());
  RankValue operand = t.values[each.getOperand()];
  if (from.merged.empty() && !to.merged.empty()) {
    ArrayRef<OpFoldResult> sizes =
        ArrayRef(operand.sizes).drop_front(to.dim).take_front(to.merged.size());
    copy.merged.push_back({to.merged, llvm::to_vector<2>(sizes)});
  }
  auto known = llvm::find_if(copy.merged, [&](const MergedSizes &each) {
    return each.shape == from.merged;
  });
  if (from.merged.empty() || !to.merged.empty() || known == copy.merged.end())
    return t.translateOp(each);
  SmallVector<OpFoldResult> sizes(ArrayRef(operand.sizes).take_front(from.dim));
  llvm::append_range(sizes, known->sizes);
  llvm::append_range(sizes, ArrayRef(operand.sizes).drop_front(from.dim + 1));
  t.set(each.getResult(), Value(), sizes);
  Value local = t.reshape(operand.value, localType(typeOf(each.getResult())),
                          t.localSizes(each.getResult(), loc), loc);
  t.values[each.getResult()].value = local;
  return success();
}

LogicalResult OverlapExpansion::emit(Copy &copy, Operation *each) {
  each->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        wait(copy, producer);
  });
  if (communicates(each))
    return start(copy, each);
  if (auto reshape = dyn_cast<ReshapeOp>(each))
    return emitReshape(copy, reshape);
  return t.translateOp(each);
}

LogicalResult OverlapExpansion::emitStage(unsigned stage, int64_t chunk) {
  Copy &copy = copies[chunk];
  for (unsigned index : order(stage))
    if (failed(emit(copy, copy.ops[index])))
      return failure();
  // What was started in the stage before and is not used in this one.
  ArrayRef<Operation *> ops = copy.ops;
  for (auto [index, each] : llvm::enumerate(ops))
    if (communicates(each) && stages[index] + 1 == stage)
      wait(copy, each);
  for (auto [index, value] : llvm::enumerate(copy.yielded)) {
    if (handedOn.test(index))
      continue;
    unsigned producer = llvm::find(ops, value.getDefiningOp()) - ops.begin();
    if (stages[producer] + communicates(ops[producer]) == stage)
      store(index, chunk);
  }
  return success();
}

void OverlapExpansion::handOn() {
  handedOn.resize(op.getNumResults());
  Block &body = op.getBody().front();
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    Value source = innermost(value);
    if (op.getBody().isAncestor(source.getParentRegion()))
      continue;
    handedOn.set(index);
    RankValue same = t.values[source];
    t.values[op.getResult(index)] = same;
  }
}

LogicalResult OverlapExpansion::expand() {
  handOn();
  if (llvm::hasSingleElement(op.getBody().front()))
    return success();
  if (chunks > 1) {
    Refusal refusal;
    FailureOr<ChunkFlow> found = followChunks(op, refusal);
    if (failed(found)) {
      refusal.report(DiagnosticSeverity::Error);
      return failure();
    }
    flow = *found;
    if (failed(findSizes()))
      return failure();
  }
  for (int64_t chunk = 0; chunk < used; ++chunk)
    makeCopy(chunk);
  findStages();
  targets.resize(op.getNumResults());
  for (int64_t time = 0; time < used + numStages - 1; ++time)
    for (unsigned stage = 0; stage < numStages; ++stage)
      if (int64_t chunk = time - stage; chunk >= 0 && chunk < used)
        if (failed(emitStage(stage, chunk)))
          return failure();
  return success();
}

LogicalResult RankTranslator::translateOverlap(OverlapOp op) {
  return OverlapExpansion(*this, op).expand();
}
