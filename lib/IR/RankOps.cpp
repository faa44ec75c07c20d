//===- RankOps.cpp - ops of rank programs -----------------------------------===//

#include "IR/RankOps.h"
#include "IR/Assembly.h"
#include "IR/Groups.h"
#include "IR/RankTyping.h"
#include "IR/Refusal.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult verifyPlain(Operation *op) {
  auto carriesLayout = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getEncoding();
  };
  if (llvm::any_of(op->getOperandTypes(), carriesLayout) ||
      llvm::any_of(op->getResultTypes(), carriesLayout))
    return refuse(op, "has a tensor that carries a layout",
                  "rank programs have plain tensors");
  return success();
}

LogicalResult coconet::verifyGroup(Operation *op, MeshAttr mesh, ArrayAttr axes,
                                   ArrayAttr groups, bool bound) {
  if (bound && ShapedType::isDynamic(mesh.getNumRanks()))
    return refuse(op, "lies on a mesh with open sizes " + formatMesh(mesh),
                  "bind the mesh before --coconet-to-rank");
  if (bool(axes) == bool(groups))
    return refuse(op, "needs axes or groups, and not both",
                  "write `on {dp}` or `on groups [[0, 1]]`");
  SmallVector<StringAttr> named = axisList(axes);
  for (auto [index, axis] : llvm::enumerate(named)) {
    if (!mesh.hasAxis(axis.getValue()))
      return refuse(op, "unknown axis '" + axis.getValue() + "'",
                    "the mesh has " + formatAxes(mesh.getAxes()));
    if (llvm::is_contained(ArrayRef(named).take_front(index), axis))
      return refuse(op, "names axis '" + axis.getValue() + "' twice",
                    "an axis appears once in a group");
  }
  if (groups)
    if (std::string fault = findGroupFault(groups, mesh, false); !fault.empty())
      return refuse(op, "groups " + fault,
                    "groups list distinct ranks of the mesh " +
                        formatMesh(mesh) + ", each rank once");
  return success();
}

LogicalResult coconet::verifyMembers(Operation *op, MeshAttr mesh,
                                     ArrayAttr axes, ArrayAttr groups,
                                     bool bound) {
  if (failed(verifyGroup(op, mesh, axes, groups, bound)))
    return failure();
  return verifyPlain(op);
}

LogicalResult coconet::verifyRankShape(Operation *op,
                                       ArrayRef<int64_t> changed) {
  RankedTensorType from = typeOf(op->getOperand(0));
  RankedTensorType to = typeOf(op->getResult(0));
  if (from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank())
    return op->emitOpError()
           << "result type " << to << " has another element type or rank than "
           << from;
  for (int64_t dim : changed)
    if (dim < 0 || dim >= from.getRank())
      return op->emitOpError()
             << "dimension " << dim
             << " is out of range for an operand of rank " << from.getRank();
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (!llvm::is_contained(changed, dim) &&
        from.getDimSize(dim) != to.getDimSize(dim))
      return op->emitOpError() << "changes the size of dimension " << dim
                               << " from " << formatSize(from.getDimSize(dim))
                               << " to " << formatSize(to.getDimSize(dim));
  return success();
}

/// Numbers of members of the groups of an op, each once.
static llvm::SmallSetVector<int64_t, 2> groupSizes(Operation *op) {
  llvm::SmallSetVector<int64_t, 2> sizes;
  if (auto groups = op->getAttrOfType<ArrayAttr>("groups"))
    for (Attribute group : groups)
      sizes.insert(cast<DenseI64ArrayAttr>(group).size());
  else
    sizes.insert(op->getAttrOfType<MeshAttr>("mesh").sizeOf(
        axisList(op->getAttrOfType<ArrayAttr>("axes"))));
  return sizes;
}

LogicalResult coconet::verifyChunks(Operation *op, int64_t whole,
                                    int64_t chunk) {
  if (ShapedType::isDynamic(whole) || ShapedType::isDynamic(chunk))
    return success();
  for (int64_t parts : groupSizes(op))
    if (whole % parts != 0 || whole / parts != chunk)
      return refuse(
          op,
          "has chunks of " + Twine(chunk) + " of " + Twine(whole) +
              " elements in a group of " + Twine(parts),
          "a static size is divided exactly; leave the size of chunks "
          "open where it is not");
  return success();
}

LogicalResult RankCoordinateOp::verify() {
  return verifyMembers(*this, getMesh(), getAxes(), {});
}

LogicalResult RankAllReduceOp::verify() {
  return verifyRankCollective(*this, {});
}
LogicalResult RankReduceScatterOp::verify() {
  return verifyCut(*this, getDim(), /*cuts=*/true);
}
LogicalResult RankAllGatherOp::verify() {
  return verifyCut(*this, getDim(), /*cuts=*/false);
}
LogicalResult RankAllToAllOp::verify() {
  int64_t from = getFromDim(), into = getIntoDim();
  if (failed(verifyRankCollective(*this, {from, into})))
    return failure();
  if (groupSizes(*this).size() > 1)
    return refuse(*this, "acts on groups of unequal sizes",
                  "its members take and give equal parts; list equal groups");
  RankedTensorType before = typeOf(getOperand()), after = getType();
  if (from == into)
    return success();
  if (failed(
          verifyChunks(*this, after.getDimSize(from), before.getDimSize(from))))
    return failure();
  return verifyChunks(*this, before.getDimSize(into), after.getDimSize(into));
}
LogicalResult RankBroadcastOp::verify() {
  if (failed(verifyRankCollective(*this, {})))
    return failure();
  int64_t size = getGroupsAttr() ? smallestGroup(getGroupsAttr())
                                 : getMesh().sizeOf(getGroupAxes());
  return verifyRoot(*this, getRoot(), size);
}

LogicalResult RankShardOp::verify() {
  if (failed(verifyMembers(*this, getMesh(), getAxes(), {})))
    return failure();
  int64_t dim = getDim();
  if (failed(verifyRankShape(*this, {dim})))
    return failure();
  return verifyChunks(*this, typeOf(getOperand()).getDimSize(dim),
                      getType().getDimSize(dim));
}

LogicalResult RankReshapeOp::verify() {
  if (failed(verifyPlain(*this)))
    return failure();
  RankedTensorType from = typeOf(getOperand()), to = typeOf(getResult());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type from "
                         << from.getElementType() << " to "
                         << to.getElementType() << "; use cast";
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements())
    return emitOpError() << "changes the number of elements from "
                         << from.getNumElements() << " to "
                         << to.getNumElements();
  int64_t open = llvm::count_if(to.getShape(), ShapedType::isDynamic);
  if (open != int64_t(getSizes().size()))
    return emitOpError() << "has " << getSizes().size() << " sizes for " << open
                         << " dynamic dimensions of the result";
  return success();
}

LogicalResult RankDropoutOp::verify() {
  if (failed(verifyPlain(*this)))
    return failure();
  size_t rank = typeOf(getOperand()).getRank();
  if (getOffsets().size() != rank || getStrides().size() != rank)
    return emitOpError() << "needs one offset and one stride for each of the "
                         << rank << " dimensions of the operand";
  return verifyDropout(*this, getRate(), getStream());
}

#define GET_OP_CLASSES
#include "CoCoNetRankOps.cpp.inc"

void CoCoNetDialect::addRankOps() {
  addOperations<
#define GET_OP_LIST
#include "CoCoNetRankOps.cpp.inc"
      >();
}
