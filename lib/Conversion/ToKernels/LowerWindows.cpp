//===- LowerWindows.cpp - convolutions and pooling --------------------------===//
//
// A convolution is a matrix product with patches: the elements that windows
// read, one column a place of a window.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToKernels/LowerNeural.h"
#include "Conversion/ToKernels/ScalarOps.h"
#include "Conversion/ToRank/WindowMath.h"
#include "IR/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

using Sizes = SmallVector<OpFoldResult>;

/// Builds the kernels of one op.
class WindowBuilder {
public:
  WindowBuilder(OpBuilder &b, Operation *op)
      : b(b), op(op), loc(op->getLoc()), m(b, op->getLoc()),
        windows(windowsOf(op)),
        element(typeOf(op->getOperand(0)).getElementType()),
        wide(computeType(element)) {}

  RankedTensorType typeFor(ArrayRef<OpFoldResult> sizes) {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    return RankedTensorType::get(shape, wide);
  }
  Value reshape(Value value, ArrayRef<OpFoldResult> sizes) {
    return reshapeTensor(b, loc, value, typeFor(sizes), sizes);
  }
  Value empty(ArrayRef<OpFoldResult> sizes) {
    return makeEmptyTensor(b, loc, typeFor(sizes), sizes);
  }
  /// Of an element that windows [kh, kw] at places [oh, ow] read.
  Value position(OpBuilder &at, Value place, Value inWindow, unsigned along);
  /// [C, KH, KW, N, OH, OW].
  Value patches(Value input, ArrayRef<OpFoldResult> places);
  /// A copy in type `to` with the first two dimensions exchanged, in `init`.
  Value exchange(Value images, Value init);
  Value product(Value lhs, Value rhs, ArrayRef<OpFoldResult> sizes,
                bool transposeLhs, bool transposeRhs);
  /// For each element of [N, C, H, W] the sum of the patches' elements that
  /// were read from it.
  Value sumPatches(Value patches, ArrayRef<OpFoldResult> sizes,
                   ArrayRef<OpFoldResult> places);
  /// In the op's element type, as its result.
  Value finish(Value value);

  OpBuilder &b;
  Operation *op;
  Location loc;
  IndexMath m;
  std::array<Window, 2> windows;
  Type element, wide;

  Value index(OpBuilder &at, int64_t value) {
    return arith::ConstantIndexOp::create(at, loc, value);
  }
  SmallVector<Value> indices(OpBuilder &at, unsigned count) {
    SmallVector<Value> all;
    for (unsigned d = 0; d < count; ++d)
      all.push_back(linalg::IndexOp::create(at, loc, d));
    return all;
  }
  Value both(OpBuilder &at, Value x, Value y) {
    return arith::AndIOp::create(at, loc, x, y);
  }
};

} // namespace

Value WindowBuilder::position(OpBuilder &at, Value place, Value inWindow,
                              unsigned along) {
  const Window &window = windows[along];
  IndexMath inner(at, loc);
  OpFoldResult start = inner.mul(place, inner.constant(window.stride));
  OpFoldResult step = inner.mul(inWindow, inner.constant(window.dilation));
  return inner.value(
      inner.sub(inner.add(start, step), inner.constant(window.padding)));
}

Value WindowBuilder::patches(Value input, ArrayRef<OpFoldResult> places) {
  Sizes from = m.dims(input);
  Sizes sizes = {from[1],
                 m.constant(windows[0].size),
                 m.constant(windows[1].size),
                 from[0],
                 places[0],
                 places[1]};
  Value init = empty(sizes);
  Value height = m.value(from[2]), width = m.value(from[3]);
  SmallVector<utils::IteratorType> iterators(6, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, TypeRange{init.getType()}, ValueRange{}, ValueRange{init},
             ArrayRef<AffineMap>{b.getMultiDimIdentityMap(6)}, iterators,
             [&](OpBuilder &at, Location, ValueRange) {
               auto i = indices(at, 6);
               Value y = position(at, i[4], i[1], 0);
               Value x = position(at, i[5], i[2], 1);
               Value inside = both(at, isBelow(at, loc, y, height),
                                   isBelow(at, loc, x, width));
               linalg::YieldOp::create(at, loc,
                                       readElement(at, loc, input,
                                                   {i[3], i[0], y, x}, inside,
                                                   wide, at.getZeroAttr(wide)));
             })
      .getResult(0);
}

Value WindowBuilder::exchange(Value images, Value init) {
  Type to = typeOf(init).getElementType();
  AffineMap map = AffineMap::getMultiDimMapWithTargets(
      4, ArrayRef<unsigned>{1, 0, 2, 3}, b.getContext());
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, TypeRange{init.getType()}, ValueRange{images},
             ValueRange{init},
             ArrayRef<AffineMap>{map, b.getMultiDimIdentityMap(4)}, iterators,
             [&](OpBuilder &at, Location, ValueRange elements) {
               linalg::YieldOp::create(at, loc,
                                       castScalar(at, loc, elements[0], to));
             })
      .getResult(0);
}

