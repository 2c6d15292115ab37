// Resizing of NHWC images and the gradients of it.
#include <algorithm>

#include "core/op_def.h"
#include "core/window_attrs.h"
#include "ir/body.h"
#include "ops/op_call.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;
using ir::Reduce;

void check_attrs(InferCtx& c, const ResizeAttrs& a) {
  c.want(a.size.size() == 2, "size must be [height, width], got ", a.size.size(), " numbers");
  for (int64_t v : a.size) c.want(v >= 0, "size must not be negative, got ", v);
  c.want(!(a.align_corners && a.half_pixel_centers), "alignCorners and halfPixelCenters exclude each other");
}

void infer_resize(InferCtx& c, DType out) {
  c.want_rank(0, 4);
  c.want_dtype(0, {DType::kFloat32, DType::kInt32});
  const auto& a = c.attrs<ResizeAttrs>();
  check_attrs(c, a);
  const Shape& x = c.shape(0);
  c.want((x[1] > 0 && x[2] > 0) || a.size[0] * a.size[1] == 0, "an image of shape ", x, " has no pixels to resize");
  c.out({x[0], a.size[0], a.size[1], x[3]}, out);
}

void infer_resize_grad(InferCtx& c) {
  c.want_rank(0, 4);
  c.want_dtype(0, {DType::kFloat32});
  const auto& a = c.attrs<ResizeAttrs>();
  check_attrs(c, a);
  c.out({c.shape(0)[0], a.size[0], a.size[1], c.shape(0)[3]}, DType::kFloat32);
}

// One axis of a resize as launch parameters.
struct AxisExprs {
  AxisExprs(BodyCtx& ctx, const ResizeAxis& axis)
      : a(axis),
        in(ctx.pi(a.in)),
        out(ctx.pi(a.out)),
        num(ctx.pi(a.scale_num)),
        den(ctx.pi(a.scale_den)),
        reach(ctx.pi(reach_of(a))) {}

  ResizeAxis a;
  Expr in, out, num, den, reach;

  Expr last() const { return max(in - 1, 0); }

  // nearest_source() of window_attrs.h.
  Expr nearest(const Expr& i) const {
    Expr source;
    if (a.half_pixel) {
      source = floor_div((i * 2 + 1) * num, den * 2);
    } else if (a.align_corners) {
      source = floor_div(i * 2 * num + den, den * 2);
    } else {
      source = floor_div(i * num, den);
    }
    return min(source, last());
  }

  // The two source pixels of output i and the weight of the second.
  struct Pair {
    Expr low, high, weight;
  };
  // The whole part is exact (integers); only the weight is rounded.
  Pair linear(const Expr& i) const {
    const Expr top = a.half_pixel ? (i * 2 + 1) * num - den : i * num;
    const Expr bottom = a.half_pixel ? den * 2 : den;
    const Expr floor = floor_div(top, bottom);
    const Expr weight = to_f32(top - floor * bottom) / to_f32(bottom);
    return {clamp(floor, 0, last()), clamp(floor + 1, 0, last()), weight};
  }

  // A superset of the outputs that may read source pixel y: `reach` of them, starting at first(y).
  Expr first(const Expr& y) const {
    if (a.scale_num <= 0) return ir::i32(0);
    // Outputs i with |position(i) - y| < 1 begin at (y - 1) * den / num, with half pixels at (y - 1/2) * den / num - 1/2.
    const Expr from = a.half_pixel ? floor_div((y * 2 - 1) * den, num * 2) - 2 : floor_div((y - 1) * den, num) - 1;
    return clamp(from, 0, out - reach);
  }
  static int64_t reach_of(const ResizeAxis& a) {
    // 2 * den / num outputs are within one pixel of y; three more for rounding at both ends, one for the division here.
    return a.scale_num <= 0 ? a.out : std::min(a.out, 2 * a.scale_den / a.scale_num + 4);
  }
};

// ---- resizeBilinear -----------------------------------------------------------------------------------------------------

