// Arithmetic of two tensors under numpy broadcasting.
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/elementwise_arithmetic.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::ops {
namespace HWY_NAMESPACE {

#define TSR_FN(Name, expression)              \
  struct Name {                               \
    template <typename T>                     \
    HWY_INLINE T operator()(T a, T b) const { \
      return expression;                      \
    }                                         \
  };
// Gradients of a and b, each summed over the dimensions that it was broadcast along. dy is the gradient of the output
// y; a and b are float.
#define TSR_DERIVATIVES(da, db)                                       \
  [](const VjpCtx& c) -> std::vector<Tensor> {                        \
    [[maybe_unused]] const Tensor a = cast(c.in[0], DType::kFloat32); \
    [[maybe_unused]] const Tensor b = cast(c.in[1], DType::kFloat32); \
    [[maybe_unused]] const Tensor& dy = c.grad[0];                    \
    [[maybe_unused]] const Tensor& y = c.out[0];                      \
    std::vector<Tensor> out(2);                                       \
    if (c.needs[0]) out[0] = sum_to(da, a.shape());                   \
    if (c.needs[1]) out[1] = sum_to(db, b.shape());                   \
    return out;                                                       \
  }

TSR_FN(Add, a + b)
TSR_ELEMENTWISE(add, BinarySame, Add, .doc = "a + b.", .vjp = TSR_DERIVATIVES(dy, dy), .tolerance = 0)

TSR_FN(Sub, a - b)
TSR_ELEMENTWISE(sub, BinarySame, Sub, .doc = "a - b.", .vjp = TSR_DERIVATIVES(dy, neg(dy)), .tolerance = 0)

TSR_FN(Mul, a* b)
TSR_ELEMENTWISE(mul, BinarySame, Mul, .doc = "a * b.", .vjp = TSR_DERIVATIVES(mul(dy, b), mul(dy, a)),
                .tolerance = 1e-6)

// A quotient of integers rounds down, as in TensorFlow.js.
template <typename T>
HWY_INLINE T divide(T a, T b) {
  if constexpr (std::is_same_v<T, I32>) {
    return floor_div(a, b);
  } else if constexpr (std::is_same_v<T, ir::Expr>) {
    return a.type() == ir::Type::i32 ? floor_div(a, b) : a / b;
  } else {
    return a / b;
  }
}
TSR_FN(Div, divide(a, b))
TSR_ELEMENTWISE(div, BinarySame, Div, .doc = "a / b. Of two int32 tensors: the quotient rounded down (0 where b is 0).",
                .vjp = TSR_DERIVATIVES(div(dy, b), neg(div(mul(dy, a), square(b)))), .tolerance = 1e-6)

TSR_FN(DivNoNan, select(b == 0, like(b, 0), divide(a, b)))
TSR_ELEMENTWISE(divNoNan, BinarySame, DivNoNan, .doc = "a / b, but 0 where b is 0.",
                .vjp = TSR_DERIVATIVES(div_no_nan(dy, b), neg(div_no_nan(mul(dy, a), square(b)))), .tolerance = 1e-6)

struct FloorDiv {
  template <typename T>
  HWY_INLINE auto operator()(T a, T b) const {
    return to_i32(floor_div(a, b));
  }
};
// int32 out whatever comes in, as TensorFlow.js has it.
template <typename Fn>
struct QuotientRule {
  static constexpr size_t kArity = 2;
  static constexpr auto kInfer = &infer_elementwise_quotient;
  static ir::Expr body(ir::BodyCtx& c) {
    const bool floats = c.in(0).type() == ir::Type::f32 || c.in(1).type() == ir::Type::f32;
    return expr_body<Fn, 2>(c, floats ? ir::Type::f32 : ir::Type::i32);
  }
  static bool run(const ElementwiseArgs& a) {
    return try_stream<I32, Fn, F32, F32>(a) || try_stream<I32, Fn, I32, I32>(a);
  }
};
TSR_ELEMENTWISE(floorDiv, QuotientRule, FloorDiv, .doc = "The quotient a / b rounded down, as int32 (0 where b is 0).",
                .vjp = TSR_DERIVATIVES(div(dy, b), neg(div(mul(dy, a), square(b)))), .tolerance = 0)

TSR_FN(Mod, floor_mod(a, b))
TSR_ELEMENTWISE(mod, BinarySame, Mod, .doc = "The remainder of a / b with the sign of b (0 for int32 where b is 0).",
                .vjp = TSR_DERIVATIVES(dy, mul(dy, neg(floor(div(a, b))))), .tolerance = 1e-5)

TSR_FN(Pow, pow(a, b))
TSR_ELEMENTWISE(pow, BinarySame, Pow,
                .doc = "a to the power of b. int32 powers are exact modulo 2^32; negative exponents round toward 0.",
                .inputs = {{"base", "any shape"}, {"exp", "a shape that broadcasts with base's"}},
                .vjp = TSR_DERIVATIVES(mul(dy, mul(b, pow(a, sub(b, 1.0f)))),
                                       mul(dy, mul(y, where(greater(a, 0.0f), log(a), 0.0f)))),
                .tolerance = 2e-5)

TSR_FN(Maximum, max(a, b))
TSR_ELEMENTWISE(maximum, BinarySame, Maximum, .doc = "The greater of a and b; NaN where either is.",
                .vjp = TSR_DERIVATIVES(where(greater_equal(a, b), dy, 0.0f), where(less(a, b), dy, 0.0f)),
                .tolerance = 0)

TSR_FN(Minimum, min(a, b))
TSR_ELEMENTWISE(minimum, BinarySame, Minimum, .doc = "The lesser of a and b; NaN where either is.",
                .vjp = TSR_DERIVATIVES(where(less_equal(a, b), dy, 0.0f), where(greater(a, b), dy, 0.0f)),
                .tolerance = 0)

TSR_FN(SquaredDifference, (a - b) * (a - b))
TSR_ELEMENTWISE(squaredDifference, BinarySame, SquaredDifference, .doc = "(a - b)^2.",
                .vjp = TSR_DERIVATIVES(mul(dy, mul(sub(a, b), 2.0f)), mul(dy, mul(sub(b, a), 2.0f))), .tolerance = 1e-6)

TSR_FN(Atan2, atan2(a, b))
TSR_ELEMENTWISE(atan2, BinaryFloat, Atan2, .doc = "The angle of the point (b, a) in (-pi, pi].",
                .vjp = TSR_DERIVATIVES(mul(dy, div(b, add(square(a), square(b)))),
                                       mul(dy, neg(div(a, add(square(a), square(b)))))),
                .tolerance = 1e-5)

TSR_FN(BitwiseAnd, a& b)
TSR_ELEMENTWISE(bitwiseAnd, BinaryInt, BitwiseAnd, .doc = "The bits that a and b both have.", .zero_gradient = true,
                .tolerance = 0)

}  // namespace HWY_NAMESPACE
}  // namespace tsr::ops
HWY_AFTER_NAMESPACE();
