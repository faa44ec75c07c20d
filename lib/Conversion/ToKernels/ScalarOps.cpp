//===- ScalarOps.cpp - pointwise ops on one element -------------------------===//

#include "Conversion/ToKernels/ScalarOps.h"
#include "IR/RankOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coconet;

namespace {
/// Builds scalar ops at one place, each in the compute type of its operands.
struct ScalarBuilder {
  OpBuilder &b;
  Location loc;

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }
  Value constant(Type type, double value) {
    if (isa<FloatType>(type))
      return make<arith::ConstantOp>(b.getFloatAttr(type, value));
    return make<arith::ConstantOp>(b.getIntegerAttr(type, int64_t(value)));
  }
  Value u32(uint64_t value) {
    APInt bits(32, value & 0xFFFFFFFF);
    return make<arith::ConstantOp>(b.getIntegerAttr(b.getI32Type(), bits));
  }
  Value widen(Value value) {
    return castScalar(b, loc, value, computeType(value.getType()));
  }

  Value divideIntegers(Value x, Value y);
  Value compare(Predicate predicate, Value x, Value y);
  Value sigmoid(Value x);
  Value gelu(Value x);
  Value philox(std::array<Value, 4> counter, uint64_t seed);
  Value dropout(RankDropoutOp op, Value x, Value step, IndexFn index);
  Value binary(Operation *op, Value x, Value y);
  Value unary(Operation *op, Value x);
};
} // namespace

/// Quotients by 0 are 0; by -1 the negated value, which cannot trap.
Value ScalarBuilder::divideIntegers(Value x, Value y) {
  Type type = x.getType();
  Value zero = constant(type, 0), one = constant(type, 1);
  auto equals = [&](Value v, Value w) {
    return make<arith::CmpIOp>(arith::CmpIPredicate::eq, v, w);
  };
  Value isZero = equals(y, zero), isMinusOne = equals(y, constant(type, -1));
  Value special = make<arith::OrIOp>(isZero, isMinusOne);
  Value quotient =
      make<arith::DivSIOp>(x, make<arith::SelectOp>(special, one, y));
  quotient =
      make<arith::SelectOp>(isMinusOne, make<arith::SubIOp>(zero, x), quotient);
  return make<arith::SelectOp>(isZero, zero, quotient);
}

Value ScalarBuilder::compare(Predicate predicate, Value x, Value y) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr F floats[] = {F::OEQ, F::UNE, F::OLT,
                                 F::OLE, F::OGT, F::OGE};
  static constexpr I integers[] = {I::eq,  I::ne,  I::slt,
                                   I::sle, I::sgt, I::sge};
  static constexpr I bools[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
  auto kind = static_cast<unsigned>(predicate);
  if (isa<FloatType>(x.getType()))
    return make<arith::CmpFOp>(floats[kind], x, y);
  return make<arith::CmpIOp>(
      x.getType().isInteger(1) ? bools[kind] : integers[kind], x, y);
}

Value ScalarBuilder::sigmoid(Value x) {
  Value one = constant(x.getType(), 1);
  Value power = make<math::ExpOp>(make<arith::NegFOp>(x));
  return make<arith::DivFOp>(one, make<arith::AddFOp>(one, power));
}

Value ScalarBuilder::gelu(Value x) {
  Type type = x.getType();
  Value erf = make<math::ErfOp>(
      make<arith::MulFOp>(x, constant(type, 1.0 / std::sqrt(2.0))));
  Value sum = make<arith::AddFOp>(constant(type, 1), erf);
  return make<arith::MulFOp>(make<arith::MulFOp>(x, sum), constant(type, 0.5));
}

