// concat, stack and their inverses split, unstack.
#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

// ---- concat
// ---------------------------------------------------------------------------------------------------------------------

void infer_concat(InferCtx& c) {
  c.want(c.num_inputs() > 0, "needs at least one tensor");
  DType t = want_numeric(c, 0);
  Shape out = c.shape(0);
  const int axis = axis_of(c, c.attrs<AxisAttrs>().axis, out.rank());
  for (int k = 1; k < c.num_inputs(); ++k) {
    const Shape& s = c.shape(k);
    bool fits = s.rank() == out.rank();
    for (int d = 0; fits && d < s.rank(); ++d) fits = d == axis || s[d] == out[d];
    c.want(fits, "tensor ", k, " has shape ", s, ", which differs from ", c.shape(0), " in more than axis ", axis);
    t = promote(c.op(), t, want_numeric(c, k));
    out[axis] += s[axis];
  }
  c.out(out, t);
}

// A chain of selects by position, with the offset of each tensor as the sum of the extents before it.
Expr body_concat(BodyCtx& c) {
  const int axis = normalize_axis("concat", c.attrs<AxisAttrs>().axis, c.out_rank());
  const ir::Type as = ir::type_of(c.out_dtype());
  const auto at = static_cast<size_t>(axis);
  const int n = c.num_inputs();
  std::vector<Expr> start{ir::i32(0)};
  for (int k = 0; k < n; ++k) start.push_back(start.back() + c.in(k).dim(axis));
  std::vector<Expr> index = c.out_index();
  const Expr here = c.out(axis);
  const auto value = [&](int k) {
    const ir::In x = c.in(k);
    index[at] = clamp_index(here - start[static_cast<size_t>(k)], x.dim(axis));
    return ir::convert(x(index), as);
  };
  Expr out = value(n - 1);
  for (int k = n - 2; k >= 0; --k) out = ir::select(here < start[static_cast<size_t>(k) + 1], value(k), out);
  return out;
}

std::vector<Tensor> vjp_concat(const VjpCtx& c) {
  const int axis = normalize_axis("concat", c.attrs<AxisAttrs>().axis, c.out[0].rank());
  std::vector<int64_t> sizes;
  for (const Tensor& t : c.in) sizes.push_back(t.shape()[axis]);
  if (sizes.size() == 1) return {c.grad[0]};  // a list of one number would mean equal parts
  std::vector<Tensor> out = split(c.grad[0], sizes, axis);
  for (size_t k = 0; k < out.size(); ++k) {
    if (!is_float(c.in[k].dtype())) out[k] = Tensor();
  }
  return out;
}

const RegisterOp kConcat{{
    .name = "concat",
    .doc = "Joins tensors along an axis that exists; all other extents must be equal.",
    .family = "shape",
    .inputs = {{"tensors", "numeric tensors of rank 1 or more", false, true}},
    .attrs = &AttrSchema::of<AxisAttrs>,
    .infer = infer_concat,
    .body = body_concat,
    .vjp = vjp_concat,
    .tolerance = 0,
}};

// ---- stack
// ----------------------------------------------------------------------------------------------------------------------

void infer_stack(InferCtx& c) {
  c.want(c.num_inputs() > 0, "needs at least one tensor");
  DType t = want_numeric(c, 0);
  Shape out = c.shape(0);
  for (int k = 1; k < c.num_inputs(); ++k) {
    c.want(c.shape(k) == out, "all tensors must have the same shape, got ", out, " and ", c.shape(k));
    t = promote(c.op(), t, want_numeric(c, k));
  }
  c.want(out.rank() < kMaxRank, "the tensors already have ", kMaxRank, " dimensions");
  out.insert(normalize_axis(c.op(), c.attrs<AxisAttrs>().axis, out.rank() + 1), c.num_inputs());
  c.out(out, t);
}

std::vector<Tensor> compose_stack(const ComposeCtx& c) {
  const int64_t axis = normalize_axis("stack", c.attrs<AxisAttrs>().axis, c.in[0].rank() + 1);
  std::vector<Tensor> parts;
  for (const Tensor& t : c.in) parts.push_back(expand_dims(t, axis));
  return {parts.size() == 1 ? parts[0] : concat(parts, axis)};
}

const RegisterOp kStack{{
    .name = "stack",
    .doc = "Joins tensors of one shape along a new axis.",
    .family = "shape",
    .inputs = {{"tensors", "numeric tensors of the same shape", false, true}},
    .attrs = &AttrSchema::of<AxisAttrs>,
    .infer = infer_stack,
    .compose = compose_stack,
    .tolerance = 0,
}};

// ---- split
// ----------------------------------------------------------------------------------------------------------------------

// A list of outputs longer than this is a mistake, not a wish.
constexpr int64_t kMaxParts = 65536;