Value WindowBuilder::product(Value lhs, Value rhs, ArrayRef<OpFoldResult> sizes,
                             bool transposeLhs, bool transposeRhs) {
  auto gemm = GemmOp::create(b, loc, typeFor(sizes), lhs, rhs, empty(sizes),
                             transposeLhs, transposeRhs);
  gemm->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return gemm.getResult();
}

Value WindowBuilder::sumPatches(Value patches, ArrayRef<OpFoldResult> sizes,
                                ArrayRef<OpFoldResult> places) {
  MLIRContext *context = b.getContext();
  // Its elements are not used: it says how large windows are.
  Value window = tensor::EmptyOp::create(
      b, loc, {windows[0].size, windows[1].size}, b.getI8Type());
  Value init = makeFilled(b, loc, empty(sizes), b.getZeroAttr(wide));
  SmallVector<AffineMap> maps = {AffineMap::getMultiDimMapWithTargets(
                                     6, ArrayRef<unsigned>{4, 5}, context),
                                 b.getMultiDimIdentityMap(6).getMajorSubMap(4)};
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  iterators.append(2, utils::IteratorType::reduction);
  Value limits[] = {m.value(places[0]), m.value(places[1])};
  auto body = [&](OpBuilder &at, Location, ValueRange elements) {
    auto i = indices(at, 6);
    Value inside, place[2];
    for (unsigned along = 0; along < 2; ++along) {
      const Window &to = windows[along];
      IndexMath inner(at, loc);
      // Where the window began that read this element at its position i[4 + ..].
      Value start = inner.value(
          inner.sub(inner.add(i[2 + along], inner.constant(to.padding)),
                    inner.mul(i[4 + along], inner.constant(to.dilation))));
      Value stride = index(at, to.stride), zero = index(at, 0);
      place[along] = arith::DivUIOp::create(at, loc, start, stride);
      // A start below 0 is a large one without sign, so check it by itself.
      Value begins = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::sge,
                                           start, zero);
      Value rest = arith::RemUIOp::create(at, loc, start, stride);
      Value exact =
          arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, rest, zero);
      Value fits = both(at, both(at, begins, exact),
                        isBelow(at, loc, place[along], limits[along]));
      inside = inside ? both(at, inside, fits) : fits;
    }
    Value read = readElement(at, loc, patches,
                             {i[1], i[4], i[5], i[0], place[0], place[1]},
                             inside, wide, at.getZeroAttr(wide));
    linalg::YieldOp::create(
        at, loc,
        combineScalars(at, loc, Reduction::sum, elements.back(), read));
  };
  return linalg::GenericOp::create(b, loc, TypeRange{init.getType()},
                                   ValueRange{window}, ValueRange{init}, maps,
                                   iterators, body)
      .getResult(0);
}

Value WindowBuilder::finish(Value value) {
  Value result = op->getResult(0);
  RankedTensorType type = typeOf(result);
  if (wide != element)
    value = castElements(b, loc, value, element);
  if (value.getType() != type)
    value = tensor::CastOp::create(b, loc, type, value);
  return value;
}

namespace {
/// The sizes of a convolution, its channels divided into groups.
struct ConvSizes {
  OpFoldResult images, channels, results, inner, outer, places, window;
  Sizes at;
  int64_t groups;
  IndexMath m;

  ConvSizes(IndexMath m, OpFoldResult images, OpFoldResult channels,
            OpFoldResult results, std::array<Window, 2> windows, Sizes places,
            int64_t groups)
      : images(images), channels(channels), results(results), at(places),
        groups(groups), m(m) {
    inner = m.div(channels, m.constant(groups));
    outer = m.div(results, m.constant(groups));
    window = m.mul(inner, m.constant(windows[0].size * windows[1].size));
    this->places = m.product({images, at[0], at[1]});
  }
  Sizes weight() { return {m.constant(groups), outer, window}; }
  Sizes patches() { return {m.constant(groups), window, places}; }
  Sizes output() { return {m.constant(groups), outer, places}; }
  /// Channels first.
  Sizes exchanged() { return {results, images, at[0], at[1]}; }
};
} // namespace

/// The tensor in the type of computation.
static Value widen(WindowBuilder &build, Value value) {
  if (build.wide == build.element)
    return value;
  return castElements(build.b, build.loc, value, build.wide);
}

Value coconet::lowerConv(OpBuilder &builder, Conv2dOp op) {
  WindowBuilder build(builder, op);
  IndexMath &m = build.m;
  Sizes input = m.dims(op.getInput()), places;
  for (unsigned i = 0; i < 2; ++i)
    places.push_back(countWindows(m, input[2 + i], build.windows[i]));
  ConvSizes sizes(m, input[0], input[1], m.dim(op.getWeight(), 0),
                  build.windows, places, op.getGroups());
  Value patches =
      build.reshape(build.patches(op.getInput(), places), sizes.patches());
  Value weight = build.reshape(widen(build, op.getWeight()), sizes.weight());
  Value product = build.product(weight, patches, sizes.output(), false, false);
  Sizes result = {sizes.images, sizes.results, places[0], places[1]};
  return build.exchange(build.reshape(product, sizes.exchanged()),
                        makeInit(builder, op.getResult(), result));
}

