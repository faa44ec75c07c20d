//===- ExpandLists.cpp - operations on lists as kernels over lists ----------===//
//
// A region over lists becomes one kernel for each of its ops (a fused region
// counts as one), over all tensors at once. Ops without such a kernel are
// written once for each tensor.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToKernels/ExpandLists.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Nothing in the op depends on the position.
bool ListExpander::isCommon(Operation *inner) {
  return inner->getNumRegions() == 0 &&
         llvm::all_of(inner->getOperands(), [&](Value operand) {
           return !op.getBody().isAncestor(operand.getParentRegion()) ||
                  common.contains(operand);
         });
}

Value ListExpander::convert(Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  Location loc = value.getLoc();
  if (typeOf(value).getRank() == 1 && type.getRank() == 1)
    return tensor::CastOp::create(builder, loc, type, value);
  SmallVector<Value> sizes;
  if (!type.hasStaticShape())
    sizes.push_back(m.value(m.product(m.dims(value))));
  return RankReshapeOp::create(builder, loc, type, value, sizes);
}

/// A result takes its open sizes from a tensor of the lists at its position.
FailureOr<Value> ListExpander::shape(Value value, RankedTensorType type,
                                     int64_t position) {
  if (value.getType() == type || type.getRank() <= 1 || type.hasStaticShape())
    return convert(value, type);
  // The first list holds numbers of elements.
  for (unsigned list = 1; list < op.getBody().getNumArguments(); ++list) {
    Value like = op.operandsOf(list)[position];
    if (typeOf(like).getRank() != type.getRank())
      continue;
    SmallVector<Value> sizes;
    for (auto [dim, size] : llvm::enumerate(m.dims(like)))
      if (type.isDynamicDim(dim))
        sizes.push_back(m.value(size));
    return RankReshapeOp::create(builder, value.getLoc(), type, value, sizes)
        .getResult();
  }
  return refuse(op,
                "has a result of open sizes at position " + Twine(position) +
                    ", where all tensors of its lists are cut flat",
                "make it a list of whole tensors too, or give static shapes"),
         failure();
}

SmallVector<Value> ListExpander::listOf(Value value) {
  if (auto found = lists.find(value); found != lists.end())
    return found->second;
  // A slice that no kernel has taken from the whole tensor itself.
  if (auto shard = value.getDefiningOp<RankShardOp>();
      shard && op.getBody().isAncestor(value.getParentRegion()) &&
      !common.contains(value)) {
    unroll(shard);
    return lists[value];
  }
  return SmallVector<Value>(count, common.lookupOrDefault(value));
}

Value ListExpander::valueAt(Value value, int64_t position) {
  Value found = listOf(value)[position];
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? convert(found, type) : found;
}

/// One copy of the op for each position.
void ListExpander::unroll(Operation *inner) {
  llvm::SetVector<Value> used;
  inner->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (op.getBody().isAncestor(operand.getParentRegion()) &&
          !inner->isAncestor(operand.getParentBlock()->getParentOp()) &&
          !common.contains(operand))
        used.insert(operand);
  });
  for (Value value : used)
    listOf(value);
  SmallVector<SmallVector<Value>> made(inner->getNumResults());
  for (int64_t position = 0; position < count; ++position) {
    IRMapping mapping = common;
    for (Value value : used)
      mapping.map(value, valueAt(value, position));
    Operation *copy = builder.clone(*inner, mapping);
    for (auto [list, result] : llvm::zip(made, copy->getResults()))
      list.push_back(result);
  }
  for (auto [result, list] : llvm::zip(inner->getResults(), made))
    lists[result] = list;
}

LogicalResult ListExpander::expand() {
  for (unsigned list = 0; list < op.getBody().getNumArguments(); ++list)
    lists[op.argumentOf(list)] = llvm::to_vector(op.operandsOf(list));
  for (Operation &inner : op.getBody().front().without_terminator()) {
    std::optional<FusedPhases> phases;
    if (auto fused = dyn_cast<FusedOp>(inner))
      phases = findPhases(fused);
    if (phases) {
      if (failed(buildPhases(cast<FusedOp>(inner), *phases)))
        return failure();
    } else if (isCommon(&inner)) {
      builder.clone(inner, common);
    } else if (isDeferred(&inner)) {
      continue;
    } else if (isCollective(&inner)) {
      buildCollective(&inner);
    } else if (std::optional<ListUnit> unit = findUnit(&inner)) {
      if (failed(buildKernel(*unit)))
        return failure();
    } else {
      unroll(&inner);
    }
  }
  for (auto [list, value] : llvm::enumerate(op.getYield().getOperands())) {
    SmallVector<Value> values = listOf(value);
    for (auto [position, result] : llvm::enumerate(op.resultsOf(list))) {
      FailureOr<Value> made = shape(values[position], typeOf(result), position);
      if (failed(made))
        return failure();
      result.replaceAllUsesWith(*made);
    }
  }
  op.erase();
  return success();
}

LogicalResult coconet::expandLists(func::FuncOp function) {
  SmallVector<ForEachOp> ops;
  function.walk([&](ForEachOp op) { ops.push_back(op); });
  for (ForEachOp op : ops)
    if (failed(ListExpander(op).expand()))
      return failure();
  return success();
}
