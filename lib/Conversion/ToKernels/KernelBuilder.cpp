//===- KernelBuilder.cpp - generic and symmetric kernels --------------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/KernelOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Group coconet::groupOf(CollectiveOpInterface op) {
  return {op->getAttrOfType<MeshAttr>("mesh"),
          op->getAttrOfType<ArrayAttr>("axes"),
          op->getAttrOfType<ArrayAttr>("groups")};
}

Chunk coconet::chunkOf(OpBuilder &builder, Location loc, const Group &group,
                       OpFoldResult size) {
  IndexMath m(builder, loc);
  if (group.groups) { // Even, or it would have no chunks as tensors.
    int64_t parts = cast<DenseI64ArrayAttr>(group.groups[0]).size();
    return {OpFoldResult(), m.div(size, m.constant(parts))};
  }
  int64_t parts = group.mesh.sizeOf(axisList(group.axes));
  if (parts == 1)
    return {m.constant(0), size};
  Value position = RankCoordinateOp::create(
      builder, loc, builder.getIndexType(), group.mesh, group.axes);
  return m.chunk(size, parts, position);
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

/// The update whose value is this result, and the type changes on the way.
static UpdateOp findUpdate(Value result, SmallVectorImpl<Operation *> &path) {
  for (Operation *user : result.getUsers())
    if (auto update = dyn_cast<UpdateOp>(user);
        update && update.getValue() == result)
      return update;
  if (!result.hasOneUse())
    return {};
  Operation *user = *result.user_begin();
  if (!isa<RankReshapeOp, tensor::CastOp>(user))
    return {};
  path.push_back(user);
  return findUpdate(user->getResult(0), path);
}

Value coconet::makeInit(OpBuilder &builder, Value result,
                        ArrayRef<OpFoldResult> sizes) {
  Location loc = result.getLoc();
  RankedTensorType type = typeOf(result);
  SmallVector<Operation *> path;
  if (UpdateOp update = findUpdate(result, path))
    return reshapeTensor(builder, loc, update.getState(), type, sizes);
  IndexMath m(builder, loc);
  SmallVector<Value> open;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      open.push_back(m.value(sizes[dim]));
  return tensor::EmptyOp::create(builder, loc, type, open);
}

//===----------------------------------------------------------------------===//
// Generic
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> coconet::buildGeneric(OpBuilder &builder,
                                                    ArrayRef<Operation *> ops,
                                                    ValueRange outputs,
                                                    ValueRange results) {
  ElementwiseGroup group(ops, outputs);
  if (failed(group.analyze()))
    return failure();
  Location loc = results.front().getLoc();
  IndexMath m(builder, loc);
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(typeOf(results.front()).getShape())) {
    if (!ShapedType::isDynamic(size))
      sizes.push_back(m.constant(size));
    else
      sizes.push_back(*group.boxSize(m, dim));
  }
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (const Leaf &leaf : group.leaves) {
    inputs.push_back(leaf.tensor);
    maps.push_back(leaf.map);
  }
  for (Value result : results) {
    inits.push_back(makeInit(builder, result, sizes));
    maps.push_back(builder.getMultiDimIdentityMap(group.rank));
  }
  SmallVector<utils::IteratorType> iterators(group.rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, results.getTypes(), inputs, inits, maps, iterators,
      [&](OpBuilder &b, Location inner, ValueRange elements) {
        auto index = [&](int64_t dim) -> Value {
          return linalg::IndexOp::create(b, inner, dim);
        };
        linalg::YieldOp::create(b, inner, group.evaluate(b, elements, index));
      });
  return SmallVector<Value>(generic.getResults());
}

