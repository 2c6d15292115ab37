// Reductions over any set of axes, and the searches for the largest and smallest element.
#include <algorithm>
#include <functional>

#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

std::vector<int> axes_of(const char* op, const ReduceAttrs& a, int rank) {
  return normalize_axes(op, a.axis, rank, true);
}

// ---- infer
// --------------------------------------------------------------------------------------------------------------------

void infer_reduce(InferCtx& c, DType out) {
  const auto& a = c.attrs<ReduceAttrs>();
  const std::vector<int> axes = axes_of(c.op(), a, c.shape(0).rank());
  c.out(reduced_shape(c.shape(0), axes, a.keep_dims), out);
}
void infer_same(InferCtx& c) { infer_reduce(c, want_numeric(c, 0)); }
void infer_sum(InferCtx& c) { infer_reduce(c, sum_dtype(want_numeric(c, 0))); }
void infer_mean(InferCtx& c) {
  want_numeric(c, 0);
  infer_reduce(c, DType::kFloat32);
}
void infer_bool(InferCtx& c) {
  c.want_dtype(0, {DType::kBool});
  infer_reduce(c, DType::kBool);
}
void infer_arg(InferCtx& c) {
  want_numeric(c, 0);
  const int axis = axis_of(c, c.attrs<ArgReduceAttrs>().axis, c.shape(0).rank());
  c.want(c.shape(0)[axis] > 0, "cannot search along axis ", axis, " of shape ", c.shape(0), ", which has no elements");
  c.out(reduced_shape(c.shape(0), {axis}, false), DType::kInt32);
}

// ---- bodies
// -------------------------------------------------------------------------------------------------------------------

// Folds input 0 over `axes`, converted to `as`; loops nest in the order of the axes.
Expr fold(BodyCtx& c, const std::vector<int>& axes, bool keep_dims, ir::Reduce r, ir::Type as) {
  const ir::In x = c.in(0);
  std::vector<Expr> index(static_cast<size_t>(x.rank()));
  int out = 0;
  for (int d = 0; d < x.rank(); ++d) {
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!reduced) index[static_cast<size_t>(d)] = c.out(out);
    if (!reduced || keep_dims) ++out;
  }
  std::function<Expr(size_t)> level = [&](size_t j) -> Expr {
    if (j == axes.size()) return ir::convert(x(index), as);
    return ir::reduce(r, x.dim(axes[j]), [&](Expr v) {
      index[static_cast<size_t>(axes[j])] = v;
      return level(j + 1);
    });
  };
  return level(0);
}

Expr fold_all(BodyCtx& c, ir::Reduce r, ir::Type as) {
  const auto& a = c.attrs<ReduceAttrs>();
  return fold(c, axes_of("reduce", a, c.in(0).rank()), a.keep_dims, r, as);
}

Expr body_sum(BodyCtx& c) { return fold_all(c, ir::Reduce::sum, ir::type_of(c.out_dtype())); }
Expr body_prod(BodyCtx& c) { return fold_all(c, ir::Reduce::prod, ir::type_of(c.out_dtype())); }
Expr body_any(BodyCtx& c) { return fold_all(c, ir::Reduce::any, ir::Type::b1); }
Expr body_all(BodyCtx& c) { return fold_all(c, ir::Reduce::all, ir::Type::b1); }
// The largest of booleans is "any", the smallest "all".
Expr body_max(BodyCtx& c) {
  return c.out_dtype() == DType::kBool ? body_any(c) : fold_all(c, ir::Reduce::max, ir::type_of(c.out_dtype()));
}
Expr body_min(BodyCtx& c) {
  return c.out_dtype() == DType::kBool ? body_all(c) : fold_all(c, ir::Reduce::min, ir::type_of(c.out_dtype()));
}

Expr body_mean(BodyCtx& c) {
  const ir::In x = c.in(0);
  Expr count = ir::i32(1);
  for (int d : axes_of("mean", c.attrs<ReduceAttrs>(), x.rank())) count = count * x.dim(d);
  return fold_all(c, ir::Reduce::sum, ir::Type::f32) / ir::to_f32(count);
}

template <ir::Reduce R>
Expr body_arg(BodyCtx& c) {
  const ir::In x = c.in(0);
  const int axis = normalize_axis("argMax", c.attrs<ArgReduceAttrs>().axis, x.rank());
  const ir::Type as = x.type() == ir::Type::b1 ? ir::Type::i32 : x.type();
  return fold(c, {axis}, false, R, as);
}

// ---- gradients
// ----------------------------------------------------------------------------------------------------------------

std::vector<Tensor> vjp_sum(const VjpCtx& c) {
  const Tensor& x = c.in[0];
  if (!is_float(x.dtype())) return {Tensor()};
  return {spread(c.grad[0], x.shape(), axes_of("sum", c.attrs<ReduceAttrs>(), x.rank()))};
}

std::vector<Tensor> vjp_mean(const VjpCtx& c) {
  const Tensor& x = c.in[0];
  if (!is_float(x.dtype())) return {Tensor()};
  const std::vector<int> axes = axes_of("mean", c.attrs<ReduceAttrs>(), x.rank());
  const double n = fold_count(x.shape(), axes);
  return {spread(mul(c.grad[0], Tensor::scalar(n > 0 ? 1 / n : 0)), x.shape(), axes)};
}

