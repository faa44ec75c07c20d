//===- CollectiveOps.cpp - typing of collectives ----------------------------===//

#include "IR/Groups.h"
#include "IR/Layout.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

namespace {

/// What the typing rules of all collectives share: operand, its layout, and the
/// axes or lists that name the group.
class Collective {
public:
  Collective(CollectiveOpInterface op)
      : op(op), operand(op->getOperand(0)),
        type(cast<RankedTensorType>(operand.getType())),
        layout(Layout::of(operand)), axes(op.getGroupAxes()),
        lists(op.getGroupLists()) {}

  LogicalResult refuse(const Twine &message, const Twine &remedy) {
    return coconet::refuse(op, message, remedy);
  }

  /// The group is named by axes of the operand's mesh, once each.
  LogicalResult verifyAxes();
  /// Every axis does the same to the operand: `is(axis)` holds for all.
  bool all(function_ref<bool(StringAttr)> is) { return llvm::all_of(axes, is); }
  std::string describe() {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        axes, os,
        [&](StringAttr axis) {
          os << layout.describe(axis) << " along axis '" << axis.getValue()
             << "'";
        },
        " and ");
    return text;
  }
  /// With explicit groups the operand is local wherever members differ.
  LogicalResult verifyLists(bool equalSizes);
  int64_t groupSize() {
    return lists ? cast<DenseI64ArrayAttr>(lists[0]).size()
                 : layout.mesh.sizeOf(axes);
  }
  /// Check that `dim` is one of the operand's.
  LogicalResult verifyDim(int64_t dim);
  /// Check that cutting `dim` further is one flat cut, and append the axes.
  LogicalResult appendCut(Layout &result, std::optional<int64_t> dim);
  /// Check that the axes end the list that cuts `dim`, and remove them.
  LogicalResult removeCut(Layout &result, std::optional<int64_t> dim);

  CollectiveOpInterface op;
  Value operand;
  RankedTensorType type;
  Layout layout;
  SmallVector<StringAttr> axes;
  ArrayAttr lists;
};

} // namespace

LogicalResult Collective::verifyAxes() {
  if (axes.empty())
    return refuse("names no axis", "a collective acts along at least one axis");
  if (!layout.mesh)
    return refuse("operand is replicated, so there is nothing to exchange",
                  "the operand of a collective carries a layout; use it as it "
                  "is, or shard it");
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (!layout.mesh.hasAxis(axis.getValue()))
      return refuse("unknown axis '" + axis.getValue() + "'",
                    "the mesh has " + formatAxes(layout.mesh.getAxes()));
    if (llvm::is_contained(ArrayRef(axes).take_front(index), axis))
      return refuse("names axis '" + axis.getValue() + "' twice",
                    "an axis appears once in a group");
  }
  return success();
}

LogicalResult Collective::verifyLists(bool equalSizes) {
  if (!layout.mesh || layout.local.empty())
    return refuse(
        "with explicit groups the operand is local",
        "name the axes of the mesh instead, or make the operand local");
  if (layout.isCut() || !layout.partial.empty() || !layout.rooted.empty())
    return refuse("with explicit groups the operand is local and nothing else",
                  "all_gather or all_reduce it first");
  if (std::string fault = findGroupFault(lists, layout.mesh, equalSizes);
      !fault.empty())
    return refuse("groups " + fault, "groups list distinct ranks of the mesh " +
                                         formatMesh(layout.mesh) +
                                         ", each rank once");
  // Members must differ only along axes where the operand is local.
  for (StringAttr axis : layout.mesh.getAxes())
    if (!layout.isLocalAlong(axis) && groupsSpanAxis(lists, layout.mesh, axis))
      return refuse("groups span axis '" + axis.getValue() +
                        "', along which the operand is not local",
                    "the operand is local along " + formatAxes(layout.local));
  return success();
}

LogicalResult Collective::verifyDim(int64_t dim) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return refuse(
      "dimension " + Twine(dim) + " is out of range for an operand of rank " +
          Twine(type.getRank()),
      type.getRank() ? "dimensions are 0 to " + Twine(type.getRank() - 1).str()
                     : std::string("a tensor of rank 0 is cut flat"));
}

LogicalResult Collective::appendCut(Layout &result,
                                    std::optional<int64_t> dim) {
  if (dim && failed(verifyDim(*dim)))
    return failure();
  if (std::string fault = findCutFault(result, type, dim, axes); !fault.empty())
    return refuse(fault, "cut another dimension, or choose sizes that divide "
                         "exactly");
  AxisList &list = dim ? result.dims[*dim] : result.flat;
  llvm::append_range(list, axes);
  return success();
}

