//===- TranslateNeural.cpp - access by index, windows -----------------------===//

#include "Conversion/ToRank/RankTranslator.h"
#include "Conversion/ToRank/WindowMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace coconet;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value RankTranslator::localIndices(Value indices, Value indexed, int64_t dim,
                                   Location loc) {
  Value local = values[indices].value;
  Layout layout = Layout::of(indexed);
  if (layout.dims[dim].empty())
    return local;
  Chunk chunk =
      chunkOf(values[indexed].sizes[dim], layout.dims[dim], layout.mesh, loc);
  if (isZeroInteger(chunk.start))
    return local;
  // In 64 bits no difference wraps around into the chunk.
  Type i64 = inner.getI64Type();
  if (typeOf(local).getElementType() != i64)
    local = CastOp::create(inner, loc, local, i64);
  Value start =
      arith::IndexCastOp::create(outer, loc, i64, math(loc).value(chunk.start));
  Value shift = tensor::FromElementsOp::create(
      outer, loc, RankedTensorType::get({}, i64), start);
  return SubOp::create(inner, loc, local, shift);
}

/// Sizes that windows, or padding, give where the operand's are open.
static void fillWindowSizes(Operation *op, ArrayRef<OpFoldResult> from,
                            SmallVectorImpl<OpFoldResult> &sizes, IndexMath m) {
  RankedTensorType type = typeOf(op->getResult(0));
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    if (auto pad = dyn_cast<PadOp>(op))
      sizes[dim] =
          m.add(from[dim], m.constant(pad.getLow()[dim] + pad.getHigh()[dim]));
    else if (isa<Conv2dOp, Pool2dOp>(op) && dim >= 2)
      sizes[dim] = countWindows(m, from[dim], windowsOf(op)[dim - 2]);
  }
}

/// Height and width of the images that a convolution is the gradient of, and of
/// its result.
static SmallVector<std::pair<OpFoldResult, OpFoldResult>>
gradientSizes(Operation *op, IndexMath m,
              function_ref<OpFoldResult(unsigned, int64_t)> sizeOf) {
  SmallVector<std::pair<OpFoldResult, OpFoldResult>> sizes;
  for (unsigned i = 0; i < 2; ++i) {
    if (auto input = dyn_cast<Conv2dInputGradientOp>(op))
      sizes.emplace_back(m.constant(input.getSizes()[i]), sizeOf(0, 2 + i));
    else if (isa<Conv2dWeightGradientOp>(op))
      sizes.emplace_back(sizeOf(0, 2 + i), sizeOf(1, 2 + i));
  }
  return sizes;
}

LogicalResult RankTranslator::translateNeural(IterationOpInterface op) {
  FailureOr<SmallVector<OpFoldResult>> sizes = iteratedSizes(op);
  if (failed(sizes))
    return failure();
  Location loc = op.getLoc();
  IndexMath m = math(loc);
  if (isa<PadOp>(op) && op.isPointwise()) {
    RankValue operand = values[op->getOperand(0)];
    set(op->getResult(0), operand.value, *sizes, operand.flattened);
    return success();
  }
  fillWindowSizes(op, values[op->getOperand(0)].sizes, *sizes, m);
  auto sizeOf = [&](unsigned operand, int64_t dim) {
    return representative(values[op->getOperand(operand)].sizes[dim]);
  };
  for (auto [i, pair] : llvm::enumerate(gradientSizes(op, m, sizeOf)))
    if (OpFoldResult count = countWindows(m, pair.first, windowsOf(op)[i]);
        !isEqualConstantIntOrValue(count, pair.second))
      check(count, pair.second, "windows along dimension " + Twine(i + 2), loc);

  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(values[operand].value);
  if (auto take = dyn_cast<TakeOp>(op.getOperation()))
    operands[1] = localIndices(take.getIndices(), take.getTable(), 0, loc);
  if (auto pick = dyn_cast<PickOp>(op.getOperation()))
    operands[1] =
        localIndices(pick.getIndices(), pick.getOperand(), pick.getDim(), loc);
  FailureOr<Operation *> copy = rebuild(op, operands);
  if (failed(copy))
    return failure();
  set(op->getResult(0), (*copy)->getResult(0), *sizes);
  return success();
}