// Elements that tie share the gradient evenly, so that it sums to what came in (TensorFlow.js gives each of them all of it).
std::vector<Tensor> vjp_extreme(const VjpCtx& c) {
  const Tensor& x = c.in[0];
  if (!is_float(x.dtype())) return {Tensor()};
  const std::vector<int> axes = axes_of("max", c.attrs<ReduceAttrs>(), x.rank());
  const Shape kept = keep_dims_shape(x.shape(), axes);
  const Tensor hit = cast(equal(x, reshape(c.out[0], kept)), DType::kFloat32);
  const std::vector<int64_t> folded(axes.begin(), axes.end());
  return {mul(hit, div_no_nan(reshape(c.grad[0], kept), sum(hit, folded, true)))};
}

// d prod / d x_i is the product of all others: those before times those after, which is right where an x is 0 as well.
std::vector<Tensor> vjp_prod(const VjpCtx& c) {
  const Tensor& x = c.in[0];
  if (!is_float(x.dtype())) return {Tensor()};
  const std::vector<int> axes = axes_of("prod", c.attrs<ReduceAttrs>(), x.rank());
  if (axes.empty()) return {c.grad[0]};
  std::vector<int64_t> order, back(static_cast<size_t>(x.rank()));
  for (int d = 0; d < x.rank(); ++d) {
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const Tensor moved = transpose(x, order);
  const auto folded = static_cast<int64_t>(fold_count(x.shape(), axes));
  const int64_t kept = c.grad[0].size();
  const Tensor rows = reshape(moved, {kept, folded});
  const Tensor others = mul(cumprod(rows, 1, true, false), cumprod(rows, 1, true, true));
  const Tensor grad = mul(reshape(c.grad[0], {kept, 1}), others);
  return {transpose(reshape(grad, moved.shape()), back)};
}

// ---- compositions
// ----------------------------------------------------------------------------------------------------------------

// log(sum(exp(x - m))) + m with m the largest x, so that nothing overflows. m is a constant to the gradient, in which
// it cancels.
std::vector<Tensor> compose_log_sum_exp(const ComposeCtx& c) {
  const auto& a = c.attrs<ReduceAttrs>();
  const Tensor x = is_float(c.in[0].dtype()) ? c.in[0] : cast(c.in[0], DType::kFloat32);
  const std::vector<int> axes = axes_of(c.op.name, a, x.rank());
  const Tensor largest = stop_gradient(max(x, a.axis, true));
  // An infinite m would make x - m NaN; without it exp gives the infinity by itself.
  const Tensor m = where(is_finite(largest), largest, Tensor::scalar(0));
  const Tensor y = add(log(sum(exp(sub(x, m)), a.axis, true)), m);
  return {a.keep_dims ? y : reshape(y, reduced_shape(x.shape(), axes, false))};
}

// ---- definitions
// ----------------------------------------------------------------------------------------------------------------

const RegisterOp kSum{{
    .name = "sum",
    .doc = "Sum of the elements along the axes; 0 where there are none. bool counts as int32.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_sum,
    .body = body_sum,
    .vjp = vjp_sum,
    .tolerance = 1e-5,
}};

const RegisterOp kMean{{
    .name = "mean",
    .doc = "Arithmetic mean along the axes, in float32; NaN where there are no elements.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_mean,
    .body = body_mean,
    .vjp = vjp_mean,
    .tolerance = 1e-5,
}};

const RegisterOp kProd{{
    .name = "prod",
    .doc = "Product of the elements along the axes; 1 where there are none. bool counts as int32.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_sum,
    .body = body_prod,
    .vjp = vjp_prod,
    .tolerance = 1e-5,
}};

const RegisterOp kMax{{
    .name = "max",
    .doc = "Largest element along the axes; NaN if there is one; -Infinity (int32: the lowest value) where there are "
           "none. Elements that tie share the gradient.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_same,
    .body = body_max,
    .vjp = vjp_extreme,
    .tolerance = 0,
}};

const RegisterOp kMin{{
    .name = "min",
    .doc = "Smallest element along the axes; NaN if there is one; Infinity (int32: the highest value) where there are "
           "none. Elements that tie share the gradient.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_same,
    .body = body_min,
    .vjp = vjp_extreme,
    .tolerance = 0,
}};

const RegisterOp kAny{{
    .name = "any",
    .doc = "True where any element along the axes is true; false where there are none.",
    .family = "reduce",
    .inputs = {{"x", "a bool tensor"}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_bool,
    .body = body_any,
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kAll{{
    .name = "all",
    .doc = "True where all elements along the axes are true; true where there are none.",
    .family = "reduce",
    .inputs = {{"x", "a bool tensor"}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_bool,
    .body = body_all,
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kArgMax{{
    .name = "argMax",
    .doc = "Index of the largest element along an axis, as int32: the first one of several; the first NaN if there is "
           "one.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor of rank 1 or more"}},
    .attrs = &AttrSchema::of<ArgReduceAttrs>,
    .infer = infer_arg,
    .body = body_arg<ir::Reduce::argmax>,
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kArgMin{{
    .name = "argMin",
    .doc = "Index of the smallest element along an axis, as int32: the first one of several; the first NaN if there is "
           "one.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor of rank 1 or more"}},
    .attrs = &AttrSchema::of<ArgReduceAttrs>,
    .infer = infer_arg,
    .body = body_arg<ir::Reduce::argmin>,
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kLogSumExp{{
    .name = "logSumExp",
    .doc = "log(sum(exp(x))) along the axes, computed without overflow: m + log(sum(exp(x - m))) with m the largest "
           "element.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<ReduceAttrs>,
    .infer = infer_mean,
    .compose = compose_log_sum_exp,
}};

}  // namespace
}  // namespace tsr::ops
