//===- LowerElements.cpp - single elements, and memory on the stack -------===//

#include "Conversion/LowerKernels/LoopNest.h"
#include "Conversion/LowerKernels/Lowerings.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace coconet;

/// Where an element lies behind the start of its buffer.
static OpFoldResult offsetOf(IndexMath &math, Value buffer,
                             ValueRange indices) {
  OpFoldResult offset = math.constant(0);
  for (auto [index, stride] : llvm::zip(indices, stridesOf(math, buffer)))
    offset = math.add(offset, math.mul(OpFoldResult(index), stride));
  return offset;
}

static bool isBoolean(MemRefType type) {
  return type.getElementType().isInteger(1);
}

void coconet::lowerLoad(memref::LoadOp op) {
  if (!isBoolean(op.getMemRefType()))
    return;
  OpBuilder builder(op);
  IndexMath m(builder, op.getLoc());
  Value pointer = RuntimeCalls(builder, op).pointerTo(op.getMemRef());
  OpFoldResult offset = offsetOf(m, op.getMemRef(), op.getIndices());
  op.replaceAllUsesWith(
      loadElements(builder, op, pointer, op.getType(), offset, 1));
  op.erase();
}

void coconet::lowerStore(memref::StoreOp op) {
  if (!isBoolean(op.getMemRefType()))
    return;
  OpBuilder builder(op);
  IndexMath m(builder, op.getLoc());
  Value pointer = RuntimeCalls(builder, op).pointerTo(op.getMemRef());
  OpFoldResult offset = offsetOf(m, op.getMemRef(), op.getIndices());
  storeElements(builder, op, op.getValue(), pointer, op.getValue().getType(),
                offset, 1);
  op.erase();
}

void coconet::hoistStackMemory(func::FuncOp function) {
  Block &entry = function.getBody().front();
  SmallVector<memref::AllocaOp> nested;
  function.walk([&](memref::AllocaOp op) {
    if (op->getBlock() != &entry && op->getNumOperands() == 0)
      nested.push_back(op);
  });
  for (memref::AllocaOp op : nested)
    op->moveBefore(&entry, entry.begin());
}