/// First output word of Philox-4x32-10 (Salmon et al., SC 2011).
Value ScalarBuilder::philox(std::array<Value, 4> c, uint64_t seed) {
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  Value shift = constant(i64, 32);
  auto multiply = [&](Value word, uint64_t factor) -> std::pair<Value, Value> {
    Value product = make<arith::MulIOp>(
        make<arith::ExtUIOp>(i64, word),
        make<arith::ConstantOp>(b.getI64IntegerAttr(factor)));
    Value high =
        make<arith::TruncIOp>(i32, make<arith::ShRUIOp>(product, shift));
    return {high, make<arith::TruncIOp>(i32, product)};
  };
  uint32_t k0 = seed, k1 = seed >> 32;
  for (int round = 0; round < 10; ++round) {
    auto [high0, low0] = multiply(c[0], 0xD2511F53);
    auto [high1, low1] = multiply(c[2], 0xCD9E8D57);
    Value x = make<arith::XOrIOp>(make<arith::XOrIOp>(high1, c[1]), u32(k0));
    Value y = make<arith::XOrIOp>(make<arith::XOrIOp>(high0, c[3]), u32(k1));
    c = {x, low1, y, low0};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c[0];
}

Value ScalarBuilder::dropout(RankDropoutOp op, Value x, Value step,
                             IndexFn index) {
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  auto wide = [&](Value v) { return make<arith::IndexCastOp>(i64, v); };
  Value linear = constant(i64, 0);
  for (auto [dim, offset, stride] :
       llvm::enumerate(op.getOffsets(), op.getStrides())) {
    Value position = make<arith::AddIOp>(wide(offset), wide(index(dim)));
    linear = make<arith::AddIOp>(linear,
                                 make<arith::MulIOp>(position, wide(stride)));
  }
  Value low = make<arith::TruncIOp>(i32, linear);
  Value high = make<arith::TruncIOp>(
      i32, make<arith::ShRUIOp>(linear, constant(i64, 32)));
  Value now = step.getType() == i32 ? step : make<arith::TruncIOp>(i32, step);
  Value stream = make<arith::AddIOp>(
      u32(op.getStream()),
      make<arith::ShLIOp>(make<arith::TruncIOp>(i32, wide(op.getCoordinate())),
                          u32(16)));
  Value word = philox({low, high, now, stream}, op.getSeed());
  double rate = op.getRate().convertToDouble();
  Value keep = make<arith::CmpIOp>(
      arith::CmpIPredicate::uge, word,
      u32(static_cast<uint64_t>(std::floor(rate * 4294967296.0))));
  Value scaled =
      make<arith::MulFOp>(x, constant(x.getType(), 1.0 / (1.0 - rate)));
  return make<arith::SelectOp>(keep, scaled, constant(x.getType(), 0));
}

Value ScalarBuilder::binary(Operation *op, Value x, Value y) {
  bool real = isa<FloatType>(x.getType());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) {
        return real ? make<arith::AddFOp>(x, y) : make<arith::AddIOp>(x, y);
      })
      .Case([&](SubOp) {
        return real ? make<arith::SubFOp>(x, y) : make<arith::SubIOp>(x, y);
      })
      .Case([&](MulOp) {
        return real ? make<arith::MulFOp>(x, y) : make<arith::MulIOp>(x, y);
      })
      .Case([&](DivOp) {
        return real ? make<arith::DivFOp>(x, y) : divideIntegers(x, y);
      })
      .Case([&](PowOp) { return make<math::PowFOp>(x, y); })
      .Case([&](MaxOp) { return combineScalars(b, loc, Reduction::max, x, y); })
      .Case([&](MinOp) { return combineScalars(b, loc, Reduction::min, x, y); })
      .Case([&](CompareOp c) { return compare(c.getPredicate(), x, y); })
      .Default([](Operation *) { return Value(); });
}

