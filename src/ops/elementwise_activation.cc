// Activation functions of neural networks.
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/elementwise_activation.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "ops/elementwise-inl.h"

#ifndef TSR_OPS_ELEMENTWISE_ACTIVATION_ATTRS
#define TSR_OPS_ELEMENTWISE_ACTIVATION_ATTRS
namespace tsr::ops {

struct LeakyReluAttrs {
  double alpha = 0.2;
  static void describe(AttrSchema& s) { s.field<&LeakyReluAttrs::alpha>("alpha", "slope below 0").runtime(); }
};

struct HardSwishAttrs {
  double alpha = 1.0 / 6;
  static void describe(AttrSchema& s) { s.field<&HardSwishAttrs::alpha>("alpha", "factor of the product").runtime(); }
};

struct StepAttrs {
  double alpha = 0;
  static void describe(AttrSchema& s) { s.field<&StepAttrs::alpha>("alpha", "value at and below 0").runtime(); }
};

struct ClipByValueAttrs {
  double clip_value_min = 0;
  double clip_value_max = 0;
  static void describe(AttrSchema& s) {
    s.field<&ClipByValueAttrs::clip_value_min>("clipValueMin", "least value").runtime().required();
    s.field<&ClipByValueAttrs::clip_value_max>("clipValueMax", "greatest value").runtime().required();
  }
};

}  // namespace tsr::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace tsr::ops {
namespace HWY_NAMESPACE {

// dx = dy * derivative, where x is the input as float and y the output.
#define TSR_DERIVATIVE(derivative)                                    \
  [](const VjpCtx& c) -> std::vector<Tensor> {                        \
    [[maybe_unused]] const Tensor x = cast(c.in[0], DType::kFloat32); \
    [[maybe_unused]] const Tensor& y = c.out[0];                      \
    return {mul(c.grad[0], derivative)};                              \
  }
// dx = dy where the condition holds, else 0.
#define TSR_PASS_WHERE(condition)                                     \
  [](const VjpCtx& c) -> std::vector<Tensor> {                        \
    [[maybe_unused]] const Tensor x = cast(c.in[0], DType::kFloat32); \
    return {where(condition, c.grad[0], 0.0f)};                       \
  }

struct Sigmoid {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return 1.0 / (1.0 + exp(-x));
  }
};
TSR_ELEMENTWISE(sigmoid, UnaryFloat, Sigmoid, .doc = "1 / (1 + exp(-x)).", .vjp = TSR_DERIVATIVE(mul(y, sub(1.0f, y))),
                .tolerance = 1e-5)

struct Softplus {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return max(x, 0.0) + log1p(exp(-abs(x)));  // log(1 + exp(x)), without overflow
  }
};
TSR_ELEMENTWISE(softplus, UnaryFloat, Softplus, .doc = "log(1 + exp(x)).", .vjp = TSR_DERIVATIVE(sigmoid(x)),
                .tolerance = 1e-5)

struct LogSigmoid {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return min(x, 0.0) - log1p(exp(-abs(x)));
  }
};
TSR_ELEMENTWISE(logSigmoid, UnaryFloat, LogSigmoid, .doc = "log(sigmoid(x)).", .vjp = TSR_DERIVATIVE(sigmoid(neg(x))),
                .tolerance = 1e-5)

struct Relu {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return max(x, 0);
  }
};
TSR_ELEMENTWISE(relu, UnarySame, Relu, .doc = "max(x, 0).", .vjp = TSR_PASS_WHERE(greater(x, 0.0f)), .tolerance = 0)

struct Relu6 {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return min(max(x, 0), 6);
  }
};
TSR_ELEMENTWISE(relu6, UnarySame, Relu6, .doc = "min(max(x, 0), 6).",
                .vjp = TSR_PASS_WHERE(logical_and(greater(x, 0.0f), less_equal(x, 6.0f))), .tolerance = 0)

struct Elu {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return select(x >= 0.0, x, expm1(x));
  }
};
TSR_ELEMENTWISE(elu, UnaryFloat, Elu, .doc = "x from 0 up, exp(x) - 1 below.",
                .vjp = TSR_DERIVATIVE(where(greater_equal(x, 0.0f), 1.0f, add(y, 1.0f))), .tolerance = 1e-5)

// Chosen so that mean 0 and variance 1 are kept from layer to layer (Klambauer et al., 2017).
struct Selu {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return select(x >= 0.0, x * 1.0507009873554805, expm1(x) * 1.7580993408473768);
  }
};
TSR_ELEMENTWISE(selu, UnaryFloat, Selu,
                .doc = "Scaled exponential linear unit: 1.0507 x from 0 up, 1.7581 (exp(x) - 1) below.",
                .vjp = TSR_DERIVATIVE(where(greater(x, 0.0f), 1.0507009873554805f, mul(exp(x), 1.7580993408473768f))),
                .tolerance = 1e-5)

