// Random numbers by counting: element i of a call is a hash of (i, draw, seed), so seeded results are the same bits on every device,
// thread count and platform, and need no state.
//
// The hash is pcg4d (Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 2020), four rounds of 32-bit multiply-add and
// xor-shift that pass BigCrush when fed counters.
//
// Public ops compose: they draw a seed when none is given, and call the op of the same name with "Keyed", whose body is pure.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/op_def.h"
#include "ir/body.h"
#include "ops/op_call.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;
using ir::Reduce;

constexpr double kNoSeed = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

// splitmix64's finaliser: any two different seeds give unrelated keys.
uint64_t mixed(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// The seed itself, or a new one (different for each call and each process) when it is NaN: "none given".
double seed_or_new(double seed) {
  if (!std::isnan(seed)) return seed;
  static const auto start = static_cast<uint64_t>(std::chrono::high_resolution_clock::now().time_since_epoch().count());
  static std::atomic<uint64_t> calls{0};
  // 53 bits: an exact double.
  return static_cast<double>(mixed(start + calls.fetch_add(1) * 0x9e3779b97f4a7c15u) >> 11);
}

// 32 random bits as i32 for each output element and draw number.
class Bits {
 public:
  Bits(BodyCtx& ctx, double seed) {
    const uint64_t key = mixed(std::bit_cast<uint64_t>(seed + 0.0));  // -0 is 0
    low_ = ctx.pi(static_cast<int32_t>(static_cast<uint32_t>(key)));
    high_ = ctx.pi(static_cast<int32_t>(static_cast<uint32_t>(key >> 32)));
  }

  Expr operator()(const Expr& counter, const Expr& draw) const {
    const auto lcg = [](const Expr& v) { return v * 1664525 + 1013904223; };
    Expr x = lcg(counter), y = lcg(draw), z = lcg(low_), w = lcg(high_);
    const auto round = [&] {
      x = x + y * w;
      y = y + z * x;
      z = z + x * y;
      w = w + y * z;
    };
    const auto fold = [](const Expr& v) { return v ^ shift_right_logical(v, 16); };
    round();
    x = fold(x), y = fold(y), z = fold(z), w = fold(w);
    round();
    return x;
  }
  Expr operator()(const Expr& counter, int draw) const { return (*this)(counter, ir::i32(draw)); }

 private:
  Expr low_, high_;
};

// The row-major number of the output element.
Expr flat_index(BodyCtx& ctx) {
  Expr i = ir::i32(0);
  for (int d = 0; d < ctx.out_rank(); ++d) i = i * ctx.out_dim(d) + ctx.out(d);
  return i;
}

// [0, 1) in steps of 2^-24: each is exact in single precision.
Expr unit(const Expr& bits) { return to_f32(shift_right_logical(bits, 8)) * (1.0 / 16777216.0); }
// (0, 1]: safe to take the logarithm of.
Expr unit_above_zero(const Expr& bits) { return to_f32(shift_right_logical(bits, 8) + 1) * (1.0 / 16777216.0); }

Shape shape_of(const char* op, const std::vector<int64_t>& dims) {
  for (int64_t d : dims) require(d >= 0, "[", op, "] shape has a negative extent, ", d);
  return Shape(dims);
}

// ---- randomUniform ------------------------------------------------------------------------------------------------------

struct UniformAttrs {
  std::vector<int64_t> shape;
  double minval = 0;
  double maxval = 1;
  DType dtype = DType::kFloat32;
  double seed = kNoSeed;
  static void describe(AttrSchema& s) {
    s.field<&UniformAttrs::shape>("shape", "shape of the result").required();
    s.field<&UniformAttrs::minval>("minval", "smallest value").runtime();
    s.field<&UniformAttrs::maxval>("maxval", "what all values are below").runtime();
    s.field<&UniformAttrs::dtype>("dtype", "float32, int32 (whole numbers) or bool (a fair coin)");
    s.field<&UniformAttrs::seed>("seed", "any number; equal seeds give equal results; NaN: a new one each call").runtime();
  }
};

void infer_uniform(InferCtx& c) {
  const auto& a = c.attrs<UniformAttrs>();
  c.want(a.dtype == DType::kFloat32 || a.dtype == DType::kInt32 || a.dtype == DType::kBool,
         "dtype must be float32, int32 or bool, got ", name_of(a.dtype));
  c.want(a.dtype != DType::kInt32 || a.maxval - a.minval <= 2147483647.0, "the range from ", a.minval, " to ", a.maxval,
         " is wider than an int32");
  c.out(shape_of(c.op(), a.shape), a.dtype);
}

Expr uniform_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<UniformAttrs>();
  const Expr bits = Bits(ctx, a.seed)(flat_index(ctx), 0);
  if (a.dtype == DType::kBool) return bits < 0;
  if (a.dtype == DType::kInt32) {
    // 31 bits over fewer values: the bias is below range / 2^31.
    const double low = std::ceil(a.minval), high = std::ceil(a.maxval);
    return ctx.pi(static_cast<int64_t>(low)) + shift_right_logical(bits, 1) % ctx.pi(std::max<int64_t>(1, static_cast<int64_t>(high - low)));
  }
  const Expr low = ctx.pf(a.minval), range = ctx.pf(a.maxval - a.minval);
  return low + unit(bits) * range;
}

