// Max and average pooling, and the kernels of their gradients.
//
// maxPoolGrad is linear in dy, and so is its transpose, maxPoolPick (which reads a tensor at each window's maximum): they are each
// other's gradient. The same holds for avgPoolGrad and avgPool.
#include "core/op_def.h"
#include "core/window_attrs.h"
#include "ops/op_call.h"
#include "ops/window_body.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;
using ir::In;
using ir::Reduce;

constexpr double kNegativeInfinity = -__builtin_huge_val();
constexpr double kInt32Lowest = -2147483648.0;

Shape pooled(InferCtx& c, const WindowAttrs& w, const std::vector<int64_t>& size, const Shape& x) {
  const Window2D g = pool_geometry(c.op(), w, size, x);
  return {x[0], g.out_h, g.out_w, x[3]};
}

void infer_pool(InferCtx& c) {
  c.want_rank(0, 4);
  c.want_dtype(0, {DType::kFloat32, DType::kInt32});
  const auto& a = c.attrs<Pool2DAttrs>();
  c.out(pooled(c, a.window(), a.filter_size, c.shape(0)), c.dtype(0));
}

// What padding counts as when the largest value is sought.
Expr lowest(const In& x) { return x.type() == ir::Type::i32 ? ir::i32(static_cast<int64_t>(kInt32Lowest)) : ir::f32(kNegativeInfinity); }

// The row-major number of the window cell of the first largest value; always a cell inside the image (if there is one): where all
// values are as low as padding, the first of them.
Expr argmax_cell(const WindowExprs& w, const In& x, const Expr& b, const Expr& oy, const Expr& ox, const Expr& c) {
  const Expr best = reduce(Reduce::argmax, w.k_h * w.k_w, [&](const Expr& cell) {
    const Expr ky = floor_div(cell, w.k_w);
    const Place p = w.input_at(oy, ox, ky, cell - ky * w.k_w);
    return select(p.inside, x({b, p.y, p.x, c}), lowest(x));
  });
  const Expr ky = floor_div(best, w.k_w);
  const Place p = w.input_at(oy, ox, ky, best - ky * w.k_w);
  return select(p.inside, best, w.first_inside(oy, ox));
}

// ---- maxPool ------------------------------------------------------------------------------------------------------------

Expr max_pool_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<Pool2DAttrs>();
  const auto x = ctx.in(0);
  const WindowExprs w(ctx, pool_geometry("maxPool", a.window(), a.filter_size, x.shape()));
  return w.over_cells(Reduce::max, [&](const Expr& ky, const Expr& kx) {
    const Place p = w.input_at(ctx.out(1), ctx.out(2), ky, kx);
    return select(p.inside, x({ctx.out(0), p.y, p.x, ctx.out(3)}), lowest(x));
  });
}

std::vector<Tensor> max_pool_vjp(const VjpCtx& c) {
  return {call_with("maxPoolGrad", {c.grad[0], c.in[0]}, Pool2DAttrs(c.attrs<Pool2DAttrs>()))};
}

const RegisterOp kMaxPool{{
    .name = "maxPool",
    .doc = "The largest value of each window of an NHWC image, per channel. Padding never counts; a NaN in the window is the result.",
    .family = "pooling",
    .inputs = {{"x", "[batch, height, width, channels]"}},
    .attrs = &AttrSchema::of<Pool2DAttrs>,
    .infer = infer_pool,
    .body = max_pool_body,
    .vjp = max_pool_vjp,
    .tolerance = 0,
}};

// ---- maxPoolGrad --------------------------------------------------------------------------------------------------------

void infer_max_pool_grad(InferCtx& c) {
  c.want_rank(0, 4);
  c.want_rank(1, 4);
  c.want_dtype(0, {DType::kFloat32});
  c.want_dtype(1, {DType::kFloat32, DType::kInt32});
  const auto& a = c.attrs<Pool2DAttrs>();
  const Shape y = pooled(c, a.window(), a.filter_size, c.shape(1));
  c.want(y == c.shape(0), "dy has shape ", c.shape(0), ", but pooling ", c.shape(1), " gives ", y);
  c.out(c.shape(1), DType::kFloat32);
}

