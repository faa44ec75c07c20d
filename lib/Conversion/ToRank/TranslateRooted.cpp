//===- TranslateRooted.cpp - roots, permutations and barriers of one rank ---===//

#include "Conversion/ToRank/RankTranslator.h"
#include "IR/RootedOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult RankTranslator::translatePermute(PermuteOp op) {
  Location loc = op.getLoc();
  IndexMath m = math(loc);
  RankValue mapped = values[op.getOperand()];
  Layout before = Layout::of(op.getOperand());
  SmallVector<OpFoldResult> sizes = mapped.sizes;
  RankedTensorType type = typeOf(mapped.value);
  SmallVector<StringAttr> axes = axisList(op.getAxesAttr());
  int64_t dim = axes.empty() ? -1 : before.dimCutBy(axes.front());
  if (dim >= 0) { // Chunks become values of their own.
    OpFoldResult parts = m.constant(before.mesh.sizeOf(axes));
    OpFoldResult all = m.constant(before.mesh.sizeOf(before.dims[dim]));
    if (!getConstantIntValue(sizes[dim]))
      check(m.constant(0), m.rem(sizes[dim], all),
            "remainder of chunks that are permuted", loc);
    sizes[dim] = m.div(sizes[dim], parts);
    type = localType(typeOf(op.getResult()));
  }
  auto result = RankPermuteOp::create(inner, loc, typeOf(mapped.value),
                                      mapped.value, op.getPairs(), before.mesh,
                                      op.getAxesAttr(), op.getGroupsAttr());
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Value value = result;
  if (value.getType() != type)
    value = tensor::CastOp::create(inner, loc, type, value);
  set(op.getResult(), value, sizes);
  return success();
}

LogicalResult RankTranslator::translateRooted(CollectiveOpInterface op) {
  Location loc = op.getLoc();
  if (auto barrier = dyn_cast<BarrierOp>(*op)) {
    RankBarrierOp::create(outer, loc, barrier.getMesh(), barrier.getAxesAttr(),
                          barrier.getGroupsAttr())
        ->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return success();
  }
  if (auto permute = dyn_cast<PermuteOp>(*op))
    return translatePermute(permute);
  MeshAttr mesh = Layout::of(op->getOperand(0)).mesh;
  auto keep = [&](Operation *result) {
    result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return result->getResult(0);
  };
  if (auto reduce = dyn_cast<ReduceToRootOp>(*op)) {
    RankValue mapped = values[reduce.getOperand()];
    set(reduce.getResult(),
        keep(RankReduceToRootOp::create(
            inner, loc, mapped.value.getType(), reduce.getReduction(),
            mapped.value, reduce.getRoot(), mesh, reduce.getAxesAttr(),
            reduce.getGroupsAttr())),
        mapped.sizes);
    return success();
  }
  if (auto gather = dyn_cast<GatherToRootOp>(*op)) {
    CutPlan plan = planGather(op);
    setGathered(op,
                keep(RankGatherToRootOp::create(
                    inner, loc, plan.type, plan.operand,
                    math(loc).value(plan.size), plan.dim, gather.getRoot(),
                    mesh, gather.getAxesAttr(), gather.getGroupsAttr())),
                plan);
    return success();
  }
  auto scatter = cast<ScatterFromRootOp>(*op);
  FailureOr<CutPlan> plan = planScatter(op);
  if (failed(plan))
    return failure();
  set(scatter.getResult(),
      keep(RankScatterFromRootOp::create(
          inner, loc, plan->type, plan->operand, plan->dim, scatter.getRoot(),
          mesh, scatter.getAxesAttr(), scatter.getGroupsAttr())),
      plan->sizes);
  return success();
}
