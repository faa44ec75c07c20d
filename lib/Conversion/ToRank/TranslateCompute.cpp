//===- TranslateCompute.cpp - computation of one rank -----------------------===//

#include "Conversion/ToRank/RankTranslator.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

FailureOr<Operation *> RankTranslator::rebuild(Operation *op,
                                               ValueRange operands) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  auto infer = op->getName().getInterface<InferTypeOpInterface>();
  SmallVector<Type> types;
  if (infer) {
    if (failed(infer->inferReturnTypes(
            context, op->getLoc(), operands, op->getAttrDictionary(),
            op->getPropertiesStorage(), op->getRegions(), types)))
      return failure();
  } else {
    for (Type type : op->getResultTypes())
      types.push_back(localType(cast<RankedTensorType>(type)));
  }
  state.addTypes(types);
  return inner.create(state);
}

FailureOr<SmallVector<OpFoldResult>>
RankTranslator::iteratedSizes(IterationOpInterface op) {
  Iteration iteration = op.getIteration();
  SmallVector<std::optional<OpFoldResult>> extents(iteration.extents.size());
  for (auto [operand, map] :
       llvm::zip(op->getOperands(), iteration.operandMaps))
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto position = dyn_cast<AffineDimExpr>(expr);
      if (!position)
        continue;
      OpFoldResult size = values[operand].sizes[dim];
      auto &extent = extents[position.getPosition()];
      if (!extent)
        extent = representative(size);
      else if (failed(unify(op, *extent, size)))
        return failure();
    }
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : iteration.resultMap.getResults()) {
    auto position = dyn_cast<AffineDimExpr>(expr);
    if (position && extents[position.getPosition()])
      sizes.push_back(*extents[position.getPosition()]);
    else if (position) // No operand has it: the op says how many.
      sizes.push_back(
          outer.getIndexAttr(iteration.extents[position.getPosition()]));
    else
      sizes.push_back(outer.getIndexAttr(1));
  }
  return sizes;
}

LogicalResult RankTranslator::translateIteration(IterationOpInterface op) {
  FailureOr<SmallVector<OpFoldResult>> sizes = iteratedSizes(op);
  if (failed(sizes))
    return failure();
  bool flat = llvm::any_of(op->getOperands(), [](Value operand) {
    return !Layout::of(operand).flat.empty();
  });
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    RankValue &mapped = values[operand];
    if (mapped.flattened)
      return refuse(op, "uses a flat slice that is gathered in the same region",
                    "use it after the region");
    Value local = mapped.value;
    // A single element against flat slices: they have one dimension only.
    if (flat && Layout::of(operand).flat.empty() &&
        typeOf(local).getRank() > 1) {
      if (isFused(local))
        return refuse(op,
                      "combines a flat slice with a tensor of one element "
                      "and several dimensions",
                      "reshape it to rank 0 before the region");
      local = reshape(local,
                      RankedTensorType::get({}, typeOf(local).getElementType()),
                      {}, op->getLoc());
    }
    operands.push_back(local);
  }
  FailureOr<Operation *> copy = rebuild(op, operands);
  if (failed(copy))
    return failure();
  set(op->getResult(0), (*copy)->getResult(0), *sizes);
  return success();
}

Value RankTranslator::countTensor(ArrayRef<OpFoldResult> sizes, FloatType type,
                                  Location loc) {
  IndexMath m = math(loc);
  auto scalar = RankedTensorType::get({}, type);
  OpFoldResult count = m.product(sizes);
  if (auto known = getConstantIntValue(count)) {
    auto value = outer.getFloatAttr(type, double(*known));
    return ConstantOp::create(outer, loc,
                              DenseElementsAttr::get(scalar, value));
  }
  Value integer = arith::IndexCastOp::create(outer, loc, outer.getI64Type(),
                                             m.value(count));
  Value real = arith::SIToFPOp::create(outer, loc, type, integer);
  return tensor::FromElementsOp::create(outer, loc, scalar, real);
}

static bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// The tensor in f32 if its element type is narrower.
static Value widen(OpBuilder &builder, Location loc, Value value) {
  if (!isNarrowFloat(typeOf(value).getElementType()))
    return value;
  return CastOp::create(builder, loc, value, builder.getF32Type());
}

static Value narrow(OpBuilder &builder, Location loc, Value value, Type type) {
  if (typeOf(value).getElementType() == type)
    return value;
  return CastOp::create(builder, loc, value, type);
}

