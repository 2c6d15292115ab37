// Functions of one float: powers, exponentials, logarithms, trigonometry, rounding.
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/elementwise_math.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::ops {
namespace HWY_NAMESPACE {

// A functor of one value, where its body is one expression.
#define TSR_FN(Name, expression)         \
  struct Name {                          \
    template <typename T>                \
    HWY_INLINE T operator()(T x) const { \
      return expression;                 \
    }                                    \
  };
// dx = dy * derivative, where x is the input and y the output.
#define TSR_DERIVATIVE(derivative)               \
  [](const VjpCtx& c) -> std::vector<Tensor> {   \
    [[maybe_unused]] const Tensor& x = c.in[0];  \
    [[maybe_unused]] const Tensor& y = c.out[0]; \
    return {mul(c.grad[0], derivative)};         \
  }
#define TSR_QUOTIENT(divisor)                    \
  [](const VjpCtx& c) -> std::vector<Tensor> {   \
    [[maybe_unused]] const Tensor& x = c.in[0];  \
    [[maybe_unused]] const Tensor& y = c.out[0]; \
    return {div(c.grad[0], divisor)};            \
  }

// ---- Sign and size
// ---------------------------------------------------------------------------------------------------------

TSR_FN(Abs, abs(x))
TSR_ELEMENTWISE(abs, UnarySame, Abs, .doc = "Absolute value.", .vjp = TSR_DERIVATIVE(sign(cast(x, DType::kFloat32))),
                .tolerance = 0)

TSR_FN(Neg, -x)
TSR_ELEMENTWISE(
    neg, UnarySame, Neg, .doc = "-x.", .vjp = [](const VjpCtx& c) -> std::vector<Tensor> { return {neg(c.grad[0])}; },
    .tolerance = 0)

// As in TensorFlow.js, NaN has no sign.
TSR_FN(Sign, select(x > 0, like(x, 1), select(x < 0, like(x, -1), like(x, 0))))
TSR_ELEMENTWISE(sign, UnarySame, Sign, .doc = "1, -1 or 0 for positive, negative and other elements (NaN gives 0).",
                .zero_gradient = true, .tolerance = 0)

TSR_FN(Square, x* x)
TSR_ELEMENTWISE(square, UnarySame, Square, .doc = "x * x.", .vjp = TSR_DERIVATIVE(mul(cast(x, DType::kFloat32), 2.0f)),
                .tolerance = 1e-6)

TSR_FN(Sqrt, sqrt(x))
TSR_ELEMENTWISE(sqrt, UnaryFloat, Sqrt, .doc = "Square root; NaN below 0.", .vjp = TSR_QUOTIENT(mul(y, 2.0f)),
                .tolerance = 1e-6)

TSR_FN(Rsqrt, rsqrt(x))
TSR_ELEMENTWISE(rsqrt, UnaryFloat, Rsqrt, .doc = "1 / sqrt(x).",
                .vjp = TSR_DERIVATIVE(mul(div(y, cast(x, DType::kFloat32)), -0.5f)), .tolerance = 2e-6)

TSR_FN(Reciprocal, 1.0 / x)
TSR_ELEMENTWISE(reciprocal, UnaryFloat, Reciprocal, .doc = "1 / x.", .vjp = TSR_DERIVATIVE(neg(square(y))),
                .tolerance = 1e-6)

// ---- Exponentials and logarithms
// -------------------------------------------------------------------------------------------

TSR_FN(Exp, exp(x))
TSR_ELEMENTWISE(exp, UnaryFloat, Exp, .doc = "e to the power of x.", .vjp = TSR_DERIVATIVE(y), .tolerance = 1e-5)

TSR_FN(Expm1, expm1(x))
TSR_ELEMENTWISE(expm1, UnaryFloat, Expm1, .doc = "exp(x) - 1, accurate near 0.", .vjp = TSR_DERIVATIVE(add(y, 1.0f)),
                .tolerance = 1e-5)

TSR_FN(Log, log(x))
TSR_ELEMENTWISE(log, UnaryFloat, Log, .doc = "Natural logarithm; -infinity at 0, NaN below.",
                .vjp = TSR_QUOTIENT(cast(x, DType::kFloat32)), .tolerance = 1e-5)

TSR_FN(Log1p, log1p(x))
TSR_ELEMENTWISE(log1p, UnaryFloat, Log1p, .doc = "log(1 + x), accurate near 0.",
                .vjp = TSR_QUOTIENT(add(cast(x, DType::kFloat32), 1.0f)), .tolerance = 1e-5)

// ---- Trigonometry
// ----------------------------------------------------------------------------------------------------------

TSR_FN(Sin, sin(x))
TSR_ELEMENTWISE(sin, UnaryFloat, Sin, .doc = "Sine of x in radians.", .vjp = TSR_DERIVATIVE(cos(x)), .tolerance = 1e-5)

TSR_FN(Cos, cos(x))
TSR_ELEMENTWISE(cos, UnaryFloat, Cos, .doc = "Cosine of x in radians.", .vjp = TSR_DERIVATIVE(neg(sin(x))),
                .tolerance = 1e-5)

TSR_FN(Tan, tan(x))
TSR_ELEMENTWISE(tan, UnaryFloat, Tan, .doc = "Tangent of x in radians.", .vjp = TSR_DERIVATIVE(add(square(y), 1.0f)),
                .tolerance = 5e-5)

TSR_FN(Asin, asin(x))
TSR_ELEMENTWISE(asin, UnaryFloat, Asin, .doc = "Inverse sine in [-pi/2, pi/2]; NaN outside [-1, 1].",
                .vjp = TSR_QUOTIENT(sqrt(sub(1.0f, square(cast(x, DType::kFloat32))))), .tolerance = 1e-5)

TSR_FN(Acos, acos(x))
TSR_ELEMENTWISE(acos, UnaryFloat, Acos, .doc = "Inverse cosine in [0, pi]; NaN outside [-1, 1].",
                .vjp = TSR_QUOTIENT(neg(sqrt(sub(1.0f, square(cast(x, DType::kFloat32)))))), .tolerance = 1e-5)

TSR_FN(Atan, atan(x))
TSR_ELEMENTWISE(atan, UnaryFloat, Atan, .doc = "Inverse tangent in [-pi/2, pi/2].",
                .vjp = TSR_QUOTIENT(add(square(cast(x, DType::kFloat32)), 1.0f)), .tolerance = 1e-5)

TSR_FN(Sinh, sinh(x))
TSR_ELEMENTWISE(sinh, UnaryFloat, Sinh, .doc = "Hyperbolic sine.", .vjp = TSR_DERIVATIVE(cosh(x)), .tolerance = 1e-5)

TSR_FN(Cosh, cosh(x))
TSR_ELEMENTWISE(cosh, UnaryFloat, Cosh, .doc = "Hyperbolic cosine.", .vjp = TSR_DERIVATIVE(sinh(x)), .tolerance = 1e-5)

TSR_FN(Tanh, tanh(x))
TSR_ELEMENTWISE(tanh, UnaryFloat, Tanh, .doc = "Hyperbolic tangent.", .vjp = TSR_DERIVATIVE(sub(1.0f, square(y))),
                .tolerance = 1e-5)

TSR_FN(Asinh, asinh(x))
TSR_ELEMENTWISE(asinh, UnaryFloat, Asinh, .doc = "Inverse hyperbolic sine.",
                .vjp = TSR_QUOTIENT(sqrt(add(square(cast(x, DType::kFloat32)), 1.0f))), .tolerance = 1e-5)

TSR_FN(Acosh, acosh(x))
TSR_ELEMENTWISE(acosh, UnaryFloat, Acosh, .doc = "Inverse hyperbolic cosine; NaN below 1.",
                .vjp = TSR_QUOTIENT(sqrt(sub(square(cast(x, DType::kFloat32)), 1.0f))), .tolerance = 1e-5)

TSR_FN(Atanh, atanh(x))
TSR_ELEMENTWISE(atanh, UnaryFloat, Atanh, .doc = "Inverse hyperbolic tangent; NaN outside [-1, 1].",
                .vjp = TSR_QUOTIENT(sub(1.0f, square(cast(x, DType::kFloat32)))), .tolerance = 1e-5)

// A rational minimax approximation over [-4, 4], beyond which the result is +-1 to the last digit: the coefficients of Eigen's
// generic_fast_erf_float. Error at most 5e-7; odd, and linear to the last digits near 0.
struct Erf {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    const T c = min(max(x, -4.0), 4.0);
    const T z = c * c;
    const T p = ((((((z * -2.72614225801306e-10 + 2.77068142495902e-8) * z - 2.10102402082508e-6) * z - 5.69250639462346e-5) * z -
                   7.34990630326855e-4) *
                      z -
                  2.95459980854025e-3) *
                     z -
                 1.60960333262415e-2) *
                c;
    const T q = (((z * -1.45660718464996e-5 - 2.13374055278905e-4) * z - 1.68282697438203e-3) * z - 7.37332916720468e-3) * z -
                1.42647390514189e-2;
    return min(max(p / q, -1.0), 1.0);
  }
};
TSR_ELEMENTWISE(erf, UnaryFloat, Erf, .doc = "Gauss error function.",
                .vjp = TSR_DERIVATIVE(mul(exp(neg(square(cast(x, DType::kFloat32)))), 1.1283791670955126f)),
                .tolerance = 1e-5)

// ---- Rounding
// --------------------------------------------------------------------------------------------------------------

// Integers are round already; lanes and expressions of int32 have no floor.
template <typename T>
concept IntegerLanes = std::is_same_v<T, I32>;
#define TSR_ROUNDING(Name, fn)                            \
  struct Name {                                           \
    template <typename T>                                 \
    HWY_INLINE T operator()(T x) const {                  \
      if constexpr (IntegerLanes<T>) {                    \
        return x;                                         \
      } else if constexpr (std::is_same_v<T, ir::Expr>) { \
        return x.type() == ir::Type::i32 ? x : fn(x);     \
      } else {                                            \
        return fn(x);                                     \
      }                                                   \
    }                                                     \
  };

TSR_ROUNDING(Ceil, ceil)
TSR_ELEMENTWISE(ceil, UnarySame, Ceil, .doc = "The least integer that is not below x.", .zero_gradient = true,
                .tolerance = 0)

TSR_ROUNDING(Floor, floor)
TSR_ELEMENTWISE(floor, UnarySame, Floor, .doc = "The greatest integer that is not above x.", .zero_gradient = true,
                .tolerance = 0)

TSR_ROUNDING(Round, round)
TSR_ELEMENTWISE(round, UnarySame, Round, .doc = "The nearest integer; halves go to the even one.",
                .zero_gradient = true, .tolerance = 0)

// ---- Tests
// -----------------------------------------------------------------------------------------------------------------

#define TSR_TEST_FN(Name, expression)       \
  struct Name {                             \
    template <typename T>                   \
    HWY_INLINE auto operator()(T x) const { \
      return expression;                    \
    }                                       \
  };
TSR_TEST_FN(IsNan, is_nan(x))
TSR_ELEMENTWISE(isNaN, UnaryTest, IsNan, .doc = "True where x is NaN.", .zero_gradient = true, .tolerance = 0)

TSR_TEST_FN(IsInf, is_inf(x))
TSR_ELEMENTWISE(isInf, UnaryTest, IsInf, .doc = "True where x is infinite.", .zero_gradient = true, .tolerance = 0)

TSR_TEST_FN(IsFinite, is_finite(x))
TSR_ELEMENTWISE(isFinite, UnaryTest, IsFinite, .doc = "True where x is neither infinite nor NaN.",
                .zero_gradient = true, .tolerance = 0)

}  // namespace HWY_NAMESPACE
}  // namespace tsr::ops
HWY_AFTER_NAMESPACE();
