// Lanes: a vector of f32, i32 or booleans with the operators and function names of ir::Expr, so that one generic body
// makes shader code from Expr and CPU code from lanes. Semantics: those at the top of ir/expr.h. Bodies use select,
// never ?:.
//
// Included once per instruction set (Highway's foreach_target), inside its target region. Math functions: math-inl.h.
#if defined(TSR_SIMD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TSR_SIMD_LANES_INL_H_
#undef TSR_SIMD_LANES_INL_H_
#else
#define TSR_SIMD_LANES_INL_H_
#endif

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ir/scalar.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DI = hn::ScalableTag<int32_t>;
using DU = hn::ScalableTag<uint32_t>;
inline constexpr DF kDF;
inline constexpr DI kDI;
inline constexpr DU kDU;
/// Elements in a vector: a power of two, at most 16.
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));

struct F32 {
  hn::Vec<DF> v;
};
struct I32 {
  hn::Vec<DI> v;
};
/// All ones or all zeros in each lane.
struct Mask {
  hn::Mask<DF> m;
};

template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

// ---- Memory and constants
// --------------------------------------------------------------------------------------------------

/// Hides a number's value from the compiler in WebAssembly. There a vector constant is 18 bytes of code at each use, and engines build
/// it anew, in several instructions, each time a loop comes by; a number that could be anything is spread once, before the loop.
template <typename T>
HWY_INLINE T opaque(T x) {
#if HWY_TARGET == HWY_WASM
  asm("" : "+r"(x));
#endif
  return x;
}

HWY_INLINE F32 set_f32(double x) { return {hn::Set(kDF, opaque(static_cast<float>(x)))}; }
HWY_INLINE I32 set_i32(int64_t x) {
  return {hn::Set(kDI, opaque(static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x)))))};
}
HWY_INLINE Mask mask_of(hn::Vec<DI> v) { return {hn::RebindMask(kDF, hn::MaskFromVec(v))}; }
HWY_INLINE hn::Vec<DI> vec_of(Mask m) { return hn::VecFromMask(kDI, hn::RebindMask(kDI, m.m)); }
HWY_INLINE hn::Mask<DI> int_mask(Mask m) { return hn::RebindMask(kDI, m.m); }

/// The number as lanes of x's type.
HWY_INLINE F32 like(F32, double x) { return set_f32(x); }
HWY_INLINE I32 like(I32, double x) { return set_i32(static_cast<int64_t>(x)); }

HWY_INLINE void load_lanes(const void* p, F32& x) { x.v = hn::LoadU(kDF, static_cast<const float*>(p)); }
HWY_INLINE void load_lanes(const void* p, I32& x) { x.v = hn::LoadU(kDI, static_cast<const int32_t*>(p)); }
HWY_INLINE void load_lanes(const void* p, Mask& x) { x = mask_of(hn::LoadU(kDI, static_cast<const int32_t*>(p))); }
HWY_INLINE void store_lanes(F32 x, void* p) { hn::StoreU(x.v, kDF, static_cast<float*>(p)); }
HWY_INLINE void store_lanes(I32 x, void* p) { hn::StoreU(x.v, kDI, static_cast<int32_t*>(p)); }
HWY_INLINE void store_lanes(Mask x, void* p) { hn::StoreU(vec_of(x), kDI, static_cast<int32_t*>(p)); }

// ---- f32
// -------------------------------------------------------------------------------------------------------------------

