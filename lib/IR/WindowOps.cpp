//===- WindowOps.cpp - convolutions, pooling and padding --------------------===//
//
// Along a dimension that windows read, operand and result have iterators of
// their own: the former counts as reduced, so it is never cut.
//
//===----------------------------------------------------------------------===//

#include "IR/Layout.h"
#include "IR/NeuralOps.h"
#include "IR/Refusal.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

int64_t Window::count(int64_t extent) const {
  if (ShapedType::isDynamic(extent))
    return extent;
  __int128 room = __int128(extent) + 2 * __int128(padding) - span();
  return room < 0 ? 0 : int64_t(room / stride + 1);
}

std::array<Window, 2> coconet::windowsOf(Operation *op) {
  auto list = [&](StringRef name) -> ArrayRef<int64_t> {
    auto found = dyn_cast_or_null<DenseI64ArrayAttr>(
        op->getInherentAttr(name).value_or(Attribute()));
    return found ? found.asArrayRef() : ArrayRef<int64_t>();
  };
  ArrayRef<int64_t> sizes = list("window");
  if (isa<Conv2dWeightGradientOp>(op))
    sizes = list("sizes");
  else if (!isa<Pool2dOp>(op))
    sizes = typeOf(op->getOperand(1)).getShape().take_back(2);
  ArrayRef<int64_t> dilations = list("dilations");
  std::array<Window, 2> windows;
  for (unsigned i = 0; i < 2; ++i)
    windows[i] = {sizes[i], list("strides")[i], list("padding")[i],
                  dilations.empty() ? 1 : dilations[i]};
  return windows;
}

namespace {

/// Puts together the iteration of one op.
class WindowIteration {
public:
  WindowIteration(StringRef opName, std::optional<Location> location)
      : opName(opName), location(location) {}

  unsigned add(utils::IteratorType kind,
               int64_t extent = ShapedType::kDynamic) {
    iteration.iterators.push_back(kind);
    iteration.extents.push_back(extent);
    return iteration.extents.size() - 1;
  }
  unsigned parallel(int64_t extent = ShapedType::kDynamic) {
    return add(utils::IteratorType::parallel, extent);
  }
  unsigned reduced(int64_t extent = ShapedType::kDynamic) {
    return add(utils::IteratorType::reduction, extent);
  }
  /// Sizes of dimensions read along one iterator agree.
  LogicalResult read(Value operand, ArrayRef<unsigned> iterators);
  /// Lists of two entries that are at least `least` and below 2^31.
  LogicalResult checkPair(StringRef what, ArrayRef<int64_t> entries,
                          int64_t least);
  LogicalResult checkImages(ValueRange operands);
  /// Refuse a cut of these dimensions.
  LogicalResult refuseCut(Value operand, ArrayRef<unsigned> dims,
                          StringRef reason);

  FailureOr<Iteration> finish(ArrayRef<unsigned> result, Type element);

  Iteration iteration;
  StringRef opName;
  std::optional<Location> location;

private:
  SmallVector<SmallVector<unsigned>> maps;
};

} // namespace

LogicalResult WindowIteration::read(Value operand,
                                    ArrayRef<unsigned> iterators) {
  for (auto [size, iterator] :
       llvm::zip(typeOf(operand).getShape(), iterators)) {
    int64_t &extent = iteration.extents[iterator];
    if (ShapedType::isDynamic(extent))
      extent = size;
    else if (!ShapedType::isDynamic(size) && size != extent)
      return emitOptionalError(location, "operand ", maps.size(), " of type ",
                               operand.getType(), " has size ", size,
                               " where the others have ", extent);
  }
  maps.emplace_back(iterators);
  return success();
}

LogicalResult WindowIteration::checkPair(StringRef what,
                                         ArrayRef<int64_t> entries,
                                         int64_t least) {
  bool good = entries.size() == 2;
  for (int64_t entry : entries)
    good &= entry >= least && entry < (int64_t(1) << 31);
  if (good)
    return success();
  return emitOptionalError(location, what, " [", entries,
                           "]; two numbers, for height and width, of at least ",
                           least, " and below 2^31");
}

LogicalResult WindowIteration::checkImages(ValueRange operands) {
  Type element = typeOf(operands.front()).getElementType();
  for (Value operand : operands) {
    RankedTensorType type = typeOf(operand);
    if (type.getRank() != 4)
      return emitOptionalError(location, "operand of type ", type,
                               "; images and weights have four dimensions");
    if (type.getElementType() != element)
      return emitOptionalError(location, "element types ", element, " and ",
                               type.getElementType(),
                               " differ; cast one to the other");
  }
  return success();
}

