//===- KernelBuilder.cpp - generic and symmetric kernels --------------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/KernelOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

Value coconet::findDestination(Value result) {
  // Of several states the first one; the others are copied.
  UpdateOp first;
  for (Operation *user : result.getUsers())
    if (auto update = dyn_cast<UpdateOp>(user);
        update && update.getValue() == result &&
        (!first || update->isBeforeInBlock(first)))
      first = update;
  if (first)
    return first.getState();
  for (OpOperand &use : result.getUses()) {
    Operation *user = use.getOwner();
    if (!isa<scf::YieldOp>(user))
      continue;
    unsigned index = use.getOperandNumber();
    auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
    if (loop && loop->isAncestor(result.getParentBlock()->getParentOp()))
      return loop.getRegionIterArg(index);
    if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp()))
      if (Value found = findDestination(branch.getResult(index)))
        return found;
  }
  if (!result.hasOneUse())
    return {};
  Operation *user = *result.user_begin();
  return isa<RankReshapeOp, tensor::CastOp>(user)
             ? findDestination(user->getResult(0))
             : Value();
}

Value coconet::makeInit(OpBuilder &builder, Value result,
                        ArrayRef<OpFoldResult> sizes) {
  Location loc = result.getLoc();
  RankedTensorType type = typeOf(result);
  if (Value destination = findDestination(result))
    return reshapeTensor(builder, loc, destination, type, sizes);
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
    inputs.push_back(
        leaf.wireType ? castElements(builder, loc, leaf.tensor, leaf.wireType)
                      : leaf.tensor);
    maps.push_back(leaf.map);
    accesses.push_back(AccessAttr::get(context, leaf.access));
    if (leaf.reduction)
      reductions.push_back(ReductionAttr::get(context, *leaf.reduction));
  }
  for (auto [output, result] : llvm::zip(outputs, results)) {
    if (auto reduce = output.getDefiningOp<ReduceOp>()) {
      SmallVector<AffineExpr> zeros(typeOf(result).getRank(),
                                    builder.getAffineConstantExpr(0));
      inits.push_back(tensor::EmptyOp::create(builder, loc,
                                              typeOf(result).getShape(),
                                              typeOf(result).getElementType()));
      maps.push_back(AffineMap::get(group.rank, 0, zeros, context));
      accesses.push_back(AccessAttr::get(context, Access::fold));
      reductions.push_back(
          ReductionAttr::get(context, *reduce.getIteration().combining));
      continue;
    }
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
      of.axes, of.groups, /*root=*/IntegerAttr());
  kernel->setDiscardableAttrs(source->getDiscardableAttrDictionary());
  Block &block = kernel.getBody().emplaceBlock();
  for (const Leaf &leaf : group.leaves)
    block.addArgument(typeOf(leaf.tensor).getElementType(), loc);
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  auto index = [&](int64_t d) -> Value {
    return KernelIndexOp::create(body, loc, body.getIndexType(), d);
  };
  YieldOp::create(body, loc, group.evaluate(body, block.getArguments(), index));
  if (failed(checkOneShot(source, kernel)))
    return failure();
  return SmallVector<Value>(kernel.getResults());
}
