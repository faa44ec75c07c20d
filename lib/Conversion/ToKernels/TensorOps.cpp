//===- TensorOps.cpp - contractions, reductions and shape ops ---------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "Conversion/ToKernels/LowerNeural.h"
#include "Conversion/ToKernels/ScalarOps.h"
#include "IR/KernelOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value makeEmpty(OpBuilder &builder, Location loc, RankedTensorType type,
                       ArrayRef<OpFoldResult> sizes) {
  IndexMath m(builder, loc);
  SmallVector<Value> open;
  for (auto [extent, size] : llvm::zip(type.getShape(), sizes))
    if (ShapedType::isDynamic(extent))
      open.push_back(m.value(size));
  return tensor::EmptyOp::create(builder, loc, type, open);
}

static Value castShape(OpBuilder &builder, Location loc, Value value,
                       RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

/// The tensor in another element type, by one pointwise kernel.
static Value castTensor(OpBuilder &builder, Location loc, Value value,
                        Type element, Value init = {}) {
  RankedTensorType type = typeOf(value);
  if (type.getElementType() == element)
    return value;
  IndexMath m(builder, loc);
  auto result = RankedTensorType::get(type.getShape(), element);
  if (!init)
    init = makeEmpty(builder, loc, result, m.dims(value));
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{result}, ValueRange{value},
             ValueRange{init}, ArrayRef<AffineMap>{map, map}, iterators,
             [&](OpBuilder &b, Location inner, ValueRange elements) {
               linalg::YieldOp::create(
                   b, inner, castScalar(b, inner, elements[0], element));
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The row-major flattening, of open size.
static Value flatten(OpBuilder &builder, Location loc, Value value) {
  RankedTensorType type = typeOf(value);
  int64_t count =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  auto flat = RankedTensorType::get({count}, type.getElementType());
  if (type.getRank() == 1)
    return value;
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(builder, loc, flat, value,
                                         ArrayRef<ReassociationIndices>{});
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return tensor::CollapseShapeOp::create(builder, loc, flat, value,
                                         ArrayRef<ReassociationIndices>{all});
}

Value coconet::reshapeTensor(OpBuilder &builder, Location loc, Value value,
                             RankedTensorType type,
                             ArrayRef<OpFoldResult> sizes) {
  if (value.getType() == type)
    return value;
  // Upstream takes a size of ? times 0 for static in buffers and for open in
  // tensors; where there are no elements, nothing is to be kept.
  if (llvm::is_contained(type.getShape(), 0) ||
      llvm::is_contained(typeOf(value).getShape(), 0))
    return makeEmpty(builder, loc, type, sizes);
  Type element = type.getElementType();
  if (typeOf(value).getRank() == type.getRank() && type.getRank() <= 1)
    return castShape(builder, loc, value, type);
  Value flat = flatten(builder, loc, value);
  int64_t count =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  flat = castShape(builder, loc, flat, RankedTensorType::get({count}, element));
  if (type.getRank() == 1)
    return castShape(builder, loc, flat, type);
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, loc, type, flat,
                                           ArrayRef<ReassociationIndices>{});
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  SmallVector<OpFoldResult> shape;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    shape.push_back(ShapedType::isDynamic(extent)
                        ? sizes[dim]
                        : OpFoldResult(builder.getIndexAttr(extent)));
  return tensor::ExpandShapeOp::create(
      builder, loc, type, flat, ArrayRef<ReassociationIndices>{all}, shape);
}

static Value lowerReshape(OpBuilder &builder, RankReshapeOp op) {
  SmallVector<OpFoldResult> sizes;
  auto open = op.getSizes().begin();
  for (int64_t extent : op.getType().getShape())
    sizes.push_back(ShapedType::isDynamic(extent)
                        ? OpFoldResult(*open++)
                        : OpFoldResult(builder.getIndexAttr(extent)));
  return reshapeTensor(builder, op.getLoc(), op.getOperand(), op.getType(),
                       sizes);
}

//===----------------------------------------------------------------------===//
// Contractions and reductions
//===----------------------------------------------------------------------===//

/// Size of an iterator, from an operand that has it.
static OpFoldResult extentOf(IndexMath &m, Operation *op,
                             const Iteration &iteration, unsigned iterator) {
  for (auto [operand, map] :
       llvm::zip(op->getOperands(), iteration.operandMaps))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto position = dyn_cast<AffineDimExpr>(expr);
          position && position.getPosition() == iterator)
        return m.dim(operand, dim);
  return m.constant(1);
}

static SmallVector<OpFoldResult> resultSizes(IndexMath &m, Operation *op,
                                             const Iteration &iteration) {
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : iteration.resultMap.getResults()) {
    auto position = dyn_cast<AffineDimExpr>(expr);
    sizes.push_back(position
                        ? extentOf(m, op, iteration, position.getPosition())
                        : m.constant(1));
  }
  return sizes;
}

