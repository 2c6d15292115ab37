// Depthwise convolution and its two adjoints, closed under differentiation like those in conv2d.cc.
#include "core/op_def.h"
#include "core/window_attrs.h"
#include "ops/op_call.h"
#include "ops/window_body.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;
using ir::Reduce;

// Windows of some dozen cells; the filter's gradient sums over whole images.
constexpr double kDepthwiseTolerance = 1e-4;

void want_image(InferCtx& c, int k) {
  c.want_rank(k, 4);
  c.want_dtype(k, {DType::kFloat32});
}

void want_filter(InferCtx& c, int k) {
  c.want_rank(k, 4);
  c.want_dtype(k, {DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kUint8, DType::kUint16});
}

Shape shape4(InferCtx& c, const char* attr, const std::vector<int64_t>& v) {
  c.want(v.size() == 4, attr, " must be 4 numbers, got ", v.size());
  for (int64_t d : v) c.want(d >= 0, attr, " ", Shape(v), " has a negative extent");
  return Shape(v);
}

Shape forward_shape(const Conv2DGeometry& g) { return {g.batch, g.window.out_h, g.window.out_w, g.out_c}; }

// ---- depthwiseConv2d ----------------------------------------------------------------------------------------------------

void infer_depthwise(InferCtx& c) {
  want_image(c, 0);
  want_filter(c, 1);
  const auto& a = c.attrs<Conv2DAttrs>();
  c.out(forward_shape(depthwise_geometry(c.op(), a.window(), c.shape(0), c.shape(1))), DType::kFloat32);
}

Expr depthwise_body(BodyCtx& ctx) {
  const auto x = ctx.in(0), f = ctx.in(1);
  const Conv2DGeometry g = depthwise_geometry("depthwiseConv2d", ctx.attrs<Conv2DAttrs>().window(), x.shape(), f.shape());
  const WindowExprs w(ctx, g.window);
  const bool one = g.multiplier == 1;
  const Expr channel = one ? ctx.out(3) : floor_div(ctx.out(3), f.dim(3));
  const Expr copy = one ? ir::i32(0) : ctx.out(3) - channel * f.dim(3);
  return w.over_cells(Reduce::sum, [&](const Expr& ky, const Expr& kx) {
    const Place p = w.input_at(ctx.out(1), ctx.out(2), ky, kx);
    return select(p.inside, x({ctx.out(0), p.y, p.x, channel}) * f({ky, kx, channel, copy}), 0.0);
  });
}

std::vector<Tensor> depthwise_vjp(const VjpCtx& c) {
  const auto& a = c.attrs<Conv2DAttrs>();
  std::vector<Tensor> out(2);
  if (c.needs[0]) {
    auto b = window_from<ConvBackpropInputAttrs>(a);
    b.input_shape = c.in[0].shape().vector();
    out[0] = call_with("depthwiseConv2dBackpropInput", {c.grad[0], c.in[1]}, std::move(b));
  }
  if (c.needs[1]) {
    auto b = window_from<ConvBackpropFilterAttrs>(a);
    b.filter_shape = c.in[1].shape().vector();
    out[1] = call_with("depthwiseConv2dBackpropFilter", {c.in[0], c.grad[0]}, std::move(b));
  }
  return out;
}

const RegisterOp kDepthwiseConv2D{{
    .name = "depthwiseConv2d",
    .doc = "Convolves each channel of an NHWC image with its own filters: y[b, i, j, c * multiplier + q] = sum over ky, kx of "
           "x[b, i * stride + ky * dilation - pad, ..., c] * filter[ky, kx, c, q].",
    .family = "convolution",
    .inputs = {{"x", "[batch, height, width, channels]"}, {"filter", "[height, width, channels, multiplier]"}},
    .attrs = &AttrSchema::of<Conv2DAttrs>,
    .infer = infer_depthwise,
    .body = depthwise_body,
    .vjp = depthwise_vjp,
    .tolerance = kDepthwiseTolerance,
}};

// ---- depthwiseConv2dBackpropInput ---------------------------------------------------------------------------------------

void infer_backprop_input(InferCtx& c) {
  want_image(c, 0);
  want_filter(c, 1);
  const auto& a = c.attrs<ConvBackpropInputAttrs>();
  const Shape x = shape4(c, "inputShape", a.input_shape);
  const Shape y = forward_shape(depthwise_geometry(c.op(), a.window(), x, c.shape(1)));
  c.want(y == c.shape(0), "dy has shape ", c.shape(0), ", but a depthwise convolution of ", x, " with filter ", c.shape(1), " gives ",
         y);
  c.out(x, DType::kFloat32);
}

