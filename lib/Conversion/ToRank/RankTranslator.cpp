//===- RankTranslator.cpp - function boundary and regions -------------------===//

#include "Conversion/ToRank/RankTranslator.h"
#include "Analysis/Channels.h"
#include "IR/ListOps.h"
#include "IR/NeuralOps.h"
#include "IR/OverlapOps.h"
#include "IR/RankOps.h"
#include "IR/Refusal.h"
#include "IR/RootedOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coconet;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

OpFoldResult RankTranslator::representative(OpFoldResult size) {
  while (auto value = dyn_cast<Value>(size)) {
    auto found = known.find(value);
    if (found == known.end())
      break;
    size = found->second;
  }
  return size;
}

void RankTranslator::check(OpFoldResult expected, OpFoldResult actual,
                           const Twine &what, Location loc) {
  IndexMath m = math(loc);
  RankCheckSizeOp::create(outer, loc, m.value(expected), m.value(actual),
                          outer.getStringAttr(what));
}

LogicalResult RankTranslator::unify(Operation *op, OpFoldResult &a,
                                    OpFoldResult b) {
  a = representative(a);
  b = representative(b);
  if (isEqualConstantIntOrValue(a, b))
    return success();
  if (getConstantIntValue(a) && getConstantIntValue(b))
    return op->emitOpError()
           << "needs sizes " << *getConstantIntValue(a) << " and "
           << *getConstantIntValue(b) << " to be equal";
  check(a, b,
        isa<FunctionOpInterface>(op) ? StringRef("arguments")
                                     : op->getName().getStringRef(),
        op->getLoc());
  if (isa<Value>(b)) {
    known[cast<Value>(b)] = a;
  } else {
    known[cast<Value>(a)] = b;
    a = b;
  }
  return success();
}

Chunk RankTranslator::chunkOf(OpFoldResult size, ArrayRef<StringAttr> axes,
                              MeshAttr mesh, Location loc) {
  IndexMath m = math(loc);
  int64_t parts = mesh.sizeOf(axes);
  if (parts == 1)
    return {m.constant(0), size};
  SmallVector<Attribute> names(axes.begin(), axes.end());
  Value position = RankCoordinateOp::create(outer, loc, outer.getIndexType(),
                                            mesh, outer.getArrayAttr(names));
  return m.chunk(representative(size), parts, position);
}

SmallVector<OpFoldResult> RankTranslator::localSizes(Value value,
                                                     Location loc) {
  Layout layout = Layout::of(value);
  RankValue &mapped = values[value];
  IndexMath m = math(loc);
  if (!layout.flat.empty())
    return {
        chunkOf(m.product(mapped.sizes), layout.flat, layout.mesh, loc).length};
  SmallVector<OpFoldResult> sizes;
  for (auto [size, axes] : llvm::zip(mapped.sizes, layout.dims))
    sizes.push_back(
        axes.empty() ? size : chunkOf(size, axes, layout.mesh, loc).length);
  return sizes;
}

Value RankTranslator::reshape(Value value, RankedTensorType type,
                              ArrayRef<OpFoldResult> sizes, Location loc) {
  if (value.getType() == type && type.getRank() == 1)
    return value;
  IndexMath m = math(loc);
  SmallVector<Value> open;
  for (auto [extent, size] : llvm::zip(type.getShape(), sizes))
    if (ShapedType::isDynamic(extent))
      open.push_back(m.value(size));
  return RankReshapeOp::create(outer, loc, type, value, open);
}

//===----------------------------------------------------------------------===//
// Function boundary
//===----------------------------------------------------------------------===//

/// Dimensions whose logical size one rank's slice does not tell.
static SmallVector<int64_t> hiddenDims(RankedTensorType type) {
  Layout layout = Layout::of(type);
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) &&
        (!layout.flat.empty() || !layout.dims[dim].empty()))
      dims.push_back(dim);
  return dims;
}