static FailureOr<Value> lowerMatmul(OpBuilder &builder, MatmulOp op) {
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  RankedTensorType type = op.getType();
  Type element = type.getElementType(), wide = computeType(element);
  Value lhs = castTensor(builder, loc, op.getLhs(), wide);
  Value rhs = castTensor(builder, loc, op.getRhs(), wide);
  Iteration iteration = op.getIteration();
  SmallVector<OpFoldResult> sizes = resultSizes(m, op, iteration);
  auto wideType = RankedTensorType::get(type.getShape(), wide);
  Value init = wide == element ? makeInit(builder, op.getResult(), sizes)
                               : makeEmpty(builder, loc, wideType, sizes);
  auto gemm = GemmOp::create(builder, loc, wideType, lhs, rhs, init,
                             op.getTransposeLhs(), op.getTransposeRhs());
  gemm->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  if (wide == element)
    return gemm.getResult();
  return castTensor(builder, loc, gemm.getResult(), element,
                    makeInit(builder, op.getResult(), sizes));
}

/// Reduce in the compute type without the reduced dimensions, round, and put
/// dimensions of size 1 back where they are kept.
static FailureOr<Value> lowerReduce(OpBuilder &builder, ReduceOp op) {
  if (op.getKind() == ReduceKind::mean)
    return refuse(op, "divides by a logical count",
                  "run --coconet-to-rank, which knows it"),
           failure();
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  Iteration iteration = op.getIteration();
  RankedTensorType type = typeOf(op.getOperand());
  Type element = type.getElementType(), wide = computeType(element);
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!isParallel(iteration.iterators[dim]))
      continue;
    shape.push_back(type.getDimSize(dim));
    sizes.push_back(m.dim(op.getOperand(), dim));
    exprs.push_back(builder.getAffineDimExpr(dim));
  }
  auto reducedType = RankedTensorType::get(shape, wide);
  Value neutral = arith::ConstantOp::create(
      builder, loc, neutralElement(builder, *iteration.combining, wide));
  Value init = linalg::FillOp::create(
                   builder, loc, ValueRange{neutral},
                   ValueRange{makeEmpty(builder, loc, reducedType, sizes)})
                   .getResult(0);
  SmallVector<AffineMap> maps = {
      iteration.operandMaps[0],
      AffineMap::get(type.getRank(), 0, exprs, builder.getContext())};
  Value reduced =
      linalg::GenericOp::create(
          builder, loc, TypeRange{reducedType}, ValueRange{op.getOperand()},
          ValueRange{init}, maps, iteration.iterators,
          [&](OpBuilder &b, Location inner, ValueRange elements) {
            Value value = castScalar(b, inner, elements[0], wide);
            linalg::YieldOp::create(b, inner,
                                    combineScalars(b, inner,
                                                   *iteration.combining,
                                                   elements[1], value));
          })
          .getResult(0);
  Value narrow = castTensor(builder, loc, reduced, element);
  return reshapeTensor(builder, loc, narrow, op.getType(),
                       resultSizes(m, op, iteration));
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