HWY_INLINE F32 operator+(F32 a, F32 b) { return {hn::Add(a.v, b.v)}; }
HWY_INLINE F32 operator-(F32 a, F32 b) { return {hn::Sub(a.v, b.v)}; }
HWY_INLINE F32 operator*(F32 a, F32 b) { return {hn::Mul(a.v, b.v)}; }
HWY_INLINE F32 operator/(F32 a, F32 b) { return {hn::Div(a.v, b.v)}; }
HWY_INLINE F32 operator-(F32 a) { return {hn::Neg(a.v)}; }
HWY_INLINE Mask operator==(F32 a, F32 b) { return {hn::Eq(a.v, b.v)}; }
HWY_INLINE Mask operator!=(F32 a, F32 b) { return {hn::Not(hn::Eq(a.v, b.v))}; }  // some targets' Ne is false for NaN
HWY_INLINE Mask operator<(F32 a, F32 b) { return {hn::Lt(a.v, b.v)}; }
HWY_INLINE Mask operator<=(F32 a, F32 b) { return {hn::Le(a.v, b.v)}; }
HWY_INLINE Mask operator>(F32 a, F32 b) { return {hn::Gt(a.v, b.v)}; }
HWY_INLINE Mask operator>=(F32 a, F32 b) { return {hn::Ge(a.v, b.v)}; }
HWY_INLINE F32 select(Mask c, F32 a, F32 b) { return {hn::IfThenElse(c.m, a.v, b.v)}; }
HWY_INLINE Mask is_nan(F32 a) { return {hn::IsNaN(a.v)}; }
HWY_INLINE F32 abs(F32 a) {
  return {hn::And(a.v, hn::BitCast(kDF, hn::Set(kDI, 0x7fffffff)))};
}  // one-lane Abs keeps -0
HWY_INLINE F32 sqrt(F32 a) { return {hn::Sqrt(a.v)}; }
HWY_INLINE F32 rsqrt(F32 a) { return {hn::Div(hn::Set(kDF, 1.0f), hn::Sqrt(a.v))}; }
/// Rounded values have the sign of what was rounded; emulated vectors lose that of -0.
HWY_INLINE F32 keep_sign(hn::Vec<DF> rounded, [[maybe_unused]] F32 a) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  return {hn::CopySign(rounded, a.v)};
#else
  return {rounded};
#endif
}
HWY_INLINE F32 floor(F32 a) { return keep_sign(hn::Floor(a.v), a); }
HWY_INLINE F32 ceil(F32 a) { return keep_sign(hn::Ceil(a.v), a); }
HWY_INLINE F32 trunc(F32 a) { return keep_sign(hn::Trunc(a.v), a); }
HWY_INLINE F32 round(F32 a) { return keep_sign(hn::Round(a.v), a); }
HWY_INLINE F32 copysign(F32 magnitude, F32 sign) { return {hn::CopySign(magnitude.v, sign.v)}; }

/// a * b + c, fused where the machine can. Bodies that ops define never see it: their rounding is the same everywhere.
HWY_INLINE F32 madd(F32 a, F32 b, F32 c) {
#if HWY_ARCH_WASM && defined(__wasm_relaxed_simd__)
  return {hn::Vec<DF>{wasm_f32x4_relaxed_madd(a.v.raw, b.v.raw, c.v.raw)}};
#else
  return {hn::MulAdd(a.v, b.v, c.v)};
#endif
}

/// The machine's own maximum, which returns b when either side is NaN on x86 and in the pseudo-maximum of WebAssembly.
HWY_INLINE F32 native_max(F32 a, F32 b) {
#if HWY_TARGET == HWY_WASM
  return {hn::Vec<DF>{wasm_f32x4_pmax(b.v.raw, a.v.raw)}};  // f32x4.max costs six instructions on x64
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return {hn::Max(a.v, b.v)};
#else
  return {hn::IfThenElse(hn::Gt(a.v, b.v), a.v, b.v)};
#endif
}
HWY_INLINE F32 native_min(F32 a, F32 b) {
#if HWY_TARGET == HWY_WASM
  return {hn::Vec<DF>{wasm_f32x4_pmin(b.v.raw, a.v.raw)}};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return {hn::Min(a.v, b.v)};
#else
  return {hn::IfThenElse(hn::Lt(a.v, b.v), a.v, b.v)};
#endif
}
HWY_INLINE F32 max(F32 a, F32 b) { return select(is_nan(a), a, native_max(a, b)); }
HWY_INLINE F32 min(F32 a, F32 b) { return select(is_nan(a), a, native_min(a, b)); }
// A literal is no NaN, so it may stand on the side that the machine ignores.
template <Number T>
HWY_INLINE F32 max(F32 a, T b) {
  return native_max(set_f32(static_cast<double>(b)), a);
}
template <Number T>
HWY_INLINE F32 min(F32 a, T b) {
  return native_min(set_f32(static_cast<double>(b)), a);
}
template <Number T>
HWY_INLINE F32 max(T a, F32 b) {
  return max(b, a);
}
template <Number T>
HWY_INLINE F32 min(T a, F32 b) {
  return min(b, a);
}