const RegisterOp kUniformKeyed{{
    .name = "randomUniformKeyed",
    .doc = "randomUniform with a given seed.",
    .family = "random",
    .attrs = &AttrSchema::of<UniformAttrs>,
    .infer = infer_uniform,
    .body = uniform_body,
    .zero_gradient = true,
    .in_js = false,
    .tolerance = 1e-6,  // one multiply-add
}};

const RegisterOp kUniform{{
    .name = "randomUniform",
    .doc = "Uniformly distributed values in [minval, maxval): a hash of each element's number and the seed.",
    .family = "random",
    .attrs = &AttrSchema::of<UniformAttrs>,
    .compose = [](const ComposeCtx& c) -> std::vector<Tensor> {
      UniformAttrs a = c.attrs<UniformAttrs>();
      a.seed = seed_or_new(a.seed);
      return {call_with("randomUniformKeyed", {}, std::move(a))};
    },
    .zero_gradient = true,
    .tolerance = 1e-6,
}};

struct UniformIntAttrs {
  std::vector<int64_t> shape;
  int64_t minval = 0;
  int64_t maxval = 0;
  double seed = kNoSeed;
  static void describe(AttrSchema& s) {
    s.field<&UniformIntAttrs::shape>("shape", "shape of the result").required();
    s.field<&UniformIntAttrs::minval>("minval", "smallest value").required().runtime();
    s.field<&UniformIntAttrs::maxval>("maxval", "what all values are below").required().runtime();
    s.field<&UniformIntAttrs::seed>("seed", "any number; equal seeds give equal results; NaN: a new one each call").runtime();
  }
};

const RegisterOp kUniformInt{{
    .name = "randomUniformInt",
    .doc = "Uniformly distributed int32 values, minval included, maxval not.",
    .family = "random",
    .attrs = &AttrSchema::of<UniformIntAttrs>,
    .compose = [](const ComposeCtx& c) -> std::vector<Tensor> {
      const auto& a = c.attrs<UniformIntAttrs>();
      require(a.minval < a.maxval, "[randomUniformInt] minval ", a.minval, " must be below maxval ", a.maxval);
      UniformAttrs b;
      b.shape = a.shape;
      b.minval = static_cast<double>(a.minval);
      b.maxval = static_cast<double>(a.maxval);
      b.dtype = DType::kInt32;
      b.seed = seed_or_new(a.seed);
      return {call_with("randomUniformKeyed", {}, std::move(b))};
    },
    .zero_gradient = true,
    .tolerance = 0,
}};

// ---- randomNormal, truncatedNormal --------------------------------------------------------------------------------------

struct NormalAttrs {
  std::vector<int64_t> shape;
  double mean = 0;
  double std_dev = 1;
  DType dtype = DType::kFloat32;
  double seed = kNoSeed;
  static void describe(AttrSchema& s) {
    s.field<&NormalAttrs::shape>("shape", "shape of the result").required();
    s.field<&NormalAttrs::mean>("mean", "the mean").runtime();
    s.field<&NormalAttrs::std_dev>("stdDev", "the standard deviation").runtime();
    s.field<&NormalAttrs::dtype>("dtype", "float32, or int32 (truncated)");
    s.field<&NormalAttrs::seed>("seed", "any number; equal seeds give equal results; NaN: a new one each call").runtime();
  }
};

