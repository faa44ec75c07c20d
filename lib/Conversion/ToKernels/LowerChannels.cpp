//===- LowerChannels.cpp - send and receive as kernels ----------------------===//
//
// The receiver publishes its buffer and the sender writes into it: a value that
// is there already is copied, one that a fused region computes is computed into
// it.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToKernels/KernelBuilder.h"
#include "IR/ChannelOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The receiver's buffer, as a tensor to be written.
static SymmetricSendBeginOp beginSend(OpBuilder &builder, RankSendOp op,
                                      ArrayRef<OpFoldResult> sizes) {
  IndexMath m(builder, op.getLoc());
  RankedTensorType type = typeOf(op.getOperand());
  SmallVector<Value> open;
  for (auto [extent, size] : llvm::zip(type.getShape(), sizes))
    if (ShapedType::isDynamic(extent))
      open.push_back(m.value(size));
  auto begin = SymmetricSendBeginOp::create(
      builder, op.getLoc(), type, open, op.getChannelAttr(),
      op.getSendersAttr(), op.getReceiversAttr());
  begin->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return begin;
}

/// Writes `value`, if it does not lie there yet, and releases the receiver.
static void endSend(OpBuilder &builder, RankSendOp op, Value value,
                    Value buffer) {
  auto written = bufferization::MaterializeInDestinationOp::create(
      builder, op.getLoc(), TypeRange{buffer.getType()}, value, buffer);
  SymmetricSendEndOp::create(builder, op.getLoc(), written->getResult(0),
                             op.getChannelAttr(), op.getSendersAttr(),
                             op.getReceiversAttr());
}

void coconet::lowerChannelOp(OpBuilder &builder, Operation *op) {
  IndexMath m(builder, op->getLoc());
  if (auto send = dyn_cast<RankSendOp>(op)) {
    Value value = send.getOperand();
    endSend(builder, send, value, beginSend(builder, send, m.dims(value)));
    return op->erase();
  }
  auto recv = cast<RankRecvOp>(op);
  Value result = recv.getResult();
  SmallVector<OpFoldResult> sizes;
  unsigned next = 0;
  for (int64_t size : typeOf(result).getShape())
    sizes.push_back(ShapedType::isDynamic(size)
                        ? OpFoldResult(recv.getSizes()[next++])
                        : m.constant(size));
  auto kernel = SymmetricRecvOp::create(
      builder, op->getLoc(), result.getType(), makeInit(builder, result, sizes),
      recv.getChannelAttr(), recv.getSendersAttr(), recv.getReceiversAttr());
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  result.replaceAllUsesWith(kernel.getResult());
  op->erase();
}

LogicalResult coconet::lowerFusedSend(OpBuilder &builder, FusedOp op) {
  Block &block = op.getBody().front();
  RankSendOp send = *block.getOps<RankSendOp>().begin();
  SmallVector<Operation *> ops;
  for (Operation &inner : block.without_terminator())
    if (&inner != send)
      ops.push_back(&inner);
  // What is shaped like what is sent is computed with it.
  EqualSizes sizesOf(block);
  SmallVector<Value> outputs = {send.getOperand()}, results;
  for (auto [output, result] :
       llvm::zip(block.getTerminator()->getOperands(), op.getResults())) {
    if (sizesOf.of(output) == sizesOf.of(send.getOperand())) {
      outputs.push_back(output);
      results.push_back(result);
      continue;
    }
    auto values = buildGeneric(builder, ops, output, result);
    if (failed(values))
      return failure();
    result.replaceAllUsesWith(values->front());
  }
  ElementwiseGroup group(ops, outputs);
  if (failed(group.analyze()))
    return failure();

  Location loc = op.getLoc();
  IndexMath m(builder, loc);
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(typeOf(outputs.front()).getShape()))
    sizes.push_back(ShapedType::isDynamic(size) ? *group.boxSize(m, dim)
                                                : m.constant(size));
  SmallVector<Value> inputs, inits = {beginSend(builder, send, sizes)};
  SmallVector<AffineMap> maps;
  for (const Leaf &leaf : group.leaves) {
    inputs.push_back(leaf.tensor);
    maps.push_back(leaf.map);
  }
  for (Value result : results)
    inits.push_back(makeInit(builder, result, sizes));
  maps.append(inits.size(), builder.getMultiDimIdentityMap(group.rank));
  SmallVector<utils::IteratorType> iterators(group.rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(ValueRange(inits)), inputs, inits, maps,
      iterators, [&](OpBuilder &b, Location inner, ValueRange elements) {
        auto index = [&](int64_t dim) -> Value {
          return linalg::IndexOp::create(b, inner, dim);
        };
        linalg::YieldOp::create(b, inner, group.evaluate(b, elements, index));
      });
  endSend(builder, send, generic.getResult(0), inits.front());
  for (auto [result, value] :
       llvm::zip(results, generic.getResults().drop_front()))
    result.replaceAllUsesWith(value);
  op->erase();
  return success();
}
