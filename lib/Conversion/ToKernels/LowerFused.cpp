//===- LowerFused.cpp - fused regions to kernels ----------------------------===//
//
// A region without reductions is one kernel. Reductions of slices to one element
// cut it into phases: what they need is computed, and summed up on the way, in a
// kernel before them; the partial results are exchanged; what uses them follows
// in a kernel behind.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/Layout.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

/// What one kernel computes: values of the region, and where they are wanted.
struct Part {
  SmallVector<Value> outputs, results;

  void add(Value output, Value result) {
    outputs.push_back(output);
    results.push_back(result);
  }
};

class FusedLowering {
public:
  FusedLowering(OpBuilder &builder, FusedOp op)
      : builder(builder), op(op), block(op.getBody().front()),
        done(op.getNumResults()) {}

  LogicalResult lower();

private:
  /// Compute all that does not depend on a reduction of the region, and the
  /// first reductions.
  LogicalResult lowerPhase();
  LogicalResult lowerParts(bool last, const llvm::DenseSet<Operation *> &late);
  LogicalResult buildLocal(Part &part);
  LogicalResult buildChain(Part &part, const EqualSizes &sizes);
  /// All_reduces of single elements whose parts are there.
  LogicalResult exchangeScalars();
  /// Whether the value is known before the region, or computed from single
  /// elements that are.
  bool isReady(Value value);
  /// Compute such a value before the region.
  LogicalResult moveOut(Value value);
  /// Ops that use a reduction of the region.
  llvm::DenseSet<Operation *> findLate();
  bool isInside(Value value) {
    return value.getDefiningOp() && value.getParentBlock() == &block;
  }
  bool isCommunicated(Value value);
  SmallVector<Operation *> ops() {
    return llvm::to_vector(llvm::map_range(
        block.without_terminator(), [](Operation &inner) { return &inner; }));
  }
  bool hasReductions() { return !op.getBody().getOps<ReduceOp>().empty(); }

  OpBuilder &builder;
  FusedOp op;
  Block &block;
  /// Results of the region that kernels have made.
  llvm::BitVector done;
  /// What kernels of earlier phases made for later ones.
  llvm::DenseSet<Value> chunks;
};

} // namespace

/// Whether the value is computed from collectives or slices of the region.
bool FusedLowering::isCommunicated(Value value) {
  if (!isInside(value))
    return chunks.contains(value);
  Operation *producer = value.getDefiningOp();
  return isa<RankReduceScatterOp, RankAllGatherOp, RankShardOp>(producer) ||
         llvm::any_of(producer->getOperands(),
                      [&](Value operand) { return isCommunicated(operand); });
}

llvm::DenseSet<Operation *> FusedLowering::findLate() {
  llvm::DenseSet<Operation *> late;
  for (Operation &inner : block.without_terminator())
    for (Value operand : inner.getOperands())
      if (isInside(operand) && (isa<ReduceOp>(operand.getDefiningOp()) ||
                                late.contains(operand.getDefiningOp())))
        late.insert(&inner);
  return late;
}

LogicalResult FusedLowering::buildLocal(Part &part) {
  auto values = buildGeneric(builder, ops(), part.outputs, part.results);
  if (failed(values))
    return failure();
  for (auto [result, value] : llvm::zip(part.results, *values))
    result.replaceAllUsesWith(value);
  return success();
}

LogicalResult FusedLowering::buildChain(Part &part, const EqualSizes &sizes) {
  Operation *first = nullptr;
  auto rate = [&](Operation *inner) {
    return 2 * (sizes.of(inner->getResult(0)) == sizes.of(part.outputs[0])) +
           isa<RankReduceScatterOp>(inner);
  };
  for (Operation &inner : block)
    if (isa<RankReduceScatterOp, RankAllGatherOp, RankShardOp>(inner) &&
        (!first || rate(&inner) > rate(first)))
      first = &inner;
  auto boxOf = [](Value output) {
    auto reduce = output.getDefiningOp<ReduceOp>();
    return typeOf(reduce ? reduce.getOperand() : output);
  };
  int64_t dim = first->getAttrOfType<IntegerAttr>("dim").getInt() +
                boxOf(part.outputs[0]).getRank() -
                typeOf(first->getResult(0)).getRank();
  Group group{first->getAttrOfType<MeshAttr>("mesh"),
              first->getAttrOfType<ArrayAttr>("axes"),
              first->getAttrOfType<ArrayAttr>("groups")};
  auto values = buildSymmetric(builder, op, group, dim, ops(), part.outputs,
                               part.results);
  if (failed(values))
    return failure();
  for (auto [result, value] : llvm::zip(part.results, *values)) {
    bool isChunk = isInside(result) && !result.getDefiningOp<ReduceOp>();
    result.replaceAllUsesWith(value);
    if (isChunk)
      chunks.insert(value);
  }
  return success();
}