//===----------------------------------------------------------------------===//
// Symmetric kernels
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
coconet::buildSymmetric(OpBuilder &builder, Operation *source, const Group &of,
                        int64_t dim, ArrayRef<Operation *> ops,
                        ValueRange outputs, ValueRange results) {
  ElementwiseGroup group(ops, outputs);
  if (failed(group.analyze(of, dim)))
    return failure();
  Location loc = source->getLoc();
  IndexMath m(builder, loc);
  // Sizes of whole tensors, and the length of this rank's chunk.
  std::optional<OpFoldResult> size = group.boxSize(m, dim, /*whole=*/true);
  std::optional<OpFoldResult> length = group.boxSize(m, dim);
  if (!size)
    for (Value output : outputs)
      if (auto gather = output.getDefiningOp<RankAllGatherOp>())
        size = getAsOpFoldResult(gather.getSize());
  if (!length)
    length = chunkOf(builder, loc, of, *size).length;

  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<Attribute> accesses, reductions;
  MLIRContext *context = builder.getContext();
  for (const Leaf &leaf : group.leaves) {
    inputs.push_back(leaf.tensor);
    maps.push_back(leaf.map);
    accesses.push_back(AccessAttr::get(context, leaf.access));
    if (leaf.reduction)
      reductions.push_back(ReductionAttr::get(context, *leaf.reduction));
  }
  for (auto [output, result] : llvm::zip(outputs, results)) {
    bool whole = isa_and_nonnull<RankAllGatherOp, RankAllReduceOp>(
        output.getDefiningOp());
    SmallVector<OpFoldResult> sizes;
    for (int64_t d = 0; d < group.rank; ++d) {
      std::optional<OpFoldResult> known = group.boxSize(m, d);
      int64_t extent = typeOf(result).getDimSize(d);
      if (d == dim)
        sizes.push_back(whole ? *size : *length);
      else
        sizes.push_back(ShapedType::isDynamic(extent) ? *known
                                                      : m.constant(extent));
    }
    inits.push_back(makeInit(builder, result, sizes));
    maps.push_back(builder.getMultiDimIdentityMap(group.rank));
    accesses.push_back(
        AccessAttr::get(context, whole ? Access::gather : Access::chunk));
  }
  auto kernel = SymmetricKernelOp::create(
      builder, loc, results.getTypes(), inputs, inits,
      builder.getAffineMapArrayAttr(maps), builder.getArrayAttr(accesses),
      builder.getArrayAttr(reductions), builder.getI64IntegerAttr(dim), of.mesh,
      of.axes, of.groups);
  kernel->setDiscardableAttrs(source->getDiscardableAttrDictionary());
  Block &block = kernel.getBody().emplaceBlock();
  for (Value input : inputs)
    block.addArgument(typeOf(input).getElementType(), loc);
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  auto index = [&](int64_t d) -> Value {
    return KernelIndexOp::create(body, loc, body.getIndexType(), d);
  };
  YieldOp::create(body, loc, group.evaluate(body, block.getArguments(), index));
  return SmallVector<Value>(kernel.getResults());
}

/// A reduction of whole tensors: the flattening is what is cut.
static Value buildAllReduce(OpBuilder &builder, RankAllReduceOp op) {
  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  Group of = groupOf(op);
  Value init = makeInit(builder, op.getResult(), m.dims(op.getOperand()));
  MLIRContext *context = builder.getContext();
  AffineMap map = builder.getDimIdentityMap();
  auto kernel = SymmetricKernelOp::create(
      builder, loc, TypeRange{op.getType()}, ValueRange{op.getOperand()},
      ValueRange{init}, builder.getAffineMapArrayAttr({map, map}),
      builder.getArrayAttr({AccessAttr::get(context, Access::reduce),
                            AccessAttr::get(context, Access::gather)}),
      builder.getArrayAttr({op.getReductionAttr()}), IntegerAttr(), of.mesh,
      of.axes, of.groups);
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block &block = kernel.getBody().emplaceBlock();
  block.addArgument(op.getType().getElementType(), loc);
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  YieldOp::create(body, loc, block.getArgument(0));
  return kernel.getResult(0);
}

