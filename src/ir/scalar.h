// The semantics of expr.h for one element: what the interpreter, the constant folder and the scalar fallbacks of the
// lanes compute.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/expr.h"

namespace tsr::ir {

inline int32_t wrap(int64_t v) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(v))); }

inline int32_t int_div(int32_t a, int32_t b) {
  if (b == 0) return 0;
  return wrap(int64_t{a} / b);
}
inline int32_t int_rem(int32_t a, int32_t b) {
  if (b == 0) return 0;
  return wrap(int64_t{a} % b);
}
inline int32_t int_floor_div(int32_t a, int32_t b) {
  if (b == 0) return 0;
  const int64_t q = int64_t{a} / b;
  return wrap(q - ((int64_t{a} % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
}
inline int32_t int_floor_mod(int32_t a, int32_t b) {
  if (b == 0) return 0;
  const int64_t r = int64_t{a} % b;
  return wrap(r != 0 && (a < 0) != (b < 0) ? r + b : r);
}
inline int32_t int_pow(int32_t base, int32_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return (exponent & 1) ? -1 : 1;
    return 0;
  }
  uint32_t result = 1;
  uint32_t b = static_cast<uint32_t>(base);
  for (uint32_t e = static_cast<uint32_t>(exponent); e != 0; e >>= 1) {
    if (e & 1) result *= b;
    b *= b;
  }
  return static_cast<int32_t>(result);
}
template <typename F>
int32_t to_int_saturated(F x) {
  if (!(x == x)) return 0;
  if (x >= static_cast<F>(2147483648.0)) return std::numeric_limits<int32_t>::max();
  if (x <= static_cast<F>(-2147483648.0)) return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(x);
}
/// numpy's mod: fmod moved to the sign of the divisor. A zero result takes the sign of the divisor.
template <typename F>
F float_floor_mod(F a, F b) {
  const F r = std::fmod(a, b);
  if (std::isnan(r)) return r;
  if (r == F{0}) return std::copysign(F{0}, b);
  return (r < F{0}) != (b < F{0}) && std::isfinite(b) ? r + b : (std::isinf(b) && (r < F{0}) != (b < F{0}) ? b : r);
}
template <typename F>
F float_round(F x) {
  return std::nearbyint(x);  // the rounding mode is never changed, so this is half to even
}

/// A value of any expression type: `f` for f32 (in double), `i` for i32 and for b1 (0 or 1).
struct Value {
  double f = 0;
  int32_t i = 0;
};

/// The value of a unary, binary or select node; `operand` is the type of its last argument.
Value evaluate(Op op, Type operand, const Value& x, const Value& y, const Value& z);

}  // namespace tsr::ir
