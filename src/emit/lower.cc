#include "emit/lower.h"

#include <cmath>

namespace tsr::emit {
namespace {

using ir::Expr;
using ir::Op;
using ir::Type;

constexpr double kHalfPi = 1.57079632679489662;

Expr horner(const Expr& x, std::initializer_list<double> c) {
  Expr acc = ir::f32(*c.begin());
  for (const double* k = c.begin() + 1; k != c.end(); ++k) acc = acc * x + *k;
  return acc;
}

// By bits: compilers assume that NaN does not occur, and drop comparisons that only it fails.
Expr magnitude_bits(const Expr& x) { return bitcast_i32(x) & 0x7fffffff; }
Expr nan_test(const Expr& x) { return magnitude_bits(x) > 0x7f800000; }
Expr copysign(const Expr& magnitude, const Expr& sign) {
  return bitcast_f32((bitcast_i32(magnitude) & 0x7fffffff) | (bitcast_i32(sign) & ir::i32(INT32_MIN)));
}
/// x if it is NaN, else y.
Expr keep_nan(const Expr& x, const Expr& y) { return select(nan_test(x), x, y); }

Expr lower_max(const Expr& x, const Expr& y, bool largest) {
  const Expr picked = select(largest ? x > y : x < y, x, y);
  const bool constant = y->op() == Op::kConst;  // never NaN: bodies say NaN, if they do, elsewhere
  const Expr with_y = constant && !std::isnan(y->f32()) ? picked : keep_nan(y, picked);
  return x->op() == Op::kConst && !std::isnan(x->f32()) ? with_y : keep_nan(x, with_y);
}

Expr lower_expm1(const Expr& x) {
  const Expr p =
      horner(x, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  return select(abs(x) < 0.34, x + x * x * p, exp(x) - 1.0);
}

Expr lower_log1p(const Expr& x) {
  // The series near 0, where 1 + x drops digits of x; compilers may simplify (1 + x) - 1, so no trick that needs it.
  const Expr series =
      x + x * x * horner(x, {1.0 / 9, -1.0 / 8, 1.0 / 7, -1.0 / 6, 1.0 / 5, -1.0 / 4, 1.0 / 3, -1.0 / 2});
  return select(abs(x) < 0.125, series, log(x + 1.0));
}

struct Reduced {
  Expr r;         ///< in [-pi/4, pi/4]
  Expr quadrant;  ///< i32, its low two bits count
};

/// The fraction of |x| * 2/pi, by Payne and Hanek: the bits of 2/pi that matter for x's exponent, times its mantissa,
/// in integers.
Reduced reduce_large(const Expr& x) {
  // For |x| = m 2^e (m of 24 bits) the first e - 2 bits of 2/pi give multiples of 4; the 64 bits after them determine
  // the product mod 4 to 2^-38.
  static constexpr uint32_t kBits[] = {0u,          0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                       0xF534DDC0u, 0xDB629599u, 0x3C439041u};
  const Expr bits = magnitude_bits(x);
  const Expr e = clamp(shift_right_logical(bits, 23) - 150, -30, 104);
  const Expr start = e + 30;  // where in kBits the wanted 64 bits start; the zero word in front serves negative e
  const Expr word = start >> 5;
  const Expr shift = start & 31;
  const auto pick = [&](int offset) {
    Expr w = ir::i32(0);
    for (int k = 0; k < 7; ++k) w = select(word + offset == k, ir::i32(static_cast<int32_t>(kBits[k])), w);
    return w;
  };
  const Expr w0 = pick(0), w1 = pick(1), w2 = pick(2);
  const auto window = [&](const Expr& a, const Expr& b) {
    return select(shift == 0, a, (a << shift) | shift_right_logical(b, 32 - shift));
  };
  const Expr high = window(w0, w1), next = window(w1, w2);
  const Expr m = (bits & 0x007fffff) | 0x00800000;
  // (m * (high, next)) mod 2^64, upper word: low 32 bits of m * high plus the upper half of m * next, by 16-bit halves.
  const Expr mh = shift_right_logical(m, 16), ml = m & 0xffff;
  const Expr nh = shift_right_logical(next, 16), nl = next & 0xffff;
  const Expr cross1 = mh * nl, cross2 = ml * nh;
  const Expr carry = shift_right_logical(shift_right_logical(ml * nl, 16) + (cross1 & 0xffff) + (cross2 & 0xffff), 16);
  const Expr upper = mh * nh + shift_right_logical(cross1, 16) + shift_right_logical(cross2, 16) + carry;
  const Expr product = m * high + upper;  // the value mod 4, times 2^30
  // Round to the nearest quarter turn; the rest is a signed fraction of it.
  const Expr quadrant = shift_right_logical(product + (1 << 29), 30);
  const Expr fraction = product - (quadrant << 30);
  const Expr r = to_f32(fraction) * (kHalfPi / 1073741824.0);
  const Expr negative = bitcast_i32(x) < 0;
  return {select(negative, -r, r), select(negative, -quadrant, quadrant)};
}

Reduced reduce_half_pi(const Expr& x) {
  const Expr n = round(x * 0.636619772367581343);
  // The parts of pi/2 have so few bits that n times them is exact.
  const Expr r = ((x - n * 1.5703125) - n * 4.837512969970703125e-4) - n * 7.549789948768648e-8;
  const Reduced large = reduce_large(x);
  const Expr small = magnitude_bits(x) <= bitcast_i32(ir::f32(2048));
  return {select(small, r, large.r), select(small, to_i32(select(small, n, ir::f32(0))), large.quadrant)};
}

Expr sin_poly(const Expr& r) {
  const Expr z = r * r;
  return r + r * z * horner(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
}
Expr cos_poly(const Expr& r) {
  const Expr z = r * r;
  return (z * z * horner(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2}) - z * 0.5) + 1.0;
}
/// NaN where x is infinite or NaN, else y.
Expr finite_or_nan(const Expr& x, const Expr& y) { return select(magnitude_bits(x) >= 0x7f800000, ir::f32(NAN), y); }

Expr lower_sin(const Expr& x, int shift) {
  const Reduced q = reduce_half_pi(x);
  const Expr quadrant = q.quadrant + shift;
  const Expr y = select((quadrant & 1) == 0, sin_poly(q.r), cos_poly(q.r));
  return finite_or_nan(x, select((quadrant & 2) == 0, y, -y));
}
Expr lower_tan(const Expr& x) {
  const Reduced q = reduce_half_pi(x);
  const Expr s = sin_poly(q.r), c = cos_poly(q.r);
  return finite_or_nan(x, select((q.quadrant & 1) == 0, s / c, -c / s));
}

Expr asin_small(const Expr& s, const Expr& z) {
  return s + s * z * horner(z, {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1});
}
/// NaN where |x| > 1, else y: drivers need not make NaN of a negative root.
Expr unit_or_nan(const Expr& x, const Expr& y) { return select(magnitude_bits(x) <= 0x3f800000, y, ir::f32(NAN)); }
Expr lower_asin(const Expr& x) {
  const Expr a = abs(x);
  const Expr big = a > 0.5;
  const Expr z = select(big, max(0.0, (1.0 - a) * 0.5), a * a);
  const Expr p = asin_small(select(big, sqrt(z), a), z);
  return unit_or_nan(x, copysign(select(big, kHalfPi - 2.0 * p, p), x));
}
Expr lower_acos(const Expr& x) {
  const Expr a = abs(x);
  const Expr big = a > 0.5;
  const Expr z = select(big, max(0.0, (1.0 - a) * 0.5), x * x);
  const Expr p = asin_small(select(big, sqrt(z), x), z);
  return unit_or_nan(x, select(big, select(x < 0.0, 2 * kHalfPi - 2.0 * p, 2.0 * p), kHalfPi - p));
}

Expr atan_positive(const Expr& a) {
  const Expr high = a > 2.414213562373095, middle = a > 0.4142135623730950;
  const Expr r = select(high, ir::f32(-1) / a, select(middle, (a - 1.0) / (a + 1.0), a));
  const Expr base = select(high, ir::f32(kHalfPi), select(middle, ir::f32(kHalfPi / 2), ir::f32(0)));
  const Expr z = r * r;
  return base + (r + r * z * horner(z, {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1}));
}
Expr lower_atan(const Expr& x) {
  const Expr infinite = magnitude_bits(x) == 0x7f800000;
  return keep_nan(x, copysign(select(infinite, ir::f32(kHalfPi), atan_positive(abs(x))), x));
}
Expr lower_atan2(const Expr& y, const Expr& x) {
  const Expr ax = abs(x), ay = abs(y);
  const Expr infinite_x = magnitude_bits(x) == 0x7f800000, infinite_y = magnitude_bits(y) == 0x7f800000;
  const Expr zero_y = magnitude_bits(y) == 0;
  // 0/0 and inf/inf are given their limits; x/0 and inf/x theirs, rather than trusting the division.
  const Expr steep = (infinite_y && !infinite_x) || (magnitude_bits(x) == 0 && !zero_y);
  const Expr flat = zero_y || (infinite_x && !infinite_y);
  const Expr q = select(infinite_x && infinite_y, ir::f32(1), ay / ax);
  Expr a = select(steep, ir::f32(kHalfPi), select(flat, ir::f32(0), atan_positive(q)));
  a = select(bitcast_i32(x) < 0, 2 * kHalfPi - a, a);
  return keep_nan(y, keep_nan(x, copysign(a, y)));
}

Expr lower_sinh(const Expr& x) {
  const Expr a = abs(x);
  const Expr z = a * a;
  const Expr small = a + a * z * horner(z, {2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1});
  const Expr h = exp(a * 0.5);  // squared, as exp(a) overflows first
  const Expr e = (h * 0.5) * h;
  return keep_nan(x, copysign(select(a < 1.0, small, e - 0.25 / e), x));
}
Expr lower_cosh(const Expr& x) {
  const Expr h = exp(abs(x) * 0.5);
  const Expr e = (h * 0.5) * h;
  return keep_nan(x, e + 0.25 / e);
}
Expr lower_tanh(const Expr& x) {
  const Expr a = abs(x);
  const Expr z = a * a;
  const Expr small =
      a +
      a * z * horner(z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
  const Expr large = 1.0 - 2.0 / (exp(min(a, 20.0) * 2.0) + 1.0);  // 1 from 10 on; exp must not overflow
  return keep_nan(x, copysign(select(a < 0.625, small, large), x));
}
Expr lower_asinh(const Expr& x) {
  const Expr a = abs(x);
  const Expr big = a > 1e9;
  const Expr t = select(big, ir::f32(0), a);
  const Expr z = t * t;
  const Expr y = select(big, log(a) + 0.693147180559945309, log1p(t + z / (sqrt(z + 1.0) + 1.0)));
  return keep_nan(x, copysign(y, x));
}
Expr lower_acosh(const Expr& x) {
  const Expr big = x > 1e9;
  const Expr t = select(big, ir::f32(1), x) - 1.0;
  const Expr y = select(big, log(x) + 0.693147180559945309, log1p(t + sqrt(max(0.0, t * (t + 2.0)))));
  return select(x >= 1.0, y, ir::f32(NAN));
}
Expr lower_atanh(const Expr& x) {
  const Expr a = abs(x);
  const Expr one = magnitude_bits(x) == 0x3f800000;
  const Expr y = select(one, ir::f32(INFINITY), 0.5 * log1p((a + a) / (1.0 - a)));
  return unit_or_nan(x, copysign(y, x));
}

Expr lower_pow(const Expr& x, const Expr& y) {
  const Expr a = abs(x);
  const Expr zero_x = magnitude_bits(x) == 0, infinite_x = magnitude_bits(x) == 0x7f800000,
             infinite_y = magnitude_bits(y) == 0x7f800000;
  const Expr plain = !(zero_x || infinite_x || infinite_y);
  // log|x| in two parts: the exponent exactly, so that the product with y keeps its digits.
  const Expr tiny = magnitude_bits(x) < 0x00800000;
  const Expr base = select(plain, a, ir::f32(1));
  const Expr shifted = bitcast_i32(select(tiny, base * 8388608.0, base)) - 0x3f3504f3;
  const Expr e = to_f32(shifted >> 23) - select(tiny, ir::f32(23), ir::f32(0));
  const Expr m = bitcast_f32((shifted & 0x007fffff) + 0x3f3504f3);
  const Expr s = (m - 1.0) / (m + 1.0);
  const Expr z = s * s;
  const Expr log2m = s * horner(z, {2.88539008177793 / 11, 2.88539008177793 / 9, 2.88539008177793 / 7,
                                    2.88539008177793 / 5, 2.88539008177793 / 3, 2.88539008177793});
  // 2^(y e) * 2^(y log2 m), each with its whole part split off.
  const Expr safe_y = select(plain, clamp(y, -1e6, 1e6), ir::f32(0));
  const Expr t1 = safe_y * e, t2 = safe_y * log2m;
  const Expr n1 = round(t1), n2 = round(t2);
  const Expr f = ((t1 - n1) + (t2 - n2)) * 0.693147180559945309;
  const Expr n = clamp(n1 + n2, -300.0, 300.0);
  const Expr p = horner(f, {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  const Expr k = to_i32(n);
  const Expr k1 = clamp(k >> 1, -126, 127), k2 = clamp(k - k1, -126, 127);
  Expr r = p * bitcast_f32((k1 + 127) << 23) * bitcast_f32((k2 + 127) << 23);
  r = select(n > 128.5, ir::f32(INFINITY), select(n < -150.5, ir::f32(0), r));
  const Expr grows = (a > 1.0) == (y > 0.0);
  const Expr extreme = select(a == 1.0, ir::f32(1), select(grows, ir::f32(INFINITY), ir::f32(0)));
  r = select(plain, r, extreme);
  const Expr integral = (trunc(y) == y) || infinite_y;
  const Expr half = y * 0.5;
  const Expr odd = integral && (trunc(half) != half) && !infinite_y;
  const Expr negative = bitcast_i32(x) < 0;
  r = select(negative && odd, -r, r);
  r = select((x < 0.0) && !infinite_x && !integral, ir::f32(NAN), r);
  r = select(nan_test(x) || nan_test(y), ir::f32(NAN), r);
  return select((y == 0.0) || (x == 1.0), ir::f32(1), r);
}

/// x - q y for a whole q: exact while |q| < 2^12, by splitting y into halves whose products with q are exact.
Expr remainder(const Expr& x, const Expr& y, const Expr& q) {
  const Expr high = bitcast_f32(bitcast_i32(y) & ir::i32(0xfffff000));
  return (x - q * high) - q * (y - high);
}
/// The quotient's rounding may have moved q by one: r is brought back into [0, |y|), signs left aside.
Expr lower_rem(const Expr& x, const Expr& y) {
  const Expr ay = abs(y), ax = abs(x);
  Expr r = remainder(ax, ay, floor(ax / ay));
  r = select(r < 0.0, r + ay, select(r >= ay, r - ay, r));
  r = select(magnitude_bits(y) == 0x7f800000, ax, r);
  r = copysign(r, x);
  return select(nan_test(x) || nan_test(y) || magnitude_bits(x) == 0x7f800000 || magnitude_bits(y) == 0, ir::f32(NAN),
                r);
}
Expr lower_floor_mod(const Expr& x, const Expr& y) {
  const Expr r = lower_rem(x, y);
  const Expr other_side = (r < 0.0 && y > 0.0) || (r > 0.0 && y < 0.0);
  const Expr moved = select(other_side, select(magnitude_bits(y) == 0x7f800000, y, r + y), r);
  return keep_nan(r, moved);  // comparisons with NaN are true on some drivers
}

Expr lower_int_pow(const Expr& base, const Expr& exponent) {
  Expr result = ir::i32(1), b = base;
  for (int bit = 0; bit < 31; ++bit) {
    result = select((exponent & (1 << bit)) != 0, result * b, result);
    if (bit < 30) b = b * b;
  }
  const Expr inverse = select(base == 1, ir::i32(1), select(base == -1, 1 - ((exponent & 1) << 1), ir::i32(0)));
  return select(exponent < 0, inverse, result);
}

}  // namespace

Expr lower(const ir::Node& n) {
  const auto x = [&n]() -> const Expr& { return n.arg(0); };
  const auto y = [&n]() -> const Expr& { return n.arg(1); };
  const bool is_f32 = !n.args().empty() && n.args().back().type() == Type::f32;
  switch (n.op()) {
    case Op::kExpm1:
      return lower_expm1(x());
    case Op::kLog1p:
      return lower_log1p(x());
    case Op::kSin:
      return lower_sin(x(), 0);
    case Op::kCos:
      return lower_sin(x(), 1);
    case Op::kTan:
      return lower_tan(x());
    case Op::kAsin:
      return lower_asin(x());
    case Op::kAcos:
      return lower_acos(x());
    case Op::kAtan:
      return lower_atan(x());
    case Op::kAtan2:
      return lower_atan2(x(), y());
    case Op::kSinh:
      return lower_sinh(x());
    case Op::kCosh:
      return lower_cosh(x());
    case Op::kTanh:
      return lower_tanh(x());
    case Op::kAsinh:
      return lower_asinh(x());
    case Op::kAcosh:
      return lower_acosh(x());
    case Op::kAtanh:
      return lower_atanh(x());
    case Op::kIsNan:
      return nan_test(x());
    case Op::kIsInf:
      return magnitude_bits(x()) == 0x7f800000;
    case Op::kIsFinite:
      return magnitude_bits(x()) < 0x7f800000;
    case Op::kToF32:
      if (x().type() == Type::b1) return select(x(), ir::f32(1), ir::f32(0));
      return {};
    case Op::kToI32:
      if (x().type() == Type::b1) return select(x(), ir::i32(1), ir::i32(0));
      return {};
    case Op::kToB1:
      return is_f32 ? magnitude_bits(x()) != 0 : x() != 0;
    case Op::kMin:
      return is_f32 ? lower_max(x(), y(), false) : Expr();
    case Op::kMax:
      return is_f32 ? lower_max(x(), y(), true) : Expr();
    case Op::kSign:
      if (is_f32) return select(x() > 0.0, 1.0, select(x() < 0.0, -1.0, x()));
      return select(x() > 0, 1, select(x() < 0, ir::i32(-1), ir::i32(0)));
    case Op::kRem:
      return is_f32 ? x() - y() * trunc(x() / y()) : Expr();
    case Op::kFloorDiv: {
      if (is_f32) return floor(x() / y());
      const Expr r = x() % y();
      return x() / y() - select(r != 0 && (r ^ y()) < 0, ir::i32(1), ir::i32(0));
    }
    case Op::kFloorMod: {
      if (is_f32) return lower_floor_mod(x(), y());
      const Expr r = x() % y();
      return r + select(r != 0 && (r ^ y()) < 0, y(), ir::i32(0));
    }
    case Op::kPow:
      return is_f32 ? lower_pow(x(), y()) : lower_int_pow(x(), y());
    case Op::kLt:
      return x().type() == Type::b1 ? !x() && y() : Expr();
    case Op::kLe:
      return x().type() == Type::b1 ? !x() || y() : Expr();
    case Op::kGt:
      return x().type() == Type::b1 ? x() && !y() : Expr();
    case Op::kGe:
      return x().type() == Type::b1 ? x() || !y() : Expr();
    case Op::kNe:
      // Written so that NaN differs whatever the compiler assumes of it.
      if (is_f32) return !(x() == y());
      return {};
    default:
      return {};
  }
}

}  // namespace tsr::emit
