// 2-D convolution and its two adjoints. The three are each other's gradients, so derivatives of any order stay inside this file.
#include "core/op_def.h"
#include "core/window_attrs.h"
#include "ops/op_call.h"
#include "ops/window_body.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;
using ir::Reduce;

// Long sums of products: the error grows with the number of terms; 1e-4 relative is what single precision keeps over some ten
// thousand of them.
constexpr double kConvTolerance = 1e-4;

void want_image(InferCtx& c, int k) {
  c.want_rank(k, 4);
  c.want_dtype(k, {DType::kFloat32});
}

// Filters may be stored narrow: kernels widen what they read.
void want_filter(InferCtx& c, int k) {
  c.want_rank(k, 4);
  c.want_dtype(k, {DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kUint8, DType::kUint16});
}

Shape shape4(InferCtx& c, const char* attr, const std::vector<int64_t>& v) {
  c.want(v.size() == 4, attr, " must be 4 numbers, got ", v.size());
  for (int64_t d : v) c.want(d >= 0, attr, " ", Shape(v), " has a negative extent");
  return Shape(v);
}

// The shape of the forward convolution's output.
Shape forward_shape(const Conv2DGeometry& g) { return {g.batch, g.window.out_h, g.window.out_w, g.out_c}; }

// ---- conv2d -------------------------------------------------------------------------------------------------------------

void infer_conv2d(InferCtx& c) {
  want_image(c, 0);
  want_filter(c, 1);
  const auto& a = c.attrs<Conv2DAttrs>();
  c.out(forward_shape(conv2d_geometry(c.op(), a.window(), c.shape(0), c.shape(1))), DType::kFloat32);
}

Expr conv2d_body(BodyCtx& ctx) {
  const auto x = ctx.in(0), f = ctx.in(1);
  const Conv2DGeometry g = conv2d_geometry("conv2d", ctx.attrs<Conv2DAttrs>().window(), x.shape(), f.shape());
  const WindowExprs w(ctx, g.window);
  const Expr depth = f.dim(2);
  // Channels of the input that this output channel's group reads start here.
  const Expr first = g.groups == 1 ? ir::i32(0) : floor_div(ctx.out(3), ctx.pi(g.out_c / g.groups)) * depth;
  return w.over_cells(Reduce::sum, [&](const Expr& ky, const Expr& kx) {
    const Place p = w.input_at(ctx.out(1), ctx.out(2), ky, kx);
    // The select stands outside the loop over channels: one a cell instead of one a term.
    return select(p.inside, reduce(Reduce::sum, depth, [&](const Expr& i) {
                    return x({ctx.out(0), p.y, p.x, first + i}) * f({ky, kx, i, ctx.out(3)});
                  }), 0.0);
  });
}

std::vector<Tensor> conv2d_vjp(const VjpCtx& c) {
  const auto& a = c.attrs<Conv2DAttrs>();
  const Tensor &x = c.in[0], &filter = c.in[1], &dy = c.grad[0];
  std::vector<Tensor> out(2);
  if (c.needs[0]) {
    auto b = window_from<ConvBackpropInputAttrs>(a);
    b.input_shape = x.shape().vector();
    out[0] = call_with("conv2dBackpropInput", {dy, filter}, std::move(b));
  }
  if (c.needs[1]) {
    auto b = window_from<ConvBackpropFilterAttrs>(a);
    b.filter_shape = filter.shape().vector();
    out[1] = call_with("conv2dBackpropFilter", {x, dy}, std::move(b));
  }
  return out;
}

const RegisterOp kConv2D{{
    .name = "conv2d",
    .doc = "2-D convolution (cross-correlation) of NHWC images: y[b, i, j, o] = sum over ky, kx, c of "
           "x[b, i * stride + ky * dilation - pad, ..., c] * filter[ky, kx, c, o]. When x has g times as many channels as the filter, "
           "channels are split into g groups.",
    .family = "convolution",
    .inputs = {{"x", "[batch, height, width, channels]"}, {"filter", "[height, width, channels / groups, outputs]"}},
    .attrs = &AttrSchema::of<Conv2DAttrs>,
    .infer = infer_conv2d,
    .body = conv2d_body,
    .vjp = conv2d_vjp,
    .tolerance = kConvTolerance,
}};

// ---- conv2dBackpropInput ------------------------------------------------------------------------------------------------

void infer_backprop_input(InferCtx& c) {
  want_image(c, 0);
  want_filter(c, 1);
  const auto& a = c.attrs<ConvBackpropInputAttrs>();
  const Shape x = shape4(c, "inputShape", a.input_shape);
  const Shape y = forward_shape(conv2d_geometry(c.op(), a.window(), x, c.shape(1)));
  c.want(y == c.shape(0), "dy has shape ", c.shape(0), ", but a convolution of ", x, " with filter ", c.shape(1), " gives ", y);
  c.out(x, DType::kFloat32);
}