HWY_INLINE F32 sign(F32 a) {
  const auto zero = hn::Zero(kDF);
  const auto one = hn::Set(kDF, 1.0f);
  const auto magnitude = hn::IfThenElse(hn::Eq(a.v, zero), a.v, hn::CopySign(one, a.v));
  return {hn::IfThenElse(hn::IsNaN(a.v), a.v, magnitude)};
}
HWY_INLINE Mask is_inf(F32 a) { return {hn::Eq(abs(a).v, hn::Inf(kDF))}; }
HWY_INLINE Mask is_finite(F32 a) { return {hn::Lt(abs(a).v, hn::Inf(kDF))}; }

/// Applies a scalar function lane by lane: for what is rare and hard.
template <typename Fn>
HWY_INLINE F32 map_lanes(F32 a, F32 b, Fn fn) {
  alignas(64) float x[kLanes], y[kLanes];
  hn::Store(a.v, kDF, x);
  hn::Store(b.v, kDF, y);
  for (int i = 0; i < kLanes; ++i) x[i] = fn(x[i], y[i]);
  return {hn::Load(kDF, x)};
}
template <typename Fn>
HWY_INLINE I32 map_lanes(I32 a, I32 b, Fn fn) {
  alignas(64) int32_t x[kLanes], y[kLanes];
  hn::Store(a.v, kDI, x);
  hn::Store(b.v, kDI, y);
  for (int i = 0; i < kLanes; ++i) x[i] = fn(x[i], y[i]);
  return {hn::Load(kDI, x)};
}

// ---- i32
// -------------------------------------------------------------------------------------------------------------------

HWY_INLINE I32 operator+(I32 a, I32 b) { return {hn::Add(a.v, b.v)}; }
HWY_INLINE I32 operator-(I32 a, I32 b) { return {hn::Sub(a.v, b.v)}; }
HWY_INLINE I32 operator*(I32 a, I32 b) { return {hn::Mul(a.v, b.v)}; }
HWY_INLINE I32 operator-(I32 a) { return {hn::Neg(a.v)}; }
HWY_INLINE I32 operator&(I32 a, I32 b) { return {hn::And(a.v, b.v)}; }
HWY_INLINE I32 operator|(I32 a, I32 b) { return {hn::Or(a.v, b.v)}; }
HWY_INLINE I32 operator^(I32 a, I32 b) { return {hn::Xor(a.v, b.v)}; }
HWY_INLINE I32 operator<<(I32 a, I32 b) { return {hn::Shl(a.v, hn::And(b.v, hn::Set(kDI, 31)))}; }
HWY_INLINE I32 operator>>(I32 a, I32 b) { return {hn::Shr(a.v, hn::And(b.v, hn::Set(kDI, 31)))}; }
/// By the same number of bits in each lane, 0 to 31: one instruction, where WebAssembly has none for counts that differ.
template <Number T>
HWY_INLINE I32 operator<<(I32 a, T bits) {
  return {hn::ShiftLeftSame(a.v, static_cast<int>(bits))};
}
template <Number T>
HWY_INLINE I32 operator>>(I32 a, T bits) {
  return {hn::ShiftRightSame(a.v, static_cast<int>(bits))};
}
HWY_INLINE I32 shift_right_logical(I32 a, I32 b) {
  return {hn::BitCast(kDI, hn::Shr(hn::BitCast(kDU, a.v), hn::BitCast(kDU, hn::And(b.v, hn::Set(kDI, 31)))))};
}
HWY_INLINE Mask operator==(I32 a, I32 b) { return {hn::RebindMask(kDF, hn::Eq(a.v, b.v))}; }
HWY_INLINE Mask operator!=(I32 a, I32 b) { return {hn::RebindMask(kDF, hn::Ne(a.v, b.v))}; }
HWY_INLINE Mask operator<(I32 a, I32 b) { return {hn::RebindMask(kDF, hn::Lt(a.v, b.v))}; }
HWY_INLINE Mask operator<=(I32 a, I32 b) { return {hn::RebindMask(kDF, hn::Not(hn::Gt(a.v, b.v)))}; }
HWY_INLINE Mask operator>(I32 a, I32 b) { return {hn::RebindMask(kDF, hn::Gt(a.v, b.v))}; }
HWY_INLINE Mask operator>=(I32 a, I32 b) { return {hn::RebindMask(kDF, hn::Not(hn::Lt(a.v, b.v)))}; }
HWY_INLINE I32 select(Mask c, I32 a, I32 b) { return {hn::IfThenElse(int_mask(c), a.v, b.v)}; }
HWY_INLINE I32 max(I32 a, I32 b) { return {hn::Max(a.v, b.v)}; }
HWY_INLINE I32 min(I32 a, I32 b) { return {hn::Min(a.v, b.v)}; }
HWY_INLINE I32 abs(I32 a) { return {hn::Abs(a.v)}; }
HWY_INLINE I32 sign(I32 a) { return min(max(a, set_i32(-1)), set_i32(1)); }

