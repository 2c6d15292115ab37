// Small vector vocabulary of the kernels, compiled once per instruction set (include after hwy/foreach_target.h).

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

#if defined(TSR_CPU_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TSR_CPU_LANES_INL_H_
#undef TSR_CPU_LANES_INL_H_
#else
#define TSR_CPU_LANES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DI = hn::ScalableTag<int32_t>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

// Lanes of a float vector, a constant on every target that targets.h leaves in.
inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(DF()));

// Masked loads and stores that do not touch the other lanes' memory exist only here; elsewhere they are copies through the stack.
#define TSR_HAS_MASKED_MEMORY (HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3)
#if TSR_HAS_MASKED_MEMORY && !HWY_ARCH_X86
#error "target numbering of Highway changed"
#endif

HWY_INLINE VF zero() { return hn::Zero(DF()); }
HWY_INLINE VF splat(float x) {
#if HWY_TARGET == HWY_WASM
  asm("" : "+r"(x));  // as in simd/lanes-inl.h: spread once before a loop, not built anew each time
#endif
  return hn::Set(DF(), x);
}
HWY_INLINE VF load(const float* p) { return hn::LoadU(DF(), p); }
HWY_INLINE void store(VF v, float* p) { hn::StoreU(v, DF(), p); }

// One float from memory into all lanes.
HWY_INLINE VF splat_load(const float* p) {
#if HWY_TARGET == HWY_WASM
  return VF{wasm_v128_load32_splat(p)};
#else
  return hn::Set(DF(), *p);
#endif
}

// a * b + c, fused where that costs nothing extra.
HWY_INLINE VF madd(VF a, VF b, VF c) {
#if HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
  return VF{wasm_f32x4_relaxed_madd(a.raw, b.raw, c.raw)};
#else
  return hn::MulAdd(a, b, c);
#endif
}

// The first n lanes (0 < n < lanes) from memory, the others `fill` (0 where masked loads exist and fill is 0).
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_n(D d, const T* p, int64_t n, T fill = T{0}) {
#if TSR_HAS_MASKED_MEMORY
  const auto mask = hn::FirstN(d, static_cast<size_t>(n));
  return hn::IfThenElse(mask, hn::MaskedLoad(mask, d, p), hn::Set(d, fill));
#else
  HWY_ALIGN T lanes[hn::MaxLanes(D())];
  hn::Store(hn::Set(d, fill), d, lanes);
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return hn::Load(d, lanes);
#endif
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void store_n(hn::Vec<D> v, D d, T* p, int64_t n) {
#if TSR_HAS_MASKED_MEMORY
  hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(n)), d, p);
#else
  HWY_ALIGN T lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
#endif
}

HWY_INLINE VF load_n(const float* p, int64_t n) { return load_n(DF(), p, n); }
HWY_INLINE void store_n(VF v, float* p, int64_t n) { store_n(v, DF(), p, n); }

// min and max that return x where x is NaN (`bound` is a number).
HWY_INLINE VF at_least(VF x, VF bound) {
#if HWY_TARGET == HWY_WASM
  return VF{wasm_f32x4_pmax(x.raw, bound.raw)};  // x < bound ? bound : x; f32x4.max is several instructions on x86
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return hn::Max(bound, x);  // maxps returns its second operand if either is NaN
#else
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
#endif
}
HWY_INLINE VF at_most(VF x, VF bound) {
#if HWY_TARGET == HWY_WASM
  return VF{wasm_f32x4_pmin(x.raw, bound.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return hn::Min(bound, x);
#else
  return hn::IfThenElse(hn::Lt(bound, x), bound, x);
#endif
}

// The larger and the smaller of two, NaN if either is.
HWY_INLINE VF max_nan(VF a, VF b) {
  return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
}
HWY_INLINE VF min_nan(VF a, VF b) {
  return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b);
}

// e^x, at most 2 ULP off; 0 below -104, infinity above 88.73, NaN for NaN.
HWY_INLINE VF exp(VF x) {
  const DF d;
  const DI di;
  const VF clamped = at_most(at_least(x, splat(-104.0f)), splat(89.0f));  // NaN stays
  // Adding 1.5 2^23 rounds to an integer and leaves it in the lowest bits of the sum.
  const VF t = madd(clamped, splat(1.44269504f), splat(12582912.0f));
  const VF n = hn::Sub(t, splat(12582912.0f));
  // ln 2 in two parts: the first has few bits, so that n times it is exact.
  VF r = madd(n, splat(-0.693359375f), clamped);
  r = madd(n, splat(2.12194440e-4f), r);
  VF p = splat(1.9875691500e-4f);  // Cephes expf
  p = madd(p, r, splat(1.3981999507e-3f));
  p = madd(p, r, splat(8.3334519073e-3f));
  p = madd(p, r, splat(4.1665795894e-2f));
  p = madd(p, r, splat(1.6666665459e-1f));
  p = madd(p, r, splat(5.0000001201e-1f));
  p = hn::Add(madd(hn::Mul(r, r), p, r), splat(1.0f));
  // Times 2^n in two steps, so that denormal results and those next to infinity come out right.
  const VI ni = hn::Sub(hn::BitCast(di, t), hn::Set(di, 0x4b400000));
  const VI half = hn::ShiftRight<1>(ni);
  const VI bias = hn::Set(di, 127);
  const VF s1 = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const VF s2 = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(ni, half), bias)));
  return hn::Mul(hn::Mul(p, s1), s2);  // p is NaN for NaN, whatever the factors
}

// e^x - 1, about 2 ULP off near 0, where exp(x) - 1 would lose digits.
HWY_INLINE VF expm1(VF x) {
  VF p = splat(1.0f / 5040);
  p = madd(p, x, splat(1.0f / 720));
  p = madd(p, x, splat(1.0f / 120));
  p = madd(p, x, splat(1.0f / 24));
  p = madd(p, x, splat(1.0f / 6));
  p = madd(p, x, splat(0.5f));
  const VF near = madd(hn::Mul(x, x), p, x);
  return hn::IfThenElse(hn::Lt(hn::Abs(x), splat(0.35f)), near, hn::Sub(exp(x), splat(1.0f)));
}

HWY_INLINE VF sigmoid(VF x) { return hn::Div(splat(1.0f), hn::Add(splat(1.0f), exp(hn::Neg(x)))); }

// tanh, about 2 ULP off.
HWY_INLINE VF tanh(VF x) {
  const VF ax = hn::Abs(x);
  const VF z = hn::Mul(x, x);
  VF p = splat(-5.70498872745e-3f);  // Cephes tanhf, |x| < 0.625
  p = madd(p, z, splat(2.06390887954e-2f));
  p = madd(p, z, splat(-5.37397155531e-2f));
  p = madd(p, z, splat(1.33314422036e-1f));
  p = madd(p, z, splat(-3.33332819422e-1f));
  const VF near = madd(hn::Mul(p, z), x, x);
  const VF far = hn::Sub(splat(1.0f), hn::Div(splat(2.0f), hn::Add(exp(hn::Add(ax, ax)), splat(1.0f))));
  const VF signed_far = hn::IfThenElse(hn::Lt(x, zero()), hn::Neg(far), far);
  return hn::IfThenElse(hn::Lt(ax, splat(0.625f)), near, signed_far);
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard that lets each target in once
