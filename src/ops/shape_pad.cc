// pad and mirrorPad.
#include <functional>

#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

Shape padded_shape(const InferCtx& c, const std::vector<int64_t>& paddings) {
  const Shape& x = c.shape(0);
  want_bounded(c, "paddings", paddings);
  c.want(paddings.size() == 2 * static_cast<size_t>(x.rank()), "attribute 'paddings' must have ", 2 * x.rank(),
         " numbers for shape ", x, ", got ", paddings.size());
  Shape out;
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t before = paddings[2 * static_cast<size_t>(d)], after = paddings[2 * static_cast<size_t>(d) + 1];
    c.want(before >= 0 && after >= 0, "paddings must not be negative, got [", before, ",", after, "] for axis ", d);
    out.push_back(before + x[d] + after);
  }
  return out;
}

// ---- pad
// ------------------------------------------------------------------------------------------------------------------------

void infer_pad(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  c.out(padded_shape(c, c.attrs<PadAttrs>().paddings), t);
}

Expr body_pad(BodyCtx& c) {
  const auto& a = c.attrs<PadAttrs>();
  const ir::In x = c.in(0);
  std::vector<Expr> index = c.out_index();
  Expr inside = ir::b1(true);
  for (int d = 0; d < x.rank(); ++d) {
    const auto at = static_cast<size_t>(d);
    const int64_t before = a.paddings[2 * at], after = a.paddings[2 * at + 1];
    if (before == 0 && after == 0) continue;
    const Expr i = index[at] - static_cast<double>(before);
    inside = inside && i >= 0 && i < x.dim(d);
    index[at] = clamp_index(i, x.dim(d));
  }
  return ir::select(inside, x(index), ir::convert(param_of(c, c.out_dtype(), a.constant_value), x.type()));
}

std::vector<Tensor> vjp_pad(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  std::vector<int64_t> begin;
  const auto& paddings = c.attrs<PadAttrs>().paddings;
  for (size_t i = 0; i < paddings.size(); i += 2) begin.push_back(paddings[i]);
  return {slice(c.grad[0], begin, c.in[0].shape())};
}

const RegisterOp kPad{{
    .name = "pad",
    .doc = "Surrounds a tensor with a constant.",
    .family = "shape",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<PadAttrs>,
    .infer = infer_pad,
    .body = body_pad,
    .vjp = vjp_pad,
    .tolerance = 0,
}};

// ---- mirrorPad
// ------------------------------------------------------------------------------------------------------------------

// Position i mirrors to -i - edge at the front and 2n - 2 + edge - i at the back.
int64_t edge_of(MirrorMode mode) { return mode == MirrorMode::kSymmetric ? 1 : 0; }

// The image of an element of a tensor of shape x must be an element.
void check_mirror(const InferCtx& c, const Shape& x) {
  const auto& a = c.attrs<MirrorPadAttrs>();
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t most = x[d] - 1 + edge_of(a.mode);
    const int64_t before = a.paddings[2 * static_cast<size_t>(d)], after = a.paddings[2 * static_cast<size_t>(d) + 1];
    c.want((before <= most && after <= most) || (before == 0 && after == 0), "paddings of axis ", d, " of shape ", x,
           " may be at most ", most, " in this mode, got [", before, ",", after, "]");
  }
}

void infer_mirror_pad(InferCtx& c) {
  const auto& a = c.attrs<MirrorPadAttrs>();
  const DType t = want_numeric(c, 0);
  const Shape out = padded_shape(c, a.paddings);
  check_mirror(c, c.shape(0));
  c.out(out, t);
}

Expr body_mirror_pad(BodyCtx& c) {
  const auto& a = c.attrs<MirrorPadAttrs>();
  const ir::In x = c.in(0);
  const int64_t edge = edge_of(a.mode);
  std::vector<Expr> index = c.out_index();
  for (int d = 0; d < x.rank(); ++d) {
    const auto at = static_cast<size_t>(d);
    if (a.paddings[2 * at] == 0 && a.paddings[2 * at + 1] == 0) continue;
    const Expr i = index[at] - static_cast<double>(a.paddings[2 * at]);
    const Expr front = -i - static_cast<double>(edge);
    const Expr back = x.dim(d) * 2 - static_cast<double>(2 - edge) - i;
    index[at] = ir::select(i < 0, front, ir::select(i >= x.dim(d), back, i));
  }
  return x(index);
}