// Extents of the parts; `wrong` is called with a message when they do not fit.
template <typename Wrong>
std::vector<int64_t> split_sizes(const std::vector<int64_t>& spec, int64_t extent, Wrong wrong) {
  if (spec.size() == 1) {
    const int64_t n = spec[0];
    if (n < 1 || n > kMaxParts || extent % n != 0) {
      wrong(str("an axis of extent ", extent, " cannot be split into ", n, " equal parts"));
      return {};
    }
    return std::vector<int64_t>(static_cast<size_t>(n), extent / n);
  }
  std::vector<int64_t> sizes = spec;
  int64_t sum = 0;
  int64_t* rest = nullptr;
  for (int64_t& s : sizes) {
    if (s == -1 && rest == nullptr) {
      rest = &s;
    } else if (s < 0 || s > extent) {
      wrong(str("part extents must be between 0 and ", extent, " (one may be -1), got ", s));
      return {};
    } else {
      sum += s;
    }
  }
  if (rest != nullptr && sum <= extent) {
    *rest = extent - sum;
    sum = extent;
  }
  if (sum != extent || sizes.empty()) {
    wrong(str("the parts' extents add up to ", sum, ", but the axis has ", extent));
    return {};
  }
  return sizes;
}

void infer_split(InferCtx& c) {
  const auto& a = c.attrs<SplitAttrs>();
  const DType t = want_numeric(c, 0);
  const int axis = axis_of(c, a.axis, c.shape(0).rank());
  const auto wrong = [&](const std::string& why) { c.error(why); };
  for (int64_t size : split_sizes(a.num_or_size_splits, c.shape(0)[axis], wrong)) {
    Shape out = c.shape(0);
    out[axis] = size;
    c.out(out, t);
  }
}

Expr body_split(BodyCtx& c) {
  const auto& a = c.attrs<SplitAttrs>();
  const ir::In x = c.in(0);
  const int axis = normalize_axis("split", a.axis, x.rank());
  const std::vector<int64_t> sizes = split_sizes(a.num_or_size_splits, x.shape()[axis], [](const std::string&) {});
  int64_t start = 0;
  for (int k = 0; k < c.output(); ++k) start += sizes.at(static_cast<size_t>(k));
  std::vector<Expr> index = c.out_index();
  index[static_cast<size_t>(axis)] = c.out(axis) + c.pi(start);
  return x(index);
}

std::vector<Tensor> vjp_split(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  std::vector<Tensor> parts;
  for (size_t k = 0; k < c.grad.size(); ++k) {
    // No gradient flows into a part that nobody used.
    parts.push_back(c.grad[k].defined() ? c.grad[k] : broadcast_to(Tensor::scalar(0), c.out[k].shape()));
  }
  return {parts.size() == 1 ? parts[0] : concat(parts, c.attrs<SplitAttrs>().axis)};
}

const RegisterOp kSplit{{
    .name = "split",
    .doc = "Cuts a tensor along an axis: into a number of equal parts, or into parts of the given extents.",
    .family = "shape",
    .inputs = {{"x", "a numeric tensor of rank 1 or more"}},
    .outputs = {{"parts", "", false, true}},
    .attrs = &AttrSchema::of<SplitAttrs>,
    .infer = infer_split,
    .body = body_split,
    .vjp = vjp_split,
    .tolerance = 0,
}};

// ---- unstack
// --------------------------------------------------------------------------------------------------------------------

void infer_unstack(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  const int axis = axis_of(c, c.attrs<AxisAttrs>().axis, c.shape(0).rank());
  Shape out = c.shape(0);
  c.want(out[axis] <= kMaxParts, "axis ", axis, " of shape ", out, " would give more than ", kMaxParts, " tensors");
  out.erase(axis);
  for (int64_t k = 0; k < c.shape(0)[axis]; ++k) c.out(out, t);
}

std::vector<Tensor> compose_unstack(const ComposeCtx& c) {
  const Tensor& x = c.in[0];
  const int axis = normalize_axis("unstack", c.attrs<AxisAttrs>().axis, x.rank());
  const int64_t n = x.shape()[axis];
  Shape shape = x.shape();
  shape.erase(axis);
  if (n == 0) return {};
  if (n == 1) return {reshape(x, shape)};
  std::vector<Tensor> parts = split(x, n, axis);
  for (Tensor& t : parts) t = reshape(t, shape);
  return parts;
}

const RegisterOp kUnstack{{
    .name = "unstack",
    .doc = "Cuts a tensor along an axis into tensors without that axis.",
    .family = "shape",
    .inputs = {{"x", "a numeric tensor of rank 1 or more"}},
    .outputs = {{"parts", "", false, true}},
    .attrs = &AttrSchema::of<AxisAttrs>,
    .infer = infer_unstack,
    .compose = compose_unstack,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