Value coconet::lowerConvWeightGradient(OpBuilder &builder,
                                       Conv2dWeightGradientOp op) {
  WindowBuilder build(builder, op);
  IndexMath &m = build.m;
  Sizes input = m.dims(op.getInput()), output = m.dims(op.getGradient());
  Sizes places = {output[2], output[3]};
  ConvSizes sizes(m, input[0], input[1], output[1], build.windows, places,
                  op.getGroups());
  Value patches =
      build.reshape(build.patches(op.getInput(), places), sizes.patches());
  Value gradient =
      build.exchange(op.getGradient(), build.empty(sizes.exchanged()));
  gradient = build.reshape(gradient, sizes.output());
  Value product = build.product(gradient, patches, sizes.weight(), false, true);
  Sizes result = {sizes.results, sizes.inner, m.constant(build.windows[0].size),
                  m.constant(build.windows[1].size)};
  return build.finish(build.reshape(product, result));
}

Value coconet::lowerConvInputGradient(OpBuilder &builder,
                                      Conv2dInputGradientOp op) {
  WindowBuilder build(builder, op);
  IndexMath &m = build.m;
  Sizes output = m.dims(op.getGradient()), weight = m.dims(op.getWeight());
  Sizes places = {output[2], output[3]};
  OpFoldResult channels = m.mul(weight[1], m.constant(op.getGroups()));
  ConvSizes sizes(m, output[0], channels, output[1], build.windows, places,
                  op.getGroups());
  Value gradient =
      build.exchange(op.getGradient(), build.empty(sizes.exchanged()));
  gradient = build.reshape(gradient, sizes.output());
  Value kernel = build.reshape(widen(build, op.getWeight()), sizes.weight());
  Value product = build.product(kernel, gradient, sizes.patches(), true, false);
  Sizes patches = {channels,  weight[2], weight[3],
                   output[0], places[0], places[1]};
  Sizes result = {output[0], channels, m.constant(op.getSizes()[0]),
                  m.constant(op.getSizes()[1])};
  return build.finish(
      build.sumPatches(build.reshape(product, patches), result, places));
}

Value coconet::lowerPool(OpBuilder &builder, Pool2dOp op) {
  WindowBuilder build(builder, op);
  IndexMath &m = build.m;
  Location loc = op.getLoc();
  MLIRContext *context = builder.getContext();
  Sizes from = m.dims(op.getInput()), sizes = from;
  for (unsigned i = 0; i < 2; ++i)
    sizes[2 + i] = countWindows(m, from[2 + i], build.windows[i]);
  bool mean = op.getKind() == ReduceKind::mean;
  Reduction how = mean ? Reduction::sum : Reduction::max;
  TypedAttr neutral = neutralElement(builder, how, build.wide);
  Value window = tensor::EmptyOp::create(
      builder, loc, {build.windows[0].size, build.windows[1].size},
      builder.getI8Type());
  Value init = makeFilled(builder, loc, build.empty(sizes), neutral);
  Value height = m.value(from[2]), width = m.value(from[3]);
  SmallVector<AffineMap> maps = {
      AffineMap::getMultiDimMapWithTargets(6, ArrayRef<unsigned>{4, 5},
                                           context),
      builder.getMultiDimIdentityMap(6).getMajorSubMap(4)};
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  iterators.append(2, utils::IteratorType::reduction);
  auto body = [&](OpBuilder &at, Location, ValueRange elements) {
    auto i = build.indices(at, 6);
    Value y = build.position(at, i[2], i[4], 0);
    Value x = build.position(at, i[3], i[5], 1);
    Value inside =
        build.both(at, isBelow(at, loc, y, height), isBelow(at, loc, x, width));
    Value read = readElement(at, loc, op.getInput(), {i[0], i[1], y, x}, inside,
                             build.wide, neutral);
    linalg::YieldOp::create(
        at, loc, combineScalars(at, loc, how, elements.back(), read));
  };
  Value pooled =
      linalg::GenericOp::create(builder, loc, TypeRange{init.getType()},
                                ValueRange{window}, ValueRange{init}, maps,
                                iterators, body)
          .getResult(0);
  if (!mean)
    return build.finish(pooled);
  double count = double(build.windows[0].size) * double(build.windows[1].size);
  AffineMap whole = builder.getMultiDimIdentityMap(4);
  iterators.resize(4);
  Value result = op.getResult();
  return linalg::GenericOp::create(
             builder, loc, TypeRange{result.getType()}, ValueRange{pooled},
             ValueRange{makeInit(builder, result, sizes)},
             ArrayRef<AffineMap>{whole, whole}, iterators,
             [&](OpBuilder &at, Location, ValueRange elements) {
               Value divisor = arith::ConstantOp::create(
                   at, loc, at.getFloatAttr(build.wide, count));
               Value quotient =
                   arith::DivFOp::create(at, loc, elements[0], divisor);
               linalg::YieldOp::create(
                   at, loc, castScalar(at, loc, quotient, build.element));
             })
      .getResult(0);
}
