//===- ShapeOps.cpp - shape ops, norm and softmax ---------------------------===//

#include "IR/Layout.h"
#include "IR/Refusal.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static std::string formatType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The op needs whole elements: refuse a pending operand.
static LogicalResult refusePartial(std::optional<Location> location,
                                   StringRef opName, const Layout &layout) {
  if (layout.partial.empty())
    return success();
  auto [axis, kind] = layout.partial.front();
  return refuse(location, opName,
                "operand 0 is a pending " + stringifyReduction(kind) +
                    " along axis '" + axis.getValue() + "'",
                "all_reduce operand 0 first");
}

static LogicalResult refuseFlat(std::optional<Location> location,
                                StringRef opName, const Layout &layout) {
  if (layout.flat.empty())
    return success();
  return refuse(location, opName,
                "operand is cut flat by " + formatAxes(layout.flat),
                "all_gather it first; only pointwise ops take flat slices");
}

//===----------------------------------------------------------------------===//
// norm and softmax
//===----------------------------------------------------------------------===//

LogicalResult NormOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Layout layout = Layout::of(adaptor.getOperand());
  if (failed(refusePartial(location, getOperationName(), layout)))
    return failure();
  layout.dims.clear();
  layout.flat.clear();
  types.push_back(layout.apply(RankedTensorType::get(
      {}, typeOf(adaptor.getOperand()).getElementType())));
  return success();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType type = typeOf(adaptor.getOperand());
  Layout layout = Layout::of(type);
  if (failed(refusePartial(location, getOperationName(), layout)) ||
      failed(refuseFlat(location, getOperationName(), layout)))
    return failure();
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= type.getRank())
    return emitOptionalError(location, "dimension ", dim,
                             " is out of range for an operand of rank ",
                             type.getRank());
  types.push_back(type);
  return success();
}

//===----------------------------------------------------------------------===//
// transpose, slice, concat
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType type = typeOf(adaptor.getOperand());
  Layout layout = Layout::of(type);
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, type.getRank())))
    return emitOptionalError(location, "[", permutation,
                             "] is no permutation of the ", type.getRank(),
                             " dimensions of the operand");
  if (failed(refuseFlat(location, getOperationName(), layout)))
    return failure();
  SmallVector<int64_t> shape;
  Layout result = layout;
  for (auto [to, from] : llvm::enumerate(permutation)) {
    shape.push_back(type.getDimSize(from));
    result.dims[to] = layout.dims[from];
  }
  types.push_back(
      result.apply(RankedTensorType::get(shape, type.getElementType())));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType type = typeOf(adaptor.getOperand());
  Layout layout = Layout::of(type);
  int64_t rank = type.getRank();
  ArrayRef<int64_t> offsets = adaptor.getOffsets(), sizes = adaptor.getSizes(),
                    strides = adaptor.getStrides();
  if (int64_t(offsets.size()) != rank || int64_t(sizes.size()) != rank ||
      int64_t(strides.size()) != rank)
    return emitOptionalError(location,
                             "needs one offset, size and stride for "
                             "each of the ",
                             rank, " dimensions of the operand");
  if (failed(refuseFlat(location, getOperationName(), layout)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = type.getDimSize(dim);
    if (sizes[dim] == -1 && offsets[dim] == 0 && strides[dim] == 1) {
      shape.push_back(size);
      continue;
    }
    if (!layout.dims[dim].empty())
      return refuse(location, getOperationName(),
                    "slices dimension " + Twine(dim) + ", which is cut by " +
                        formatAxes(layout.dims[dim]),
                    "all_gather it first");
    if (offsets[dim] < 0 || sizes[dim] < 0 || strides[dim] < 1)
      return emitOptionalError(location, "offset ", offsets[dim], ", size ",
                               sizes[dim], ", stride ", strides[dim],
                               " along dimension ", dim,
                               "; offset and size are at least 0, the stride "
                               "at least 1, or all of them 0, -1, 1");
    int64_t last, end;
    bool overflow = llvm::MulOverflow(std::max<int64_t>(sizes[dim] - 1, 0),
                                      strides[dim], last) ||
                    llvm::AddOverflow(last, offsets[dim], end);
    if (overflow || (!ShapedType::isDynamic(size) &&
                     (sizes[dim] ? end >= size : offsets[dim] > size)))
      return emitOptionalError(location, "slice leaves dimension ", dim,
                               " of size ", size);
    shape.push_back(sizes[dim]);
  }
  types.push_back(
      layout.apply(RankedTensorType::get(shape, type.getElementType())));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getOperands().empty())
    return emitOptionalError(location, "concatenates at least one tensor");
  RankedTensorType first = typeOf(adaptor.getOperands()[0]);
  Layout layout = Layout::of(first);
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(location, "dimension ", dim,
                             " is out of range for operands of rank ",
                             first.getRank());
  if (failed(refuseFlat(location, getOperationName(), layout)))
    return failure();
  if (!layout.dims[dim].empty())
    return refuse(location, getOperationName(),
                  "concatenates along dimension " + Twine(dim) +
                      ", which is cut by " + formatAxes(layout.dims[dim]),
                  "all_gather the operands first");
  SmallVector<int64_t> shape(first.getShape());
  for (Value operand : adaptor.getOperands().drop_front()) {
    RankedTensorType type = typeOf(operand);
    if (type.getElementType() != first.getElementType() ||
        type.getRank() != first.getRank())
      return emitOptionalError(location, "operands of types ", first, " and ",
                               type, "; they have one element type and rank");
    if (type.getEncoding() != first.getEncoding())
      return refuse(location, getOperationName(),
                    "operands have different layouts: '" + formatType(first) +
                        "' and '" + formatType(type) + "'",
                    "bring the operands to one layout");
    for (auto [d, size] : llvm::enumerate(type.getShape())) {
      if (int64_t(d) == dim)
        continue;
      if (ShapedType::isDynamic(shape[d]))
        shape[d] = size;
      else if (!ShapedType::isDynamic(size) && size != shape[d])
        return emitOptionalError(location, "sizes ", shape[d], " and ", size,
                                 " along dimension ", d, " differ");
    }
  }
  for (Value operand : adaptor.getOperands().drop_front()) {
    int64_t size = typeOf(operand).getDimSize(dim);
    if (ShapedType::isDynamic(shape[dim]) || ShapedType::isDynamic(size))
      shape[dim] = ShapedType::kDynamic;
    else if (llvm::AddOverflow(shape[dim], size, shape[dim]))
      return emitOptionalError(
          location, "dimension ", dim,
          " of the result has more than 2^63 - 1 elements");
  }
  types.push_back(
      layout.apply(RankedTensorType::get(shape, first.getElementType())));
  return success();
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