std::vector<Tensor> vjp_mirror_pad(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  return {apply1(get_op("mirrorPadGrad"), {c.grad[0]}, c.raw_attrs)};
}

void infer_mirror_pad_grad(InferCtx& c) {
  const auto& a = c.attrs<MirrorPadAttrs>();
  const DType t = want_numeric(c, 0);
  c.want(t == DType::kFloat32, "'dy' must be float32, got ", name_of(t));
  padded_shape(c, a.paddings);  // checks the list
  Shape out = c.shape(0);
  for (int d = 0; d < out.rank(); ++d) {
    out[d] -= a.paddings[2 * static_cast<size_t>(d)] + a.paddings[2 * static_cast<size_t>(d) + 1];
    c.want(out[d] >= 0, "paddings of axis ", d, " are more than shape ", c.shape(0), " has");
  }
  check_mirror(c, out);
  c.out(out, t);
}

// An element receives, along each padded axis, from its own position and from at most one mirror image at either side.
Expr body_mirror_pad_grad(BodyCtx& c) {
  const auto& a = c.attrs<MirrorPadAttrs>();
  const ir::In dy = c.in(0);
  const double edge = static_cast<double>(edge_of(a.mode));
  std::vector<Expr> index = c.out_index();
  std::function<Expr(int, Expr)> level = [&](int d, Expr inside) -> Expr {
    if (d == dy.rank()) return ir::select(inside, dy(index), 0);
    const auto at = static_cast<size_t>(d);
    const auto before = static_cast<double>(a.paddings[2 * at]), after = static_cast<double>(a.paddings[2 * at + 1]);
    if (before == 0 && after == 0) return level(d + 1, inside);
    const Expr here = c.out(d);
    const Expr n = c.out_dim(d);
    return ir::reduce(ir::Reduce::sum, ir::i32(3), [&](Expr image) {
      const Expr front = -here - edge;              // in front of the tensor: -before .. -1
      const Expr back = n * 2 - (2 - edge) - here;  // behind it: n .. n + after - 1
      const Expr has_front = front < 0 && front >= -before;
      const Expr has_back = back >= n && back < n + after;
      const Expr i = ir::select(image == 0, here, ir::select(image == 1, front, back));
      const Expr counts = image == 0 || (image == 1 && has_front) || (image == 2 && has_back);
      index[at] = clamp_index(i + before, dy.dim(d));
      return level(d + 1, inside && counts);
    });
  };
  return level(0, ir::b1(true));
}

std::vector<Tensor> vjp_mirror_pad_grad(const VjpCtx& c) {
  return {apply1(get_op("mirrorPad"), {c.grad[0]}, c.raw_attrs)};
}

const RegisterOp kMirrorPad{{
    .name = "mirrorPad",
    .doc = "Surrounds a tensor with its own mirror image.",
    .family = "shape",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<MirrorPadAttrs>,
    .infer = infer_mirror_pad,
    .body = body_mirror_pad,
    .vjp = vjp_mirror_pad,
    .tolerance = 0,
}};

const RegisterOp kMirrorPadGrad{{
    .name = "mirrorPadGrad",
    .doc = "The transpose of mirrorPad: each element is the sum of dy over its own position and its images.",
    .family = "shape",
    .inputs = {{"dy", "any float tensor"}},
    .attrs = &AttrSchema::of<MirrorPadAttrs>,
    .infer = infer_mirror_pad_grad,
    .body = body_mirror_pad_grad,
    .vjp = vjp_mirror_pad_grad,
    .in_js = false,
    .tolerance = 1e-6,
}};

}  // namespace
}  // namespace tsr::ops