void infer_normal(InferCtx& c) {
  const auto& a = c.attrs<NormalAttrs>();
  c.want(a.dtype == DType::kFloat32 || a.dtype == DType::kInt32, "dtype must be float32 or int32, got ", name_of(a.dtype));
  c.out(shape_of(c.op(), a.shape), a.dtype);
}

Expr normal_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<NormalAttrs>();
  const Bits bits(ctx, a.seed);
  const Expr i = flat_index(ctx);
  const Expr mean = ctx.pf(a.mean), deviation = ctx.pf(a.std_dev);
  // Box and Muller: one normal value from two uniform ones.
  const Expr radius = sqrt(log(unit_above_zero(bits(i, 0))) * -2.0);
  return mean + deviation * (radius * cos(unit(bits(i, 1)) * (2 * kPi)));
}

Expr truncated_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<NormalAttrs>();
  const Expr u = unit(Bits(ctx, a.seed)(flat_index(ctx), 0));
  const Expr mean = ctx.pf(a.mean), deviation = ctx.pf(a.std_dev);
  // The inverse of the normal distribution function over [-2, 2]: sqrt(2) * erfinv(x), |x| <= erf(sqrt(2)). There the central
  // polynomial of Giles ("Approximating the erfinv function", GPU Computing Gems 2011) holds to 1e-7.
  const double reach = std::erf(std::sqrt(2.0));
  const Expr x = (u * 2.0 - 1.0) * reach;
  const Expr w = -log((1.0 - x) * (1.0 + x)) - 2.5;
  Expr p = w * 2.81022636e-08 + 3.43273939e-07;
  for (double k : {-3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941}) {
    p = p * w + k;
  }
  return mean + deviation * clamp(p * x * std::sqrt(2.0), -2.0, 2.0);
}

std::vector<Tensor> keyed_normal(const ComposeCtx& c, const char* op) {
  NormalAttrs a = c.attrs<NormalAttrs>();
  a.seed = seed_or_new(a.seed);
  return {call_with(op, {}, std::move(a))};
}

// Shaders have logarithm and cosine to some 1e-5 absolute; the radius goes up to 5.8.
constexpr double kNormalTolerance = 1e-4;

const RegisterOp kNormalKeyed{{
    .name = "randomNormalKeyed",
    .doc = "randomNormal with a given seed.",
    .family = "random",
    .attrs = &AttrSchema::of<NormalAttrs>,
    .infer = infer_normal,
    .body = normal_body,
    .zero_gradient = true,
    .in_js = false,
    .tolerance = kNormalTolerance,
}};

const RegisterOp kNormal{{
    .name = "randomNormal",
    .doc = "Normally distributed values.",
    .family = "random",
    .attrs = &AttrSchema::of<NormalAttrs>,
    .compose = [](const ComposeCtx& c) { return keyed_normal(c, "randomNormalKeyed"); },
    .zero_gradient = true,
    .tolerance = kNormalTolerance,
}};

const RegisterOp kTruncatedKeyed{{
    .name = "truncatedNormalKeyed",
    .doc = "truncatedNormal with a given seed.",
    .family = "random",
    .attrs = &AttrSchema::of<NormalAttrs>,
    .infer = infer_normal,
    .body = truncated_body,
    .zero_gradient = true,
    .in_js = false,
    .tolerance = kNormalTolerance,
}};

const RegisterOp kTruncated{{
    .name = "truncatedNormal",
    .doc = "Normally distributed values, all within two standard deviations of the mean.",
    .family = "random",
    .attrs = &AttrSchema::of<NormalAttrs>,
    .compose = [](const ComposeCtx& c) { return keyed_normal(c, "truncatedNormalKeyed"); },
    .zero_gradient = true,
    .tolerance = kNormalTolerance,
}};

// ---- multinomial --------------------------------------------------------------------------------------------------------

struct MultinomialAttrs {
  int64_t num_samples = 1;
  double seed = kNoSeed;
  bool normalized = false;
  static void describe(AttrSchema& s) {
    s.field<&MultinomialAttrs::num_samples>("numSamples", "draws for each row").required();
    s.field<&MultinomialAttrs::seed>("seed", "any number; equal seeds give equal results; NaN: a new one each call").runtime();
    s.field<&MultinomialAttrs::normalized>("normalized", "the input holds probabilities, not logits");
  }
};