Expr backprop_input_body(BodyCtx& ctx) {
  const auto dy = ctx.in(0), f = ctx.in(1);
  const Conv2DGeometry g =
      conv2d_geometry("conv2dBackpropInput", ctx.attrs<ConvBackpropInputAttrs>().window(), ctx.out_shape(), f.shape());
  const WindowExprs w(ctx, g.window);
  const Expr channel = ctx.out(3);
  // With groups, input channel c meets the output channels of its own group alone.
  const bool grouped = g.groups != 1;
  const Expr group = grouped ? floor_div(channel, f.dim(2)) : ir::i32(0);
  const Expr in_group = grouped ? channel - group * f.dim(2) : channel;
  const Expr count = grouped ? ctx.pi(g.out_c / g.groups) : f.dim(3);
  const Expr first = grouped ? group * count : ir::i32(0);
  return w.over_cells(Reduce::sum, [&](const Expr& ky, const Expr& kx) {
    const Place p = w.output_at(ctx.out(1), ctx.out(2), ky, kx);
    return select(p.inside, reduce(Reduce::sum, count, [&](const Expr& o) {
                    return dy({ctx.out(0), p.y, p.x, first + o}) * f({ky, kx, in_group, first + o});
                  }), 0.0);
  });
}

std::vector<Tensor> backprop_input_vjp(const VjpCtx& c) {
  const auto& a = c.attrs<ConvBackpropInputAttrs>();
  const Tensor &dy = c.in[0], &filter = c.in[1], &g = c.grad[0];
  std::vector<Tensor> out(2);
  if (c.needs[0]) out[0] = call_with("conv2d", {g, filter}, window_from<Conv2DAttrs>(a));
  if (c.needs[1]) {
    auto b = window_from<ConvBackpropFilterAttrs>(a);
    b.filter_shape = filter.shape().vector();
    out[1] = call_with("conv2dBackpropFilter", {g, dy}, std::move(b));
  }
  return out;
}

const RegisterOp kConv2DBackpropInput{{
    .name = "conv2dBackpropInput",
    .doc = "The gradient of conv2d in its input: the transposed convolution of dy with the filter. Attributes are the forward "
           "convolution's.",
    .family = "convolution",
    .inputs = {{"dy", "[batch, outHeight, outWidth, outputs]"}, {"filter", "[height, width, channels, outputs]"}},
    .attrs = &AttrSchema::of<ConvBackpropInputAttrs>,
    .infer = infer_backprop_input,
    .body = backprop_input_body,
    .vjp = backprop_input_vjp,
    .in_js = false,
    .tolerance = kConvTolerance,
}};

// ---- conv2dBackpropFilter -----------------------------------------------------------------------------------------------

void infer_backprop_filter(InferCtx& c) {
  want_image(c, 0);
  want_image(c, 1);
  const auto& a = c.attrs<ConvBackpropFilterAttrs>();
  const Shape f = shape4(c, "filterShape", a.filter_shape);
  const Shape y = forward_shape(conv2d_geometry(c.op(), a.window(), c.shape(0), f));
  c.want(y == c.shape(1), "dy has shape ", c.shape(1), ", but a convolution of ", c.shape(0), " with filter ", f, " gives ", y);
  c.out(f, DType::kFloat32);
}

Expr backprop_filter_body(BodyCtx& ctx) {
  const auto x = ctx.in(0), dy = ctx.in(1);
  const Conv2DGeometry g =
      conv2d_geometry("conv2dBackpropFilter", ctx.attrs<ConvBackpropFilterAttrs>().window(), x.shape(), ctx.out_shape());
  const WindowExprs w(ctx, g.window);
  const Expr o = ctx.out(3);
  const Expr first = g.groups == 1 ? ir::i32(0) : floor_div(o, ctx.pi(g.out_c / g.groups)) * ctx.out_dim(2);
  return reduce(Reduce::sum, dy.dim(0), [&](const Expr& b) {
    return reduce(Reduce::sum, dy.dim(1), [&](const Expr& oy) {
      return reduce(Reduce::sum, dy.dim(2), [&](const Expr& ox) {
        const Place p = w.input_at(oy, ox, ctx.out(0), ctx.out(1));
        return select(p.inside, x({b, p.y, p.x, first + ctx.out(2)}) * dy({b, oy, ox, o}), 0.0);
      });
    });
  });
}

std::vector<Tensor> backprop_filter_vjp(const VjpCtx& c) {
  const auto& a = c.attrs<ConvBackpropFilterAttrs>();
  const Tensor &x = c.in[0], &dy = c.in[1], &g = c.grad[0];
  std::vector<Tensor> out(2);
  if (c.needs[0]) {
    auto b = window_from<ConvBackpropInputAttrs>(a);
    b.input_shape = x.shape().vector();
    out[0] = call_with("conv2dBackpropInput", {dy, g}, std::move(b));
  }
  if (c.needs[1]) out[1] = call_with("conv2d", {x, g}, window_from<Conv2DAttrs>(a));
  return out;
}

const RegisterOp kConv2DBackpropFilter{{
    .name = "conv2dBackpropFilter",
    .doc = "The gradient of conv2d in its filter: x correlated with dy. Attributes are the forward convolution's.",
    .family = "convolution",
    .inputs = {{"x", "[batch, height, width, channels]"}, {"dy", "[batch, outHeight, outWidth, outputs]"}},
    .attrs = &AttrSchema::of<ConvBackpropFilterAttrs>,
    .infer = infer_backprop_filter,
    .body = backprop_filter_body,
    .vjp = backprop_filter_vjp,
    .in_js = false,
    .tolerance = kConvTolerance,
}};

}  // namespace
}  // namespace tsr::ops
