//===- CollectiveOps.cpp - typing of collectives ----------------------------===//

#include "IR/CollectiveTyping.h"

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Typing
//===----------------------------------------------------------------------===//

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
  if (failed(c.verifyRoot(getRoot())))
    return failure();
  if (c.lists)
    return c.type;
  bool local =
      c.all([&](StringAttr axis) { return c.layout.isLocalAlong(axis); });
  if (!local && failed(c.verifyRooted(getRoot(), "local, or rooted")))
    return failure();
  return withoutAxes(c.layout, c.axes).apply(c.type);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

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