LogicalResult
FusedLowering::lowerParts(bool last, const llvm::DenseSet<Operation *> &late) {
  // One kernel for the collective chain, and one for each size of results that
  // do not take part in it.
  EqualSizes sizes(block);
  llvm::MapVector<std::pair<Attribute, Value>, Part> local;
  llvm::MapVector<Value, Part> chains;
  auto partOf = [&](Value output) -> Part & {
    Value size = sizes.of(output);
    if (isCommunicated(output))
      return chains[size];
    RankedTensorType type = typeOf(output);
    return local[{DenseI64ArrayAttr::get(op.getContext(), type.getShape()),
                  type.hasStaticShape() ? Value() : size}];
  };
  OperandRange yielded = block.getTerminator()->getOperands();
  for (auto [index, output] : llvm::enumerate(yielded)) {
    Operation *producer = output.getDefiningOp();
    if (done.test(index) ||
        (!last && isInside(output) &&
         (late.contains(producer) || isa<ReduceOp>(producer))))
      continue;
    done.set(index);
    if (isInside(output))
      partOf(output).add(output, op.getResult(index));
    else // It comes from outside, or an earlier phase has made it.
      op.getResult(index).replaceAllUsesWith(output);
  }
  llvm::SetVector<Value> kept;
  for (Operation *inner : ops()) {
    // Later phases take slices anew, and compute single elements anew.
    if (last || late.contains(inner) ||
        isa<RankShardOp, RankAllGatherOp>(inner))
      continue;
    Value value = inner->getResult(0);
    if (isa<ReduceOp>(inner)) {
      Value operand = inner->getOperand(0);
      if (isCommunicated(value))
        kept.insert(value);
      else if (isInside(operand))
        kept.insert(operand);
    } else if (!isOneElement(value.getType()) &&
               llvm::any_of(value.getUsers(), [&](Operation *user) {
                 return late.contains(user);
               })) {
      kept.insert(value);
    }
  }
  for (Value value : kept)
    partOf(value).add(value, value);
  for (auto &[size, part] : local)
    if (failed(buildLocal(part)))
      return failure();
  for (auto &[size, part] : chains)
    if (failed(buildChain(part, sizes)))
      return failure();
  return success();
}

bool FusedLowering::isReady(Value value) {
  if (!isInside(value))
    return true;
  Operation *producer = value.getDefiningOp();
  return isOneElement(value.getType()) && !isa<ReduceOp>(producer) &&
         llvm::all_of(producer->getOperands(),
                      [&](Value operand) { return isReady(operand); });
}

LogicalResult FusedLowering::moveOut(Value value) {
  if (!isInside(value))
    return success();
  Operation *producer = value.getDefiningOp();
  for (Value operand : producer->getOperands())
    if (failed(moveOut(operand)))
      return failure();
  producer->moveBefore(op);
  auto values = buildGeneric(builder, {producer}, value, value);
  if (failed(values))
    return failure();
  value.replaceAllUsesWith(values->front());
  producer->erase();
  return success();
}

LogicalResult FusedLowering::exchangeScalars() {
  for (Operation *inner : llvm::to_vector(
           llvm::make_filter_range(ops(), llvm::IsaPred<RankAllReduceOp>))) {
    if (!isReady(inner->getOperand(0)))
      continue;
    if (failed(moveOut(inner->getOperand(0))))
      return failure();
    inner->moveBefore(op);
    if (failed(lowerCollective(builder, inner)))
      return failure();
  }
  return success();
}

LogicalResult FusedLowering::lowerPhase() {
  llvm::DenseSet<Operation *> late = findLate();
  if (failed(lowerParts(/*last=*/false, late)))
    return failure();
  for (Operation *inner : ops()) {
    auto reduce = dyn_cast<ReduceOp>(inner);
    if (!reduce || late.contains(inner))
      continue;
    if (!reduce->use_empty()) { // It reduces what is not communicated.
      reduce->moveBefore(op);
      if (failed(lowerTensorOp(builder, reduce)))
        return failure();
      continue;
    }
    reduce.erase();
  }
  return exchangeScalars();
}

LogicalResult FusedLowering::lower() {
  if (failed(checkAlgorithm(op, op.getKind() == FusedKind::all_reduce)))
    return failure();
  // The matrix is written once, and its epilogue works on it in place.
  for (MatmulOp product : llvm::to_vector(op.getBody().getOps<MatmulOp>())) {
    product->moveBefore(op);
    if (failed(lowerTensorOp(builder, product)))
      return failure();
  }
  while (hasReductions())
    if (failed(lowerPhase()))
      return failure();
  if (failed(lowerParts(/*last=*/true, {})))
    return failure();
  op.erase();
  return success();
}

LogicalResult coconet::lowerFused(OpBuilder &builder, FusedOp op) {
  return op.getKind() == FusedKind::send ? lowerFusedSend(builder, op)
                                         : FusedLowering(builder, op).lower();
}
