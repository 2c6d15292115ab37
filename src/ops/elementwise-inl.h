// How an elementwise op is defined: once, as a functor over "values" that works for ir::Expr (shaders, tile programs,
// the reference) and for SIMD lanes (ahead-of-time CPU code). A file of ops is compiled once per instruction set by
// Highway's foreach_target and looks like this:
//
//   struct Sigmoid {
//     template <typename T>
//     HWY_INLINE T operator()(T x) const {
//       return 1.0 / (1.0 + exp(-x));
//     }
//   };
//   TSR_ELEMENTWISE(sigmoid, UnaryFloat, Sigmoid, .doc = "...", .vjp = [](const VjpCtx& c) { ... })
//
// Names like exp are found by argument type. Bodies use select(condition, a, b), never ?: or if; literals are fine. The
// second word is the dtype rule below; what it does not say follows as fields of OpDef in their order. Structs rather
// than lambdas, because GCC does not compile lambdas for the instruction set of the region they stand in.
#if defined(TSR_OPS_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TSR_OPS_ELEMENTWISE_INL_H_
#undef TSR_OPS_ELEMENTWISE_INL_H_
#else
#define TSR_OPS_ELEMENTWISE_INL_H_
#endif

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "core/op_def.h"
#include "ir/body.h"
#include "ops/elementwise.h"
#include "ops/helpers.h"
#include "simd/math-inl.h"
#include "simd/tile_ops.h"
#include "tessera/ops.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::ops::HWY_NAMESPACE {

using simd::HWY_NAMESPACE::F32;
using simd::HWY_NAMESPACE::I32;
using simd::HWY_NAMESPACE::kLanes;
using simd::HWY_NAMESPACE::Mask;

// ---- The loop over memory
// --------------------------------------------------------------------------------------------------

template <typename V>
struct Stored;
template <>
struct Stored<F32> {
  using Type = float;
  static constexpr DType kDType = DType::kFloat32;
};
template <>
struct Stored<I32> {
  using Type = int32_t;
  static constexpr DType kDType = DType::kInt32;
};
template <>
struct Stored<Mask> {
  using Type = uint8_t;
  static constexpr DType kDType = DType::kBool;
};

HWY_INLINE void load_stored(const float* p, F32& v) { simd::HWY_NAMESPACE::load_lanes(p, v); }
HWY_INLINE void load_stored(const int32_t* p, I32& v) { simd::HWY_NAMESPACE::load_lanes(p, v); }
HWY_INLINE void load_stored(const uint8_t* p, Mask& v) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<uint8_t, simd::HWY_NAMESPACE::DI> bytes;
  v = to_b1(I32{hn::PromoteTo(simd::HWY_NAMESPACE::kDI, hn::LoadU(bytes, p))});
}
HWY_INLINE void store_stored(F32 v, float* p) { simd::HWY_NAMESPACE::store_lanes(v, p); }
HWY_INLINE void store_stored(I32 v, int32_t* p) { simd::HWY_NAMESPACE::store_lanes(v, p); }
HWY_INLINE void store_stored(Mask v, uint8_t* p) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<uint8_t, simd::HWY_NAMESPACE::DI> bytes;
  hn::StoreU(hn::DemoteTo(bytes, to_i32(v).v), bytes, p);
}

/// Attributes as lanes; one more than there are, as arrays cannot be empty.
template <typename V, size_t kCount>
struct BoundLanes {
  V v[kCount + 1] = {};
};
// ---- Attributes as operands
// ------------------------------------------------------------------------------------------------

/// Functor without attributes.
struct NoBound {
  using A = NoAttrs;
  static constexpr size_t kCount = 0;
};
/// The attributes that these members point to (doubles), in order, as further operands of the functor. They are runtime
/// parameters.
template <typename Struct, double Struct::*... members>
struct Bind {
  using A = Struct;
  static constexpr size_t kCount = sizeof...(members);
  static std::array<double, kCount> values(const A& a) { return {a.*members...}; }
};

template <typename Fn>
concept HasBound = requires {
  typename Fn::Attributes;
};
template <typename Fn>
struct BoundOf {
  using Type = NoBound;
};
template <HasBound Fn>
struct BoundOf<Fn> {
  using Type = typename Fn::Attributes;
};