namespace {
/// A run of operand dimensions and the run of result dimensions that hold the
/// same elements.
struct DimGroup {
  enum Match { Equal, Open, Unequal };
  SmallVector<int64_t> from, to;
  /// How the products of the sizes compare; Open: one open size on each side.
  Match match = Equal;
};
} // namespace

/// Match dimensions from the left by equal products; the last group takes what
/// remains. Dynamic dimensions match one to one while the sizes before agree.
static SmallVector<DimGroup> matchDims(ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to) {
  SmallVector<DimGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    DimGroup group;
    int64_t a = from[i], b = to[j];
    group.from.push_back(i++);
    group.to.push_back(j++);
    while (a != b) {
      bool growFrom = a < b;
      bool done = growFrom ? i == from.size() : j == to.size();
      int64_t next = done ? 0 : (growFrom ? from[i] : to[j]);
      int64_t &product = growFrom ? a : b;
      // Nothing more can be matched: all that remains is one group.
      if (done || ShapedType::isDynamic(a) || ShapedType::isDynamic(b) ||
          ShapedType::isDynamic(next) ||
          llvm::MulOverflow(product, next, product)) {
        while (i < from.size())
          group.from.push_back(i++);
        while (j < to.size())
          group.to.push_back(j++);
        group.match = DimGroup::Unequal;
        break;
      }
      if (growFrom)
        group.from.push_back(i++);
      else
        group.to.push_back(j++);
    }
    if (group.match == DimGroup::Equal && ShapedType::isDynamic(a))
      group.match = DimGroup::Open;
    groups.push_back(group);
  }
  DimGroup rest;
  auto add = [&](SmallVector<int64_t> &side, size_t dim, int64_t size) {
    side.push_back(dim);
    if (size != 1)
      rest.match = DimGroup::Unequal;
  };
  for (; i < from.size(); ++i)
    add(rest.from, i, from[i]);
  for (; j < to.size(); ++j)
    add(rest.to, j, to[j]);
  if (!rest.from.empty() || !rest.to.empty())
    groups.push_back(rest);
  return groups;
}

/// Number of leading groups whose sides hold the same elements for sure. One
/// group that sizes do not decide follows from the others; several open pairs
/// are equal one by one, but not beside unequal groups.
static size_t countSure(ArrayRef<DimGroup> groups) {
  auto undecided = [](const DimGroup &group) {
    return group.match != DimGroup::Equal;
  };
  auto unequal = [](const DimGroup &group) {
    return group.match == DimGroup::Unequal;
  };
  if (llvm::count_if(groups, undecided) <= 1 || llvm::none_of(groups, unequal))
    return groups.size();
  return llvm::find_if(groups, undecided) - groups.begin();
}

/// Whether the op has the result type that its operand gives.
template <typename OpTy> static LogicalResult verifyResultType(OpTy op) {
  FailureOr<RankedTensorType> expected = op.inferType();
  if (failed(expected))
    return failure();
  RankedTensorType actual = typeOf(op.getResult());
  if (*expected != actual)
    return refuse(op, "has result type '" + formatType(actual) + "'",
                  "the operand gives '" + formatType(*expected) + "'");
  return success();
}

/// Dimensions of more or less than one element.
static SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> dims,
                                         ArrayRef<int64_t> shape) {
  return llvm::filter_to_vector(dims,
                                [&](int64_t dim) { return shape[dim] != 1; });
}

