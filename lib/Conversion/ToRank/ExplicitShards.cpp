//===- ExplicitShards.cpp - free sharding as ops ----------------------------===//

#include "Conversion/ToRank/ExplicitShards.h"
#include "IR/Layout.h"
#include "IR/OverlapOps.h"
#include "IR/Refusal.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace coconet;

namespace {

/// Where a tensor is to be cut: along a dimension, or flat.
struct Cut {
  std::optional<int64_t> dim;
  AxisList axes;
};

class ShardMaker {
public:
  /// Shard the operands of one op that need it.
  LogicalResult visit(Operation *op);

private:
  FailureOr<Value> shard(Value value, const Cut &cut, Operation *user);
  FailureOr<Value> recompute(Operation *op, const Cut &cut);
  /// Before `at`, or before the overlap that it is in.
  Value insertShard(Value value, const Cut &cut, Operation *at);

  MeshAttr mesh;
};

} // namespace

static std::optional<unsigned> iteratorAt(AffineMap map, unsigned dim) {
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
  return expr ? std::optional<unsigned>(expr.getPosition()) : std::nullopt;
}

Value ShardMaker::insertShard(Value value, const Cut &cut, Operation *at) {
  // Chunks are parts of slices, so that values from outside come as slices.
  Location loc = at->getLoc();
  if (auto overlap = at->getParentOfType<OverlapOp>();
      overlap && !overlap->isAncestor(value.getParentRegion()->getParentOp()))
    at = overlap;
  OpBuilder builder(at);
  auto type = cast<RankedTensorType>(value.getType());
  Layout layout = Layout::of(type);
  layout.mesh = mesh;
  llvm::append_range(cut.dim ? layout.dims[*cut.dim] : layout.flat, cut.axes);
  SmallVector<Attribute> axes(cut.axes.begin(), cut.axes.end());
  auto dim = cut.dim ? builder.getI64IntegerAttr(*cut.dim) : IntegerAttr();
  return ShardOp::create(builder, loc, layout.apply(type), value, dim,
                         builder.getArrayAttr(axes));
}

FailureOr<Value> ShardMaker::shard(Value value, const Cut &cut,
                                   Operation *user) {
  auto fused = dyn_cast<FusedOp>(user->getParentOp());
  if (!fused)
    return insertShard(value, cut, user);
  if (value.getParentRegion() == &fused.getBody())
    return recompute(value.getDefiningOp(), cut);
  bool inside = fused.getKind() == FusedKind::all_reduce;
  return insertShard(value, cut, inside ? user : fused.getOperation());
}

FailureOr<Value> ShardMaker::recompute(Operation *op, const Cut &cut) {
  auto iterated = dyn_cast<IterationOpInterface>(op);
  if (!iterated || !iterated.isPointwise())
    return refuse(op, "has a result that is sharded inside of the fused region",
                  "compute it outside of the region, or shard it there");
  Iteration iteration = iterated.getIteration();
  IRMapping mapping;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    AffineMap map = iteration.operandMaps[index];
    std::optional<Cut> wanted;
    if (!cut.dim && !isOneElement(operand.getType()))
      wanted = cut;
    for (unsigned dim = 0; cut.dim && dim < map.getNumResults(); ++dim)
      if (iteratorAt(map, dim) == unsigned(*cut.dim))
        wanted = Cut{dim, cut.axes};
    if (!wanted)
      continue;
    FailureOr<Value> sharded = shard(operand, *wanted, op);
    if (failed(sharded))
      return failure();
    mapping.map(operand, *sharded);
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op, mapping);
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(copy).inferReturnTypes(
          op->getContext(), op->getLoc(), copy->getOperands(),
          copy->getAttrDictionary(), copy->getPropertiesStorage(),
          copy->getRegions(), types))) {
    copy->erase();
    return failure();
  }
  copy->getResult(0).setType(types.front());
  return copy->getResult(0);
}

LogicalResult ShardMaker::visit(Operation *op) {
  auto iterated = dyn_cast<IterationOpInterface>(op);
  if (!iterated)
    return success();
  Iteration iteration = iterated.getIteration();
  SmallVector<AxisList> cuts(iteration.iterators.size());
  AxisList flat;
  for (auto [operand, map] :
       llvm::zip(op->getOperands(), iteration.operandMaps)) {
    Layout layout = Layout::of(operand);
    if (!layout.flat.empty())
      flat = layout.flat;
    if (layout.mesh)
      mesh = layout.mesh;
    for (auto [dim, axes] : llvm::enumerate(layout.dims))
      if (auto iterator = iteratorAt(map, dim); iterator && !axes.empty())
        cuts[*iterator] = axes;
  }
  for (auto [index, map] : llvm::enumerate(iteration.operandMaps)) {
    Value operand = op->getOperand(index);
    Layout layout = Layout::of(operand);
    SmallVector<Cut> wanted;
    if (!flat.empty() && layout.flat.empty() &&
        !isOneElement(operand.getType()))
      wanted.push_back({std::nullopt, flat});
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      if (auto iterator = iteratorAt(map, dim);
          iterator && layout.dims[dim].empty() && !cuts[*iterator].empty())
        wanted.push_back({dim, cuts[*iterator]});
    for (const Cut &cut : wanted) {
      FailureOr<Value> sharded = shard(op->getOperand(index), cut, op);
      if (failed(sharded))
        return failure();
      op->setOperand(index, *sharded);
    }
  }
  return success();
}

LogicalResult coconet::makeShardsExplicit(FunctionOpInterface function) {
  SmallVector<Operation *> ops;
  function->walk([&](Operation *op) {
    while (isa<ConstantOp>(op) && isa<FusedOp, OverlapOp>(op->getParentOp()))
      op->moveBefore(op->getParentOp());
    ops.push_back(op);
  });
  ShardMaker maker;
  for (Operation *op : ops)
    if (failed(maker.visit(op)))
      return failure();
  return success();
}