LogicalResult WindowIteration::refuseCut(Value operand, ArrayRef<unsigned> dims,
                                         StringRef reason) {
  Layout layout = Layout::of(operand);
  for (unsigned dim : dims)
    if (!layout.dims[dim].empty())
      return refuse(location, opName,
                    reason + " dimension " + Twine(dim) + " of operand " +
                        Twine(maps.size()) + ", which is cut by " +
                        formatAxes(layout.dims[dim]),
                    "all_gather it first, or all_to_all the cut to another "
                    "dimension");
  return success();
}

FailureOr<Iteration> WindowIteration::finish(ArrayRef<unsigned> result,
                                             Type element) {
  MLIRContext *context = element.getContext();
  unsigned count = iteration.extents.size();
  for (ArrayRef<unsigned> map : maps)
    iteration.operandMaps.push_back(
        AffineMap::getMultiDimMapWithTargets(count, map, context));
  iteration.resultMap =
      AffineMap::getMultiDimMapWithTargets(count, result, context);
  iteration.elementType = element;
  return iteration;
}

//===----------------------------------------------------------------------===//
// conv2d and its gradients
//===----------------------------------------------------------------------===//

namespace {
/// Two of the three tensors that a convolution relates; the result is null.
struct ConvTensors {
  Value input, output, weight;
};

struct ConvAttributes {
  ArrayRef<int64_t> strides, padding, dilations, sizes;
  int64_t groups;
};

class ConvIteration : WindowIteration {
public:
  ConvIteration(StringRef opName, std::optional<Location> location,
                ConvTensors tensors, ConvAttributes attributes)
      : WindowIteration(opName, location), tensors(tensors),
        attributes(attributes) {}

  FailureOr<Iteration> build();

private:
  LogicalResult checkAttributes();
  void addIterators();
  LogicalResult checkGroups();
  LogicalResult fitWindows();

  ConvTensors tensors;
  ConvAttributes attributes;
  unsigned n, c, h, w, o, inner, kh, kw, oh, ow;
};
} // namespace

LogicalResult ConvIteration::checkAttributes() {
  if (failed(checkPair("strides", attributes.strides, 1)) ||
      failed(checkPair("padding", attributes.padding, 0)) ||
      failed(checkPair("dilations", attributes.dilations, 1)))
    return failure();
  if (tensors.output && tensors.weight &&
      failed(checkPair("sizes of the input", attributes.sizes, 0)))
    return failure();
  if (tensors.output && tensors.input &&
      failed(checkPair("sizes of the weight", attributes.sizes, 1)))
    return failure();
  if (attributes.groups < 1)
    return emitOptionalError(location, "has ", attributes.groups,
                             " groups; their number is at least 1");
  if (!tensors.weight)
    return success();
  for (int64_t size : typeOf(tensors.weight).getShape().take_back(2))
    if (ShapedType::isDynamic(size) || size < 1 || size >= (int64_t(1) << 31))
      return emitOptionalError(location, "windows have size ", formatSize(size),
                               "; it is known, at least 1 and below 2^31");
  return success();
}

void ConvIteration::addIterators() {
  auto one = [&](bool inResult) { return inResult ? parallel() : reduced(); };
  bool givesInput = !tensors.input, givesOutput = !tensors.output,
       givesWeight = !tensors.weight;
  n = one(givesInput || givesOutput);
  o = one(givesWeight || givesOutput);
  if (attributes.groups == 1) {
    c = inner = one(givesInput || givesWeight);
  } else {
    c = one(givesInput);
    inner = one(givesWeight);
  }
  h = one(givesInput);
  w = one(givesInput);
  kh = one(givesWeight);
  kw = one(givesWeight);
  oh = one(givesOutput);
  ow = one(givesOutput);
}

/// With groups, channels have known numbers; those that no operand tells follow.
LogicalResult ConvIteration::checkGroups() {
  int64_t groups = attributes.groups;
  if (groups == 1)
    return success();
  SmallVectorImpl<int64_t> &extents = iteration.extents;
  if (!tensors.input && !ShapedType::isDynamic(extents[inner]))
    extents[c] = extents[inner] * groups;
  if (!tensors.weight && !ShapedType::isDynamic(extents[c]))
    extents[inner] = extents[c] / groups;
  bool known = !ShapedType::isDynamic(extents[c]) &&
               !ShapedType::isDynamic(extents[inner]) &&
               !ShapedType::isDynamic(extents[o]);
  if (!known || extents[c] != extents[inner] * groups ||
      extents[o] % groups != 0)
    return emitOptionalError(location, "divides ", formatSize(extents[c]),
                             " channels into ", groups, " groups of ",
                             formatSize(extents[inner]), ", for ",
                             formatSize(extents[o]),
                             " results; with groups these are known and match");
  return success();
}