template <typename Fn, typename V>
HWY_INLINE BoundLanes<V, BoundOf<Fn>::Type::kCount> bound_lanes([[maybe_unused]] const ElementwiseArgs& a) {
  using B = typename BoundOf<Fn>::Type;
  BoundLanes<V, B::kCount> out;
  if constexpr (B::kCount > 0) {
    const auto values = B::values(a.attrs->as<typename B::A>());
    for (size_t k = 0; k < B::kCount; ++k) {
      if constexpr (std::is_same_v<V, I32>) {
        out.v[k] = simd::HWY_NAMESPACE::set_i32(ir::to_int_saturated(values[k]));
      } else {
        out.v[k] = simd::HWY_NAMESPACE::set_f32(values[k]);
      }
    }
  }
  return out;
}

/// Applies the functor to whole vectors of the inputs (of types V...), then to the attributes, and stores values of
/// type R.
template <typename R, typename Fn, typename B, size_t... k, size_t... b, typename... V>
HWY_INLINE void stream(const ElementwiseArgs& a, const B& bound, std::index_sequence<k...>, std::index_sequence<b...>,
                       V... v) {
  auto* out = static_cast<typename Stored<R>::Type*>(a.out);
  std::tuple<const typename Stored<V>::Type*...> p{static_cast<const typename Stored<V>::Type*>(a.in[k])...};
  const int64_t advance[] = {int64_t{a.step[k]} * kLanes...};
  for (int64_t i = 0; i < a.n; i += kLanes) {
    (load_stored(std::get<k>(p), v), ...);
    ((std::get<k>(p) += advance[k]), ...);
    store_stored(Fn()(v..., bound.v[b]...), out + i);
  }
}
template <typename R, typename Fn, typename First, typename... V>
void whole_vectors(const ElementwiseArgs& a) {
  stream<R, Fn>(a, bound_lanes<Fn, First>(a), std::make_index_sequence<1 + sizeof...(V)>(),
                std::make_index_sequence<BoundOf<Fn>::Type::kCount>(), First{}, V{}...);
}

/// True (after running) when the inputs have the dtypes of V... and the output that of R.
template <typename R, typename Fn, typename... V>
bool try_stream(const ElementwiseArgs& a) {
  constexpr DType kTypes[] = {Stored<V>::kDType...};
  for (size_t i = 0; i < sizeof...(V); ++i) {
    if (a.in_dtype[i] != kTypes[i]) return false;
  }
  if (a.out_dtype != Stored<R>::kDType) return false;
  run_in_vectors(a, sizeof...(V), kLanes, &whole_vectors<R, Fn, V...>);
  return true;
}
/// The same with all inputs of type V.
template <typename R, typename Fn, size_t kInputs, typename V>
bool try_all(const ElementwiseArgs& a) {
  static_assert(kInputs == 1 || kInputs == 2);
  if constexpr (kInputs == 1) {
    return try_stream<R, Fn, V>(a);
  } else {
    return try_stream<R, Fn, V, V>(a);
  }
}

template <typename Fn, size_t kInputs>
ir::Expr expr_body(ir::BodyCtx& c, ir::Type type) {
  using B = typename BoundOf<Fn>::Type;
  std::vector<ir::Expr> in;
  if constexpr (B::kCount > 0) {
    in = elementwise_operands(c, kInputs, type, B::values(c.attrs<typename B::A>()));
    if constexpr (kInputs == 1 && B::kCount == 1) return Fn()(in[0], in[1]);
    if constexpr (kInputs == 1 && B::kCount == 2) return Fn()(in[0], in[1], in[2]);
  } else {
    in = elementwise_operands(c, kInputs, type, {});
    if constexpr (kInputs == 1) return Fn()(in[0]);
    if constexpr (kInputs == 2) return Fn()(in[0], in[1]);
  }
}

// ---- Dtype rules