struct LeakyRelu {
  using Attributes = Bind<LeakyReluAttrs, &LeakyReluAttrs::alpha>;
  template <typename T>
  HWY_INLINE T operator()(T x, T alpha) const {
    return select(x < 0.0, alpha * x, x);
  }
};
TSR_ELEMENTWISE(
    leakyRelu, UnaryFloat, LeakyRelu, .doc = "x from 0 up, alpha * x below.",
    .vjp = [](const VjpCtx& c) -> std::vector<Tensor> {
      const float alpha = static_cast<float>(c.attrs<LeakyReluAttrs>().alpha);
      return {where(greater(cast(c.in[0], DType::kFloat32), 0.0f), c.grad[0], mul(c.grad[0], alpha))};
    },
    .tolerance = 1e-6)

struct Prelu {
  template <typename T>
  HWY_INLINE T operator()(T x, T alpha) const {
    return select(x < 0.0, alpha * x, x);
  }
};
TSR_ELEMENTWISE(
    prelu, BinaryFloat, Prelu, .doc = "x from 0 up, alpha * x below, with an alpha for each element or channel.",
    .inputs = {{"x", "any shape"}, {"alpha", "slopes below 0; broadcasts with x"}},
    .vjp = [](const VjpCtx& c) -> std::vector<Tensor> {
      const Tensor x = cast(c.in[0], DType::kFloat32);
      const Tensor alpha = cast(c.in[1], DType::kFloat32);
      const Tensor& dy = c.grad[0];
      const Tensor above = greater(x, 0.0f);
      return {sum_to(where(above, dy, mul(dy, alpha)), x.shape()),
              sum_to(where(above, 0.0f, mul(dy, x)), alpha.shape())};
    },
    .tolerance = 1e-6)

struct Step {
  using Attributes = Bind<StepAttrs, &StepAttrs::alpha>;
  template <typename T>
  HWY_INLINE T operator()(T x, T alpha) const {
    return select(x > 0, like(x, 1), select(x == x, alpha, x));  // NaN stays
  }
};
TSR_ELEMENTWISE(step, UnarySame, Step, .doc = "1 above 0, alpha elsewhere; NaN stays NaN.", .zero_gradient = true,
                .tolerance = 0)

struct ClipByValue {
  using Attributes = Bind<ClipByValueAttrs, &ClipByValueAttrs::clip_value_min, &ClipByValueAttrs::clip_value_max>;
  template <typename T>
  HWY_INLINE T operator()(T x, T low, T high) const {
    return min(max(x, low), high);
  }
};
TSR_ELEMENTWISE(
    clipByValue, UnarySame, ClipByValue, .doc = "x limited to [clipValueMin, clipValueMax]; NaN stays NaN.",
    .infer =
        [](InferCtx& c) {
          const auto& a = c.attrs<ClipByValueAttrs>();
          c.want(a.clip_value_min <= a.clip_value_max, "clipValueMin (", a.clip_value_min,
                 ") must not be greater than clipValueMax (", a.clip_value_max, ")");
          infer_elementwise_same(c);
        },
    .vjp = [](const VjpCtx& c) -> std::vector<Tensor> {
      const auto& a = c.attrs<ClipByValueAttrs>();
      const Tensor x = cast(c.in[0], DType::kFloat32);
      const Tensor inside = logical_and(greater_equal(x, static_cast<float>(a.clip_value_min)),
                                        less_equal(x, static_cast<float>(a.clip_value_max)));
      return {where(inside, c.grad[0], 0.0f)};
    },
    .tolerance = 0)

struct HardSigmoid {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return min(max(x * 0.2 + 0.5, 0.0), 1.0);
  }
};
TSR_ELEMENTWISE(hardSigmoid, UnaryFloat, HardSigmoid, .doc = "0.2 x + 0.5, limited to [0, 1] (Keras's).",
                .vjp = TSR_DERIVATIVE(where(less(abs(x), 2.5f), 0.2f, 0.0f)), .in_js = false, .tolerance = 1e-6)

struct Swish {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return x / (1.0 + exp(-x));
  }
};
TSR_ELEMENTWISE(
    swish, UnaryFloat, Swish, .doc = "x * sigmoid(x).",
    .vjp = [](const VjpCtx& c) -> std::vector<Tensor> {
      const Tensor x = cast(c.in[0], DType::kFloat32);
      const Tensor s = sigmoid(x);
      return {mul(c.grad[0], add(s, mul(c.out[0], sub(1.0f, s))))};
    },
    .in_js = false, .tolerance = 1e-5)

struct HardSwish {
  using Attributes = Bind<HardSwishAttrs, &HardSwishAttrs::alpha>;
  template <typename T>
  HWY_INLINE T operator()(T x, T alpha) const {
    return x * min(max(x + 3.0, 0.0), 6.0) * alpha;
  }
};
TSR_ELEMENTWISE(
    hardSwish, UnaryFloat, HardSwish, .doc = "alpha * x * relu6(x + 3); with alpha 1/6 the activation of MobileNet v3.",
    .vjp = [](const VjpCtx& c) -> std::vector<Tensor> {
      const Tensor x = cast(c.in[0], DType::kFloat32);
      const Tensor slope = where(less(x, -3.0f), 0.0f, where(greater(x, 3.0f), 6.0f, add(mul(x, 2.0f), 3.0f)));
      return {mul(c.grad[0], mul(slope, static_cast<float>(c.attrs<HardSwishAttrs>().alpha)))};
    },
    .in_js = false, .tolerance = 1e-6)

}  // namespace HWY_NAMESPACE
}  // namespace tsr::ops
HWY_AFTER_NAMESPACE();