void infer_multinomial(InferCtx& c) {
  const auto& a = c.attrs<MultinomialAttrs>();
  const Shape& s = c.shape(0);
  c.want(s.rank() == 1 || s.rank() == 2, "'logits' must have rank 1 or 2, got shape ", s);
  c.want_dtype(0, {DType::kFloat32});
  c.want(s.back() >= 2, "'logits' must have at least 2 classes, got shape ", s);
  c.want(a.num_samples >= 0, "numSamples must not be negative, got ", a.num_samples);
  Shape out = s;
  out[out.rank() - 1] = a.num_samples;
  c.out(out, DType::kInt32);
}

Expr multinomial_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<MultinomialAttrs>();
  const Bits bits(ctx, a.seed);
  const auto logits = ctx.in(0);
  const Expr i = flat_index(ctx);
  // The largest of logits with independent Gumbel noise is distributed as their softmax.
  return reduce(Reduce::argmax, logits.dim(logits.rank() - 1), [&](const Expr& k) {
    const Expr x = logits.rank() == 1 ? logits({k}) : logits({ctx.out(0), k});
    const Expr noise = -log(-log(unit_above_zero(bits(i, k)) * (1.0 - 1.0 / 16777216.0)));
    return (a.normalized ? log(x) : x) + noise;
  });
}

const RegisterOp kMultinomialKeyed{{
    .name = "multinomialKeyed",
    .doc = "multinomial with a given seed.",
    .family = "random",
    .inputs = {{"logits", "[classes] or [batch, classes]"}},
    .attrs = &AttrSchema::of<MultinomialAttrs>,
    .infer = infer_multinomial,
    .body = multinomial_body,
    .zero_gradient = true,
    .in_js = false,
    .tolerance = 0,
}};

const RegisterOp kMultinomial{{
    .name = "multinomial",
    .doc = "Class numbers drawn with the probabilities softmax(logits), or with the input's own when it is normalized.",
    .family = "random",
    .inputs = {{"logits", "[classes] or [batch, classes]"}},
    .attrs = &AttrSchema::of<MultinomialAttrs>,
    .infer = infer_multinomial,
    .compose = [](const ComposeCtx& c) -> std::vector<Tensor> {
      MultinomialAttrs a = c.attrs<MultinomialAttrs>();
      a.seed = seed_or_new(a.seed);
      return {call_with("multinomialKeyed", {c.in[0]}, std::move(a))};
    },
    .zero_gradient = true,
    .tolerance = 0,
}};

// ---- dropout ------------------------------------------------------------------------------------------------------------

struct DropoutAttrs {
  double rate = 0;
  std::vector<int64_t> noise_shape;
  double seed = kNoSeed;
  static void describe(AttrSchema& s) {
    s.field<&DropoutAttrs::rate>("rate", "probability of a value being dropped, in [0, 1)").required().runtime();
    s.field<&DropoutAttrs::noise_shape>("noiseShape", "shape of the mask, broadcast to x's; default: x's shape");
    s.field<&DropoutAttrs::seed>("seed", "any number; equal seeds give equal results; NaN: a new one each call").runtime();
  }
};

const RegisterOp kDropout{{
    .name = "dropout",
    .doc = "Sets values to 0 with probability rate, and divides the others by 1 - rate.",
    .family = "random",
    .inputs = {{"x", "any shape"}},
    .attrs = &AttrSchema::of<DropoutAttrs>,
    .compose = [](const ComposeCtx& c) -> std::vector<Tensor> {
      const auto& a = c.attrs<DropoutAttrs>();
      const Tensor& x = c.in[0];
      require(x.dtype() == DType::kFloat32, "[dropout] 'x' must be float32, got ", name_of(x.dtype()));
      require(a.rate >= 0 && a.rate < 1, "[dropout] rate must be in [0, 1), got ", a.rate);
      if (a.rate == 0) return {call1("identity", {x})};
      UniformAttrs u;
      u.shape = a.noise_shape.empty() ? x.shape().vector() : a.noise_shape;
      u.seed = seed_or_new(a.seed);
      const double keep = 1 - a.rate;
      const Tensor mask = call1("less", {call_with("randomUniformKeyed", {}, std::move(u)), Tensor::scalar(keep)});
      const Tensor scaled = call1("mul", {x, Tensor::scalar(1 / keep)});
      return {call1("where", {mask, scaled, call1("zerosLike", {x})})};
    },
    .tolerance = 1e-5,
}};

}  // namespace
}  // namespace tsr::ops