Expr max_pool_grad_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<Pool2DAttrs>();
  const auto dy = ctx.in(0), x = ctx.in(1);
  const WindowExprs w(ctx, pool_geometry("maxPoolGrad", a.window(), a.filter_size, x.shape()));
  return w.over_cells(Reduce::sum, [&](const Expr& ky, const Expr& kx) {
    const Place p = w.output_at(ctx.out(1), ctx.out(2), ky, kx);
    const Expr chosen = argmax_cell(w, x, ctx.out(0), p.y, p.x, ctx.out(3)) == ky * w.k_w + kx;
    return select(p.inside && chosen, dy({ctx.out(0), p.y, p.x, ctx.out(3)}), 0.0);
  });
}

std::vector<Tensor> max_pool_grad_vjp(const VjpCtx& c) {
  std::vector<Tensor> out(2);
  // The choice of maxima is piecewise constant in x.
  if (c.needs[0]) out[0] = call_with("maxPoolPick", {c.grad[0], c.in[1]}, Pool2DAttrs(c.attrs<Pool2DAttrs>()));
  return out;
}

const RegisterOp kMaxPoolGrad{{
    .name = "maxPoolGrad",
    .doc = "The gradient of maxPool in x: each dy goes to the first largest value of its window in row-major order (NaN counts as "
           "largest).",
    .family = "pooling",
    .inputs = {{"dy", "[batch, outHeight, outWidth, channels]"}, {"x", "[batch, height, width, channels]: what was pooled"}},
    .attrs = &AttrSchema::of<Pool2DAttrs>,
    .infer = infer_max_pool_grad,
    .body = max_pool_grad_body,
    .vjp = max_pool_grad_vjp,
    .in_js = false,
    .tolerance = 1e-5,  // overlapping windows add a few dy
}};

// ---- maxPoolPick --------------------------------------------------------------------------------------------------------

void infer_pick(InferCtx& c) {
  c.want_rank(0, 4);
  c.want_rank(1, 4);
  c.want_dtype(0, {DType::kFloat32});
  c.want_dtype(1, {DType::kFloat32, DType::kInt32});
  c.want(c.shape(0) == c.shape(1), "'values' ", c.shape(0), " and 'x' ", c.shape(1), " must have the same shape");
  const auto& a = c.attrs<Pool2DAttrs>();
  c.out(pooled(c, a.window(), a.filter_size, c.shape(1)), DType::kFloat32);
}

Expr pick_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<Pool2DAttrs>();
  const auto values = ctx.in(0), x = ctx.in(1);
  const WindowExprs w(ctx, pool_geometry("maxPoolPick", a.window(), a.filter_size, x.shape()));
  const Expr cell = argmax_cell(w, x, ctx.out(0), ctx.out(1), ctx.out(2), ctx.out(3));
  const Expr ky = floor_div(cell, w.k_w);
  const Place p = w.input_at(ctx.out(1), ctx.out(2), ky, cell - ky * w.k_w);
  return select(p.inside, values({ctx.out(0), p.y, p.x, ctx.out(3)}), 0.0);
}

std::vector<Tensor> pick_vjp(const VjpCtx& c) {
  std::vector<Tensor> out(2);
  if (c.needs[0]) out[0] = call_with("maxPoolGrad", {c.grad[0], c.in[1]}, Pool2DAttrs(c.attrs<Pool2DAttrs>()));
  return out;
}

const RegisterOp kMaxPoolPick{{
    .name = "maxPoolPick",
    .doc = "values at the place of each window's first largest x: the transpose of maxPoolGrad.",
    .family = "pooling",
    .inputs = {{"values", "[batch, height, width, channels]"}, {"x", "[batch, height, width, channels]"}},
    .attrs = &AttrSchema::of<Pool2DAttrs>,
    .infer = infer_pick,
    .body = pick_body,
    .vjp = pick_vjp,
    .in_js = false,
    .tolerance = 0,
}};

