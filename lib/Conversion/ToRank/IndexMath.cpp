//===- IndexMath.cpp - sizes and offsets as folded index arithmetic ---------===//

#include "Conversion/ToRank/IndexMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coconet;

OpFoldResult IndexMath::constant(int64_t value) {
  return builder.getIndexAttr(value);
}

Value IndexMath::value(OpFoldResult size) {
  if (auto known = dyn_cast<Value>(size))
    return known;
  return arith::ConstantIndexOp::create(builder, loc,
                                        *getConstantIntValue(size));
}

/// Fold if both operands are static, else build `OpTy`.
template <typename OpTy>
static OpFoldResult build(IndexMath &math, OpFoldResult a, OpFoldResult b,
                          function_ref<int64_t(int64_t, int64_t)> fold) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return math.constant(fold(*x, *y));
  return OpTy::create(math.builder, math.loc, math.value(a), math.value(b))
      .getResult();
}

OpFoldResult IndexMath::add(OpFoldResult a, OpFoldResult b) {
  if (isZeroInteger(a))
    return b;
  if (isZeroInteger(b))
    return a;
  return build<arith::AddIOp>(*this, a, b, std::plus<int64_t>());
}

OpFoldResult IndexMath::sub(OpFoldResult a, OpFoldResult b) {
  if (isZeroInteger(b))
    return a;
  return build<arith::SubIOp>(*this, a, b, std::minus<int64_t>());
}

OpFoldResult IndexMath::mul(OpFoldResult a, OpFoldResult b) {
  if (isZeroInteger(a) || isZeroInteger(b))
    return constant(0);
  if (isOneInteger(a))
    return b;
  if (isOneInteger(b))
    return a;
  return build<arith::MulIOp>(*this, a, b, std::multiplies<int64_t>());
}

OpFoldResult IndexMath::min(OpFoldResult a, OpFoldResult b) {
  return build<arith::MinSIOp>(
      *this, a, b, [](int64_t x, int64_t y) { return std::min(x, y); });
}

OpFoldResult IndexMath::max(OpFoldResult a, OpFoldResult b) {
  return build<arith::MaxSIOp>(
      *this, a, b, [](int64_t x, int64_t y) { return std::max(x, y); });
}

OpFoldResult IndexMath::div(OpFoldResult a, OpFoldResult b) {
  if (isOneInteger(b))
    return a;
  return build<arith::DivUIOp>(*this, a, b, std::divides<int64_t>());
}

OpFoldResult IndexMath::ceilDiv(OpFoldResult a, OpFoldResult b) {
  if (isOneInteger(b))
    return a;
  return build<arith::CeilDivUIOp>(
      *this, a, b, [](int64_t x, int64_t y) { return (x + y - 1) / y; });
}

OpFoldResult IndexMath::rem(OpFoldResult a, OpFoldResult b) {
  if (isOneInteger(b))
    return constant(0);
  return build<arith::RemUIOp>(*this, a, b, std::modulus<int64_t>());
}

OpFoldResult IndexMath::product(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult result = constant(1);
  for (OpFoldResult size : sizes)
    result = mul(result, size);
  return result;
}

OpFoldResult IndexMath::dim(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (isa<MemRefType>(type))
    return memref::DimOp::create(builder, loc, shaped, dim).getResult();
  return tensor::DimOp::create(builder, loc, shaped, dim).getResult();
}

SmallVector<OpFoldResult> IndexMath::dims(Value shaped) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < cast<ShapedType>(shaped.getType()).getRank(); ++d)
    sizes.push_back(dim(shaped, d));
  return sizes;
}

Chunk IndexMath::chunk(OpFoldResult size, int64_t parts, OpFoldResult index) {
  if (parts == 1)
    return {constant(0), size};
  auto known = getConstantIntValue(size);
  if (known && *known % parts == 0)
    return {mul(index, constant(*known / parts)), constant(*known / parts)};
  return chunk(size, constant(parts), index);
}

Chunk IndexMath::chunk(OpFoldResult size, OpFoldResult parts,
                       OpFoldResult index) {
  OpFoldResult step = ceilDiv(size, parts);
  OpFoldResult start = min(mul(index, step), size);
  return {start, sub(min(add(start, step), size), start)};
}

static int64_t localSize(int64_t size, int64_t parts) {
  if (parts == 1 || ShapedType::isDynamic(size))
    return size;
  if (size % parts != 0 || size / parts == 1)
    return ShapedType::kDynamic;
  return size / parts;
}

RankedTensorType coconet::localType(RankedTensorType type) {
  Layout layout = Layout::of(type);
  if (!layout.flat.empty()) {
    int64_t count =
        type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
    return RankedTensorType::get(
        {localSize(count, layout.mesh.sizeOf(layout.flat))},
        type.getElementType());
  }
  SmallVector<int64_t> shape;
  for (auto [size, axes] : llvm::zip(type.getShape(), layout.dims))
    shape.push_back(axes.empty() ? size
                                 : localSize(size, layout.mesh.sizeOf(axes)));
  return RankedTensorType::get(shape, type.getElementType());
}
