// Narrow weights as float32, in vectors: what core/stored_form.h says they stand for, to the last bit (a signalling NaN may come out
// quiet). Include after hwy/foreach_target.h.

#include <cstddef>
#include <cstdint>
#include <type_traits>

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
#if HWY_TARGET == HWY_WASM  // one or three instructions; Highway's loads of half vectors and less take more
  if constexpr (sizeof(T) == 1) {
    const v128_t q = wasm_v128_load32_zero(p);
    return VI{std::is_signed_v<T> ? wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(q))
                                  : wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(q))};
  } else {
    return VI{std::is_signed_v<T> ? wasm_i32x4_load16x4(p) : wasm_u32x4_load16x4(p)};
  }
#else
  return hn::PromoteTo(DI(), hn::LoadU(hn::Rebind<T, DI>(), reinterpret_cast<const T*>(p)));
#endif
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
    const DI di;
    // Sign, exponent and fraction in place; a factor of 2^112 corrects the exponent's bias, denormals included.
    const VI bits = hn::And(hn::ShiftLeft<13>(load_integers<int16_t>(p)), hn::Set(di, static_cast<int32_t>(0x8fffe000u)));
    const VI value = hn::BitCast(di, hn::Mul(hn::BitCast(DF(), bits), hn::Set(DF(), 0x1p112f)));
    // Infinity's and NaN's exponent is all ones here and there.
    const auto special = hn::Gt(hn::And(bits, hn::Set(di, 0x0fffe000)), hn::Set(di, 0x0f7fffff));
    return hn::BitCast(DF(), hn::Or(value, hn::IfThenElseZero(special, hn::Set(di, 0x7f800000))));
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
  with_loader(form, [=](auto load) HWY_ATTR {
    for (int64_t i = 0; i < n; i += kLanes) store(load(in + i * load.kBytes), out + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#endif  // include guard that lets each target in once