// ---- maxPoolWithArgmax --------------------------------------------------------------------------------------------------

struct MaxPoolWithArgmaxAttrs {
  std::vector<int64_t> filter_size;
  std::vector<int64_t> strides{1, 1};
  PadMode pad = PadMode::kValid;
  bool include_batch_in_index = false;
  WindowAttrs window() const { return {strides, pad, {}, {1, 1}, DimRounding::kFloor}; }
  static void describe(AttrSchema& s) {
    s.field<&MaxPoolWithArgmaxAttrs::filter_size>("filterSize", "size of the window as [h, w]").required();
    s.field<&MaxPoolWithArgmaxAttrs::strides>("strides", "step of the window as [h, w]");
    s.field<&MaxPoolWithArgmaxAttrs::pad>("pad", "padding: 'same' or 'valid'", {"same", "valid"});
    s.field<&MaxPoolWithArgmaxAttrs::include_batch_in_index>("includeBatchInIndex", "count indices over the whole batch");
  }
};

void infer_with_argmax(InferCtx& c) {
  c.want_rank(0, 4);
  c.want_dtype(0, {DType::kFloat32, DType::kInt32});
  const auto& a = c.attrs<MaxPoolWithArgmaxAttrs>();
  const Shape y = pooled(c, a.window(), a.filter_size, c.shape(0));
  c.out(y, c.dtype(0));
  c.out(y, DType::kInt32);
}

Expr with_argmax_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<MaxPoolWithArgmaxAttrs>();
  const auto x = ctx.in(0);
  const WindowExprs w(ctx, pool_geometry("maxPoolWithArgmax", a.window(), a.filter_size, x.shape()));
  const Expr cell = argmax_cell(w, x, ctx.out(0), ctx.out(1), ctx.out(2), ctx.out(3));
  const Expr ky = floor_div(cell, w.k_w);
  const Place p = w.input_at(ctx.out(1), ctx.out(2), ky, cell - ky * w.k_w);
  if (ctx.output() == 0) return x({ctx.out(0), p.y, p.x, ctx.out(3)});
  Expr row = p.y;
  if (a.include_batch_in_index) row = ctx.out(0) * x.dim(1) + row;
  return (row * x.dim(2) + p.x) * x.dim(3) + ctx.out(3);
}

std::vector<Tensor> with_argmax_vjp(const VjpCtx& c) {
  if (!c.grad[0].defined()) return std::vector<Tensor>(1);
  const auto& a = c.attrs<MaxPoolWithArgmaxAttrs>();
  Pool2DAttrs b;
  b.filter_size = a.filter_size;
  b.strides = a.strides;
  b.pad = a.pad;
  return {call_with("maxPoolGrad", {c.grad[0], c.in[0]}, std::move(b))};
}

const RegisterOp kMaxPoolWithArgmax{{
    .name = "maxPoolWithArgmax",
    .doc = "maxPool, and the flat index (y * width + x) * channels + c of each maximum, the first in row-major order among equals.",
    .family = "pooling",
    .inputs = {{"x", "[batch, height, width, channels]"}},
    .outputs = {{"result", "the maxima"}, {"indexes", "int32: where they were"}},
    .attrs = &AttrSchema::of<MaxPoolWithArgmaxAttrs>,
    .infer = infer_with_argmax,
    .body = with_argmax_body,
    .vjp = with_argmax_vjp,
    .tolerance = 0,
}};

// ---- avgPool ------------------------------------------------------------------------------------------------------------

// How many cells of the window at (oy, ox) lie inside the image.
Expr cells_inside(const WindowExprs& w, const Expr& oy, const Expr& ox) {
  return w.over_cells(Reduce::sum, [&](const Expr& ky, const Expr& kx) { return to_f32(w.input_at(oy, ox, ky, kx).inside); });
}