/// Layout of the reshaped value; failure, with a message, where a cut moves.
static FailureOr<Layout> reshapeLayout(ReshapeOp op) {
  RankedTensorType from = typeOf(op.getOperand());
  RankedTensorType to = typeOf(op.getResult());
  Layout layout = Layout::of(from);
  Layout result = layout;
  result.dims.assign(to.getRank(), {});
  if (!layout.flat.empty()) // The flattening is the same on both sides.
    return result;
  SmallVector<DimGroup> groups = matchDims(from.getShape(), to.getShape());
  size_t sure = countSure(groups);
  for (auto [position, group] : llvm::enumerate(groups)) {
    auto ones = withoutUnits(group.from, from.getShape());
    auto others = withoutUnits(group.to, to.getShape());
    for (auto [index, dim] : llvm::enumerate(group.from)) {
      const AxisList &axes = layout.dims[dim];
      if (axes.empty())
        continue;
      bool whole = group.from.size() == 1 && group.to.size() == 1;
      int64_t target = group.to.empty() ? -1 : group.to.front();
      // A dimension between others of one element stays as it is.
      if (ArrayRef(ones) == ArrayRef<int64_t>(dim) && others.size() == 1) {
        whole = true;
        target = others.front();
      }
      bool outermost =
          index == 0 && target >= 0 &&
          dividesExactly(from.getDimSize(dim), axes, layout.mesh) &&
          !ShapedType::isDynamic(from.getDimSize(dim)) &&
          dividesExactly(to.getDimSize(target), axes, layout.mesh) &&
          !ShapedType::isDynamic(to.getDimSize(target));
      if (position >= sure || (!whole && !outermost)) {
        refuse(op,
               "moves the boundaries of dimension " + Twine(dim) +
                   ", which is cut by " + formatAxes(axes),
               "all_gather it first; a cut dimension stays as it is, or is "
               "outermost and divides exactly");
        return failure();
      }
      result.dims[target] = axes;
    }
  }
  return result;
}

FailureOr<RankedTensorType> ReshapeOp::inferType() {
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
  if (open > 1 && llvm::any_of(matchDims(from.getShape(), to.getShape()),
                               [](const DimGroup &group) {
                                 return group.match == DimGroup::Unequal;
                               }))
    return emitOpError() << "leaves " << open
                         << " sizes open; at most one can be computed from the "
                            "number of elements";
  FailureOr<Layout> layout = reshapeLayout(*this);
  if (failed(layout))
    return failure();
  return layout->apply(to);
}

LogicalResult ReshapeOp::verify() { return verifyResultType(*this); }

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getOperand().getType() == getResult().getType() &&
                 typeOf(getResult()).hasStaticShape()
             ? getOperand()
             : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// broadcast_to, constant, iota
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType> BroadcastToOp::inferType() {
  RankedTensorType from = typeOf(getOperand()), to = typeOf(getResult());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type from "
                         << from.getElementType() << " to "
                         << to.getElementType() << "; use cast";
  int64_t offset = to.getRank() - from.getRank();
  if (offset < 0)
    return emitOpError() << "result of rank " << to.getRank()
                         << " is smaller than the operand of rank "
                         << from.getRank();
  Layout layout = Layout::of(from);
  if (failed(refuseFlat(getLoc(), getOperationName(), layout)))
    return failure();
  Layout expected = layout;
  expected.dims.assign(to.getRank(), {});
  for (int64_t dim = 0; dim < to.getRank(); ++dim) {
    int64_t size = to.getDimSize(dim);
    int64_t source = dim < offset ? 1 : from.getDimSize(dim - offset);
    if (source != size && source != 1)
      return emitOpError() << "size " << formatSize(source)
                           << " does not broadcast to size " << formatSize(size)
                           << " of dimension " << dim;
    if (source == 1 && ShapedType::isDynamic(size))
      return emitOpError()
             << "dimension " << dim
             << " is dynamic in the result and not in the operand";
    if (dim < offset || layout.dims[dim - offset].empty())
      continue;
    if (source != size)
      return refuse(*this,
                    "repeats dimension " + Twine(dim - offset) +
                        ", which is cut by " +
                        formatAxes(layout.dims[dim - offset]),
                    "all_gather it first");
    expected.dims[dim] = layout.dims[dim - offset];
  }
  return expected.apply(to);
}

LogicalResult BroadcastToOp::verify() { return verifyResultType(*this); }

OpFoldResult BroadcastToOp::fold(FoldAdaptor) {
  return getOperand().getType() == getResult().getType() ? getOperand()
                                                         : OpFoldResult();
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  if (!type || type.getEncoding())
    return emitOptionalError(location,
                             "a constant is a replicated tensor, got type ",
                             adaptor.getValue().getType(), "; shard it after");
  types.push_back(type);
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  RankedTensorType type = typeOf(getResult());
  if (!type.hasStaticShape() || type.getEncoding())
    return emitOpError() << "has result type " << type
                         << "; it is static and replicated, shard it after";
  if (static_cast<int64_t>(getDim()) < 0 ||
      static_cast<int64_t>(getDim()) >= type.getRank())
    return emitOpError() << "dimension " << static_cast<int64_t>(getDim())
                         << " is out of range for a result of rank "
                         << type.getRank();
  return success();
}