static Value lowerTranspose(OpBuilder &builder, TransposeOp op) {
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  SmallVector<OpFoldResult> sizes;
  SmallVector<unsigned> targets(op.getType().getRank());
  for (auto [to, from] : llvm::enumerate(op.getPermutation())) {
    sizes.push_back(m.dim(op.getOperand(), from));
    targets[from] = to;
  }
  MLIRContext *context = builder.getContext();
  unsigned rank = targets.size();
  SmallVector<AffineMap> maps = {
      AffineMap::getMultiDimMapWithTargets(rank, targets, context),
      AffineMap::getMultiDimIdentityMap(rank, context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{op.getType()}, ValueRange{op.getOperand()},
             ValueRange{makeInit(builder, op.getResult(), sizes)}, maps,
             iterators,
             [](OpBuilder &b, Location inner, ValueRange elements) {
               linalg::YieldOp::create(b, inner, elements[0]);
             })
      .getResult(0);
}

static Value extract(OpBuilder &builder, Location loc, RankedTensorType type,
                     Value source, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes,
                     ArrayRef<OpFoldResult> strides) {
  // extract_slice takes no box without elements of a tensor without elements.
  RankedTensorType from = typeOf(source);
  if (llvm::is_contained(type.getShape(), 0) ||
      llvm::is_contained(from.getShape(), 0)) {
    IndexMath m(builder, loc);
    SmallVector<Value> open;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        open.push_back(m.value(sizes[dim]));
    return tensor::EmptyOp::create(builder, loc, type, open);
  }
  Value slice = tensor::ExtractSliceOp::create(builder, loc, source, offsets,
                                               sizes, strides);
  return castShape(builder, loc, slice, type);
}

static Value lowerSlice(OpBuilder &builder, SliceOp op) {
  IndexMath m(builder, op.getLoc());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (auto [dim, size] : llvm::enumerate(op.getSizes())) {
    offsets.push_back(m.constant(op.getOffsets()[dim]));
    sizes.push_back(size < 0 ? m.dim(op.getOperand(), dim) : m.constant(size));
    strides.push_back(m.constant(op.getStrides()[dim]));
  }
  return extract(builder, op.getLoc(), op.getType(), op.getOperand(), offsets,
                 sizes, strides);
}

static Value lowerShard(OpBuilder &builder, RankShardOp op) {
  IndexMath m(builder, op.getLoc());
  SmallVector<OpFoldResult> sizes = m.dims(op.getOperand());
  SmallVector<OpFoldResult> offsets(sizes.size(), m.constant(0));
  SmallVector<OpFoldResult> strides(sizes.size(), m.constant(1));
  Chunk chunk = chunkOf(builder, op.getLoc(),
                        {op.getMesh(), op.getAxesAttr(), ArrayAttr()},
                        sizes[op.getDim()]);
  offsets[op.getDim()] = chunk.start;
  sizes[op.getDim()] = chunk.length;
  return extract(builder, op.getLoc(), op.getType(), op.getOperand(), offsets,
                 sizes, strides);
}

static Value lowerConcat(OpBuilder &builder, ConcatOp op) {
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  int64_t dim = op.getDim();
  SmallVector<OpFoldResult> sizes = m.dims(op.getOperands()[0]);
  for (Value operand : op.getOperands().drop_front())
    sizes[dim] = m.add(sizes[dim], m.dim(operand, dim));
  Value result = makeInit(builder, op.getResult(), sizes);
  SmallVector<OpFoldResult> offsets(sizes.size(), m.constant(0));
  SmallVector<OpFoldResult> strides(sizes.size(), m.constant(1));
  for (Value operand : op.getOperands()) {
    // insert_slice takes no box without elements at the end of a tensor, and
    // none of a tensor without elements.
    if (llvm::is_contained(typeOf(operand).getShape(), 0) ||
        llvm::is_contained(typeOf(op.getResult()).getShape(), 0))
      continue;
    SmallVector<OpFoldResult> part = m.dims(operand);
    result = tensor::InsertSliceOp::create(builder, loc, operand, result,
                                           offsets, part, strides);
    offsets[dim] = m.add(offsets[dim], part[dim]);
  }
  return result;
}

LogicalResult coconet::lowerTensorOp(OpBuilder &builder, Operation *op) {
  using Result = FailureOr<Value>;
  Result value =
      llvm::TypeSwitch<Operation *, Result>(op)
          .Case([&](MatmulOp o) { return lowerMatmul(builder, o); })
          .Case([&](ReduceOp o) { return lowerReduce(builder, o); })
          .Case(
              [&](TransposeOp o) { return Result(lowerTranspose(builder, o)); })
          .Case([&](SliceOp o) { return Result(lowerSlice(builder, o)); })
          .Case([&](RankShardOp o) { return Result(lowerShard(builder, o)); })
          .Case([&](ConcatOp o) { return Result(lowerConcat(builder, o)); })
          .Case(
              [&](RankReshapeOp o) { return Result(lowerReshape(builder, o)); })
          .Case([&](ConstantOp o) {
            return Result(arith::ConstantOp::create(
                builder, o.getLoc(), cast<TypedAttr>(o.getValueAttr())));
          })
          .Default([&](Operation *o) -> Result {
            if (Value neural = lowerNeural(builder, o))
              return neural;
            refuse(o, "has no lowering to kernels",
                   "run --coconet-decompose and --coconet-to-rank first");
            return failure();
          });
  if (failed(value))
    return failure();
  op->getResult(0).replaceAllUsesWith(*value);
  op->erase();
  return success();
}
