//===- SplitHierarchical.cpp - all_reduce in two levels ---------------------===//

#include "Analysis/Typing.h"
#include "IR/CollectiveTyping.h"
#include "Transforms/SplitAllReduce.h"

using namespace mlir;
using namespace coconet;

/// The two lists name the group's axes, each of them once.
static LogicalResult checkPartition(AllReduceOp op, ArrayRef<StringAttr> inner,
                                    ArrayRef<StringAttr> outer,
                                    Refusal &refusal) {
  if (op.getGroupsAttr())
    return refusal.set(op,
                       "cannot split " + describe(op) +
                           " into levels: its group is given as lists",
                       "name the axes of the mesh");
  SmallVector<StringAttr> group = op.getGroupAxes();
  SmallVector<StringAttr> named(inner);
  named.append(outer.begin(), outer.end());
  llvm::SmallDenseSet<StringAttr> distinct(named.begin(), named.end());
  bool covers =
      distinct.size() == named.size() && named.size() == group.size() &&
      llvm::all_of(group,
                   [&](StringAttr axis) { return distinct.contains(axis); });
  if (covers && !inner.empty() && !outer.empty())
    return success();
  return refusal.set(op,
                     "cannot split " + describe(op) + " into inner axes " +
                         formatAxes(inner) + " and outer axes " +
                         formatAxes(outer) + ": they do not make up " +
                         formatAxes(group),
                     "name each axis of the group once, at least one a level");
}

static Attribute axesOf(RewriterBase &rewriter, ArrayRef<StringAttr> axes) {
  return rewriter.getArrayAttr(
      SmallVector<Attribute>(axes.begin(), axes.end()));
}

/// A sum that the levels would round twice.
static bool needsWideLevels(AllReduceOp op) {
  Type element = op.getType().getElementType();
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32 &&
         op.getReduction() != Reduction::max &&
         op.getReduction() != Reduction::min;
}

static RankedTensorType withElement(RankedTensorType type, Type element) {
  return RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

FailureOr<SmallVector<Operation *>> coconet::splitHierarchical(
    RewriterBase &rewriter, AllReduceOp op, std::optional<int64_t> dim,
    ArrayRef<StringAttr> inner, ArrayRef<StringAttr> outer, Refusal &refusal) {
  if (failed(checkPartition(op, inner, outer, refusal)) ||
      failed(checkSplittable(op, refusal)))
    return failure();
  Location loc = op.getLoc();
  auto within = cast<ArrayAttr>(axesOf(rewriter, inner));
  auto across = cast<ArrayAttr>(axesOf(rewriter, outer));
  IntegerAttr dimAttr = dim ? rewriter.getI64IntegerAttr(*dim) : IntegerAttr();
  OpBuilder detached(op.getContext());
  auto scatter = ReduceScatterOp::create(detached, loc, op.getType(),
                                         op.getReductionAttr(), op.getOperand(),
                                         dimAttr, within, ArrayAttr());
  FailureOr<RankedTensorType> pending = typeOfDetached(scatter, refusal);
  if (failed(pending)) {
    scatter.erase();
    refusal.message =
        "cannot split " + describe(op) + " into levels: " + refusal.message;
    refusal.location = loc;
    return failure();
  }

  Type element = op.getType().getElementType();
  bool widens = needsWideLevels(op);
  Type level = widens ? Type(rewriter.getF32Type()) : element;
  rewriter.setInsertionPoint(op);
  if (widens)
    scatter.getOperandMutable().assign(
        CastOp::create(rewriter, loc, op.getOperand(), level).getResult());
  rewriter.insert(scatter);
  scatter.getResult().setType(withElement(*pending, level));
  RankedTensorType slice = withoutAxes(Layout::of(scatter.getResult()), outer)
                               .apply(scatter.getType());
  auto reduce = AllReduceOp::create(rewriter, loc, slice, op.getReductionAttr(),
                                    scatter, across, ArrayAttr());
  auto gather =
      AllGatherOp::create(rewriter, loc, withElement(op.getType(), level),
                          reduce, dimAttr, within, ArrayAttr());
  SmallVector<Operation *> parts = {scatter, reduce, gather};
  constexpr StringLiteral suffixes[] = {".rs", ".ar", ".ag"};
  for (auto [part, suffix] : llvm::zip(parts, suffixes)) {
    keepWireType(op, part);
    if (StringRef name = getName(op); !name.empty())
      setName(part, name + suffix);
  }
  Value result = gather;
  if (widens) {
    auto rounded = CastOp::create(rewriter, loc, result, element);
    rounded->setAttr(roundingAttr, rewriter.getUnitAttr());
    result = rounded;
  }
  rewriter.replaceOp(op, result);
  return parts;
}