namespace detail {
#if HWY_HAVE_FLOAT64
/// fn over the values converted to double, half a vector at a time; the results are converted back to `to`.
template <typename DTo, typename Fn, typename... V>
HWY_INLINE hn::Vec<DTo> in_double(DTo to, Fn fn, V... v) {
#if HWY_TARGET == HWY_SCALAR
  const hn::Rebind<double, DTo> dd;
  return hn::DemoteTo(to, fn(dd, hn::PromoteTo(dd, v)...));
#else
  const hn::Repartition<double, DTo> dd;
  const hn::Half<DTo> half;
  const auto low = hn::DemoteTo(half, fn(dd, hn::PromoteTo(dd, hn::LowerHalf(hn::Half<hn::DFromV<V> >(), v))...));
  const auto high = hn::DemoteTo(half, fn(dd, hn::PromoteTo(dd, hn::UpperHalf(hn::Half<hn::DFromV<V> >(), v))...));
  return hn::Combine(to, high, low);
#endif
}

template <bool kFloor>
struct DivideDoubles {
  template <typename DD, typename V>
  HWY_INLINE V operator()(DD, V a, V b) const {
    const V q = hn::Div(a, b);
    return kFloor ? hn::Floor(q) : hn::Trunc(q);
  }
};

/// a / b in double, where int32 quotients are exact after truncation: a/b is an integer or at least 1/|b| away from
/// one, 2^22 times what rounding moves it by. The result is rounded down or toward zero; a zero divisor gives 0.
template <bool kFloor>
HWY_INLINE hn::Vec<DI> quotient(hn::Vec<DI> a, hn::Vec<DI> b) {
  const auto q = in_double(kDI, DivideDoubles<kFloor>(), a, b);
  // INT_MIN / -1 is 2^31 in double, and saturates in the conversion.
  const auto wrapped = hn::And(hn::Eq(a, hn::Set(kDI, INT32_MIN)), hn::Eq(b, hn::Set(kDI, -1)));
  return hn::IfThenZeroElse(hn::Eq(b, hn::Zero(kDI)), hn::IfThenElse(wrapped, a, q));
}
#endif  // HWY_HAVE_FLOAT64
}  // namespace detail

#if HWY_HAVE_FLOAT64
HWY_INLINE I32 operator/(I32 a, I32 b) { return {detail::quotient<false>(a.v, b.v)}; }
HWY_INLINE I32 floor_div(I32 a, I32 b) { return {detail::quotient<true>(a.v, b.v)}; }
#else
HWY_INLINE I32 operator/(I32 a, I32 b) { return map_lanes(a, b, ir::int_div); }
HWY_INLINE I32 floor_div(I32 a, I32 b) { return map_lanes(a, b, ir::int_floor_div); }
#endif
HWY_INLINE I32 operator%(I32 a, I32 b) { return select(b == set_i32(0), set_i32(0), a - (a / b) * b); }
HWY_INLINE I32 floor_mod(I32 a, I32 b) { return select(b == set_i32(0), set_i32(0), a - floor_div(a, b) * b); }
HWY_INLINE I32 pow(I32 a, I32 b) {
  return map_lanes(a, b, [](int32_t x, int32_t y) { return ir::int_pow(x, y); });
}

// ---- b1
// --------------------------------------------------------------------------------------------------------------------

HWY_INLINE Mask operator&&(Mask a, Mask b) { return {hn::And(a.m, b.m)}; }
HWY_INLINE Mask operator||(Mask a, Mask b) { return {hn::Or(a.m, b.m)}; }
HWY_INLINE Mask operator!(Mask a) { return {hn::Not(a.m)}; }
HWY_INLINE Mask operator!=(Mask a, Mask b) { return {hn::Xor(a.m, b.m)}; }
HWY_INLINE Mask operator==(Mask a, Mask b) { return !(a != b); }
HWY_INLINE Mask operator<(Mask a, Mask b) { return {hn::AndNot(a.m, b.m)}; }
HWY_INLINE Mask operator>(Mask a, Mask b) { return {hn::AndNot(b.m, a.m)}; }
HWY_INLINE Mask operator<=(Mask a, Mask b) { return !(a > b); }
HWY_INLINE Mask operator>=(Mask a, Mask b) { return !(a < b); }
HWY_INLINE Mask select(Mask c, Mask a, Mask b) { return (c && a) || (b && !c); }