LogicalResult RankTranslator::translateMean(ReduceOp op) {
  FailureOr<SmallVector<OpFoldResult>> sizes = iteratedSizes(op);
  if (failed(sizes))
    return failure();
  Location loc = op.getLoc();
  RankValue &mapped = values[op.getOperand()];
  SmallVector<OpFoldResult> reduced;
  for (int64_t dim : op.getDims())
    reduced.push_back(mapped.sizes[dim]);
  Value operand = widen(inner, loc, mapped.value);
  Value sum = ReduceOp::create(inner, loc, ReduceKind::sum, operand,
                               op.getDims(), op.getKeepDims());
  auto type = cast<FloatType>(typeOf(operand).getElementType());
  Value mean = DivOp::create(inner, loc, sum, countTensor(reduced, type, loc));
  Type element = typeOf(op.getResult()).getElementType();
  set(op.getResult(), narrow(inner, loc, mean, element), *sizes);
  return success();
}

/// The square root of the sum of squares over the members of all cuts.
LogicalResult RankTranslator::translateNorm(NormOp op) {
  Location loc = op.getLoc();
  Layout layout = Layout::of(op.getOperand());
  Value operand = widen(inner, loc, values[op.getOperand()].value);
  Value square = MulOp::create(inner, loc, operand, operand);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(square).getRank()));
  Value sum = square;
  if (!dims.empty())
    sum = ReduceOp::create(inner, loc, ReduceKind::sum, square, dims,
                           /*keep_dims=*/false);
  SmallVector<Attribute> axes(layout.flat.begin(), layout.flat.end());
  for (const AxisList &list : layout.dims)
    axes.append(list.begin(), list.end());
  if (!axes.empty()) {
    auto reduce = RankAllReduceOp::create(
        inner, loc, sum.getType(), Reduction::sum, sum, layout.mesh,
        inner.getArrayAttr(axes), ArrayAttr());
    reduce->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    sum = reduce;
  }
  Value root = SqrtOp::create(inner, loc, sum);
  Type element = typeOf(op.getResult()).getElementType();
  set(op.getResult(), narrow(inner, loc, root, element), {});
  return success();
}

LogicalResult RankTranslator::translateDropout(DropoutOp op) {
  FailureOr<SmallVector<OpFoldResult>> sizes = iteratedSizes(op);
  if (failed(sizes))
    return failure();
  Location loc = op.getLoc();
  IndexMath m = math(loc);
  Layout layout = Layout::of(op.getOperand());
  RankValue &mapped = values[op.getOperand()];
  if (mapped.flattened)
    return refuse(op, "uses a flat slice that is gathered in the same region",
                  "use it after the region");
  // A chunk's elements count from its place in the whole.
  auto place = places.find(op.getOperand());
  SmallVector<OpFoldResult> whole = mapped.sizes;
  if (place != places.end()) {
    if (place->second.scattered)
      return refuse(op, "drops elements of a gathered dimension chunk by chunk",
                    "leave it out of the overlap, or chunk another dimension");
    whole[place->second.dim] = place->second.size;
  }
  SmallVector<Value> offsets, strides;
  if (!layout.flat.empty()) {
    Chunk chunk =
        chunkOf(m.product(mapped.sizes), layout.flat, layout.mesh, loc);
    offsets.push_back(m.value(chunk.start));
    strides.push_back(m.value(m.constant(1)));
  } else {
    for (auto [dim, axes] : llvm::enumerate(layout.dims)) {
      OpFoldResult offset = m.constant(0);
      if (place != places.end() && place->second.dim == int64_t(dim))
        offset = place->second.start;
      else if (!axes.empty())
        offset = chunkOf(whole[dim], axes, layout.mesh, loc).start;
      offsets.push_back(m.value(offset));
      strides.push_back(
          m.value(m.product(ArrayRef(whole).drop_front(dim + 1))));
    }
  }
  Value coordinate;
  if (layout.local.empty()) {
    coordinate = m.value(m.constant(0));
  } else {
    SmallVector<Attribute> axes;
    for (StringAttr axis : layout.mesh.getAxes())
      if (layout.isLocalAlong(axis))
        axes.push_back(axis);
    coordinate =
        RankCoordinateOp::create(outer, loc, outer.getIndexType(), layout.mesh,
                                 outer.getArrayAttr(axes));
  }
  auto dropout = RankDropoutOp::create(
      inner, loc, mapped.value.getType(), mapped.value,
      values[op.getStep()].value, offsets, strides, coordinate,
      op.getRateAttr(), op.getSeedAttr(), op.getStreamAttr());
  dropout->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  set(op.getResult(), dropout, *sizes);
  return success();
}