Expr avg_pool_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<Pool2DAttrs>();
  const auto x = ctx.in(0);
  const WindowExprs w(ctx, pool_geometry("avgPool", a.window(), a.filter_size, x.shape()));
  const Expr sum = w.over_cells(Reduce::sum, [&](const Expr& ky, const Expr& kx) {
    const Place p = w.input_at(ctx.out(1), ctx.out(2), ky, kx);
    return select(p.inside, convert(x({ctx.out(0), p.y, p.x, ctx.out(3)}), ir::Type::f32), 0.0);
  });
  return sum / cells_inside(w, ctx.out(1), ctx.out(2));
}

std::vector<Tensor> avg_pool_vjp(const VjpCtx& c) {
  const auto& a = c.attrs<Pool2DAttrs>();
  auto b = window_from<PoolGradAttrs>(a);
  b.filter_size = a.filter_size;
  b.input_shape = c.in[0].shape().vector();
  return {call_with("avgPoolGrad", {c.grad[0]}, std::move(b))};
}

const RegisterOp kAvgPool{{
    .name = "avgPool",
    .doc = "The mean of each window of an NHWC image, per channel. Padding does not count: at the borders the mean is over the cells "
           "inside the image. int32 means truncate toward zero.",
    .family = "pooling",
    .inputs = {{"x", "[batch, height, width, channels]"}},
    .attrs = &AttrSchema::of<Pool2DAttrs>,
    .infer = infer_pool,
    .body = avg_pool_body,
    .vjp = avg_pool_vjp,
    .tolerance = 1e-5,
}};

// ---- avgPoolGrad --------------------------------------------------------------------------------------------------------

void infer_avg_pool_grad(InferCtx& c) {
  c.want_rank(0, 4);
  c.want_dtype(0, {DType::kFloat32});
  const auto& a = c.attrs<PoolGradAttrs>();
  c.want(a.input_shape.size() == 4, "inputShape must be 4 numbers, got ", a.input_shape.size());
  const Shape x(a.input_shape);
  const Shape y = pooled(c, a.window(), a.filter_size, x);
  c.want(y == c.shape(0), "dy has shape ", c.shape(0), ", but pooling ", x, " gives ", y);
  c.out(x, DType::kFloat32);
}

Expr avg_pool_grad_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<PoolGradAttrs>();
  const auto dy = ctx.in(0);
  const WindowExprs w(ctx, pool_geometry("avgPoolGrad", a.window(), a.filter_size, ctx.out_shape()));
  return w.over_cells(Reduce::sum, [&](const Expr& ky, const Expr& kx) {
    const Place p = w.output_at(ctx.out(1), ctx.out(2), ky, kx);
    return select(p.inside, dy({ctx.out(0), p.y, p.x, ctx.out(3)}) / cells_inside(w, p.y, p.x), 0.0);
  });
}

std::vector<Tensor> avg_pool_grad_vjp(const VjpCtx& c) {
  const auto& a = c.attrs<PoolGradAttrs>();
  auto b = window_from<Pool2DAttrs>(a);
  b.filter_size = a.filter_size;
  return {call_with("avgPool", {c.grad[0]}, std::move(b))};
}

const RegisterOp kAvgPoolGrad{{
    .name = "avgPoolGrad",
    .doc = "The gradient of avgPool: each dy is shared equally by the cells of its window that lie inside the image.",
    .family = "pooling",
    .inputs = {{"dy", "[batch, outHeight, outWidth, channels]"}},
    .attrs = &AttrSchema::of<PoolGradAttrs>,
    .infer = infer_avg_pool_grad,
    .body = avg_pool_grad_body,
    .vjp = avg_pool_grad_vjp,
    .in_js = false,
    .tolerance = 1e-5,
}};

}  // namespace
}  // namespace tsr::ops
