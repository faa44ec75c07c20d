//===- LowerNeural.cpp - access by index, and padding -----------------------===//

#include "Conversion/ToKernels/LowerNeural.h"
#include "Conversion/ToKernels/ScalarOps.h"
#include "IR/NeuralOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value coconet::makeEmptyTensor(OpBuilder &builder, Location loc,
                               RankedTensorType type,
                               ArrayRef<OpFoldResult> sizes) {
  IndexMath m(builder, loc);
  SmallVector<Value> open;
  for (auto [extent, size] : llvm::zip(type.getShape(), sizes))
    if (ShapedType::isDynamic(extent))
      open.push_back(m.value(size));
  return tensor::EmptyOp::create(builder, loc, type, open);
}

Value coconet::makeFilled(OpBuilder &builder, Location loc, Value init,
                          TypedAttr value) {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return linalg::FillOp::create(builder, loc, ValueRange{scalar},
                                ValueRange{init})
      .getResult(0);
}

Value coconet::readElement(OpBuilder &b, Location loc, Value tensor,
                           ValueRange position, Value inside, Type wide,
                           TypedAttr otherwise) {
  auto choice = scf::IfOp::create(b, loc, TypeRange{wide}, inside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value element = tensor::ExtractOp::create(b, loc, tensor, position);
  scf::YieldOp::create(b, loc, castScalar(b, loc, element, wide));
  b.setInsertionPointToStart(choice.elseBlock());
  Value other = arith::ConstantOp::create(b, loc, otherwise);
  scf::YieldOp::create(b, loc, other);
  return choice.getResult(0);
}

Value coconet::isBelow(OpBuilder &b, Location loc, Value index, Value limit) {
  // A negative index is a large one without sign.
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, limit);
}

/// A kernel of the shape of the result that reads `source` where `indices`, of
/// the result's leading dimensions, point; zero where they point outside of
/// dimension `dim`. `place` gives the position from that of the result.
static Value
gather(OpBuilder &builder, Operation *op, Value source, Value indices,
       int64_t dim, ArrayRef<OpFoldResult> sizes,
       function_ref<SmallVector<Value>(SmallVector<Value>, Value)> place) {
  Location loc = op->getLoc();
  IndexMath m(builder, loc);
  Value result = op->getResult(0);
  RankedTensorType type = typeOf(result);
  Value limit = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                           m.value(m.dim(source, dim)));
  unsigned rank = type.getRank();
  AffineMap whole = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps = {
      whole.getMajorSubMap(typeOf(indices).getRank()), whole};
  if (typeOf(indices).getRank() == 0)
    maps[0] = AffineMap::get(rank, 0, {}, builder.getContext());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Type element = type.getElementType();
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type}, ValueRange{indices},
             ValueRange{makeInit(builder, result, sizes)}, maps, iterators,
             [&](OpBuilder &b, Location inner, ValueRange elements) {
               SmallVector<Value> position;
               for (unsigned d = 0; d < rank; ++d)
                 position.push_back(linalg::IndexOp::create(b, inner, d));
               Value index = castScalar(b, inner, elements[0], b.getI64Type());
               Value inside = isBelow(b, inner, index, limit);
               Value at = arith::IndexCastOp::create(b, inner, b.getIndexType(),
                                                     index);
               linalg::YieldOp::create(
                   b, inner,
                   readElement(b, inner, source, place(position, at), inside,
                               element, b.getZeroAttr(element)));
             })
      .getResult(0);
}

static Value lowerTake(OpBuilder &builder, TakeOp op) {
  IndexMath m(builder, op.getLoc());
  SmallVector<OpFoldResult> sizes = m.dims(op.getIndices());
  unsigned count = sizes.size();
  for (int64_t dim = 1; dim < typeOf(op.getTable()).getRank(); ++dim)
    sizes.push_back(m.dim(op.getTable(), dim));
  return gather(builder, op, op.getTable(), op.getIndices(), 0, sizes,
                [&](SmallVector<Value> position, Value at) {
                  position.erase(position.begin(), position.begin() + count);
                  position.insert(position.begin(), at);
                  return position;
                });
}

static Value lowerPick(OpBuilder &builder, PickOp op) {
  IndexMath m(builder, op.getLoc());
  return gather(builder, op, op.getOperand(), op.getIndices(), op.getDim(),
                m.dims(op.getIndices()),
                [&](SmallVector<Value> position, Value at) {
                  position.insert(position.begin() + op.getDim(), at);
                  return position;
                });
}

static Value lowerScatterAdd(OpBuilder &builder, ScatterAddOp op) {
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  RankedTensorType type = typeOf(op.getResult());
  Type element = type.getElementType(), wide = computeType(element);
  SmallVector<OpFoldResult> sizes = m.dims(op.getUpdates());
  sizes.erase(sizes.begin(), sizes.begin() + typeOf(op.getIndices()).getRank());
  sizes.insert(sizes.begin(), m.constant(op.getRows()));
  auto wideType = RankedTensorType::get(type.getShape(), wide);
  Value init = wide == element ? makeInit(builder, op.getResult(), sizes)
                               : makeEmptyTensor(builder, loc, wideType, sizes);
  init = makeFilled(builder, loc, init, builder.getZeroAttr(wide));
  auto kernel = ScatterRowsOp::create(builder, loc, wideType, op.getUpdates(),
                                      op.getIndices(), init);
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  if (wide == element)
    return kernel.getResult();
  return castElements(builder, loc, kernel.getResult(), element,
                      op.getResult());
}

static Value lowerPad(OpBuilder &builder, PadOp op) {
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  Type element = typeOf(op.getOperand()).getElementType();
  SmallVector<OpFoldResult> inner = m.dims(op.getOperand()), sizes, offsets;
  for (auto [dim, size] : llvm::enumerate(inner)) {
    sizes.push_back(
        m.add(size, m.constant(op.getLow()[dim] + op.getHigh()[dim])));
    offsets.push_back(m.constant(op.getLow()[dim]));
  }
  double value = op.getValue().convertToDouble();
  TypedAttr scalar = builder.getFloatAttr(builder.getF64Type(), value);
  if (isa<FloatType>(element))
    scalar = builder.getFloatAttr(element, value);
  else
    scalar = builder.getIntegerAttr(element, int64_t(value));
  Value filled = makeFilled(builder, loc,
                            makeInit(builder, op.getResult(), sizes), scalar);
  // insert_slice takes no box without elements at the end of a tensor.
  if (llvm::is_contained(typeOf(op.getOperand()).getShape(), 0))
    return filled;
  SmallVector<OpFoldResult> strides(sizes.size(), m.constant(1));
  return tensor::InsertSliceOp::create(builder, loc, op.getOperand(), filled,
                                       offsets, inner, strides);
}

Value coconet::lowerNeural(OpBuilder &builder, Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](TakeOp o) { return lowerTake(builder, o); })
      .Case([&](PickOp o) { return lowerPick(builder, o); })
      .Case([&](ScatterAddOp o) { return lowerScatterAdd(builder, o); })
      .Case([&](PadOp o) { return lowerPad(builder, o); })
      .Case([&](Conv2dOp o) { return lowerConv(builder, o); })
      .Case([&](Conv2dInputGradientOp o) {
        return lowerConvInputGradient(builder, o);
      })
      .Case([&](Conv2dWeightGradientOp o) {
        return lowerConvWeightGradient(builder, o);
      })
      .Case([&](Pool2dOp o) { return lowerPool(builder, o); })
      .Default([](Operation *) { return Value(); });
}