void RankTranslator::addArguments() {
  Block *body = target.addEntryBlock();
  outer.setInsertionPointToEnd(body);
  unsigned next = source.getNumArguments();
  for (BlockArgument argument : source.getArguments()) {
    Value local = body->getArgument(argument.getArgNumber());
    RankValue &mapped = values[argument];
    mapped.value = local;
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    IndexMath m = math(argument.getLoc());
    SmallVector<int64_t> hidden = hiddenDims(type);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (llvm::is_contained(hidden, dim))
        mapped.sizes.push_back(OpFoldResult(body->getArgument(next++)));
      else if (type.isDynamicDim(dim))
        mapped.sizes.push_back(m.dim(local, dim));
      else
        mapped.sizes.push_back(m.constant(type.getDimSize(dim)));
    }
  }
}

LogicalResult RankTranslator::unifyNamedDims() {
  for (BlockArgument argument : source.getArguments()) {
    auto names =
        source.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), dimsAttr);
    if (!names)
      continue;
    for (auto [name, size] : llvm::zip(names.getAsValueRange<StringAttr>(),
                                       values[argument].sizes)) {
      if (name.empty())
        continue;
      auto [entry, fresh] = namedSizes.try_emplace(name, size);
      if (!fresh && failed(unify(source, entry->second, size)))
        return failure();
    }
  }
  return success();
}

LogicalResult RankTranslator::finish(func::ReturnOp op) {
  SmallVector<Value> results;
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    // The state's buffer holds the new value.
    if (operand.getDefiningOp<UpdateOp>())
      continue;
    Value local = values[operand].value;
    NamedAttrList attrs(source.getResultAttrDict(index));
    if (auto type = dyn_cast<RankedTensorType>(operand.getType());
        type && type.getEncoding())
      attrs.set(layoutAttr, type.getEncoding());
    results.push_back(local);
    types.push_back(local.getType());
    attributes.push_back(attrs.getDictionary(context));
  }
  func::ReturnOp::create(outer, op.getLoc(), results);
  target.setFunctionType(
      FunctionType::get(context, target.getFunctionType().getInputs(), types));
  target.setResAttrsAttr(ArrayAttr::get(context, attributes));
  return success();
}

LogicalResult RankTranslator::translate() {
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  SmallVector<std::pair<int64_t, int64_t>> hidden;
  for (BlockArgument argument : source.getArguments()) {
    unsigned number = argument.getArgNumber();
    NamedAttrList attrs(source.getArgAttrDict(number));
    Type type = argument.getType();
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (tensor.getEncoding())
        attrs.set(layoutAttr, tensor.getEncoding());
      // One rank's flat slice has no dimensions that could be named.
      if (!Layout::of(tensor).flat.empty())
        attrs.erase(dimsAttr);
      for (int64_t dim : hiddenDims(tensor))
        hidden.emplace_back(number, dim);
      type = localType(tensor);
    }
    types.push_back(type);
    attributes.push_back(attrs.getDictionary(context));
  }
  for (auto [number, dim] : hidden) {
    types.push_back(IndexType::get(context));
    NamedAttrList attrs;
    attrs.set(sizeOfAttr, DenseI64ArrayAttr::get(context, {number, dim}));
    attributes.push_back(attrs.getDictionary(context));
  }
  target.setFunctionType(FunctionType::get(context, types, {}));
  target.setArgAttrsAttr(ArrayAttr::get(context, attributes));
  if (MeshAttr mesh = findMesh(source))
    target->setAttr(meshAttr, mesh);

  addArguments();
  inner.setInsertionPointToEnd(&target.getBody().front());
  if (failed(unifyNamedDims()))
    return failure();
  for (Operation &op : source.getBody().front()) {
    if (auto end = dyn_cast<func::ReturnOp>(op))
      return finish(end);
    if (failed(translateOp(&op)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult RankTranslator::translateOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](FusedOp fused) { return translateFused(fused); })
      .Case([&](ForEachOp list) { return translateForEach(list); })
      .Case([&](OverlapOp overlap) { return translateOverlap(overlap); })
      .Case([&](DropoutOp dropout) { return translateDropout(dropout); })
      .Case([&](NormOp norm) { return translateNorm(norm); })
      .Case([&](ReduceOp reduce) {
        return reduce.getKind() == ReduceKind::mean
                   ? translateMean(reduce)
                   : translateIteration(reduce);
      })
      .Case<PickOp, TakeOp, ScatterAddOp, PadOp, Conv2dOp,
            Conv2dInputGradientOp, Conv2dWeightGradientOp, Pool2dOp>(
          [&](auto neural) { return translateNeural(neural); })
      .Case([&](IterationOpInterface iterated) {
        return translateIteration(iterated);
      })
      .Case([&](ReduceScatterOp c) { return translateReduceScatter(c); })
      .Case([&](AllGatherOp c) { return translateAllGather(c); })
      .Case([&](AllToAllOp c) { return translateAllToAll(c); })
      .Case<AllReduceOp, BroadcastOp>(
          [&](auto c) { return translateCollective(c); })
      .Case<ReduceToRootOp, GatherToRootOp, ScatterFromRootOp, PermuteOp,
            BarrierOp>([&](auto c) { return translateRooted(c); })
      .Case([&](SendOp send) { return translateSend(send); })
      .Case([&](RecvOp recv) { return translateRecv(recv); })
      .Case([&](ShardOp shard) { return translateShard(shard); })
      .Case([&](ReshapeOp reshape) { return translateReshape(reshape); })
      .Case([&](UpdateOp update) { return translateUpdate(update); })
      .Case<TransposeOp, SliceOp, ConcatOp, BroadcastToOp, ConstantOp, IotaOp>(
          [&](auto inferred) { return translateInferred(inferred); })
      .Case<SoftmaxOp, LayerNormOp, RmsNormOp, CrossEntropyOp>([&](auto op) {
        return refuse(op, "is composite",
                      "run --coconet-decompose before --coconet-to-rank");
      })
      .Case([&](RankStartOp start) { return translateStart(start); })
      .Case([&](scf::ForOp loop) { return translateFor(loop); })
      .Case([&](scf::IfOp branch) { return translateIf(branch); })
      .Default([&](Operation *other) { return copyForeign(other); });
}