Expr bilinear_body(BodyCtx& ctx) {
  const auto& attrs = ctx.attrs<ResizeAttrs>();
  const auto x = ctx.in(0);
  const AxisExprs h(ctx, resize_axis(x.shape()[1], attrs.size[0], attrs.align_corners, attrs.half_pixel_centers));
  const AxisExprs w(ctx, resize_axis(x.shape()[2], attrs.size[1], attrs.align_corners, attrs.half_pixel_centers));
  const auto r = h.linear(ctx.out(1));
  const auto c = w.linear(ctx.out(2));
  const auto at = [&](const Expr& i, const Expr& j) { return convert(x({ctx.out(0), i, j, ctx.out(3)}), ir::Type::f32); };
  const Expr top_left = at(r.low, c.low), bottom_left = at(r.high, c.low);
  const Expr top = top_left + (at(r.low, c.high) - top_left) * c.weight;
  const Expr bottom = bottom_left + (at(r.high, c.high) - bottom_left) * c.weight;
  return top + (bottom - top) * r.weight;
}

std::vector<Tensor> resize_vjp(const VjpCtx& c, const char* grad_op) {
  const Shape& x = c.in[0].shape();
  ResizeAttrs a = c.attrs<ResizeAttrs>();
  a.size = {x[1], x[2]};
  return {call_with(grad_op, {c.grad[0]}, std::move(a))};
}

// The gradients are linear: their own gradient is the forward op at dy's size.
std::vector<Tensor> resize_grad_vjp(const VjpCtx& c, const char* forward_op) {
  const Shape& dy = c.in[0].shape();
  ResizeAttrs a = c.attrs<ResizeAttrs>();
  a.size = {dy[1], dy[2]};
  return {call_with(forward_op, {c.grad[0]}, std::move(a))};
}

const RegisterOp kResizeBilinear{{
    .name = "resizeBilinear",
    .doc = "Resizes NHWC images, interpolating linearly between the four nearest pixels. The result is float32. TensorFlow's sampling: "
           "source = i * in / out, or i * (in - 1) / (out - 1) with alignCorners, or (i + 0.5) * in / out - 0.5 with halfPixelCenters.",
    .family = "image",
    .inputs = {{"images", "[batch, height, width, channels]"}},
    .attrs = &AttrSchema::of<ResizeAttrs>,
    .infer = [](InferCtx& c) { infer_resize(c, DType::kFloat32); },
    .body = bilinear_body,
    .vjp = [](const VjpCtx& c) { return resize_vjp(c, "resizeBilinearGrad"); },
    .tolerance = 1e-5,
}};

// ---- resizeBilinearGrad -------------------------------------------------------------------------------------------------

Expr bilinear_grad_body(BodyCtx& ctx) {
  const auto& attrs = ctx.attrs<ResizeAttrs>();
  const auto dy = ctx.in(0);
  const AxisExprs h(ctx, resize_axis(attrs.size[0], dy.shape()[1], attrs.align_corners, attrs.half_pixel_centers));
  const AxisExprs w(ctx, resize_axis(attrs.size[1], dy.shape()[2], attrs.align_corners, attrs.half_pixel_centers));
  // What output i takes from source pixel y.
  const auto share = [](const AxisExprs& axis, const Expr& i, const Expr& y) {
    const auto p = axis.linear(i);
    return select(p.low == y, 1.0 - p.weight, 0.0) + select(p.high == y, p.weight, 0.0);
  };
  const Expr row = ctx.out(1), column = ctx.out(2);
  const Expr first_row = h.first(row), first_column = w.first(column);
  return reduce(Reduce::sum, h.reach, [&](const Expr& i) {
    return reduce(Reduce::sum, w.reach, [&](const Expr& j) {
      const Expr weight = share(h, first_row + i, row) * share(w, first_column + j, column);
      // A weight of 0 must not meet an infinity.
      return select(weight != 0.0, weight * dy({ctx.out(0), first_row + i, first_column + j, ctx.out(3)}), 0.0);
    });
  });
}

