//===- TranslateCollectives.cpp - communication of one rank -----------------===//

#include "Conversion/ToRank/RankTranslator.h"
#include "IR/Groups.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// `type` with the size that dimension `dim` has in `other`.
static RankedTensorType withDim(RankedTensorType type, int64_t dim,
                                int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

/// Number of members; of explicit groups the first, where sizes are equal.
static int64_t groupSize(CollectiveOpInterface op, MeshAttr mesh) {
  if (ArrayAttr groups = op.getGroupLists())
    return cast<DenseI64ArrayAttr>(groups[0]).size();
  return mesh.sizeOf(op.getGroupAxes());
}

static Operation *named(Operation *to, Operation *from) {
  to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
  return to;
}

void RankTranslator::checkExactCut(Operation *op, OpFoldResult size,
                                   ArrayRef<StringAttr> before,
                                   ArrayRef<StringAttr> added, MeshAttr mesh) {
  int64_t parts = mesh.sizeOf(before) * mesh.sizeOf(added);
  if (before.empty() || getConstantIntValue(size) || parts == 1)
    return;
  IndexMath m = math(op->getLoc());
  check(m.constant(0), m.rem(size, m.constant(parts)),
        "remainder of a second cut by " + formatAxes(added), op->getLoc());
}

FailureOr<Value> RankTranslator::cutOperand(Operation *op,
                                            std::optional<int64_t> dim) {
  Value operand = op->getOperand(0);
  RankValue &mapped = values[operand];
  if (dim || !Layout::of(operand).flat.empty())
    return mapped.value;
  Value local = mapped.value;
  if (isFused(local)) {
    refuse(op, "flattens a value of the same fused region",
           "compute it outside of the region");
    return failure();
  }
  RankedTensorType type = typeOf(local);
  int64_t count =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  IndexMath m = math(op->getLoc());
  return reshape(local, RankedTensorType::get({count}, type.getElementType()),
                 m.product(mapped.sizes), op->getLoc());
}

LogicalResult RankTranslator::translateCollective(CollectiveOpInterface op) {
  RankValue mapped = values[op->getOperand(0)];
  MeshAttr mesh = Layout::of(op->getOperand(0)).mesh;
  Location loc = op.getLoc();
  Operation *result;
  if (auto reduce = dyn_cast<AllReduceOp>(*op))
    result = RankAllReduceOp::create(
        inner, loc, mapped.value.getType(), reduce.getReduction(), mapped.value,
        mesh, reduce.getAxesAttr(), reduce.getGroupsAttr());
  else {
    auto broadcast = cast<BroadcastOp>(*op);
    result = RankBroadcastOp::create(
        inner, loc, mapped.value.getType(), mapped.value, broadcast.getRoot(),
        mesh, broadcast.getAxesAttr(), broadcast.getGroupsAttr());
  }
  named(result, op);
  set(op->getResult(0), result->getResult(0), mapped.sizes);
  return success();
}

FailureOr<CutPlan> RankTranslator::planScatter(CollectiveOpInterface op) {
  auto dimAttr = op->getAttrOfType<IntegerAttr>("dim");
  std::optional<int64_t> along;
  if (dimAttr)
    along = dimAttr.getInt();
  FailureOr<Value> operand = cutOperand(op, along);
  if (failed(operand))
    return failure();
  Location loc = op.getLoc();
  IndexMath m = math(loc);
  Layout layout = Layout::of(op->getOperand(0));
  SmallVector<OpFoldResult> sizes = values[op->getOperand(0)].sizes;
  int64_t dim = along.value_or(0);
  OpFoldResult size = along ? sizes[dim] : m.product(sizes);
  if (op.getGroupLists()) {
    OpFoldResult members = m.constant(groupSize(op, layout.mesh));
    if (!getConstantIntValue(size))
      check(m.constant(0), m.rem(size, members), "remainder of an even split",
            loc);
    sizes[dim] = m.div(size, members);
  } else {
    checkExactCut(op, size, along ? layout.dims[dim] : layout.flat,
                  op.getGroupAxes(), layout.mesh);
  }
  RankedTensorType target = localType(typeOf(op->getResult(0)));
  return CutPlan{*operand,
                 withDim(typeOf(*operand), dim, target.getDimSize(dim)), dim,
                 size, sizes};
}

LogicalResult RankTranslator::translateReduceScatter(ReduceScatterOp op) {
  FailureOr<CutPlan> plan = planScatter(op);
  if (failed(plan))
    return failure();
  auto result = RankReduceScatterOp::create(
      inner, op.getLoc(), plan->type, op.getReduction(), plan->operand,
      plan->dim, Layout::of(op.getOperand()).mesh, op.getAxesAttr(),
      op.getGroupsAttr());
  named(result, op);
  set(op.getResult(), result, plan->sizes);
  return success();
}

CutPlan RankTranslator::planGather(CollectiveOpInterface op) {
  Location loc = op.getLoc();
  IndexMath m = math(loc);
  RankValue mapped = values[op->getOperand(0)];
  MeshAttr mesh = Layout::of(op->getOperand(0)).mesh;
  Layout after = Layout::of(op->getResult(0));
  SmallVector<OpFoldResult> sizes = mapped.sizes;
  auto dimAttr = op->getAttrOfType<IntegerAttr>("dim");
  int64_t dim = dimAttr ? dimAttr.getInt() : 0;
  OpFoldResult size = dimAttr ? sizes[dim] : m.product(sizes);
  if (op.getGroupLists())
    size = sizes[dim] = m.mul(size, m.constant(groupSize(op, mesh)));
  // What this rank holds afterwards: all, or the chunk of the axes that stay.
  AxisList rest = dimAttr ? after.dims[dim] : after.flat;
  if (!rest.empty())
    size = chunkOf(size, rest, mesh, loc).length;
  RankedTensorType result = typeOf(op->getResult(0));
  bool whole = !dimAttr && after.flat.empty();
  int64_t extent = whole ? (result.hasStaticShape() ? result.getNumElements()
                                                    : ShapedType::kDynamic)
                         : localType(result).getDimSize(dim);
  return {mapped.value, withDim(typeOf(mapped.value), dim, extent),
          dim,          size,
          sizes,        whole};
}

void RankTranslator::setGathered(Operation *op, Value gathered,
                                 const CutPlan &plan) {
  Value result = op->getResult(0);
  if (!plan.flattened || isa<FusedOp>(op->getParentOp()))
    return set(result, gathered, plan.sizes, plan.flattened);
  RankedTensorType target = localType(typeOf(result));
  set(result, reshape(gathered, target, plan.sizes, op->getLoc()), plan.sizes);
}

LogicalResult RankTranslator::translateAllGather(AllGatherOp op) {
  CutPlan plan = planGather(op);
  auto gather = RankAllGatherOp::create(
      inner, op.getLoc(), plan.type, plan.operand,
      math(op.getLoc()).value(plan.size), plan.dim,
      Layout::of(op.getOperand()).mesh, op.getAxesAttr(), op.getGroupsAttr());
  named(gather, op);
  setGathered(op, gather, plan);
  return success();
}

LogicalResult RankTranslator::translateAllToAll(AllToAllOp op) {
  Location loc = op.getLoc();
  IndexMath m = math(loc);
  RankValue mapped = values[op.getOperand()];
  Layout before = Layout::of(op.getOperand());
  Layout after = Layout::of(op.getResult());
  SmallVector<OpFoldResult> sizes = mapped.sizes;
  int64_t from = op.getFromDim(), into = op.getIntoDim();
  OpFoldResult size = sizes[from];
  if (op.getGroupsAttr()) {
    OpFoldResult members = m.constant(groupSize(op, before.mesh));
    if (!getConstantIntValue(sizes[into]))
      check(m.constant(0), m.rem(sizes[into], members),
            "remainder of an even split", loc);
    if (from != into) {
      size = sizes[from] = m.mul(size, members);
      sizes[into] = m.div(sizes[into], members);
    }
  } else {
    checkExactCut(op, sizes[into], before.dims[into],
                  axisList(op.getAxesAttr()), before.mesh);
    if (!after.dims[from].empty())
      size = chunkOf(size, after.dims[from], before.mesh, loc).length;
  }
  RankedTensorType target = localType(typeOf(op.getResult()));
  RankedTensorType type =
      withDim(withDim(typeOf(mapped.value), from, target.getDimSize(from)),
              into, target.getDimSize(into));
  auto result = RankAllToAllOp::create(inner, loc, type, mapped.value,
                                       m.value(size), from, into, before.mesh,
                                       op.getAxesAttr(), op.getGroupsAttr());
  named(result, op);
  set(op.getResult(), result, sizes);
  return success();
}

LogicalResult RankTranslator::translateShard(ShardOp op) {
  FailureOr<Value> operand = cutOperand(op, op.getDim());
  if (failed(operand))
    return failure();
  IndexMath m = math(op.getLoc());
  Layout layout = Layout::of(op.getOperand());
  MeshAttr mesh = Layout::of(op.getResult()).mesh;
  SmallVector<OpFoldResult> sizes = values[op.getOperand()].sizes;
  int64_t dim = op.getDim().value_or(0);
  OpFoldResult size = op.getDim() ? sizes[dim] : m.product(sizes);
  checkExactCut(op, size, op.getDim() ? layout.dims[dim] : layout.flat,
                axisList(op.getAxes()), mesh);
  RankedTensorType target = localType(typeOf(op.getResult()));
  RankedTensorType type =
      withDim(typeOf(*operand), dim, target.getDimSize(dim));
  auto result = RankShardOp::create(inner, op.getLoc(), type, *operand, dim,
                                    mesh, op.getAxes());
  named(result, op);
  set(op.getResult(), result, sizes);
  return success();
}
