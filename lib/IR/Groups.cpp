//===- Groups.cpp - groups of ranks and cuts --------------------------------===//

#include "IR/Groups.h"
#include "IR/Refusal.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coconet;

std::string coconet::findGroupFault(ArrayAttr groups, MeshAttr mesh,
                                    bool equalSizes) {
  int64_t ranks = mesh.getNumRanks();
  if (ShapedType::isDynamic(ranks))
    return "need a mesh whose sizes are bound";
  if (groups.empty())
    return "are empty";
  llvm::DenseSet<int64_t> seen;
  int64_t size = -1;
  for (Attribute attr : groups) {
    auto group = dyn_cast<DenseI64ArrayAttr>(attr);
    if (!group)
      return "are no lists of ranks";
    if (group.empty())
      return "have an empty list";
    if (equalSizes && size >= 0 && size != group.size())
      return ("have unequal sizes " + Twine(size) + " and " +
              Twine(group.size()) + ", on which the result's shape depends")
          .str();
    size = group.size();
    for (int64_t rank : group.asArrayRef()) {
      if (rank < 0 || rank >= ranks)
        return ("name rank " + Twine(rank) + " of " + Twine(ranks)).str();
      if (!seen.insert(rank).second)
        return ("name rank " + Twine(rank) + " twice").str();
    }
  }
  if (int64_t(seen.size()) != ranks)
    return ("name " + Twine(seen.size()) + " of " + Twine(ranks) + " ranks")
        .str();
  return "";
}

bool coconet::groupsSpanAxis(ArrayAttr groups, MeshAttr mesh, StringAttr axis) {
  int64_t stride = mesh.strideOf(axis.getValue());
  int64_t size = mesh.sizeOf(axis.getValue());
  auto coordinate = [&](int64_t rank) { return rank / stride % size; };
  return llvm::any_of(groups, [&](Attribute attr) {
    ArrayRef<int64_t> group = cast<DenseI64ArrayAttr>(attr).asArrayRef();
    return llvm::any_of(group, [&](int64_t rank) {
      return coordinate(rank) != coordinate(group.front());
    });
  });
}

int64_t coconet::smallestGroup(ArrayAttr groups) {
  int64_t size = std::numeric_limits<int64_t>::max();
  for (Attribute group : groups)
    size = std::min<int64_t>(size, cast<DenseI64ArrayAttr>(group).size());
  return size;
}

LogicalResult coconet::verifyRoot(Operation *op, int64_t root, int64_t size) {
  if (root >= 0 && (ShapedType::isDynamic(size) || root < size))
    return success();
  return refuse(op,
                "root " + Twine(root) + " is no position in a group of " +
                    formatSize(size),
                "a root is a position in the group, from 0");
}

AxisList coconet::concatAxes(ArrayRef<StringAttr> major,
                             ArrayRef<StringAttr> minor) {
  AxisList axes(major);
  axes.append(minor.begin(), minor.end());
  return axes;
}

std::string coconet::findCutFault(const Layout &layout, RankedTensorType type,
                                  std::optional<int64_t> dim,
                                  ArrayRef<StringAttr> axes) {
  bool anyDimCut = llvm::any_of(
      layout.dims, [](const AxisList &list) { return !list.empty(); });
  if (!dim && anyDimCut)
    return "cuts flat what is cut along a dimension";
  if (dim && !layout.flat.empty())
    return "cuts along a dimension what is cut flat";
  const AxisList &list = dim ? layout.dims[*dim] : layout.flat;
  int64_t size = dim ? type.getDimSize(*dim)
                     : (type.hasStaticShape() ? type.getNumElements()
                                              : ShapedType::kDynamic);
  if (!list.empty() &&
      !dividesExactly(size, concatAxes(list, axes), layout.mesh))
    return ("cuts " + Twine(size) + " elements by " + formatAxes(axes) +
            " after " + formatAxes(list) +
            ", which is one flat cut only if it divides exactly")
        .str();
  return "";
}

FailureOr<RankedTensorType> coconet::divideDim(Operation *op,
                                               RankedTensorType type,
                                               int64_t dim, int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape[dim])) {
    if (shape[dim] % parts != 0)
      return refuse(op,
                    "splits " + Twine(shape[dim]) + " elements of dimension " +
                        Twine(dim) + " among " + Twine(parts) + " members",
                    "local values are split evenly; pad them, or cut along "
                    "axes of the mesh");
    shape[dim] /= parts;
  }
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}

FailureOr<RankedTensorType> coconet::multiplyDim(Operation *op,
                                                 RankedTensorType type,
                                                 int64_t dim, int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape[dim]) &&
      llvm::MulOverflow(shape[dim], parts, shape[dim]))
    return refuse(op,
                  "joins " + Twine(parts) + " blocks of dimension " +
                      Twine(dim) + " to more than 2^63 - 1 elements",
                  "name smaller groups");
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}