/// Logical sizes of a reshaped value: static ones, one that follows from the
/// number of elements, or dimensions that correspond one to one.
static FailureOr<SmallVector<OpFoldResult>>
reshapedSizes(ReshapeOp op, ArrayRef<OpFoldResult> from, IndexMath m) {
  RankedTensorType to = typeOf(op.getResult());
  int64_t open = llvm::count_if(to.getShape(), ShapedType::isDynamic);
  if (open > 1 && int64_t(from.size()) != to.getRank())
    return op.emitOpError() << "leaves " << open
                            << " sizes open and changes the number of "
                               "dimensions; give all but one a size",
           failure();
  SmallVector<OpFoldResult> sizes;
  OpFoldResult rest = m.constant(1);
  for (int64_t size : to.getShape())
    if (!ShapedType::isDynamic(size))
      rest = m.mul(rest, m.constant(size));
  for (auto [dim, size] : llvm::enumerate(to.getShape())) {
    if (!ShapedType::isDynamic(size))
      sizes.push_back(m.constant(size));
    else if (open > 1)
      sizes.push_back(from[dim]);
    else // An empty tensor leaves the open size free; it is 0.
      sizes.push_back(m.div(m.product(from), m.max(rest, m.constant(1))));
  }
  return sizes;
}

LogicalResult RankTranslator::translateReshape(ReshapeOp op) {
  Location loc = op.getLoc();
  RankValue &mapped = values[op.getOperand()];
  IndexMath m = math(loc);
  FailureOr<SmallVector<OpFoldResult>> sizes =
      reshapedSizes(op, mapped.sizes, m);
  if (failed(sizes))
    return failure();
  OpFoldResult before = m.product(mapped.sizes), after = m.product(*sizes);
  if (!isEqualConstantIntOrValue(before, after))
    check(before, after, op->getName().getStringRef(), loc);
  Value operand = mapped.value;
  set(op.getResult(), Value(), *sizes);
  RankedTensorType type = localType(typeOf(op.getResult()));
  values[op.getResult()].value =
      reshape(operand, type, localSizes(op.getResult(), loc), loc);
  return success();
}

/// Per dimension the size that a slice needs where the operand's is open, else
/// 0. The verifier has checked the others.
static SmallVector<int64_t> openSliceEnds(SliceOp op) {
  SmallVector<int64_t> ends;
  for (auto [dim, size] : llvm::enumerate(typeOf(op.getOperand()).getShape())) {
    int64_t offset = op.getOffsets()[dim], count = op.getSizes()[dim];
    int64_t end =
        count > 0 ? offset + (count - 1) * op.getStrides()[dim] + 1 : offset;
    ends.push_back(ShapedType::isDynamic(size) ? end : 0);
  }
  return ends;
}

LogicalResult RankTranslator::translateInferred(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(values[operand].value);
  IndexMath m = math(op->getLoc());
  if (auto slice = dyn_cast<SliceOp>(op))
    for (auto [dim, end] : llvm::enumerate(openSliceEnds(slice)))
      if (OpFoldResult size = values[slice.getOperand()].sizes[dim]; end > 0)
        check(size, m.max(size, m.constant(end)),
              "end of a slice of dimension " + Twine(dim), op->getLoc());
  FailureOr<Operation *> copy = rebuild(op, operands);
  if (failed(copy))
    return failure();
  RankedTensorType type = typeOf(op->getResult(0));
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(m.constant(size));
      continue;
    }
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      int64_t source = transpose.getPermutation()[dim];
      sizes.push_back(values[op->getOperand(0)].sizes[source]);
    } else if (auto concat = dyn_cast<ConcatOp>(op)) {
      OpFoldResult sum = values[op->getOperand(0)].sizes[dim];
      for (Value operand : op->getOperands().drop_front()) {
        OpFoldResult next = values[operand].sizes[dim];
        if (int64_t(dim) == int64_t(concat.getDim()))
          sum = m.add(sum, next);
        else if (failed(unify(op, sum, next)))
          return failure();
      }
      sizes.push_back(sum);
    } else { // Whole dimensions of slice, trailing ones of broadcast_to.
      ArrayRef<OpFoldResult> from = values[op->getOperand(0)].sizes;
      sizes.push_back(from[dim + from.size() - type.getRank()]);
    }
  }
  set(op->getResult(0), (*copy)->getResult(0), sizes);
  return success();
}

LogicalResult RankTranslator::translateUpdate(UpdateOp op) {
  RankValue &state = values[op.getState()];
  RankValue &value = values[op.getValue()];
  for (auto [a, b] : llvm::zip(state.sizes, value.sizes)) {
    OpFoldResult size = a;
    if (failed(unify(op, size, b)))
      return failure();
  }
  Value local = value.value;
  if (local.getType() != state.value.getType())
    local = tensor::CastOp::create(outer, op.getLoc(), state.value.getType(),
                                   local);
  auto update = UpdateOp::create(outer, op.getLoc(), state.value, local);
  update->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  SmallVector<OpFoldResult> sizes(state.sizes);
  set(op.getResult(), update, sizes);
  return success();
}