/// Any inputs; computes in float32 and returns it.
template <typename Fn, size_t kInputs>
struct FloatRule {
  static constexpr size_t kArity = kInputs;
  static constexpr auto kInfer = &infer_elementwise_float;
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::Type::f32); }
  static bool run(const ElementwiseArgs& a) { return try_all<F32, Fn, kInputs, F32>(a); }
};
/// The common dtype of the inputs (bool: int32) in and out.
template <typename Fn, size_t kInputs>
struct SameRule {
  static constexpr size_t kArity = kInputs;
  static constexpr auto kInfer = &infer_elementwise_same;
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::type_of(c.out_dtype())); }
  static bool run(const ElementwiseArgs& a) {
    return try_all<F32, Fn, kInputs, F32>(a) || try_all<I32, Fn, kInputs, I32>(a);
  }
};
/// Compares in the common dtype; returns bool.
template <typename Fn, size_t kInputs>
struct CompareRule {
  static constexpr size_t kArity = kInputs;
  static constexpr auto kInfer = &infer_elementwise_bool;
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, common_type(c)); }
  static bool run(const ElementwiseArgs& a) {
    return try_all<Mask, Fn, kInputs, F32>(a) || try_all<Mask, Fn, kInputs, I32>(a) ||
           try_all<Mask, Fn, kInputs, Mask>(a);
  }
};
/// Tests of float values (integers and bools are converted); returns bool.
template <typename Fn, size_t kInputs>
struct TestRule {
  static constexpr size_t kArity = kInputs;
  static constexpr auto kInfer = &infer_elementwise_bool;
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::Type::f32); }
  static bool run(const ElementwiseArgs& a) { return try_all<Mask, Fn, kInputs, F32>(a); }
};
/// bool in, bool out.
template <typename Fn, size_t kInputs>
struct LogicalRule {
  static constexpr size_t kArity = kInputs;
  static constexpr auto kInfer = &infer_elementwise_logical;
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::Type::b1); }
  static bool run(const ElementwiseArgs& a) { return try_all<Mask, Fn, kInputs, Mask>(a); }
};
/// int32 in, int32 out.
template <typename Fn, size_t kInputs>
struct IntRule {
  static constexpr size_t kArity = kInputs;
  static constexpr auto kInfer = &infer_elementwise_int;
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::Type::i32); }
  static bool run(const ElementwiseArgs& a) { return try_all<I32, Fn, kInputs, I32>(a); }
};

template <typename Fn>
using UnaryFloat = FloatRule<Fn, 1>;
template <typename Fn>
using UnarySame = SameRule<Fn, 1>;
template <typename Fn>
using UnaryTest = TestRule<Fn, 1>;
template <typename Fn>
using UnaryLogical = LogicalRule<Fn, 1>;
template <typename Fn>
using BinaryFloat = FloatRule<Fn, 2>;
template <typename Fn>
using BinarySame = SameRule<Fn, 2>;
template <typename Fn>
using BinaryCompare = CompareRule<Fn, 2>;
template <typename Fn>
using BinaryLogical = LogicalRule<Fn, 2>;
template <typename Fn>
using BinaryInt = IntRule<Fn, 2>;

template <typename Fn>
constexpr AttrSchemaRef schema_of() {
  using B = typename BoundOf<Fn>::Type;
  if constexpr (B::kCount > 0) {
    return &AttrSchema::of<typename B::A>;
  } else {
    return &AttrSchema::of<NoAttrs>;
  }
}

}  // namespace tsr::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// Defines the op `id` (its name as JavaScript spells it): code for this instruction set, and, in the last pass, the
// OpDef.
#undef TSR_ELEMENTWISE
#if HWY_ONCE
#define TSR_ELEMENTWISE(id, Rule, Fn, ...)                                                                       \
  bool run_##id(const ElementwiseArgs& a) { return Rule<Fn>::run(a); }                                           \
  }                                                                                                              \
  HWY_EXPORT(run_##id);                                                                                          \
  namespace HWY_NAMESPACE {                                                                                      \
  ElementwiseFn code_##id() {                                                                                    \
    simd::tile_ops(); /* makes Highway look at the CPU, so that the table below is indexed by the best target */ \
    return &HWY_DYNAMIC_DISPATCH(run_##id);                                                                      \
  }                                                                                                              \
  const RegisterOp kRegister_##id{complete_elementwise(OpDef{.name = #id, __VA_ARGS__}, Rule<Fn>::kArity,        \
                                                       schema_of<Fn>(), Rule<Fn>::kInfer, &Rule<Fn>::body,       \
                                                       &code_##id)};
#else
#define TSR_ELEMENTWISE(id, Rule, Fn, ...) \
  bool run_##id(const ElementwiseArgs& a) { return Rule<Fn>::run(a); }
#endif

#endif  // TSR_OPS_ELEMENTWISE_INL_H_