LogicalResult Collective::removeCut(Layout &result,
                                    std::optional<int64_t> dim) {
  if (dim && failed(verifyDim(*dim)))
    return failure();
  AxisList &list = dim ? result.dims[*dim] : result.flat;
  std::string what =
      dim ? "dimension " + Twine(*dim).str() : std::string("the flattening");
  if (list.empty() || !isSuffix(axes, list))
    return refuse("axes " + formatAxes(axes) + " do not end the list " +
                      formatAxes(list) + " that cuts " + what,
                  "the axes that are removed are the last of the list, in its "
                  "order");
  list.truncate(list.size() - axes.size());
  if (!list.empty() &&
      !dividesExactly(dim ? type.getDimSize(*dim)
                          : (type.hasStaticShape() ? type.getNumElements()
                                                   : ShapedType::kDynamic),
                      concatAxes(list, axes), result.mesh))
    return refuse("removing a part of a cut of " + what +
                      " that does not divide exactly",
                  "remove all axes of the list, or choose sizes that divide "
                  "exactly");
  return success();
}

//===----------------------------------------------------------------------===//
// Typing
//===----------------------------------------------------------------------===//

/// A reduction's operand: pending with the same reduction, or local, along all
/// axes of the group.
static LogicalResult verifyReduced(Collective &c, Reduction reduction) {
  if (reduction == Reduction::avg && !isa<FloatType>(c.type.getElementType()))
    return c.refuse("avg of " + llvm::Twine("integers"),
                    "cast to a float type first, or use sum");
  if (c.type.getElementType().isInteger(1))
    return c.refuse("reduces i1 values",
                    "cast to an integer type first; max is any, min is all");
  if (c.lists)
    return c.verifyLists(/*equalSizes=*/false);
  if (failed(c.verifyAxes()))
    return failure();
  if (c.all([&](StringAttr axis) { return c.layout.isLocalAlong(axis); }))
    return success();
  if (c.all([&](StringAttr axis) {
        return c.layout.partialAlong(axis) == reduction;
      }))
    return success();
  return c.refuse("operand is " + c.describe(),
                  "it takes an operand that is local, or a pending " +
                      stringifyReduction(reduction) +
                      ", along every axis of the group; a replicated value is "
                      "already whole");
}

FailureOr<RankedTensorType> AllReduceOp::inferType() {
  Collective c(*this);
  if (failed(verifyReduced(c, getReduction())))
    return failure();
  return c.lists ? c.type : withoutAxes(c.layout, c.axes).apply(c.type);
}

FailureOr<RankedTensorType> ReduceScatterOp::inferType() {
  Collective c(*this);
  if (failed(verifyReduced(c, getReduction())))
    return failure();
  if (c.lists) {
    if (!getDim())
      return c.refuse("is cut flat with explicit groups",
                      "name a dimension, or axes of the mesh");
    if (failed(c.verifyLists(/*equalSizes=*/true)) ||
        failed(c.verifyDim(*getDim())))
      return failure();
    return divideDim(c.op, c.type, *getDim(), c.groupSize());
  }
  Layout result = withoutAxes(c.layout, c.axes);
  if (failed(c.appendCut(result, getDim())))
    return failure();
  return result.apply(c.type);
}

FailureOr<RankedTensorType> AllGatherOp::inferType() {
  Collective c(*this);
  if (c.lists) {
    if (!getDim())
      return c.refuse("gathers flat slices with explicit groups",
                      "name a dimension, or axes of the mesh");
    if (failed(c.verifyLists(/*equalSizes=*/true)) ||
        failed(c.verifyDim(*getDim())))
      return failure();
    return multiplyDim(c.op, c.type, *getDim(), c.groupSize());
  }
  Layout result = c.layout;
  if (failed(c.verifyAxes()) || failed(c.removeCut(result, getDim())))
    return failure();
  return result.apply(c.type);
}

FailureOr<RankedTensorType> AllToAllOp::inferType() {
  Collective c(*this);
  if (failed(c.verifyDim(getFromDim())) || failed(c.verifyDim(getIntoDim())))
    return failure();
  if (c.lists) {
    if (failed(c.verifyLists(/*equalSizes=*/true)))
      return failure();
    auto divided = divideDim(c.op, c.type, getIntoDim(), c.groupSize());
    if (failed(divided))
      return failure();
    return multiplyDim(c.op, *divided, getFromDim(), c.groupSize());
  }
  if (getFromDim() == getIntoDim())
    return c.refuse("moves a cut from dimension " + Twine(getFromDim()) +
                        " to itself",
                    "name two dimensions");
  Layout result = c.layout;
  if (failed(c.verifyAxes()) || failed(c.removeCut(result, getFromDim())) ||
      failed(c.appendCut(result, getIntoDim())))
    return failure();
  return result.apply(c.type);
}

