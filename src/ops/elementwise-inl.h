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

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "core/op_def.h"
#include "ir/body.h"
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

/// One input of type V: a pointer that advances by a vector, or stays on a vector filled with its only element.
template <typename V>
struct Operand {
  using T = typename Stored<V>::Type;
  alignas(64) T splat[kLanes];
  alignas(64) T tail[kLanes];
  const T* p;
  size_t advance;

  Operand(const ElementwiseArgs& a, int k) : p(static_cast<const T*>(a.in[k])), advance(kLanes) {
    if (a.step[k] == 0 && a.n > 0) {
      for (T& s : splat) s = *p;
      p = splat;
      advance = 0;
    }
  }
  HWY_INLINE V next() {
    V v;
    load_stored(p, v);
    p += advance;
    return v;
  }
  V last(size_t n) {
    std::memset(tail, 0, sizeof tail);
    std::memcpy(tail, p, (advance ? n : static_cast<size_t>(kLanes)) * sizeof(T));
    V v;
    load_stored(tail, v);
    return v;
  }
};

/// Attributes as lanes; one more than there are, as arrays cannot be empty.
template <typename V, size_t kCount>
struct BoundLanes {
  V v[kCount + 1] = {};
};
template <typename Fn, typename B, size_t... b, typename... X>
HWY_INLINE auto invoke(Fn fn, const B& bound, std::index_sequence<b...>, X... x) {
  return fn(x..., bound.v[b]...);
}

/// Applies fn to the operands, then to the attributes, and stores values of type R.
template <typename R, typename Fn, typename V, size_t kBound, typename... Operands>
HWY_INLINE void stream(const ElementwiseArgs& a, Fn fn, const BoundLanes<V, kBound>& bound, Operands&&... operands) {
  using T = typename Stored<R>::Type;
  constexpr std::make_index_sequence<kBound> kIndices;
  T* out = static_cast<T*>(a.out);
  int64_t i = 0;
  for (; i + kLanes <= a.n; i += kLanes) store_stored(invoke(fn, bound, kIndices, operands.next()...), out + i);
  if (i < a.n) {
    const size_t rest = static_cast<size_t>(a.n - i);
    alignas(64) T tail[kLanes];
    store_stored(invoke(fn, bound, kIndices, operands.last(rest)...), tail);
    std::memcpy(out + i, tail, rest * sizeof(T));
  }
}

/// True (after running) when all inputs have the dtype of V and the output that of R.
template <typename R, typename V, size_t... k, typename Fn, typename Bound>
HWY_INLINE bool try_stream(const ElementwiseArgs& a, Fn fn, std::index_sequence<k...>, const Bound& bound) {
  if (((a.in_dtype[k] != Stored<V>::kDType) || ...) || a.out_dtype != Stored<R>::kDType) return false;
  stream<R>(a, fn, bound, Operand<V>(a, static_cast<int>(k))...);
  return true;
}

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

template <typename Fn, size_t kInputs>
ir::Expr expr_body(ir::BodyCtx& c, ir::Type type) {
  using B = typename BoundOf<Fn>::Type;
  std::vector<ir::Expr> in;
  for (size_t k = 0; k < kInputs; ++k) in.push_back(c.in(static_cast<int>(k)).broadcast(type));
  if constexpr (B::kCount > 0) {
    for (const double v : B::values(c.attrs<typename B::A>())) {
      in.push_back(type == ir::Type::i32 ? c.pi(ir::to_int_saturated(v)) : c.pf(v));
    }
  }
  return [&]<size_t... k>(std::index_sequence<k...>) { return Fn()(in[k]...); }
  (std::make_index_sequence<kInputs + B::kCount>());
}

// ---- Dtype rules
// -----------------------------------------------------------------------------------------------------------

/// bool counts as int32 in arithmetic.
inline DType arithmetic(DType t) { return t == DType::kBool ? DType::kInt32 : t; }

template <size_t kInputs>
Shape broadcast_inputs(const InferCtx& c) {
  Shape out = c.shape(0);
  for (size_t k = 1; k < kInputs; ++k) out = broadcast(c.op(), out, c.shape(static_cast<int>(k)));
  return out;
}
template <size_t kInputs>
DType common_of(const InferCtx& c) {
  DType t = want_numeric(c, 0);
  for (size_t k = 1; k < kInputs; ++k) t = promote(c.op(), t, want_numeric(c, static_cast<int>(k)));
  return t;
}