Value ScalarBuilder::unary(Operation *op, Value x) {
  Type type = x.getType();
  bool real = isa<FloatType>(type);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NegOp) {
        return real ? make<arith::NegFOp>(x)
                    : make<arith::SubIOp>(constant(type, 0), x);
      })
      .Case([&](AbsOp) {
        return real ? make<math::AbsFOp>(x) : make<math::AbsIOp>(x);
      })
      .Case([&](SqrtOp) { return make<math::SqrtOp>(x); })
      .Case([&](RsqrtOp) {
        return make<arith::DivFOp>(constant(type, 1), make<math::SqrtOp>(x));
      })
      .Case([&](ExpOp) { return make<math::ExpOp>(x); })
      .Case([&](LogOp) { return make<math::LogOp>(x); })
      .Case([&](TanhOp) { return make<math::TanhOp>(x); })
      .Case([&](SigmoidOp) { return sigmoid(x); })
      .Case([&](ReluOp) {
        return combineScalars(b, loc, Reduction::max, x, constant(type, 0));
      })
      .Case([&](GeluOp) { return gelu(x); })
      .Case([&](SiluOp) { return make<arith::MulFOp>(x, sigmoid(x)); })
      .Case([&](IsFiniteOp) {
        APFloat infinity =
            APFloat::getInf(cast<FloatType>(type).getFloatSemantics());
        Value limit = make<arith::ConstantOp>(b.getFloatAttr(type, infinity));
        return make<arith::CmpFOp>(arith::CmpFPredicate::OLT,
                                   make<math::AbsFOp>(x), limit);
      })
      .Default([](Operation *) { return Value(); });
}

Value coconet::combineScalars(OpBuilder &b, Location loc, Reduction reduction,
                              Value x, Value y) {
  ScalarBuilder s{b, loc};
  bool real = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (reduction) {
  case Reduction::sum:
  case Reduction::avg:
    return real ? s.make<arith::AddFOp>(x, y) : s.make<arith::AddIOp>(x, y);
  case Reduction::prod:
    return real ? s.make<arith::MulFOp>(x, y) : s.make<arith::MulIOp>(x, y);
  case Reduction::max:
    return real ? s.make<arith::MaximumFOp>(x, y)
                : s.make<arith::MaxSIOp>(x, y);
  case Reduction::min:
    return real ? s.make<arith::MinimumFOp>(x, y)
                : s.make<arith::MinSIOp>(x, y);
  }
  llvm_unreachable("all reductions are handled");
}

TypedAttr coconet::neutralElement(OpBuilder &b, Reduction reduction,
                                  Type type) {
  bool largest = reduction == Reduction::min;
  if (auto real = dyn_cast<FloatType>(type)) {
    if (reduction == Reduction::max || reduction == Reduction::min)
      return b.getFloatAttr(
          real, APFloat::getInf(real.getFloatSemantics(), !largest));
    return b.getFloatAttr(real, reduction == Reduction::prod ? 1.0 : 0.0);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (reduction == Reduction::max || reduction == Reduction::min)
    return b.getIntegerAttr(type, largest ? APInt::getSignedMaxValue(width)
                                          : APInt::getSignedMinValue(width));
  return b.getIntegerAttr(type, reduction == Reduction::prod ? 1 : 0);
}

Value coconet::buildScalar(OpBuilder &b, Operation *op, ValueRange scalars,
                           IndexFn index) {
  ScalarBuilder s{b, op->getLoc()};
  Type type = cast<ShapedType>(op->getResult(0).getType()).getElementType();
  if (isa<BroadcastToOp>(op))
    return scalars[0];
  if (isa<CastOp>(op))
    return castScalar(b, op->getLoc(), scalars[0], type);
  if (isa<SelectOp>(op))
    return s.make<arith::SelectOp>(scalars[0], scalars[1], scalars[2]);
  if (auto iota = dyn_cast<IotaOp>(op)) {
    Value position =
        s.make<arith::IndexCastOp>(b.getI64Type(), index(iota.getDim()));
    return castScalar(b, op->getLoc(), position, type);
  }
  Value result;
  if (auto dropout = dyn_cast<RankDropoutOp>(op))
    result = s.dropout(dropout, s.widen(scalars[0]), scalars[1], index);
  else if (scalars.size() == 2)
    result = s.binary(op, s.widen(scalars[0]), s.widen(scalars[1]));
  else if (scalars.size() == 1)
    result = s.unary(op, s.widen(scalars[0]));
  return result ? castScalar(b, op->getLoc(), result, type) : Value();
}