const RegisterOp kResizeBilinearGrad{{
    .name = "resizeBilinearGrad",
    .doc = "The gradient of resizeBilinear; `size` is that of the images that were resized.",
    .family = "image",
    .inputs = {{"dy", "[batch, outHeight, outWidth, channels]"}},
    .attrs = &AttrSchema::of<ResizeAttrs>,
    .infer = infer_resize_grad,
    .body = bilinear_grad_body,
    .vjp = [](const VjpCtx& c) { return resize_grad_vjp(c, "resizeBilinear"); },
    .in_js = false,
    .tolerance = 1e-5,
}};

// ---- resizeNearestNeighbor ----------------------------------------------------------------------------------------------

Expr nearest_body(BodyCtx& ctx) {
  const auto& attrs = ctx.attrs<ResizeAttrs>();
  const auto x = ctx.in(0);
  const AxisExprs h(ctx, resize_axis(x.shape()[1], attrs.size[0], attrs.align_corners, attrs.half_pixel_centers));
  const AxisExprs w(ctx, resize_axis(x.shape()[2], attrs.size[1], attrs.align_corners, attrs.half_pixel_centers));
  return x({ctx.out(0), h.nearest(ctx.out(1)), w.nearest(ctx.out(2)), ctx.out(3)});
}

const RegisterOp kResizeNearest{{
    .name = "resizeNearestNeighbor",
    .doc = "Resizes NHWC images by copying the nearest pixel: floor of the source position (see resizeBilinear), rounded half up with "
           "alignCorners; positions are exact fractions, so all devices agree. Keeps the dtype.",
    .family = "image",
    .inputs = {{"images", "[batch, height, width, channels]"}},
    .attrs = &AttrSchema::of<ResizeAttrs>,
    .infer = [](InferCtx& c) { infer_resize(c, c.dtype(0)); },
    .body = nearest_body,
    .vjp = [](const VjpCtx& c) { return resize_vjp(c, "resizeNearestNeighborGrad"); },
    .tolerance = 0,
}};

// ---- resizeNearestNeighborGrad ------------------------------------------------------------------------------------------

Expr nearest_grad_body(BodyCtx& ctx) {
  const auto& attrs = ctx.attrs<ResizeAttrs>();
  const auto dy = ctx.in(0);
  const AxisExprs h(ctx, resize_axis(attrs.size[0], dy.shape()[1], attrs.align_corners, attrs.half_pixel_centers));
  const AxisExprs w(ctx, resize_axis(attrs.size[1], dy.shape()[2], attrs.align_corners, attrs.half_pixel_centers));
  const Expr row = ctx.out(1), column = ctx.out(2);
  const Expr first_row = h.first(row), first_column = w.first(column);
  return reduce(Reduce::sum, h.reach, [&](const Expr& i) {
    return reduce(Reduce::sum, w.reach, [&](const Expr& j) {
      const Expr oy = first_row + i, ox = first_column + j;
      return select(h.nearest(oy) == row && w.nearest(ox) == column, dy({ctx.out(0), oy, ox, ctx.out(3)}), 0.0);
    });
  });
}

const RegisterOp kResizeNearestGrad{{
    .name = "resizeNearestNeighborGrad",
    .doc = "The gradient of resizeNearestNeighbor: each pixel sums the dy of the outputs that copied it.",
    .family = "image",
    .inputs = {{"dy", "[batch, outHeight, outWidth, channels]"}},
    .attrs = &AttrSchema::of<ResizeAttrs>,
    .infer = infer_resize_grad,
    .body = nearest_grad_body,
    .vjp = [](const VjpCtx& c) { return resize_grad_vjp(c, "resizeNearestNeighbor"); },
    .in_js = false,
    .tolerance = 1e-5,  // sums
}};

}  // namespace
}  // namespace tsr::ops
