// Building blocks of pull kernels that slide a window over an NHWC image. All extents, strides and paddings are launch-time numbers,
// so one program serves every geometry of the same rank and dtype.
#pragma once

#include <functional>

#include "core/window_attrs.h"
#include "ir/body.h"

namespace tsr::ops {

/// A place in an image: whether it is inside, and its coordinates clamped so that loading them is always allowed.
struct Place {
  ir::Expr inside;
  ir::Expr y, x;
};

/// The resolved window as launch parameters. `in_*` and `out_*` are extents of the forward op's input and output.
class WindowExprs {
 public:
  WindowExprs(ir::BodyCtx& ctx, const Window2D& w);

  ir::Expr k_h, k_w;

  /// Where output position (oy, ox) and window cell (ky, kx) look in the input.
  Place input_at(const ir::Expr& oy, const ir::Expr& ox, const ir::Expr& ky, const ir::Expr& kx) const;
  /// The output position whose window has input position (y, x) in its cell (ky, kx), if there is one.
  Place output_at(const ir::Expr& y, const ir::Expr& x, const ir::Expr& ky, const ir::Expr& kx) const;
  /// Folds over the window's cells in row-major order.
  ir::Expr over_cells(ir::Reduce how, const std::function<ir::Expr(ir::Expr ky, ir::Expr kx)>& term) const;
  /// The row-major number of the first cell of that output's window that lies inside the image (0 when none does).
  ir::Expr first_inside(const ir::Expr& oy, const ir::Expr& ox) const;

 private:
  ir::Expr in_h_, in_w_, out_h_, out_w_;
  ir::Expr stride_h_, stride_w_, dil_h_, dil_w_, top_, left_;
};

}  // namespace tsr::ops