/// Ops of other dialects, and of rank programs, that use plain tensors.
LogicalResult RankTranslator::copyForeign(Operation *op) {
  if (op->getNumRegions() || isa<CallOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return refuse(op, "cannot be in a function that becomes a rank program",
                  "inline calls; loops and branches are scf.for and scf.if");
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, values[operand].value);
  Operation *copy = inner.clone(*op, mapping);
  IndexMath m = math(op->getLoc());
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
    SmallVector<OpFoldResult> sizes;
    if (isa<RankedTensorType>(to.getType()))
      sizes = m.dims(to);
    set(from, to, sizes);
  }
  return success();
}

/// The ops of a block of the program, as the body of an op that is made later.
LogicalResult RankTranslator::translateBody(Block &block, Region &region) {
  OpBuilder place = inner;
  inner.setInsertionPointToEnd(&region.emplaceBlock());
  for (Operation &nested : block.without_terminator())
    if (failed(translateOp(&nested)))
      return failure();
  SmallVector<Value> yielded;
  for (Value operand : block.getTerminator()->getOperands())
    yielded.push_back(values[operand].value);
  YieldOp::create(inner, block.getTerminator()->getLoc(), yielded);
  inner = place;
  return success();
}

/// Started communication of a rank program.
LogicalResult RankTranslator::translateStart(RankStartOp op) {
  Region region;
  if (failed(translateBody(op.getBody().front(), region)))
    return failure();
  auto started =
      RankStartOp::create(inner, op.getLoc(), op.getFuture().getType());
  started->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  started.getBody().takeBody(region);
  set(op.getFuture(), started.getFuture(), {});
  return success();
}

LogicalResult RankTranslator::translateFused(FusedOp op) {
  Region region;
  if (failed(translateBody(op.getBody().front(), region)))
    return failure();
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  TypeRange types = region.front().getTerminator()->getOperandTypes();
  auto fused = FusedOp::create(inner, op.getLoc(), types, op.getKind());
  fused->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  fused.getBody().takeBody(region);
  for (auto [result, operand, local] :
       llvm::zip(op.getResults(), yield.getOperands(), fused.getResults())) {
    RankValue &mapped = values[operand];
    Value value = local;
    if (mapped.flattened) {
      // The layout of a gathered flat slice cuts nothing any more.
      auto type = cast<RankedTensorType>(result.getType());
      value = reshape(
          local, RankedTensorType::get(type.getShape(), type.getElementType()),
          mapped.sizes, op.getLoc());
    }
    set(result, value, SmallVector<OpFoldResult>(mapped.sizes));
  }
  return success();
}