FailureOr<RankedTensorType> BroadcastOp::inferType() {
  Collective c(*this);
  if (failed(c.lists ? c.verifyLists(/*equalSizes=*/false) : c.verifyAxes()))
    return failure();
  int64_t root = getRoot();
  if (failed(verifyRoot(*this, root,
                        c.lists ? smallestGroup(c.lists) : c.groupSize())))
    return failure();
  if (c.lists)
    return c.type;
  bool local =
      c.all([&](StringAttr axis) { return c.layout.isLocalAlong(axis); });
  bool rooted = c.axes.size() == 1 && c.layout.rootAlong(c.axes[0]) == root;
  if (!local && !rooted)
    return c.refuse("operand is " + c.describe(),
                    "it takes an operand that is local, or rooted at the "
                    "root, along the axes of the group");
  return withoutAxes(c.layout, c.axes).apply(c.type);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyCollective(OpTy op) {
  if (bool(op.getAxesAttr()) == bool(op.getGroupsAttr()))
    return refuse(op, "needs axes or groups, and not both",
                  "write `on {dp}` or `on groups [[0, 1]]`");
  FailureOr<RankedTensorType> expected = op.inferType();
  if (failed(expected))
    return failure();
  if (*expected != op.getResult().getType()) {
    std::string text;
    llvm::raw_string_ostream(text) << *expected;
    std::string actual;
    llvm::raw_string_ostream(actual) << op.getResult().getType();
    return refuse(op, "has result type '" + actual + "'",
                  "the operand gives '" + text + "'");
  }
  return success();
}

LogicalResult AllReduceOp::verify() { return verifyCollective(*this); }
LogicalResult ReduceScatterOp::verify() { return verifyCollective(*this); }
LogicalResult AllGatherOp::verify() { return verifyCollective(*this); }
LogicalResult AllToAllOp::verify() { return verifyCollective(*this); }
LogicalResult BroadcastOp::verify() { return verifyCollective(*this); }

FailureOr<RankedTensorType> ShardOp::inferType() {
  auto type = cast<RankedTensorType>(getOperand().getType());
  Layout layout = Layout::of(getOperand());
  layout.mesh = Layout::of(getResult()).mesh;
  SmallVector<StringAttr> axes = axisList(getAxes());
  if (!layout.mesh || (Layout::of(getOperand()).mesh &&
                       Layout::of(getOperand()).mesh != layout.mesh))
    return refuse(*this, "result lies on another mesh than the operand",
                  "the result of a shard is cut on the operand's mesh");
  if (axes.empty())
    return refuse(*this, "names no axis",
                  "a shard cuts along at least one axis");
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (!layout.mesh.hasAxis(axis.getValue()))
      return refuse(*this, "unknown axis '" + axis.getValue() + "'",
                    "the mesh has " + formatAxes(layout.mesh.getAxes()));
    if (!layout.isReplicatedAlong(axis) ||
        llvm::is_contained(ArrayRef(axes).take_front(index), axis))
      return refuse(*this,
                    "operand is " + layout.describe(axis) + " along axis '" +
                        axis.getValue() + "'",
                    "only a replicated value is sharded without communication");
  }
  std::optional<int64_t> dim = getDim();
  if (dim && (*dim < 0 || *dim >= type.getRank()))
    return refuse(*this,
                  "dimension " + Twine(*dim) +
                      " is out of range for an operand of rank " +
                      Twine(type.getRank()),
                  "a tensor of rank 0 is cut flat");
  if (std::string fault = findCutFault(layout, type, dim, axes); !fault.empty())
    return refuse(*this, fault,
                  "cut another dimension, or choose sizes that divide exactly");
  llvm::append_range(dim ? layout.dims[*dim] : layout.flat, axes);
  return layout.apply(type);
}

LogicalResult ShardOp::verify() {
  FailureOr<RankedTensorType> expected = inferType();
  if (failed(expected))
    return failure();
  if (*expected != getResult().getType()) {
    std::string text;
    llvm::raw_string_ostream(text) << *expected;
    return refuse(*this, "has another result type than its operand gives",
                  "the operand gives '" + text + "'");
  }
  return success();
}
