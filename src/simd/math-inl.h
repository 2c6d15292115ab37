// Vector math with stated error. "ULP" is the largest error against the correctly rounded result over the range given,
// found by tests/unit/simd_math_test.cc, which fails when it grows; outside a range the IEEE limits (infinities, NaN,
// signed zeros) hold.
//
//   function        max ULP   remark
//   exp             2         results below the normal range lose digits gradually
//   expm1           2
//   log             2         subnormals too
//   log1p           3
//   sin, cos        2         |x| > 8192 is computed in double, lane by lane
//   tan             4         likewise
//   asin, acos      4
//   atan, atan2     3
//   sinh, cosh      3
//   tanh            3
//   asinh, acosh    4
//   atanh           4
//   pow             1         in double
//   %, floor_mod    0         lane by lane
//
// Polynomials are the classic minimax ones of the Cephes library's single-precision functions (netlib.org/cephes),
// evaluated with madd.
#if defined(TSR_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TSR_SIMD_MATH_INL_H_
#undef TSR_SIMD_MATH_INL_H_
#else
#define TSR_SIMD_MATH_INL_H_
#endif

#include <cmath>

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::simd::HWY_NAMESPACE {
namespace detail {

/// c0 x^n + c1 x^(n-1) + ... + cn, by Horner's rule.
template <typename... Rest>
HWY_INLINE F32 horner(F32 x, F32 acc, double c, Rest... rest) {
  acc = madd(acc, x, set_f32(c));
  if constexpr (sizeof...(rest) == 0) {
    return acc;
  } else {
    return horner(x, acc, rest...);
  }
}
template <typename... Rest>
HWY_INLINE F32 polynomial(F32 x, double c0, double c1, Rest... rest) {
  return horner(x, set_f32(c0), c1, rest...);
}

/// 2^n for integral n in [-126, 127].
HWY_INLINE F32 pow2(I32 n) { return bitcast_f32((n + 127) << 23); }

inline constexpr double kLog2e = 1.44269504088896341;
// ln 2 in two parts; the first has 9 bits, so that its products with exponents are exact.
inline constexpr double kLn2High = 0.693359375;
inline constexpr double kLn2Low = -2.12194440054690583e-4;

/// The integer nearest to x / ln 2 for |x| < 2^20, as a float and as lanes of integers: adding 1.5 2^23 leaves it in the lowest bits
/// of the sum. NaN gives NaN and some integer.
HWY_INLINE F32 exponent_of(F32 x, I32& k) {
  const F32 t = madd(x, set_f32(kLog2e), set_f32(12582912.0));
  k = bitcast_i32(t) - 0x4b400000;
  return t - 12582912.0;
}

/// exp(x) 2^shift (shift 0 or -1), so that results near the largest float do not overflow on the way.
HWY_INLINE F32 exp_scaled(F32 x, int shift) {
  const F32 limited = native_max(set_f32(-105.0), native_min(set_f32(90.0), x));  // NaN stays
  I32 k;
  const F32 n = exponent_of(limited, k);
  F32 r = madd(n, set_f32(-kLn2High), limited);
  r = madd(n, set_f32(-kLn2Low), r);
  const F32 p = polynomial(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
                           5.0000001201e-1);
  const F32 y = madd(p, r * r, r) + 1.0;  // NaN for NaN, whatever is made of k
  // Two factors, as n reaches -151 and 130; the second product alone may round (to a subnormal) or overflow.
  if (shift != 0) k = k + shift;
  const I32 half = k >> 1;
  return y * pow2(half) * pow2(k - half);
}

/// log(x) of normal or subnormal x > 0 as e ln 2 + log(m): see log().
HWY_INLINE F32 log_positive(F32 x) {
  const Mask tiny = x < 1.17549435e-38;
  const F32 scaled = select(tiny, x * 8388608.0, x);
  const I32 bits = bitcast_i32(scaled);
  // m in [sqrt(1/2), sqrt(2)): subtracting the bits of sqrt(1/2) makes the exponent round the right way.
  const I32 shifted = bits - 0x3f3504f3;
  const F32 e = to_f32(shifted >> 23) - select(tiny, set_f32(23), set_f32(0));
  const F32 m = bitcast_f32((shifted & 0x007fffff) + 0x3f3504f3) - 1.0;
  const F32 z = m * m;
  F32 y = polynomial(m, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                     -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1);
  y = y * m * z;
  y = madd(e, set_f32(kLn2Low), y);
  y = madd(z, set_f32(-0.5), y);
  return madd(e, set_f32(kLn2High), m + y);
}

}  // namespace detail

HWY_INLINE F32 exp(F32 x) { return detail::exp_scaled(x, 0); }

HWY_INLINE F32 expm1(F32 x) {
  using namespace detail;
  const F32 limited = native_max(set_f32(-30.0), native_min(set_f32(89.0), x));
  I32 k;
  const F32 n = exponent_of(limited, k);
  F32 r = madd(n, set_f32(-kLn2High), limited);
  r = madd(n, set_f32(-kLn2Low), r);
  const F32 p = polynomial(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
                           5.0000001201e-1);
  const F32 em1 = madd(p, r * r, r);  // exp(r) - 1
  // 2^n (em1 + 1) - 1, all halved, as 2^n overflows first.
  const F32 s = pow2(k - 1);
  const F32 y = 2.0 * madd(s, em1, s - 0.5);
  return select(n == set_f32(0), select(x == set_f32(0), x, em1), y);  // keeps -0
}

HWY_INLINE F32 log(F32 x) {
  F32 y = detail::log_positive(x);
  y = select(x == set_f32(0), set_f32(-HUGE_VAL), y);
  y = select(x == set_f32(HUGE_VAL), x, y);
  return select(x >= set_f32(0), y, set_f32(NAN));  // NaN for negative x and NaN
}

HWY_INLINE F32 log1p(F32 x) {
  // log(u) + c / u, where u = fl(1 + x) and c is what that sum lost.
  const F32 u = x + 1.0;
  const F32 lost = select(x > 1.0, 1.0 - (u - x), x - (u - 1.0));
  const F32 y = log(u) + select(is_finite(u), lost / u, set_f32(0));
  const F32 small = select(abs(x) < 6e-8, x, y);  // also keeps -0
  return select(u == set_f32(0), set_f32(-HUGE_VAL), small);
}

HWY_INLINE F32 sinh(F32 x) {
  using namespace detail;
  const F32 a = abs(x);
  const F32 z = x * x;
  const F32 small = madd(polynomial(z, 2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1) * z, a, a);
  const F32 e = exp_scaled(a, -1);
  return copysign(select(a < 1.0, small, e - 0.25 / e), x);
}

HWY_INLINE F32 cosh(F32 x) {
  const F32 e = detail::exp_scaled(abs(x), -1);
  return e + 0.25 / e;
}

HWY_INLINE F32 tanh(F32 x) {
  using namespace detail;
  const F32 a = abs(x);
  const F32 z = x * x;
  const F32 small = madd(
      polynomial(z, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1) * z, a,
      a);
  // exp(2 x) is infinite from 44.4 on, where the quotient is 0 and the result 1.
  const F32 large = 1.0 - 2.0 / (exp(a + a) + 1.0);
  return copysign(select(a < 0.625, small, large), x);
}

namespace detail {
/// asin(s) for s in [0, 0.5], given z = s^2.
HWY_INLINE F32 asin_small(F32 s, F32 z) {
  return madd(polynomial(z, 4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1) * z, s,
              s);
}
inline constexpr double kHalfPi = 1.57079632679489662;
}  // namespace detail

HWY_INLINE F32 asin(F32 x) {
  const F32 a = abs(x);
  const Mask big = a > 0.5;
  const F32 z = select(big, 0.5 * (1.0 - a), a * a);
  const F32 s = select(big, sqrt(z), a);
  const F32 p = detail::asin_small(s, z);
  // pi/2 in two parts, as its float is off by 4.4e-8.
  const F32 y = select(big, set_f32(detail::kHalfPi) - (2.0 * p + 4.37113883e-8), p);
  return copysign(y, x);  // |x| > 1: NaN through sqrt
}

HWY_INLINE F32 acos(F32 x) {
  const F32 a = abs(x);
  const Mask big = a > 0.5;
  const F32 z = select(big, 0.5 * (1.0 - a), x * x);
  const F32 s = select(big, sqrt(z), x);
  const F32 p = detail::asin_small(s, z);
  const F32 near_one = 2.0 * p;
  const F32 near_minus_one = set_f32(2 * detail::kHalfPi) - (near_one + 8.74227766e-8);
  return select(big, select(x < 0.0, near_minus_one, near_one), set_f32(detail::kHalfPi) - (p + 4.37113883e-8));
}

namespace detail {
/// atan(a) for a >= 0.
HWY_INLINE F32 atan_positive(F32 a) {
  const Mask high = a > 2.414213562373095;     // tan(3 pi / 8)
  const Mask middle = a > 0.4142135623730950;  // tan(pi / 8)
  const F32 numerator = select(high, set_f32(-1), select(middle, a - 1.0, a));
  const F32 denominator = select(high, a, select(middle, a + 1.0, set_f32(1)));
  const F32 r = numerator / denominator;
  const F32 base = select(high, set_f32(kHalfPi), select(middle, set_f32(kHalfPi / 2), set_f32(0)));
  const F32 base_low = select(high, set_f32(-4.37113883e-8), select(middle, set_f32(-4.37113883e-8 / 2), set_f32(0)));
  const F32 z = r * r;
  const F32 p = polynomial(z, 8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1);
  return base + (madd(p * z, r, r) + base_low);
}
}  // namespace detail

HWY_INLINE F32 atan(F32 x) { return copysign(detail::atan_positive(abs(x)), x); }

HWY_INLINE F32 atan2(F32 y, F32 x) {
  const F32 ax = abs(x);
  const F32 ay = abs(y);
  // The quotient of equal infinities and of zeros is NaN: the angle is then pi/4 and 0.
  const Mask both_infinite = is_inf(x) && is_inf(y);
  const Mask both_zero = (ax == set_f32(0)) && (ay == set_f32(0));
  F32 q = select(both_infinite, set_f32(1), select(both_zero, set_f32(0), ay / ax));
  F32 a = detail::atan_positive(q);
  // The left half plane, by the sign bit of x, so that -0 counts as negative.
  const Mask left = bitcast_i32(x) < 0;
  a = select(left, set_f32(2 * detail::kHalfPi) - (a + 8.74227766e-8), a);
  return select(is_nan(x) || is_nan(y), x + y, copysign(a, y));
}

HWY_INLINE F32 asinh(F32 x) {
  const F32 a = abs(x);
  const Mask big = a > 1e9;  // where a^2 + 1 is a^2, long before it overflows
  const F32 t = select(big, set_f32(0), a);
  const F32 z = t * t;
  const F32 small = log1p(t + z / (1.0 + sqrt(1.0 + z)));
  const F32 y = select(big, log(a) + 0.693147180559945309, small);
  return copysign(y, x);
}

HWY_INLINE F32 acosh(F32 x) {
  const Mask big = x > 1e9;
  const F32 t = select(big, set_f32(1), x) - 1.0;
  const F32 small = log1p(t + sqrt(t * (t + 2.0)));  // NaN below 1, through sqrt
  return select(x < 1.0, set_f32(NAN), select(big, log(x) + 0.693147180559945309, small));
}

HWY_INLINE F32 atanh(F32 x) {
  const F32 a = abs(x);
  const F32 y = 0.5 * log1p((a + a) / (1.0 - a));
  return select(a > 1.0, set_f32(NAN), copysign(y, x));
}

namespace detail {

/// x minus the nearest multiple n of pi/2, for |x| <= 8192: the three parts of pi/2 have so few bits that n times them
/// is exact.
HWY_INLINE F32 reduce_half_pi(F32 x, I32& quadrant) {
  const F32 n = round(x * 0.636619772367581343);
  quadrant = to_i32(n);
  F32 r = madd(n, set_f32(-1.5703125), x);
  r = madd(n, set_f32(-4.837512969970703125e-4), r);
  return madd(n, set_f32(-7.549789948768648e-8), r);
}
HWY_INLINE F32 sin_poly(F32 r, F32 z) {
  return madd(polynomial(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1) * z, r, r);
}
HWY_INLINE F32 cos_poly(F32 z) {
  return madd(polynomial(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2), z * z, 1.0 - 0.5 * z);
}
inline constexpr float kTrigLimit = 8192.0f;

/// Lanes outside the range of reduce_half_pi (infinities and NaN included) through the C library in double.
template <typename Fn>
HWY_INLINE F32 with_large(F32 x, F32 y, Fn fn) {
  const Mask large = !(abs(x) <= kTrigLimit);
  if (HWY_LIKELY(hn::AllFalse(kDF, large.m))) return y;
  return select(large, map_lanes(x, x, [fn](float a, float) { return static_cast<float>(fn(static_cast<double>(a))); }),
                y);
}

}  // namespace detail

HWY_INLINE F32 sin(F32 x) {
  using namespace detail;
  I32 q;
  const F32 r = reduce_half_pi(select(abs(x) <= kTrigLimit, x, set_f32(0)), q);
  const F32 z = r * r;
  const F32 y = select((q & 1) == set_i32(0), sin_poly(r, z), cos_poly(z));
  const F32 signed_y = bitcast_f32(bitcast_i32(y) ^ ((q & 2) << 30));
  return with_large(x, select(x == set_f32(0), x, signed_y), [](double a) { return std::sin(a); });
}

HWY_INLINE F32 cos(F32 x) {
  using namespace detail;
  I32 q;
  const F32 r = reduce_half_pi(select(abs(x) <= kTrigLimit, x, set_f32(0)), q);
  const F32 z = r * r;
  const F32 y = select((q & 1) == set_i32(0), cos_poly(z), sin_poly(r, z));
  const F32 signed_y = bitcast_f32(bitcast_i32(y) ^ (((q + 1) & 2) << 30));
  return with_large(x, signed_y, [](double a) { return std::cos(a); });
}

HWY_INLINE F32 tan(F32 x) {
  using namespace detail;
  I32 q;
  const F32 r = reduce_half_pi(select(abs(x) <= kTrigLimit, x, set_f32(0)), q);
  const F32 z = r * r;
  const F32 s = sin_poly(r, z);
  const F32 c = cos_poly(z);
  const Mask odd = (q & 1) != set_i32(0);
  const F32 y = select(odd, -c, s) / select(odd, s, c);
  return with_large(x, select(x == set_f32(0), x, y), [](double a) { return std::tan(a); });
}

/// C's fmod, exact.
HWY_INLINE F32 operator%(F32 a, F32 b) {
  return map_lanes(a, b, [](float x, float y) { return std::fmod(x, y); });
}
HWY_INLINE F32 floor_mod(F32 a, F32 b) {
  return map_lanes(a, b, [](float x, float y) { return ir::float_floor_mod(x, y); });
}
HWY_INLINE F32 floor_div(F32 a, F32 b) { return floor(a / b); }

#if !HWY_HAVE_FLOAT64 || HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128  // whose narrowing of doubles saturates

HWY_INLINE F32 pow(F32 x, F32 y) {
  return map_lanes(x, y, [](float a, float b) { return std::pow(a, b); });
}

#else

namespace detail {

/// (m 2^e)^y for m in [sqrt(1/2), sqrt(2)) and finite y.
struct PowDouble {
  template <typename DD, typename V>
  HWY_INLINE V operator()(DD dd, V m, V e, V y) const {
    // log(m), m in [sqrt(1/2), sqrt(2)): 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172; the first term left out is
    // 1e-13.
    const auto one = hn::Set(dd, 1.0);
    const auto s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
    const auto z = hn::Mul(s, s);
    auto p = hn::Set(dd, 1.0 / 15);
    for (const double c : {1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0})
      p = hn::MulAdd(p, z, hn::Set(dd, c));
    const auto log2 = hn::MulAdd(hn::Mul(s, p), hn::Set(dd, 2.0 * kLog2e), e);
    // 2^t, t limited to where the float result is 0 or infinite anyway.
    auto t = hn::Mul(y, log2);
    t = hn::Min(hn::Max(t, hn::Set(dd, -400.0)), hn::Set(dd, 400.0));
    // Adding 1.5 * 2^52 rounds to an integer, which then lies in the low bits.
    const auto magic = hn::Set(dd, 6755399441055744.0 + 1023.0);
    const auto biased = hn::Add(t, magic);
    const auto r = hn::Mul(hn::Sub(t, hn::Sub(biased, magic)), hn::Set(dd, 0.693147180559945309417));
    auto q = hn::Set(dd, 1.0 / 3628800);
    for (const double c :
         {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0}) {
      q = hn::MulAdd(q, r, hn::Set(dd, c));
    }
    const hn::RebindToUnsigned<DD> du;
    const auto scale = hn::BitCast(dd, hn::ShiftLeft<52>(hn::BitCast(du, biased)));
    return hn::Mul(q, scale);
  }
};

}  // namespace detail

HWY_INLINE F32 pow(F32 x, F32 y) {
  using namespace detail;
  const F32 a = abs(x);
  // Split |x| into m 2^e as in log_positive; lanes that need care are replaced by 1 here and mended below.
  const Mask ordinary = is_finite(a) && a > 0.0;
  const F32 base = select(ordinary, a, set_f32(1));
  const Mask tiny = base < 1.17549435e-38;
  const I32 shifted = bitcast_i32(select(tiny, base * 8388608.0, base)) - 0x3f3504f3;
  const F32 e = to_f32(shifted >> 23) - select(tiny, set_f32(23), set_f32(0));
  const F32 m = bitcast_f32((shifted & 0x007fffff) + 0x3f3504f3);
  const F32 exponent = select(is_finite(y), y, set_f32(0));

  F32 r{in_double(kDF, PowDouble(), m.v, e.v, exponent.v)};

  // Infinite exponents and zero or infinite bases: 0, 1 or infinity by whether |x| is above 1 and y above 0.
  const Mask grows = (a > 1.0) == (y > 0.0);
  const F32 extreme = select(grows, set_f32(HUGE_VAL), set_f32(0));
  r = select(!ordinary || is_inf(y), select(a == set_f32(1), set_f32(1), extreme), r);
  // Negative bases: the sign of odd integer powers; NaN for powers that are not integers. Floats from 2^24 on are even.
  const Mask negative = bitcast_i32(x) < 0;
  const Mask integral = (trunc(y) == y) || is_inf(y);
  const F32 half = y * 0.5;
  const Mask odd = integral && (trunc(half) != half) && is_finite(y);
  r = select(negative && odd, -r, r);
  r = select((x < 0.0) && is_finite(x) && !integral, set_f32(NAN), r);
  r = select(is_nan(x) || is_nan(y), set_f32(NAN), r);
  return select((y == set_f32(0)) || (x == set_f32(1)), set_f32(1), r);
}

#endif

}  // namespace tsr::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TSR_SIMD_MATH_INL_H_