/// Numbers of windows agree with the sizes of input and weight.
LogicalResult ConvIteration::fitWindows() {
  SmallVectorImpl<int64_t> &extents = iteration.extents;
  unsigned whole[] = {h, w}, window[] = {kh, kw}, places[] = {oh, ow};
  for (unsigned i = 0; i < 2; ++i) {
    if (!tensors.input)
      extents[whole[i]] = attributes.sizes[i];
    if (!tensors.weight)
      extents[window[i]] = attributes.sizes[i];
    Window along = {extents[window[i]], attributes.strides[i],
                    attributes.padding[i], attributes.dilations[i]};
    int64_t count = along.count(extents[whole[i]]);
    int64_t &given = extents[places[i]];
    if (!ShapedType::isDynamic(given) && !ShapedType::isDynamic(count) &&
        given != count)
      return emitOptionalError(location, "gradient has ", given,
                               " elements along dimension ", i + 2,
                               " where windows have ", count, " places");
    if (ShapedType::isDynamic(given))
      given = count;
  }
  return success();
}

FailureOr<Iteration> ConvIteration::build() {
  SmallVector<Value> operands;
  for (Value operand : {tensors.input, tensors.output, tensors.weight})
    if (operand)
      operands.push_back(operand);
  if (failed(checkImages(operands)) || failed(checkAttributes()))
    return failure();
  addIterators();
  iteration.combining = Reduction::sum;
  SmallVector<unsigned> input = {n, c, h, w}, output = {n, o, oh, ow},
                        weight = {o, inner, kh, kw};
  for (auto [operand, iterators] :
       {std::pair(tensors.input, input), std::pair(tensors.output, output),
        std::pair(tensors.weight, weight)}) {
    if (!operand)
      continue;
    if (failed(refuseCut(operand, {2, 3}, "windows read across")))
      return failure();
    // Chunks of channels are no groups.
    SmallVector<unsigned> channels = {1};
    if (operand == tensors.weight)
      channels = {0, 1};
    if (attributes.groups > 1 &&
        failed(refuseCut(operand, channels, "groups are made of")))
      return failure();
    if (failed(read(operand, iterators)))
      return failure();
  }
  if (failed(checkGroups()) || failed(fitWindows()))
    return failure();
  return finish(!tensors.input    ? input
                : !tensors.output ? output
                                  : weight,
                typeOf(operands.front()).getElementType());
}

FailureOr<Iteration>
Conv2dOp::buildIteration(Adaptor adaptor, std::optional<Location> location) {
  return ConvIteration(getOperationName(), location,
                       {adaptor.getInput(), {}, adaptor.getWeight()},
                       {adaptor.getStrides(),
                        adaptor.getPadding(),
                        adaptor.getDilations(),
                        {},
                        int64_t(adaptor.getGroups())})
      .build();
}

FailureOr<Iteration>
Conv2dInputGradientOp::buildIteration(Adaptor adaptor,
                                      std::optional<Location> location) {
  return ConvIteration(getOperationName(), location,
                       {{}, adaptor.getGradient(), adaptor.getWeight()},
                       {adaptor.getStrides(), adaptor.getPadding(),
                        adaptor.getDilations(), adaptor.getSizes(),
                        int64_t(adaptor.getGroups())})
      .build();
}

FailureOr<Iteration>
Conv2dWeightGradientOp::buildIteration(Adaptor adaptor,
                                       std::optional<Location> location) {
  return ConvIteration(getOperationName(), location,
                       {adaptor.getInput(), adaptor.getGradient(), {}},
                       {adaptor.getStrides(), adaptor.getPadding(),
                        adaptor.getDilations(), adaptor.getSizes(),
                        int64_t(adaptor.getGroups())})
      .build();
}

Linearity Conv2dOp::linearityOf(Adaptor) { return Linearity::Product; }
Linearity Conv2dInputGradientOp::linearityOf(Adaptor) {
  return Linearity::Product;
}
Linearity Conv2dWeightGradientOp::linearityOf(Adaptor) {
  return Linearity::Product;
}

