#include "core/window_attrs.h"

#include <algorithm>
#include <array>

namespace tsr {
namespace {

// Largest stride, dilation, window or padding: far above any image's side, and small enough that no sum or product of two and an extent
// overflows, in the kernels either.
constexpr int64_t kMaxStep = int64_t{1} << 20;

// [h, w] from a list of one or two numbers, each at least 1.
std::array<int64_t, 2> pair_of(const char* op, const char* name, const std::vector<int64_t>& list) {
  if (list.size() != 1 && list.size() != 2) {
    fail(ErrorCode::kInvalidArgument, "[", op, "] ", name, " must be one or two numbers, got ", list.size());
  }
  const std::array<int64_t, 2> p{list.front(), list.back()};
  for (int64_t v : p) {
    require(v >= 1, "[", op, "] ", name, " must be at least 1, got ", v);
    require(v <= kMaxStep, "[", op, "] ", name, " must be at most ", kMaxStep, ", got ", v);
  }
  return p;
}

// [top, bottom, left, right].
std::array<int64_t, 4> padding_of(const char* op, const WindowAttrs& a) {
  if (a.pad != PadMode::kExplicit) {
    require(a.padding.empty(), "[", op, "] padding is given, but pad is not 'explicit'");
    return {0, 0, 0, 0};
  }
  std::array<int64_t, 4> p{};
  if (a.padding.size() == 1) {
    p.fill(a.padding[0]);
  } else if (a.padding.size() == 4) {
    std::copy(a.padding.begin(), a.padding.end(), p.begin());
  } else {
    fail(ErrorCode::kInvalidArgument, "[", op, "] pad 'explicit' needs padding as [top, bottom, left, right], got ",
         a.padding.size(), " numbers");
  }
  for (int64_t v : p) {
    require(v >= 0, "[", op, "] padding must not be negative, got ", v);
    require(v <= kMaxStep, "[", op, "] padding must be at most ", kMaxStep, ", got ", v);
  }
  return p;
}

}  // namespace

int64_t window_extent(const char* op, const char* what, PadMode mode, DimRounding rounding, int64_t in, int64_t k, int64_t stride,
                      int64_t dilation, int64_t& before, int64_t& after) {
  const int64_t span = (k - 1) * dilation + 1;
  if (mode == PadMode::kSame) {
    const int64_t out = (in + stride - 1) / stride;
    const int64_t total = std::max<int64_t>(0, (out - 1) * stride + span - in);
    before = total / 2;
    after = total - before;
    return out;
  }
  if (mode == PadMode::kValid) before = after = 0;
  const int64_t room = in + before + after - span;
  // A window one cell too large leaves an empty output (as TensorFlow has it for stride 1); beyond that is a mistake.
  require(room >= -1 || in == 0, "[", op, "] a window of ", what, " ", span, " does not fit the input's ", what, " ", in,
          " with padding ", before, " + ", after);
  if (room < 0) return 0;
  int64_t steps = room / stride;
  const int64_t rest = room % stride;
  if (mode == PadMode::kExplicit && rest != 0) {
    if (rounding == DimRounding::kCeil || (rounding == DimRounding::kRound && 2 * rest >= stride)) ++steps;
  }
  return steps + 1;
}

Window2D resolve_window(const char* op, const WindowAttrs& attrs, int64_t in_h, int64_t in_w, int64_t k_h, int64_t k_w) {
  require(k_h >= 1 && k_w >= 1, "[", op, "] the window must be at least 1 x 1, got ", k_h, " x ", k_w);
  const auto strides = pair_of(op, "strides", attrs.strides);
  const auto dilations = pair_of(op, "dilations", attrs.dilations);
  const auto padding = padding_of(op, attrs);
  Window2D w;
  w.in_h = in_h;
  w.in_w = in_w;
  w.k_h = k_h;
  w.k_w = k_w;
  w.stride_h = strides[0];
  w.stride_w = strides[1];
  w.dil_h = dilations[0];
  w.dil_w = dilations[1];
  w.pad_top = padding[0];
  w.pad_bottom = padding[1];
  w.pad_left = padding[2];
  w.pad_right = padding[3];
  w.out_h = window_extent(op, "height", attrs.pad, attrs.dim_rounding_mode, in_h, k_h, w.stride_h, w.dil_h, w.pad_top, w.pad_bottom);
  w.out_w = window_extent(op, "width", attrs.pad, attrs.dim_rounding_mode, in_w, k_w, w.stride_w, w.dil_w, w.pad_left, w.pad_right);
  return w;
}

Conv2DGeometry conv2d_geometry(const char* op, const WindowAttrs& attrs, const Shape& x, const Shape& filter) {
  Conv2DGeometry g;
  g.batch = x[0];
  g.in_c = x[3];
  g.out_c = filter[3];
  const int64_t f_in = filter[2];
  require(f_in > 0 && g.in_c % f_in == 0, "[", op, "] filter ", filter, " has ", f_in, " input channels, which does not divide the ",
          g.in_c, " channels of the input");
  g.groups = g.in_c / f_in;
  if (g.groups == 0) g.groups = 1;
  require(g.out_c % g.groups == 0, "[", op, "] the filter's ", g.out_c, " output channels do not divide into ", g.groups, " groups");
  g.window = resolve_window(op, attrs, x[1], x[2], filter[0], filter[1]);
  return g;
}

Conv2DGeometry depthwise_geometry(const char* op, const WindowAttrs& attrs, const Shape& x, const Shape& filter) {
  Conv2DGeometry g;
  g.batch = x[0];
  g.in_c = x[3];
  g.groups = x[3];
  g.multiplier = filter[3];
  g.out_c = x[3] * filter[3];
  require(filter[2] == g.in_c, "[", op, "] filter ", filter, " is for ", filter[2], " channels, but the input has ", g.in_c);
  g.window = resolve_window(op, attrs, x[1], x[2], filter[0], filter[1]);
  return g;
}

Window2D pool_geometry(const char* op, const WindowAttrs& attrs, const std::vector<int64_t>& filter_size, const Shape& x) {
  const auto k = pair_of(op, "filterSize", filter_size);
  return resolve_window(op, attrs, x[1], x[2], k[0], k[1]);
}

ResizeAxis resize_axis(int64_t in, int64_t out, bool align_corners, bool half_pixel_centers) {
  ResizeAxis a;
  a.in = in;
  a.out = out;
  a.align_corners = align_corners && out > 1;
  a.half_pixel = half_pixel_centers;
  a.scale_num = a.align_corners ? in - 1 : in;
  a.scale_den = a.align_corners ? out - 1 : out;
  return a;
}

int64_t nearest_source(const ResizeAxis& a, int64_t i) {
  int64_t source;
  if (a.half_pixel) {
    source = (2 * i + 1) * a.scale_num / (2 * a.scale_den);
  } else if (a.align_corners) {
    source = (2 * i * a.scale_num + a.scale_den) / (2 * a.scale_den);
  } else {
    source = i * a.scale_num / a.scale_den;
  }
  return std::min(source, a.in - 1);
}

}  // namespace tsr
