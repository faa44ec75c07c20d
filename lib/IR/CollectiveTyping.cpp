//===- CollectiveTyping.cpp - what collectives' typing shares ---------------===//

#include "IR/CollectiveTyping.h"

using namespace mlir;
using namespace coconet;

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

LogicalResult Collective::verifyRoot(int64_t root) {
  return coconet::verifyRoot(op, root,
                             lists ? smallestGroup(lists) : groupSize());
}

FailureOr<SmallVector<int64_t>> Collective::rootPositions(int64_t root) {
  SmallVector<int64_t> positions(axes.size(), root);
  // The first axis takes what the others leave, whatever its size.
  for (size_t i = axes.size(); --i > 0;) {
    int64_t size = layout.mesh.sizeOf(axes[i].getValue());
    if (ShapedType::isDynamic(size))
      return refuse("has a root along several axes, of which '" +
                        axes[i].getValue() + "' has no size",
                    "give the mesh axis a size, or act along one axis at a "
                    "time");
    positions[i] = positions[0] % size;
    positions[0] /= size;
  }
  return positions;
}

LogicalResult Collective::verifyRooted(int64_t root, StringRef accepted) {
  FailureOr<SmallVector<int64_t>> positions = rootPositions(root);
  if (failed(positions))
    return failure();
  for (auto [axis, position] : llvm::zip(axes, *positions))
    if (layout.rootAlong(axis) != position)
      return refuse("operand is " + describe(),
                    "it takes an operand that is " + accepted +
                        " at the root, along the axes of the group");
  return success();
}

LogicalResult Collective::setRoot(Layout &result, int64_t root) {
  FailureOr<SmallVector<int64_t>> positions = rootPositions(root);
  if (failed(positions))
    return failure();
  for (auto [axis, position] : llvm::zip(axes, *positions))
    result.rooted.emplace_back(axis, position);
  return success();
}

LogicalResult coconet::verifyReduced(Collective &c, Reduction reduction) {
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

LogicalResult
coconet::verifyResult(Operation *op,
                      function_ref<FailureOr<RankedTensorType>()> infer) {
  if (op->hasAttr("axes") == op->hasAttr("groups"))
    return refuse(op, "needs axes or groups, and not both",
                  "write `on {dp}` or `on groups [[0, 1]]`");
  FailureOr<RankedTensorType> expected = infer();
  if (failed(expected))
    return failure();
  if (*expected == op->getResult(0).getType())
    return success();
  std::string text, actual;
  llvm::raw_string_ostream(text) << *expected;
  llvm::raw_string_ostream(actual) << op->getResult(0).getType();
  return refuse(op, "has result type '" + actual + "'",
                "the operand gives '" + text + "'");
}
