// Narrow weights as float32, in vectors: what core/stored_form.h says they stand for, to the last bit (a signalling NaN may come out
// quiet). Include after hwy/foreach_target.h.

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/lanes-inl.h"
#include "core/stored_form.h"

#if defined(TSR_CPU_WIDEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TSR_CPU_WIDEN_INL_H_
#undef TSR_CPU_WIDEN_INL_H_
#else
#define TSR_CPU_WIDEN_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

// A loader gives kLanes elements at p as floats; they need not be aligned.

#if HWY_TARGET == HWY_SCALAR

template <typename T>
struct LoadStored {
  static constexpr int64_t kBytes = sizeof(T);
  explicit LoadStored(const StoredForm& f) : form(f) {}
  VF operator()(const std::byte* p) const {
    float value;
    widen(form, p, 1, &value);
    return splat(value);
  }
  StoredForm form;
};
using LoadHalves = LoadStored<uint16_t>;

#else

template <typename T>
HWY_INLINE VI load_integers(const std::byte* p) {
  return hn::PromoteTo(DI(), hn::LoadU(hn::Rebind<T, DI>(), reinterpret_cast<const T*>(p)));
}

// Integers: q * scale + min in double, not fused, then rounded; half a vector at a time.
template <typename T>
struct LoadStored {
  static constexpr int64_t kBytes = sizeof(T);
#if HWY_TARGET == HWY_WASM  // Highway has no double there
  explicit LoadStored(const StoredForm& form) : scale(wasm_f64x2_splat(form.scale)), min(wasm_f64x2_splat(form.min)) {}
  HWY_INLINE v128_t half(v128_t q) const {
    return wasm_f32x4_demote_f64x2_zero(wasm_f64x2_add(wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(q), scale), min));
  }
  HWY_INLINE VF operator()(const std::byte* p) const {
    const v128_t q = load_integers<T>(p).raw;
    return VF{wasm_i64x2_shuffle(half(q), half(wasm_i64x2_shuffle(q, q, 1, 1)), 0, 2)};
  }
  v128_t scale, min;
#else
  using DD = hn::Repartition<double, DF>;
  explicit LoadStored(const StoredForm& form) : scale(hn::Set(DD(), form.scale)), min(hn::Set(DD(), form.min)) {}
  HWY_INLINE hn::Vec<hn::Half<DF>> half(hn::Vec<hn::Half<DI>> q) const {
    return hn::DemoteTo(hn::Half<DF>(), hn::Add(hn::Mul(hn::PromoteTo(DD(), q), scale), min));
  }
  HWY_INLINE VF operator()(const std::byte* p) const {
    const VI q = load_integers<T>(p);
    return hn::Combine(DF(), half(hn::UpperHalf(hn::Half<DI>(), q)), half(hn::LowerHalf(hn::Half<DI>(), q)));
  }
  hn::Vec<DD> scale, min;
#endif
};

struct LoadHalves {
  static constexpr int64_t kBytes = 2;
  explicit LoadHalves(const StoredForm&) {}
  HWY_INLINE VF operator()(const std::byte* p) const {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3
    return hn::PromoteTo(DF(), hn::LoadU(hn::Rebind<hwy::float16_t, DF>(), reinterpret_cast<const hwy::float16_t*>(p)));
#else
    // No instruction for it, and Highway's substitute takes infinity for 65536.
    const DF d;
    const DI di;
    const VI bits = load_integers<uint16_t>(p), magnitude = hn::And(bits, hn::Set(di, 0x7fff));
    const VI shifted = hn::ShiftLeft<13>(magnitude);
    // The exponent's bias is 15 there and 127 here; infinity's and NaN's is all ones in both.
    const VI normal = hn::Add(shifted, hn::Set(di, 112 << 23));
    const VI special = hn::Or(shifted, hn::Set(di, 0x7f800000));
    const VI denormal = hn::BitCast(di, hn::Mul(hn::ConvertTo(d, magnitude), hn::Set(d, 0x1p-24f)));
    VI wide = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7bff)), special, normal);
    wide = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x400)), denormal, wide);
    return hn::BitCast(d, hn::Or(wide, hn::ShiftLeft<16>(hn::Sub(bits, magnitude))));
#endif
  }
};

#endif

// Calls fn with the loader for that form.
template <class Fn>
HWY_INLINE void with_loader(const StoredForm& form, Fn fn) {
  switch (form.dtype) {
    case DType::kUint8: return fn(LoadStored<uint8_t>(form));
    case DType::kInt8: return fn(LoadStored<int8_t>(form));
    case DType::kUint16: return fn(LoadStored<uint16_t>(form));
    default: return fn(LoadHalves(form));
  }
}

// n elements, a multiple of kLanes.
HWY_NOINLINE void widen_block(const StoredForm& form, const std::byte* in, int64_t n, float* out) {
  with_loader(form, [=](auto load) {
    for (int64_t i = 0; i < n; i += kLanes) store(load(in + i * load.kBytes), out + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard that lets each target in once