//===----------------------------------------------------------------------===//
// pool2d and pad
//===----------------------------------------------------------------------===//

FailureOr<Iteration>
Pool2dOp::buildIteration(Adaptor adaptor, std::optional<Location> location) {
  WindowIteration build(getOperationName(), location);
  RankedTensorType type = typeOf(adaptor.getInput());
  ReduceKind kind = adaptor.getKind();
  bool floats = isa<FloatType>(type.getElementType());
  if (kind != ReduceKind::max && (kind != ReduceKind::mean || !floats))
    return emitOptionalError(location, "pools ", type.getElementType(), " by ",
                             stringifyReduceKind(kind),
                             "; the kinds are max, and mean of floats");
  if (failed(build.checkImages(adaptor.getOperands())) ||
      failed(build.checkPair("window", adaptor.getWindow(), 1)) ||
      failed(build.checkPair("strides", adaptor.getStrides(), 1)) ||
      failed(build.checkPair("padding", adaptor.getPadding(), 0)))
    return failure();
  for (auto [size, padding] :
       llvm::zip(adaptor.getWindow(), adaptor.getPadding()))
    if (padding >= size)
      return emitOptionalError(location, "pads by ", padding,
                               " for a window of ", size,
                               "; padding is smaller than the window");
  if (failed(
          build.refuseCut(adaptor.getInput(), {2, 3}, "windows read across")))
    return failure();
  unsigned n = build.parallel(), c = build.parallel(), h = build.reduced(),
           w = build.reduced();
  if (failed(build.read(adaptor.getInput(), {n, c, h, w})))
    return failure();
  SmallVector<unsigned> result = {n, c};
  for (unsigned i = 0; i < 2; ++i) {
    Window along = {adaptor.getWindow()[i], adaptor.getStrides()[i],
                    adaptor.getPadding()[i], 1};
    result.push_back(build.parallel(along.count(type.getDimSize(2 + i))));
  }
  build.iteration.combining =
      kind == ReduceKind::max ? Reduction::max : Reduction::sum;
  return build.finish(result, type.getElementType());
}

Linearity Pool2dOp::linearityOf(Adaptor) { return Linearity::Reduce; }

/// Whether an element of the type has the value.
static bool holds(Type element, double value) {
  if (isa<FloatType>(element))
    return true;
  APSInt whole(element.getIntOrFloatBitWidth(), /*isUnsigned=*/false);
  bool exact = false;
  return APFloat(value).convertToInteger(whole, APFloat::rmTowardZero,
                                         &exact) == APFloat::opOK &&
         exact;
}

FailureOr<Iteration> PadOp::buildIteration(Adaptor adaptor,
                                           std::optional<Location> location) {
  WindowIteration build(getOperationName(), location);
  RankedTensorType type = typeOf(adaptor.getOperand());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  bool good =
      int64_t(low.size()) == type.getRank() && low.size() == high.size();
  for (int64_t amount : llvm::concat<const int64_t>(low, high))
    good &= amount >= 0 && amount < (int64_t(1) << 31);
  if (!good)
    return emitOptionalError(location, "pads by [", low, "] and [", high,
                             "]; two numbers of at least 0 and below 2^31 for "
                             "each of ",
                             type.getRank(), " dimensions");
  double value = adaptor.getValue().convertToDouble();
  if (!holds(type.getElementType(), value))
    return emitOptionalError(location, "pads ", type.getElementType(),
                             " values with ", value,
                             "; it is a value of the type");
  SmallVector<unsigned> source, result;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    int64_t added = low[dim] + high[dim], padded = size;
    if (added == 0) {
      source.push_back(build.parallel(size));
      result.push_back(source.back());
      continue;
    }
    if (failed(build.refuseCut(adaptor.getOperand(), {unsigned(dim)}, "pads")))
      return failure();
    if (!ShapedType::isDynamic(size) && llvm::AddOverflow(size, added, padded))
      return emitOptionalError(location, "dimension ", dim,
                               " of the result has more than 2^63 - 1 "
                               "elements");
    source.push_back(build.reduced(size));
    result.push_back(build.parallel(padded));
  }
  if (failed(build.read(adaptor.getOperand(), source)))
    return failure();
  return build.finish(result, type.getElementType());
}

Linearity PadOp::linearityOf(Adaptor adaptor) {
  return adaptor.getValue().isZero() ? Linearity::First : Linearity::None;
}
