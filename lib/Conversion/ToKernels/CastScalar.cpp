//===- CastScalar.cpp - conversions between element types -------------------===//

#include "Conversion/ToKernels/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace coconet;

Type coconet::computeType(Type type) {
  bool narrow = isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  return narrow ? Float32Type::get(type.getContext()) : type;
}

/// f64 to f32 such that a second rounding to a narrower type is exact: towards
/// zero, with the last bit set where bits were lost (round to odd).
static Value roundToOdd(OpBuilder &b, Location loc, Value value) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value near = arith::TruncFOp::create(b, loc, f32, value);
  Value back = arith::ExtFOp::create(b, loc, value.getType(), near);
  Value larger = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                       math::AbsFOp::create(b, loc, back),
                                       math::AbsFOp::create(b, loc, value));
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, value);
  Value bits = arith::BitcastOp::create(b, loc, i32, near);
  Value toZero = arith::SubIOp::create(
      b, loc, bits, arith::ExtUIOp::create(b, loc, i32, larger));
  Value odd = arith::OrIOp::create(
      b, loc, toZero, arith::ExtUIOp::create(b, loc, i32, inexact));
  return arith::BitcastOp::create(b, loc, f32, odd);
}

static Value castFloat(OpBuilder &b, Location loc, Value value, FloatType to) {
  auto from = cast<FloatType>(value.getType());
  if (from == to)
    return value;
  if (to.getWidth() < 32 && from.getWidth() == 64)
    value = roundToOdd(b, loc, value);
  else if (to.getWidth() == 16 && from.getWidth() == 16)
    value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  from = cast<FloatType>(value.getType());
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(b, loc, to, value);
  return arith::TruncFOp::create(b, loc, to, value);
}

/// Towards zero, saturated, NaN as 0: `fptosi` itself is undefined there.
static Value floatToInteger(OpBuilder &b, Location loc, Value value,
                            IntegerType to) {
  if (value.getType().getIntOrFloatBitWidth() < 32)
    value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  auto from = cast<FloatType>(value.getType());
  APFloat limit(from.getFloatSemantics());
  APInt bound = APInt::getOneBitSet(to.getWidth() + 1, to.getWidth() - 1);
  limit.convertFromAPInt(bound, /*IsSigned=*/true, APFloat::rmTowardZero);
  APFloat lowest = limit;
  lowest.changeSign();
  auto real = [&](const APFloat &v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(from, v));
  };
  auto integer = [&](const APInt &v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(to, v));
  };
  using Predicate = arith::CmpFPredicate;
  Value above =
      arith::CmpFOp::create(b, loc, Predicate::OGE, value, real(limit));
  Value below =
      arith::CmpFOp::create(b, loc, Predicate::OLT, value, real(lowest));
  Value nan = arith::CmpFOp::create(b, loc, Predicate::UNO, value, value);
  Value outside = arith::OrIOp::create(
      b, loc, arith::OrIOp::create(b, loc, above, below), nan);
  Value zero = real(APFloat::getZero(from.getFloatSemantics()));
  Value safe = arith::SelectOp::create(b, loc, outside, zero, value);
  Value result = arith::FPToSIOp::create(b, loc, to, safe);
  unsigned width = to.getWidth();
  result = arith::SelectOp::create(
      b, loc, above, integer(APInt::getSignedMaxValue(width)), result);
  return arith::SelectOp::create(
      b, loc, below, integer(APInt::getSignedMinValue(width)), result);
}

static Value integerToFloat(OpBuilder &b, Location loc, Value value,
                            FloatType to) {
  // Through f64, which holds every i32: one rounding.
  Type via = to.getWidth() < 32 ? Type(b.getF64Type()) : Type(to);
  Value real = value.getType().isInteger(1)
                   ? arith::UIToFPOp::create(b, loc, via, value).getResult()
                   : arith::SIToFPOp::create(b, loc, via, value).getResult();
  return castFloat(b, loc, real, to);
}

static Value toBool(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  if (isa<FloatType>(type)) {
    value = castFloat(b, loc, value, cast<FloatType>(computeType(type)));
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value,
                                 zero);
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

Value coconet::castScalar(OpBuilder &b, Location loc, Value value, Type to) {
  Type from = value.getType();
  if (from == to)
    return value;
  if (to.isInteger(1))
    return toBool(b, loc, value);
  if (auto real = dyn_cast<FloatType>(to))
    return isa<FloatType>(from) ? castFloat(b, loc, value, real)
                                : integerToFloat(b, loc, value, real);
  if (isa<FloatType>(from))
    return floatToInteger(b, loc, value, cast<IntegerType>(to));
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, to, value);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, loc, to, value);
  return arith::TruncIOp::create(b, loc, to, value);
}