LogicalResult coconet::lowerCollective(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  IndexMath m(builder, loc);
  Group group = groupOf(cast<CollectiveOpInterface>(op));
  Value result = op->getResult(0);
  if (auto reduce = dyn_cast<RankAllReduceOp>(op)) {
    result.replaceAllUsesWith(buildAllReduce(builder, reduce));
  } else if (isa<RankReduceScatterOp, RankAllGatherOp>(op)) {
    int64_t dim = op->getAttrOfType<IntegerAttr>("dim").getInt();
    auto kernel = buildSymmetric(builder, op, group, dim, {op}, result, result);
    if (failed(kernel))
      return failure();
    result.replaceAllUsesWith(kernel->front());
  } else if (auto broadcast = dyn_cast<RankBroadcastOp>(op)) {
    Value init = makeInit(builder, result, m.dims(broadcast.getOperand()));
    auto kernel = SymmetricBroadcastOp::create(
        builder, loc, result.getType(), broadcast.getOperand(), init,
        broadcast.getRoot(), group.mesh, group.axes, group.groups);
    kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    result.replaceAllUsesWith(kernel.getResult());
  } else {
    auto exchange = cast<RankAllToAllOp>(op);
    int64_t from = exchange.getFromDim(), into = exchange.getIntoDim();
    SmallVector<OpFoldResult> sizes = m.dims(exchange.getOperand());
    if (from != into) {
      sizes[into] = chunkOf(builder, loc, group, sizes[into]).length;
      sizes[from] = getAsOpFoldResult(exchange.getSize());
    }
    auto kernel = SymmetricAllToAllOp::create(
        builder, loc, result.getType(), exchange.getOperand(),
        makeInit(builder, result, sizes), from, into, group.mesh, group.axes,
        group.groups);
    kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    result.replaceAllUsesWith(kernel.getResult());
  }
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Fused regions
//===----------------------------------------------------------------------===//

/// Whether the value is computed from collectives or slices of the region.
static bool isCommunicated(Value value, Block *region) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != region)
    return false;
  if (isa<RankReduceScatterOp, RankAllGatherOp, RankShardOp>(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isCommunicated(operand, region);
  });
}

LogicalResult coconet::lowerFused(OpBuilder &builder, FusedOp op) {
  Block &block = op.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &inner : block.without_terminator())
    ops.push_back(&inner);
  // One kernel for the collective chain, and one for each shape of results that
  // do not take part in it.
  struct Part {
    SmallVector<Value> outputs, results;
  };
  Part chain;
  llvm::MapVector<Attribute, Part> local;
  for (auto [output, result] :
       llvm::zip(block.getTerminator()->getOperands(), op.getResults())) {
    Part &part = isCommunicated(output, &block)
                     ? chain
                     : local[DenseI64ArrayAttr::get(op.getContext(),
                                                    typeOf(output).getShape())];
    part.outputs.push_back(output);
    part.results.push_back(result);
  }
  auto replace = [](Part &part, FailureOr<SmallVector<Value>> values) {
    if (failed(values))
      return failure();
    for (auto [result, value] : llvm::zip(part.results, *values))
      result.replaceAllUsesWith(value);
    return success();
  };
  for (auto &[shape, part] : local)
    if (failed(replace(part,
                       buildGeneric(builder, ops, part.outputs, part.results))))
      return failure();
  if (!chain.outputs.empty()) {
    for (Value output : chain.outputs)
      if (typeOf(output).getRank() != typeOf(chain.outputs[0]).getRank())
        return refuse(op, "has results of different ranks",
                      "take ops on tensors of another rank out of the region");
    auto scatter = llvm::find_if(ops, llvm::IsaPred<RankReduceScatterOp>);
    auto first = cast<RankReduceScatterOp>(*scatter);
    int64_t dim = first.getDim() + typeOf(chain.outputs[0]).getRank() -
                  typeOf(first.getResult()).getRank();
    if (failed(
            replace(chain, buildSymmetric(builder, op, groupOf(first), dim, ops,
                                          chain.outputs, chain.results))))
      return failure();
  }
  op->erase();
  return success();
}
