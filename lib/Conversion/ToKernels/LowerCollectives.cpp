//===- LowerCollectives.cpp - collectives that are not fused ----------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "Conversion/ToKernels/ScalarOps.h"
#include "IR/KernelOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "IR/RootedOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Wire types
//===----------------------------------------------------------------------===//

FloatType coconet::wireTypeOf(Operation *op) {
  auto attr = op->getAttrOfType<TypeAttr>(wireTypeAttr);
  return attr ? cast<FloatType>(attr.getValue()) : FloatType();
}

Value coconet::roundToWire(OpBuilder &builder, Location loc, Value scalar,
                           FloatType wireType) {
  Value narrow = castScalar(builder, loc, scalar, wireType);
  return castScalar(builder, loc, narrow, scalar.getType());
}

Value coconet::castElements(OpBuilder &builder, Location loc, Value tensor,
                            Type element, Value result) {
  RankedTensorType type = typeOf(tensor).clone(element);
  IndexMath m(builder, loc);
  SmallVector<OpFoldResult> sizes = m.dims(tensor);
  Value init;
  if (result) {
    init = makeInit(builder, result, sizes);
  } else {
    SmallVector<Value> open;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        open.push_back(m.value(sizes[dim]));
    init = tensor::EmptyOp::create(builder, loc, type, open);
  }
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type}, ValueRange{tensor},
             ValueRange{init}, ArrayRef<AffineMap>{map, map}, iterators,
             [&](OpBuilder &b, Location inner, ValueRange elements) {
               linalg::YieldOp::create(
                   b, inner, castScalar(b, inner, elements[0], element));
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

LogicalResult coconet::checkAlgorithm(Operation *op, bool reducesAll) {
  if (auto channels = op->getAttrOfType<IntegerAttr>(channelsAttr);
      channels && channels.getInt() > 1)
    return refuse(op,
                  "uses " + Twine(channels.getInt()) +
                      " channels, which the CPU target does not have",
                  "leave the number of channels out");
  auto algorithm = op->getAttrOfType<StringAttr>(algorithmAttr);
  if (!algorithm)
    return success();
  if (!llvm::is_contained({"one_shot", "two_shot"}, algorithm.getValue()))
    return refuse(op,
                  "has algorithm '" + algorithm.getValue() +
                      "', which the CPU target does not have",
                  "the CPU target has one_shot and two_shot");
  if (!reducesAll)
    return refuse(op,
                  "has algorithm '" + algorithm.getValue() +
                      "', which is one for all_reduce",
                  "choose algorithms for all_reduce and for fused regions "
                  "around one");
  return success();
}

LogicalResult coconet::checkOneShot(Operation *source,
                                    SymmetricKernelOp kernel) {
  if (!kernel.isOneShot())
    return success();
  for (unsigned i = 0; i < kernel->getNumOperands(); ++i)
    if (kernel.accessOf(i) == Access::chunk ||
        kernel.accessOf(i) == Access::fold)
      return refuse(source, "is one_shot, but reads or gives slices as tensors",
                    "with one_shot every member has the whole; choose "
                    "two_shot, or keep the state whole");
  for (Operation &op : kernel.getBody().front())
    if (isa<KernelIndexOp>(op))
      return refuse(source,
                    "is one_shot, but computes with positions in its slice",
                    "choose two_shot, or leave dropout and iota out of the "
                    "region");
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A kernel with one input and one output whose body passes elements on.
static SymmetricKernelOp buildMove(OpBuilder &builder, Operation *op,
                                   Value input, Access from, Value init,
                                   Access into, AffineMap map,
                                   IntegerAttr dim) {
  Location loc = op->getLoc();
  Group of = groupOf(cast<CollectiveOpInterface>(op));
  MLIRContext *context = builder.getContext();
  SmallVector<Attribute> reductions;
  if (from == Access::reduce)
    reductions.push_back(op->getAttr("reduction"));
  auto kernel = SymmetricKernelOp::create(
      builder, loc, TypeRange{init.getType()}, ValueRange{input},
      ValueRange{init}, builder.getAffineMapArrayAttr({map, map}),
      builder.getArrayAttr(
          {AccessAttr::get(context, from), AccessAttr::get(context, into)}),
      builder.getArrayAttr(reductions), dim, of.mesh, of.axes, of.groups,
      op->getAttrOfType<IntegerAttr>("root"));
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block &block = kernel.getBody().emplaceBlock();
  Value element = block.addArgument(typeOf(init).getElementType(), loc);
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  FloatType wireType = wireTypeOf(op);
  if (wireType && isa<RankAllReduceOp>(op))
    element = roundToWire(body, loc, element, wireType);
  YieldOp::create(body, loc, element);
  return kernel;
}

/// A reduction of whole tensors: the flattening is what is cut.
static Value buildReduction(OpBuilder &builder, Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  IndexMath m(builder, op->getLoc());
  Value init = makeInit(builder, result, m.dims(operand));
  if (FloatType wireType = wireTypeOf(op))
    operand = castElements(builder, op->getLoc(), operand, wireType);
  return buildMove(builder, op, operand, Access::reduce, init, Access::gather,
                   builder.getDimIdentityMap(), IntegerAttr())
      .getResult(0);
}

static Value buildGatherToRoot(OpBuilder &builder, RankGatherToRootOp op) {
  IndexMath m(builder, op.getLoc());
  SmallVector<OpFoldResult> sizes = m.dims(op.getOperand());
  sizes[op.getDim()] = getAsOpFoldResult(op.getSize());
  return buildMove(builder, op, op.getOperand(), Access::chunk,
                   makeInit(builder, op.getResult(), sizes), Access::gather,
                   builder.getMultiDimIdentityMap(op.getType().getRank()),
                   op.getDimAttr())
      .getResult(0);
}

static Value buildScatterFromRoot(OpBuilder &builder,
                                  RankScatterFromRootOp op) {
  IndexMath m(builder, op.getLoc());
  SmallVector<OpFoldResult> sizes = m.dims(op.getOperand());
  sizes[op.getDim()] =
      chunkOf(builder, op.getLoc(), groupOf(op), sizes[op.getDim()]).length;
  return buildMove(builder, op, op.getOperand(), Access::slice,
                   makeInit(builder, op.getResult(), sizes), Access::chunk,
                   builder.getMultiDimIdentityMap(op.getType().getRank()),
                   op.getDimAttr())
      .getResult(0);
}

/// For each position of the largest group the one whose tensor it gets.
static SmallVector<int64_t> sourcesOf(Operation *op, const Group &group) {
  int64_t members = 0;
  if (group.groups)
    for (Attribute list : group.groups)
      members =
          std::max<int64_t>(members, cast<DenseI64ArrayAttr>(list).size());
  else
    members = group.mesh.sizeOf(axisList(group.axes));
  if (auto broadcast = dyn_cast<RankBroadcastOp>(op))
    return SmallVector<int64_t>(members, broadcast.getRoot());
  SmallVector<int64_t> sources(members, -1);
  for (Attribute attr : cast<RankPermuteOp>(op).getPairs()) {
    ArrayRef<int64_t> pair = cast<DenseI64ArrayAttr>(attr).asArrayRef();
    sources[pair[1]] = pair[0];
  }
  return sources;
}

/// Kernels that only copy take tensors of the wire type, if there is one.
static Value buildCopy(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  IndexMath m(builder, loc);
  Group group = groupOf(cast<CollectiveOpInterface>(op));
  Value operand = op->getOperand(0), result = op->getResult(0);
  SmallVector<OpFoldResult> sizes = m.dims(operand);
  auto exchange = dyn_cast<RankAllToAllOp>(op);
  if (exchange && exchange.getFromDim() != exchange.getIntoDim()) {
    OpFoldResult &cut = sizes[exchange.getIntoDim()];
    cut = chunkOf(builder, loc, group, cut).length;
    sizes[exchange.getFromDim()] = getAsOpFoldResult(exchange.getSize());
  }
  FloatType wireType = wireTypeOf(op);
  RankedTensorType type = typeOf(result);
  Value init;
  if (wireType) {
    operand = castElements(builder, loc, operand, wireType);
    type = type.clone(wireType);
    SmallVector<Value> open;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        open.push_back(m.value(sizes[dim]));
    init = tensor::EmptyOp::create(builder, loc, type, open);
  } else {
    init = makeInit(builder, result, sizes);
  }
  Operation *kernel;
  if (exchange)
    kernel = SymmetricAllToAllOp::create(
        builder, loc, type, operand, init, exchange.getFromDim(),
        exchange.getIntoDim(), group.mesh, group.axes, group.groups);
  else
    kernel = SymmetricPermuteOp::create(builder, loc, type, operand, init,
                                        sourcesOf(op, group), group.mesh,
                                        group.axes, group.groups);
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Value copy = kernel->getResult(0);
  return wireType ? castElements(builder, loc, copy,
                                 typeOf(result).getElementType(), result)
                  : copy;
}

LogicalResult coconet::lowerCollective(OpBuilder &builder, Operation *op) {
  if (failed(checkAlgorithm(op, isa<RankAllReduceOp>(op))))
    return failure();
  if (isa<RankBarrierOp>(op)) // It is a kernel as it is.
    return success();
  auto refuseOther = [&] {
    return refuse(op, "is no collective of a rank program",
                  "run --coconet-to-rank first");
  };
  if (!op->getNumResults())
    return refuseOther();
  Group group = groupOf(cast<CollectiveOpInterface>(op));
  Value result = op->getResult(0), kernel;
  if (isa<RankAllReduceOp, RankReduceToRootOp>(op)) {
    kernel = buildReduction(builder, op);
  } else if (isa<RankReduceScatterOp, RankAllGatherOp>(op)) {
    int64_t dim = op->getAttrOfType<IntegerAttr>("dim").getInt();
    auto built = buildSymmetric(builder, op, group, dim, {op}, result, result);
    if (failed(built))
      return failure();
    kernel = built->front();
  } else if (auto gather = dyn_cast<RankGatherToRootOp>(op)) {
    kernel = buildGatherToRoot(builder, gather);
  } else if (auto scatter = dyn_cast<RankScatterFromRootOp>(op)) {
    kernel = buildScatterFromRoot(builder, scatter);
  } else if (isa<RankBroadcastOp, RankPermuteOp, RankAllToAllOp>(op)) {
    kernel = buildCopy(builder, op);
  } else {
    return refuseOther();
  }
  result.replaceAllUsesWith(kernel);
  op->erase();
  return success();
}
