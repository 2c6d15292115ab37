// Attributes of ops that slide a window over an NHWC image (convolutions, pooling) or resample one, and the arithmetic that turns
// them into offsets. It lives in core because both the op definitions and the tuned kernels of a backend need it, and those two
// never include each other.
//
// Everything here is about two spatial dimensions, height first. Output position (oy, ox) and window position (ky, kx) meet at
// input position (oy * stride_h + ky * dil_h - pad_top, ox * stride_w + kx * dil_w - pad_left); positions outside the image count as
// padding.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attrs.h"
#include "tessera/shape.h"

namespace tsr {

enum class PadMode : uint8_t {
  kSame,      ///< output extent = ceil(input / stride); an odd total puts the extra cell at the bottom / right
  kValid,     ///< no padding
  kExplicit,  ///< as the `padding` attribute says
};

/// What happens when the stride does not divide the padded input evenly (explicit padding only).
enum class DimRounding : uint8_t { kFloor, kRound, kCeil };

/// The part that all windowed ops share.
struct WindowAttrs {
  std::vector<int64_t> strides{1, 1};    ///< [h, w]; one number stands for both
  PadMode pad = PadMode::kValid;
  std::vector<int64_t> padding;          ///< [top, bottom, left, right]; one number stands for all four
  std::vector<int64_t> dilations{1, 1};  ///< [h, w]
  DimRounding dim_rounding_mode = DimRounding::kFloor;
};

/// Adds the five window fields to the schema of A. Each struct has them as its own members (a member pointer inherited from a base
/// would name the base), which TSR_WINDOW_MEMBERS declares.
template <typename A>
void describe_window(AttrSchema& s) {
  s.field<&A::strides>("strides", "step of the window as [h, w]");
  s.field<&A::pad>("pad", "padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding)",
                   {"same", "valid", "explicit"});
  s.field<&A::padding>("padding", "with pad 'explicit': [top, bottom, left, right] cells");
  s.field<&A::dilations>("dilations", "distance between neighbouring window cells as [h, w]");
  s.field<&A::dim_rounding_mode>("dimRoundingMode", "rounding of the output extent with explicit padding",
                                 {"floor", "round", "ceil"});
}

#define TSR_WINDOW_MEMBERS                                            \
  std::vector<int64_t> strides{1, 1};                                 \
  PadMode pad = PadMode::kValid;                                      \
  std::vector<int64_t> padding;                                       \
  std::vector<int64_t> dilations{1, 1};                               \
  DimRounding dim_rounding_mode = DimRounding::kFloor;                \
  WindowAttrs window() const { return {strides, pad, padding, dilations, dim_rounding_mode}; }

/// conv2d and depthwiseConv2d.
struct Conv2DAttrs {
  TSR_WINDOW_MEMBERS
  static void describe(AttrSchema& s) { describe_window<Conv2DAttrs>(s); }
};

/// conv2dBackpropInput, depthwiseConv2dBackpropInput: attributes of the *forward* convolution and the shape of its input.
struct ConvBackpropInputAttrs {
  std::vector<int64_t> input_shape;  ///< [batch, h, w, channels] of the result
  TSR_WINDOW_MEMBERS
  static void describe(AttrSchema& s) {
    s.field<&ConvBackpropInputAttrs::input_shape>("inputShape", "shape of the result, [batch, height, width, channels]").required();
    describe_window<ConvBackpropInputAttrs>(s);
  }
};

/// conv2dBackpropFilter, depthwiseConv2dBackpropFilter: attributes of the *forward* convolution and the shape of its filter.
struct ConvBackpropFilterAttrs {
  std::vector<int64_t> filter_shape;  ///< [h, w, in, out] (conv2d) or [h, w, channels, multiplier] (depthwise)
  TSR_WINDOW_MEMBERS
  static void describe(AttrSchema& s) {
    s.field<&ConvBackpropFilterAttrs::filter_shape>("filterShape", "shape of the result, the filter's").required();
    describe_window<ConvBackpropFilterAttrs>(s);
  }
};

/// maxPool, avgPool and their gradients.
struct Pool2DAttrs {
  std::vector<int64_t> filter_size;  ///< [h, w]; one number stands for both
  TSR_WINDOW_MEMBERS
  static void describe(AttrSchema& s) {
    s.field<&Pool2DAttrs::filter_size>("filterSize", "size of the window as [h, w]").required();
    describe_window<Pool2DAttrs>(s);
  }
};

/// avgPoolGrad: a Pool2DAttrs and the shape of the pooled input, which dy alone does not tell.
struct PoolGradAttrs {
  std::vector<int64_t> input_shape;
  std::vector<int64_t> filter_size;
  TSR_WINDOW_MEMBERS
  static void describe(AttrSchema& s) {
    s.field<&PoolGradAttrs::input_shape>("inputShape", "shape of the result, [batch, height, width, channels]").required();
    s.field<&PoolGradAttrs::filter_size>("filterSize", "size of the window as [h, w]").required();
    describe_window<PoolGradAttrs>(s);
  }
};
#undef TSR_WINDOW_MEMBERS

/// resizeBilinear, resizeNearestNeighbor; for their gradients `size` is [h, w] of the resized *input*, that is of the result.
struct ResizeAttrs {
  std::vector<int64_t> size;  ///< [h, w]
  bool align_corners = false;
  bool half_pixel_centers = false;
  static void describe(AttrSchema& s) {
    s.field<&ResizeAttrs::size>("size", "height and width of the result").required();
    s.field<&ResizeAttrs::align_corners>("alignCorners", "map the centres of the corner pixels onto each other");
    s.field<&ResizeAttrs::half_pixel_centers>("halfPixelCenters", "sample at pixel centres; not together with alignCorners");
  }
};

/// A window over an image with everything resolved to numbers.
struct Window2D {
  int64_t in_h = 0, in_w = 0;
  int64_t k_h = 1, k_w = 1;  ///< window cells, not counting what dilation leaves out
  int64_t out_h = 0, out_w = 0;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dil_h = 1, dil_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  int64_t pad_bottom = 0, pad_right = 0;
  bool operator==(const Window2D&) const = default;
};

/// Resolves attributes against an image and a window size. Throws "[op] ..." on a stride, dilation or window below 1, lists of a
/// wrong length, negative padding, padding given without pad 'explicit' (or the other way round), and a window larger than the
/// padded image.
Window2D resolve_window(const char* op, const WindowAttrs& attrs, int64_t in_h, int64_t in_w, int64_t k_h, int64_t k_w);

/// One output extent of the above: for tests and one-dimensional users. `before` and `after` come in as explicit padding and go out
/// resolved.
int64_t window_extent(const char* op, const char* what, PadMode mode, DimRounding rounding, int64_t in, int64_t k, int64_t stride,
                      int64_t dilation, int64_t& before, int64_t& after);

/// A conv2d or depthwiseConv2d with all its extents. Valid shapes only (infer has checked them).
struct Conv2DGeometry {
  Window2D window;
  int64_t batch = 1, in_c = 0, out_c = 0;
  int64_t groups = 1;      ///< conv2d: in_c / filter's input channels; depthwise: in_c
  int64_t multiplier = 1;  ///< depthwise alone: out_c / in_c
};

/// x [batch, h, w, in_c], filter [k_h, k_w, in_c / groups, out_c]. Throws "[op] ..." when the channels do not fit.
Conv2DGeometry conv2d_geometry(const char* op, const WindowAttrs& attrs, const Shape& x, const Shape& filter);
/// x [batch, h, w, c], filter [k_h, k_w, c, multiplier].
Conv2DGeometry depthwise_geometry(const char* op, const WindowAttrs& attrs, const Shape& x, const Shape& filter);
/// x [batch, h, w, c]; filter_size of one or two numbers.
Window2D pool_geometry(const char* op, const WindowAttrs& attrs, const std::vector<int64_t>& filter_size, const Shape& x);

/// How a resized axis maps to its source: source position = (i + half) * scale_num / scale_den - half, with half = 0.5 or 0. Kept
/// as a fraction because *nearest* must round it exactly: see nearest_source.
struct ResizeAxis {
  int64_t in = 0, out = 0;
  int64_t scale_num = 1, scale_den = 1;
  bool half_pixel = false;
  bool align_corners = false;
};
ResizeAxis resize_axis(int64_t in, int64_t out, bool align_corners, bool half_pixel_centers);
/// The source index that nearest-neighbour reads for output index i, computed in integers so that every backend agrees: floor of
/// the position ((i + 0.5) * scale with half pixels), or round half up with align_corners; at most in - 1.
int64_t nearest_source(const ResizeAxis& axis, int64_t i);

}  // namespace tsr