Expr backprop_input_body(BodyCtx& ctx) {
  const auto dy = ctx.in(0), f = ctx.in(1);
  const Conv2DGeometry g = depthwise_geometry("depthwiseConv2dBackpropInput", ctx.attrs<ConvBackpropInputAttrs>().window(),
                                              ctx.out_shape(), f.shape());
  const WindowExprs w(ctx, g.window);
  const Expr channel = ctx.out(3);
  return w.over_cells(Reduce::sum, [&](const Expr& ky, const Expr& kx) {
    const Place p = w.output_at(ctx.out(1), ctx.out(2), ky, kx);
    return select(p.inside, reduce(Reduce::sum, f.dim(3), [&](const Expr& q) {
                    return dy({ctx.out(0), p.y, p.x, channel * f.dim(3) + q}) * f({ky, kx, channel, q});
                  }), 0.0);
  });
}

std::vector<Tensor> backprop_input_vjp(const VjpCtx& c) {
  const auto& a = c.attrs<ConvBackpropInputAttrs>();
  std::vector<Tensor> out(2);
  if (c.needs[0]) out[0] = call_with("depthwiseConv2d", {c.grad[0], c.in[1]}, window_from<Conv2DAttrs>(a));
  if (c.needs[1]) {
    auto b = window_from<ConvBackpropFilterAttrs>(a);
    b.filter_shape = c.in[1].shape().vector();
    out[1] = call_with("depthwiseConv2dBackpropFilter", {c.grad[0], c.in[0]}, std::move(b));
  }
  return out;
}

const RegisterOp kBackpropInput{{
    .name = "depthwiseConv2dBackpropInput",
    .doc = "The gradient of depthwiseConv2d in its input. Attributes are the forward convolution's.",
    .family = "convolution",
    .inputs = {{"dy", "[batch, outHeight, outWidth, channels * multiplier]"}, {"filter", "[height, width, channels, multiplier]"}},
    .attrs = &AttrSchema::of<ConvBackpropInputAttrs>,
    .infer = infer_backprop_input,
    .body = backprop_input_body,
    .vjp = backprop_input_vjp,
    .in_js = false,
    .tolerance = kDepthwiseTolerance,
}};

// ---- depthwiseConv2dBackpropFilter --------------------------------------------------------------------------------------

void infer_backprop_filter(InferCtx& c) {
  want_image(c, 0);
  want_image(c, 1);
  const auto& a = c.attrs<ConvBackpropFilterAttrs>();
  const Shape f = shape4(c, "filterShape", a.filter_shape);
  const Shape y = forward_shape(depthwise_geometry(c.op(), a.window(), c.shape(0), f));
  c.want(y == c.shape(1), "dy has shape ", c.shape(1), ", but a depthwise convolution of ", c.shape(0), " with filter ", f, " gives ",
         y);
  c.out(f, DType::kFloat32);
}

Expr backprop_filter_body(BodyCtx& ctx) {
  const auto x = ctx.in(0), dy = ctx.in(1);
  const Conv2DGeometry g = depthwise_geometry("depthwiseConv2dBackpropFilter", ctx.attrs<ConvBackpropFilterAttrs>().window(),
                                              x.shape(), ctx.out_shape());
  const WindowExprs w(ctx, g.window);
  const Expr channel = ctx.out(2);
  const Expr out_channel = channel * ctx.out_dim(3) + ctx.out(3);
  return reduce(Reduce::sum, dy.dim(0), [&](const Expr& b) {
    return reduce(Reduce::sum, dy.dim(1), [&](const Expr& oy) {
      return reduce(Reduce::sum, dy.dim(2), [&](const Expr& ox) {
        const Place p = w.input_at(oy, ox, ctx.out(0), ctx.out(1));
        return select(p.inside, x({b, p.y, p.x, channel}) * dy({b, oy, ox, out_channel}), 0.0);
      });
    });
  });
}

std::vector<Tensor> backprop_filter_vjp(const VjpCtx& c) {
  const auto& a = c.attrs<ConvBackpropFilterAttrs>();
  std::vector<Tensor> out(2);
  if (c.needs[0]) {
    auto b = window_from<ConvBackpropInputAttrs>(a);
    b.input_shape = c.in[0].shape().vector();
    out[0] = call_with("depthwiseConv2dBackpropInput", {c.in[1], c.grad[0]}, std::move(b));
  }
  if (c.needs[1]) out[1] = call_with("depthwiseConv2d", {c.in[0], c.grad[0]}, window_from<Conv2DAttrs>(a));
  return out;
}

const RegisterOp kBackpropFilter{{
    .name = "depthwiseConv2dBackpropFilter",
    .doc = "The gradient of depthwiseConv2d in its filter. Attributes are the forward convolution's.",
    .family = "convolution",
    .inputs = {{"x", "[batch, height, width, channels]"}, {"dy", "[batch, outHeight, outWidth, channels * multiplier]"}},
    .attrs = &AttrSchema::of<ConvBackpropFilterAttrs>,
    .infer = infer_backprop_filter,
    .body = backprop_filter_body,
    .vjp = backprop_filter_vjp,
    .in_js = false,
    .tolerance = kDepthwiseTolerance,
}};

}  // namespace
}  // namespace tsr::ops