/// Any inputs; computes in float32 and returns it.
template <typename Fn, size_t kInputs>
struct FloatRule {
  static constexpr size_t kArity = kInputs;
  static void infer(InferCtx& c) {
    common_of<kInputs>(c);
    c.out(broadcast_inputs<kInputs>(c), DType::kFloat32);
  }
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::Type::f32); }
  static bool run(const ElementwiseArgs& a) {
    return try_stream<F32, F32>(a, Fn(), std::make_index_sequence<kInputs>(), bound_lanes<Fn, F32>(a));
  }
};
/// The common dtype of the inputs (bool: int32) in and out.
template <typename Fn, size_t kInputs>
struct SameRule {
  static constexpr size_t kArity = kInputs;
  static void infer(InferCtx& c) { c.out(broadcast_inputs<kInputs>(c), arithmetic(common_of<kInputs>(c))); }
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::type_of(c.out_dtype())); }
  static bool run(const ElementwiseArgs& a) {
    const auto in = std::make_index_sequence<kInputs>();
    return try_stream<F32, F32>(a, Fn(), in, bound_lanes<Fn, F32>(a)) ||
           try_stream<I32, I32>(a, Fn(), in, bound_lanes<Fn, I32>(a));
  }
};
/// Compares in the common dtype; returns bool.
template <typename Fn, size_t kInputs>
struct CompareRule {
  static constexpr size_t kArity = kInputs;
  static void infer(InferCtx& c) {
    common_of<kInputs>(c);
    c.out(broadcast_inputs<kInputs>(c), DType::kBool);
  }
  static ir::Expr body(ir::BodyCtx& c) {
    ir::Type type = ir::Type::b1;  // the largest: f32 < i32 < b1 in the enum, the other way round in value
    for (size_t k = 0; k < kInputs; ++k) type = std::min(type, c.in(static_cast<int>(k)).type());
    return expr_body<Fn, kInputs>(c, type);
  }
  static bool run(const ElementwiseArgs& a) {
    const auto in = std::make_index_sequence<kInputs>();
    return try_stream<Mask, F32>(a, Fn(), in, BoundLanes<F32, 0>()) ||
           try_stream<Mask, I32>(a, Fn(), in, BoundLanes<I32, 0>()) ||
           try_stream<Mask, Mask>(a, Fn(), in, BoundLanes<Mask, 0>());
  }
};
/// Tests of float values (integers and bools are converted); returns bool.
template <typename Fn, size_t kInputs>
struct TestRule {
  static constexpr size_t kArity = kInputs;
  static void infer(InferCtx& c) { CompareRule<Fn, kInputs>::infer(c); }
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::Type::f32); }
  static bool run(const ElementwiseArgs& a) {
    return try_stream<Mask, F32>(a, Fn(), std::make_index_sequence<kInputs>(), BoundLanes<F32, 0>());
  }
};
/// bool in, bool out.
template <typename Fn, size_t kInputs>
struct LogicalRule {
  static constexpr size_t kArity = kInputs;
  static void infer(InferCtx& c) {
    for (size_t k = 0; k < kInputs; ++k) c.want_dtype(static_cast<int>(k), {DType::kBool});
    c.out(broadcast_inputs<kInputs>(c), DType::kBool);
  }
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::Type::b1); }
  static bool run(const ElementwiseArgs& a) {
    return try_stream<Mask, Mask>(a, Fn(), std::make_index_sequence<kInputs>(), BoundLanes<Mask, 0>());
  }
};
/// int32 in, int32 out.
template <typename Fn, size_t kInputs>
struct IntRule {
  static constexpr size_t kArity = kInputs;
  static void infer(InferCtx& c) {
    for (size_t k = 0; k < kInputs; ++k) c.want_dtype(static_cast<int>(k), {DType::kInt32});
    c.out(broadcast_inputs<kInputs>(c), DType::kInt32);
  }
  static ir::Expr body(ir::BodyCtx& c) { return expr_body<Fn, kInputs>(c, ir::Type::i32); }
  static bool run(const ElementwiseArgs& a) {
    return try_stream<I32, I32>(a, Fn(), std::make_index_sequence<kInputs>(), BoundLanes<I32, 0>());
  }
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

/// Fills in what the rule and the functor determine.
template <typename Fn, typename Rule>
OpDef complete(OpDef def, ElementwiseFn (*code)()) {
  using B = typename BoundOf<Fn>::Type;
  if (!*def.family) def.family = "elementwise";
  if (def.inputs.empty()) {
    if (Rule::kArity == 1) def.inputs = {{"x", "any shape"}};
    if (Rule::kArity == 2) def.inputs = {{"a", "any shape"}, {"b", "a shape that broadcasts with a's"}};
  }
  if constexpr (B::kCount > 0) def.attrs = &AttrSchema::of<typename B::A>();
  if (!def.infer) def.infer = Rule::infer;
  def.body = Rule::body;
  def.elementwise_fn = code;
  def.elementwise = true;
  return def;
}

}  // namespace tsr::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// Defines the op `id` (its name as JavaScript spells it): code for this instruction set, and, in the last pass, the
// OpDef.
#undef TSR_ELEMENTWISE
#if HWY_ONCE
#define TSR_ELEMENTWISE(id, Rule, Fn, ...)                                                                        \
  bool run_##id(const ElementwiseArgs& a) { return Rule<Fn>::run(a); }                                            \
  }                                                                                                               \
  HWY_EXPORT(run_##id);                                                                                           \
  namespace HWY_NAMESPACE {                                                                                       \
  const RegisterOp kRegister_##id{complete<Fn, Rule<Fn>>(OpDef{.name = #id, __VA_ARGS__}, []() -> ElementwiseFn { \
    simd::tile_ops(); /* makes Highway look at the CPU, so that the table below is indexed by the best target */  \
    return &HWY_DYNAMIC_DISPATCH(run_##id);                                                                       \
  })};
#else
#define TSR_ELEMENTWISE(id, Rule, Fn, ...) \
  bool run_##id(const ElementwiseArgs& a) { return Rule<Fn>::run(a); }
#endif

#endif  // TSR_OPS_ELEMENTWISE_INL_H_
