#include "ir/scalar.h"

#include "base/error.h"

namespace tsr::ir {
namespace {

Value f(double v) { return {v, 0}; }
Value i(int64_t v) { return {0, wrap(v)}; }
Value b(bool v) { return {0, v ? 1 : 0}; }

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double min_of(double x, double y) { return x != x ? x : y != y ? y : y < x ? y : x; }
double max_of(double x, double y) { return x != x ? x : y != y ? y : y > x ? y : x; }

template <typename T>
Value compare(Op op, T x, T y) {
  switch (op) {
    case Op::kEq:
      return b(x == y);
    case Op::kNe:
      return b(x != y);
    case Op::kLt:
      return b(x < y);
    case Op::kLe:
      return b(x <= y);
    case Op::kGt:
      return b(x > y);
    default:
      return b(x >= y);
  }
}

Value evaluate_f32(Op op, double x, double y) {
  switch (op) {
    case Op::kExp:
      return f(std::exp(x));
    case Op::kExpm1:
      return f(std::expm1(x));
    case Op::kLog:
      return f(std::log(x));
    case Op::kLog1p:
      return f(std::log1p(x));
    case Op::kSqrt:
      return f(std::sqrt(x));
    case Op::kRsqrt:
      return f(1.0 / std::sqrt(x));
    case Op::kSin:
      return f(std::sin(x));
    case Op::kCos:
      return f(std::cos(x));
    case Op::kTan:
      return f(std::tan(x));
    case Op::kAsin:
      return f(std::asin(x));
    case Op::kAcos:
      return f(std::acos(x));
    case Op::kAtan:
      return f(std::atan(x));
    case Op::kSinh:
      return f(std::sinh(x));
    case Op::kCosh:
      return f(std::cosh(x));
    case Op::kTanh:
      return f(std::tanh(x));
    case Op::kAsinh:
      return f(std::asinh(x));
    case Op::kAcosh:
      return f(std::acosh(x));
    case Op::kAtanh:
      return f(std::atanh(x));
    case Op::kFloor:
      return f(std::floor(x));
    case Op::kCeil:
      return f(std::ceil(x));
    case Op::kRound:
      return f(float_round(x));
    case Op::kTrunc:
      return f(std::trunc(x));
    case Op::kNeg:
      return f(-x);
    case Op::kAbs:
      return f(std::fabs(x));
    case Op::kSign:
      return f(sign_of(x));
    case Op::kIsNan:
      return b(std::isnan(static_cast<float>(x)));
    case Op::kIsInf:
      return b(std::isinf(static_cast<float>(x)));
    case Op::kIsFinite:
      return b(std::isfinite(static_cast<float>(x)));
    case Op::kToF32:
      return f(x);
    case Op::kToI32:
      return i(to_int_saturated(x));
    case Op::kToB1:
      return b(x != 0);
    case Op::kBitsToI32:
      return {0, std::bit_cast<int32_t>(static_cast<float>(x))};
    case Op::kAdd:
      return f(x + y);
    case Op::kSub:
      return f(x - y);
    case Op::kMul:
      return f(x * y);
    case Op::kDiv:
      return f(x / y);
    case Op::kRem:
      return f(std::fmod(x, y));
    case Op::kFloorDiv:
      return f(std::floor(x / y));
    case Op::kFloorMod:
      return f(float_floor_mod(x, y));
    case Op::kMin:
      return f(min_of(x, y));
    case Op::kMax:
      return f(max_of(x, y));
    case Op::kPow:
      return f(std::pow(x, y));
    case Op::kAtan2:
      return f(std::atan2(x, y));
    default:
      return compare(op, x, y);
  }
}

Value evaluate_i32(Op op, int32_t x, int32_t y) {
  const uint32_t count = static_cast<uint32_t>(y) & 31u;
  switch (op) {
    case Op::kNeg:
      return i(-int64_t{x});
    case Op::kAbs:
      return i(x < 0 ? -int64_t{x} : int64_t{x});
    case Op::kSign:
      return i((x > 0) - (x < 0));
    case Op::kToF32:
      return f(static_cast<double>(static_cast<float>(x)));
    case Op::kToI32:
      return i(x);
    case Op::kToB1:
      return b(x != 0);
    case Op::kBitsToF32:
      return f(static_cast<double>(std::bit_cast<float>(x)));
    case Op::kAdd:
      return i(int64_t{x} + y);
    case Op::kSub:
      return i(int64_t{x} - y);
    case Op::kMul:
      return i(int64_t{x} * y);
    case Op::kDiv:
      return i(int_div(x, y));
    case Op::kRem:
      return i(int_rem(x, y));
    case Op::kFloorDiv:
      return i(int_floor_div(x, y));
    case Op::kFloorMod:
      return i(int_floor_mod(x, y));
    case Op::kMin:
      return i(x < y ? x : y);
    case Op::kMax:
      return i(x > y ? x : y);
    case Op::kPow:
      return i(int_pow(x, y));
    case Op::kBitAnd:
      return i(x & y);
    case Op::kBitOr:
      return i(x | y);
    case Op::kBitXor:
      return i(x ^ y);
    case Op::kShl:
      return i(static_cast<int64_t>(static_cast<uint32_t>(x) << count));
    case Op::kShr:
      return i(x >> count);
    case Op::kShrLogical:
      return i(static_cast<int64_t>(static_cast<uint32_t>(x) >> count));
    default:
      return compare(op, x, y);
  }
}

Value evaluate_b1(Op op, int32_t x, int32_t y) {
  switch (op) {
    case Op::kNot:
      return b(x == 0);
    case Op::kAnd:
      return b(x && y);
    case Op::kOr:
      return b(x || y);
    case Op::kToF32:
      return f(x);
    case Op::kToI32:
      return i(x);
    case Op::kToB1:
      return i(x);
    default:
      return compare(op, x, y);
  }
}

}  // namespace

Value evaluate(Op op, Type operand, const Value& x, const Value& y, const Value& z) {
  if (op == Op::kSelect) return x.i ? y : z;
  switch (operand) {
    case Type::f32:
      return evaluate_f32(op, x.f, y.f);
    case Type::i32:
      return evaluate_i32(op, x.i, y.i);
    case Type::b1:
      return evaluate_b1(op, x.i, y.i);
  }
  return {};
}

}  // namespace tsr::ir
