#include "ops/window_body.h"

namespace tsr::ops {

using ir::Expr;

WindowExprs::WindowExprs(ir::BodyCtx& ctx, const Window2D& w) {
  k_h = ctx.pi(w.k_h);
  k_w = ctx.pi(w.k_w);
  in_h_ = ctx.pi(w.in_h);
  in_w_ = ctx.pi(w.in_w);
  out_h_ = ctx.pi(w.out_h);
  out_w_ = ctx.pi(w.out_w);
  stride_h_ = ctx.pi(w.stride_h);
  stride_w_ = ctx.pi(w.stride_w);
  dil_h_ = ctx.pi(w.dil_h);
  dil_w_ = ctx.pi(w.dil_w);
  top_ = ctx.pi(w.pad_top);
  left_ = ctx.pi(w.pad_left);
}

namespace {

// Clamped to [0, extent), and never below 0 for an extent of 0 (nothing is loaded then).
Expr clamped(const Expr& i, const Expr& extent) { return max(min(i, extent - 1), 0); }

}  // namespace

Place WindowExprs::input_at(const Expr& oy, const Expr& ox, const Expr& ky, const Expr& kx) const {
  const Expr y = oy * stride_h_ + ky * dil_h_ - top_;
  const Expr x = ox * stride_w_ + kx * dil_w_ - left_;
  return {(y >= 0 && y < in_h_) && (x >= 0 && x < in_w_), clamped(y, in_h_), clamped(x, in_w_)};
}

Place WindowExprs::output_at(const Expr& y, const Expr& x, const Expr& ky, const Expr& kx) const {
  const Expr ty = y + top_ - ky * dil_h_;
  const Expr tx = x + left_ - kx * dil_w_;
  const Expr oy = floor_div(ty, stride_h_);
  const Expr ox = floor_div(tx, stride_w_);
  const Expr on_row = oy * stride_h_ == ty && (oy >= 0 && oy < out_h_);
  const Expr on_column = ox * stride_w_ == tx && (ox >= 0 && ox < out_w_);
  return {on_row && on_column, clamped(oy, out_h_), clamped(ox, out_w_)};
}

Expr WindowExprs::over_cells(ir::Reduce how, const std::function<Expr(Expr ky, Expr kx)>& term) const {
  return reduce(how, k_h, [&](const Expr& ky) { return reduce(how, k_w, [&](const Expr& kx) { return term(ky, kx); }); });
}

Expr WindowExprs::first_inside(const Expr& oy, const Expr& ox) const {
  // Smallest k with start + k * dilation >= 0.
  const Expr up = max(top_ - oy * stride_h_, 0);
  const Expr left = max(left_ - ox * stride_w_, 0);
  const Expr ky = min(floor_div(up + dil_h_ - 1, dil_h_), k_h - 1);
  const Expr kx = min(floor_div(left + dil_w_ - 1, dil_w_), k_w - 1);
  return ky * k_w + kx;
}

}  // namespace tsr::ops