// ---- Conversions
// -----------------------------------------------------------------------------------------------------------

HWY_INLINE F32 to_f32(F32 a) { return a; }
HWY_INLINE F32 to_f32(I32 a) { return {hn::ConvertTo(kDF, a.v)}; }
HWY_INLINE F32 to_f32(Mask a) { return {hn::IfThenElseZero(a.m, hn::Set(kDF, 1.0f))}; }
HWY_INLINE I32 to_i32(F32 a) {
  const F32 limit = set_f32(2147483648.0);
  // Only lanes in range are converted, since machines differ in what they make of the others; NaN fails the comparison.
  const I32 inside{hn::ConvertTo(kDI, hn::IfThenElseZero(hn::Lt(abs(a).v, limit.v), a.v))};
  return select(a >= limit, set_i32(INT32_MAX), select(a <= -limit, set_i32(INT32_MIN), inside));
}
HWY_INLINE I32 to_i32(I32 a) { return a; }
HWY_INLINE I32 to_i32(Mask a) { return {hn::And(vec_of(a), hn::Set(kDI, 1))}; }
HWY_INLINE Mask to_b1(F32 a) { return a != set_f32(0); }
HWY_INLINE Mask to_b1(I32 a) { return a != set_i32(0); }
HWY_INLINE Mask to_b1(Mask a) { return a; }
HWY_INLINE I32 bitcast_i32(F32 a) { return {hn::BitCast(kDI, a.v)}; }
HWY_INLINE F32 bitcast_f32(I32 a) { return {hn::BitCast(kDF, a.v)}; }

// ---- Literals
// --------------------------------------------------------------------------------------------------------------

template <typename V>
concept Lanes = std::is_same_v<V, F32> || std::is_same_v<V, I32>;

#define TSR_LANES_LITERAL(fn)                      \
  template <Lanes V, Number T>                     \
  HWY_INLINE auto fn(V a, T b) {                   \
    return fn(a, like(a, static_cast<double>(b))); \
  }                                                \
  template <Lanes V, Number T>                     \
  HWY_INLINE auto fn(T a, V b) {                   \
    return fn(like(b, static_cast<double>(a)), b); \
  }
TSR_LANES_LITERAL(operator+)
TSR_LANES_LITERAL(operator-)
TSR_LANES_LITERAL(operator*)
TSR_LANES_LITERAL(operator/)
TSR_LANES_LITERAL(operator%)
TSR_LANES_LITERAL(operator==)
TSR_LANES_LITERAL(operator!=)
TSR_LANES_LITERAL(operator<)
TSR_LANES_LITERAL(operator<=)
TSR_LANES_LITERAL(operator>)
TSR_LANES_LITERAL(operator>=)
TSR_LANES_LITERAL(operator&)
TSR_LANES_LITERAL(operator|)
TSR_LANES_LITERAL(operator^)
TSR_LANES_LITERAL(shift_right_logical)
TSR_LANES_LITERAL(floor_div)
TSR_LANES_LITERAL(floor_mod)
#undef TSR_LANES_LITERAL

template <Number T>
HWY_INLINE I32 max(I32 a, T b) {
  return max(a, like(a, static_cast<double>(b)));
}
template <Number T>
HWY_INLINE I32 min(I32 a, T b) {
  return min(a, like(a, static_cast<double>(b)));
}
template <Lanes V, Number T>
HWY_INLINE V select(Mask c, V a, T b) {
  return select(c, a, like(a, static_cast<double>(b)));
}
template <Lanes V, Number T>
HWY_INLINE V select(Mask c, T a, V b) {
  return select(c, like(b, static_cast<double>(a)), b);
}
template <typename V, typename Low, typename High>
HWY_INLINE V clamp(V x, Low low, High high) {
  return min(max(x, low), high);
}

}  // namespace tsr::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TSR_SIMD_LANES_INL_H_
