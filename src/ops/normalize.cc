// Softmax and its logarithm, batch normalisation, moments.
#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

// ---- softmax
// --------------------------------------------------------------------------------------------------------------------

void infer_softmax_along(InferCtx& c, int64_t axis) {
  want_numeric(c, 0);
  axis_of(c, axis, c.shape(0).rank());
  c.out(c.shape(0), DType::kFloat32);
}
void infer_softmax(InferCtx& c) { infer_softmax_along(c, c.attrs<SoftmaxAttrs>().dim); }
void infer_log_softmax(InferCtx& c) { infer_softmax_along(c, c.attrs<LogSoftmaxAttrs>().axis); }

struct SoftmaxParts {
  Expr shifted;  ///< x - the largest x of its row: no exponential overflows
  Expr sum;      ///< sum of the row's exponentials of that
};

SoftmaxParts softmax_parts(BodyCtx& c, int axis) {
  const ir::In x = c.in(0);
  std::vector<Expr> index = c.out_index();
  const auto at = [&](const Expr& v) {
    index[static_cast<size_t>(axis)] = v;
    return ir::convert(x(index), ir::Type::f32);
  };
  const Expr largest = ir::reduce(ir::Reduce::max, x.dim(axis), at);
  const Expr sum = ir::reduce(ir::Reduce::sum, x.dim(axis), [&](Expr v) { return ir::exp(at(v) - largest); });
  return {at(c.out(axis)) - largest, sum};
}

Expr body_softmax(BodyCtx& c) {
  const SoftmaxParts p = softmax_parts(c, normalize_axis("softmax", c.attrs<SoftmaxAttrs>().dim, c.out_rank()));
  return ir::exp(p.shifted) / p.sum;
}
Expr body_log_softmax(BodyCtx& c) {
  const SoftmaxParts p = softmax_parts(c, normalize_axis("logSoftmax", c.attrs<LogSoftmaxAttrs>().axis, c.out_rank()));
  return p.shifted - ir::log(p.sum);
}

std::vector<Tensor> vjp_softmax(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  const int64_t dim = c.attrs<SoftmaxAttrs>().dim;
  // Of the input, not of the output's values, so that a second derivative sees the dependence.
  const Tensor y = c.out[0];
  const Tensor weighted = mul(c.grad[0], y);
  return {sub(weighted, mul(sum(weighted, dim, true), y))};
}

std::vector<Tensor> vjp_log_softmax(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  return {sub(c.grad[0], mul(sum(c.grad[0], c.attrs<LogSoftmaxAttrs>().axis, true), exp(c.out[0])))};
}

const RegisterOp kSoftmax{{
    .name = "softmax",
    .doc = "exp(x) / sum(exp(x)) along an axis, computed as exp(x - max) so that nothing overflows.",
    .family = "normalize",
    .inputs = {{"logits", "a numeric tensor of rank 1 or more"}},
    .attrs = &AttrSchema::of<SoftmaxAttrs>,
    .infer = infer_softmax,
    .body = body_softmax,
    .vjp = vjp_softmax,
    .tolerance = 1e-5,
}};

const RegisterOp kLogSoftmax{{
    .name = "logSoftmax",
    .doc = "x - log(sum(exp(x))) along an axis, computed without overflow.",
    .family = "normalize",
    .inputs = {{"logits", "a numeric tensor of rank 1 or more"}},
    .attrs = &AttrSchema::of<LogSoftmaxAttrs>,
    .infer = infer_log_softmax,
    .body = body_log_softmax,
    .vjp = vjp_log_softmax,
    .tolerance = 1e-5,
}};

// ---- batchNorm
// ------------------------------------------------------------------------------------------------------------------

void infer_batch_norm(InferCtx& c) {
  for (int k = 0; k < c.num_inputs(); ++k) {
    want_numeric(c, k);
    const Shape both = broadcast(c.op(), c.shape(0), c.shape(k));
    c.want(both == c.shape(0), "input ", k, " of shape ", c.shape(k), " does not broadcast to x's shape ", c.shape(0));
  }
  c.out(c.shape(0), DType::kFloat32);
}

// Subtracting the mean first keeps the digits of channels whose mean is large beside their deviation.
std::vector<Tensor> compose_batch_norm(const ComposeCtx& c) {
  const Tensor epsilon = Tensor::scalar(c.attrs<BatchNormAttrs>().variance_epsilon);
  Tensor factor = rsqrt(add(c.in[2], epsilon));
  if (c.in.size() > 4) factor = mul(factor, c.in[4]);
  Tensor y = mul(sub(c.in[0], c.in[1]), factor);
  if (c.in.size() > 3) y = add(y, c.in[3]);
  return {y};
}

const RegisterOp kBatchNorm{{
    .name = "batchNorm",
    .doc = "(x - mean) * scale / sqrt(variance + varianceEpsilon) + offset.",
    .family = "normalize",
    .inputs = {{"x", "any float tensor"},
               {"mean", "broadcasts to x"},
               {"variance", "broadcasts to x"},
               {"offset", "broadcasts to x; none: 0", true},
               {"scale", "broadcasts to x; none: 1", true}},
    .attrs = &AttrSchema::of<BatchNormAttrs>,
    .infer = infer_batch_norm,
    .compose = compose_batch_norm,
}};

// ---- moments
// --------------------------------------------------------------------------------------------------------------------

void infer_moments(InferCtx& c) {
  const auto& a = c.attrs<ReduceAttrs>();
  want_numeric(c, 0);
  const Shape out = reduced_shape(c.shape(0), normalize_axes(c.op(), a.axis, c.shape(0).rank(), true), a.keep_dims);
  c.out(out, DType::kFloat32);
  c.out(out, DType::kFloat32);
}

std::vector<Tensor> compose_moments(const ComposeCtx& c) {
  const auto& a = c.attrs<ReduceAttrs>();
  const Tensor x = is_float(c.in[0].dtype()) ? c.in[0] : cast(c.in[0], DType::kFloat32);
  const Tensor average = mean(x, a.axis, true);
  const Tensor variance = mean(square(sub(x, average)), a.axis, a.keep_dims);
  return {a.keep_dims ? average : reshape(average, variance.shape()), variance};
}

const RegisterOp kMoments{{
    .name = "moments",
    .doc = "Mean and variance (the mean squared distance from the mean) along the axes.",
    .family = "normalize",
    .inputs = {{"x", "any numeric tensor"}},
    .outputs = {{"mean", ""}, {"variance", ""}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_moments,
    .compose = compose_moments,
}};

}  // namespace
}  // namespace tsr::ops
