// Image ops other than resizing.
#include <cmath>

#include "core/op_def.h"
#include "ir/body.h"
#include "ops/op_call.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

// ---- cropAndResize ------------------------------------------------------------------------------------------------------

enum class CropMethod : uint8_t { kBilinear, kNearest };

struct CropAttrs {
  std::vector<int64_t> crop_size;
  CropMethod method = CropMethod::kBilinear;
  double extrapolation_value = 0;
  static void describe(AttrSchema& s) {
    s.field<&CropAttrs::crop_size>("cropSize", "[height, width] of each crop").required();
    s.field<&CropAttrs::method>("method", "'bilinear' or 'nearest' (half rounds up)", {"bilinear", "nearest"});
    s.field<&CropAttrs::extrapolation_value>("extrapolationValue", "what lies outside the image").runtime();
  }
};

void infer_crop(InferCtx& c) {
  c.want_rank(0, 4);
  c.want_rank(1, 2);
  c.want_rank(2, 1);
  c.want_dtype(0, {DType::kFloat32, DType::kInt32});
  c.want_dtype(1, {DType::kFloat32});
  c.want_dtype(2, {DType::kInt32});
  const auto& a = c.attrs<CropAttrs>();
  c.want(a.crop_size.size() == 2 && a.crop_size[0] >= 1 && a.crop_size[1] >= 1, "cropSize must be [height, width] of at least 1 x 1");
  c.want(c.shape(1)[1] == 4, "'boxes' must have shape [n, 4], got ", c.shape(1));
  c.want(c.shape(1)[0] == c.shape(2)[0], "there are ", c.shape(1)[0], " boxes, but ", c.shape(2)[0], " entries in 'boxInd'");
  c.out({c.shape(1)[0], a.crop_size[0], a.crop_size[1], c.shape(0)[3]}, DType::kFloat32);
}

// Where the crop's row (or column) i samples: low and high edge in units of the image.
Expr crop_position(BodyCtx& ctx, const Expr& i, int64_t crop, const Expr& low, const Expr& high, const Expr& extent) {
  const Expr last = to_f32(extent - 1);
  if (crop == 1) return (low + high) * 0.5 * last;
  const Expr step = (high - low) * last / ctx.pf(static_cast<double>(crop - 1));
  return low * last + to_f32(i) * step;
}

Expr crop_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<CropAttrs>();
  const auto image = ctx.in(0), boxes = ctx.in(1), box_ind = ctx.in(2);
  const Expr outside = ctx.pf(a.extrapolation_value);
  const Expr box = ctx.out(0);
  const auto edge = [&](int k) { return boxes({box, ir::i32(k)}); };
  const Expr y = crop_position(ctx, ctx.out(1), a.crop_size[0], edge(0), edge(2), image.dim(1));
  const Expr x = crop_position(ctx, ctx.out(2), a.crop_size[1], edge(1), edge(3), image.dim(2));
  const Expr batch = box_ind({box});
  const Expr inside = (batch >= 0 && batch < image.dim(0)) &&
                      ((y >= 0.0 && y <= to_f32(image.dim(1) - 1)) && (x >= 0.0 && x <= to_f32(image.dim(2) - 1)));
  const Expr b = clamp(batch, 0, max(image.dim(0) - 1, 0));
  const auto index = [](const Expr& v, const Expr& extent) { return clamp(to_i32(v), 0, max(extent - 1, 0)); };
  const auto at = [&](const Expr& i, const Expr& j) {
    return convert(image({b, index(i, image.dim(1)), index(j, image.dim(2)), ctx.out(3)}), ir::Type::f32);
  };
  if (a.method == CropMethod::kNearest) return select(inside, at(floor(y + 0.5), floor(x + 0.5)), outside);
  const Expr top = floor(y), bottom = ceil(y), left = floor(x), right = ceil(x);
  const Expr wy = y - top, wx = x - left;
  const Expr upper = at(top, left) + (at(top, right) - at(top, left)) * wx;
  const Expr lower = at(bottom, left) + (at(bottom, right) - at(bottom, left)) * wx;
  return select(inside, upper + (lower - upper) * wy, outside);
}

const RegisterOp kCropAndResize{{
    .name = "cropAndResize",
    .doc = "Cuts boxes (y1, x1, y2, x2 in fractions of the image's height - 1 and width - 1) out of images and resizes each to cropSize. "
           "Samples outside the image, and boxes whose boxInd names no image, are extrapolationValue.",
    .family = "image",
    .inputs = {{"image", "[batch, height, width, channels]"},
               {"boxes", "[n, 4]: y1, x1, y2, x2; y1 > y2 flips"},
               {"boxInd", "[n] int32: the image that each box is cut from"}},
    .attrs = &AttrSchema::of<CropAttrs>,
    .infer = infer_crop,
    .body = crop_body,
    // Sample positions are products of boxes and extents of some hundreds, in single precision.
    .tolerance = 1e-3,
}};

// ---- flipLeftRight ------------------------------------------------------------------------------------------------------

const RegisterOp kFlipLeftRight{{
    .name = "flipLeftRight",
    .doc = "Mirrors NHWC images from left to right.",
    .family = "image",
    .inputs = {{"image", "[batch, height, width, channels]"}},
    .infer =
        [](InferCtx& c) {
          c.want_rank(0, 4);
          c.want_dtype(0, {DType::kFloat32, DType::kInt32, DType::kBool});
          c.out(c.shape(0), c.dtype(0));
        },
    .body =
        [](BodyCtx& ctx) {
          return ctx.in(0)({ctx.out(0), ctx.out(1), ctx.in(0).dim(2) - 1 - ctx.out(2), ctx.out(3)});
        },
    .vjp = [](const VjpCtx& c) -> std::vector<Tensor> { return {call1("flipLeftRight", {c.grad[0]})}; },
    .tolerance = 0,
}};

// ---- rotateWithOffset ---------------------------------------------------------------------------------------------------

struct RotateAttrs {
  double radians = 0;
  std::vector<double> fill_value{0};
  std::vector<double> center{0.5};
  static void describe(AttrSchema& s) {
    s.field<&RotateAttrs::radians>("radians", "angle, anticlockwise").required().runtime();
    s.field<&RotateAttrs::fill_value>("fillValue", "what lies outside: one number, or [red, green, blue]; alpha is then 255").runtime();
    s.field<&RotateAttrs::center>("center", "the fixed point in fractions of the size: one number, or [x, y]").runtime();
  }
};

void infer_rotate(InferCtx& c) {
  c.want_rank(0, 4);
  c.want_dtype(0, {DType::kFloat32});
  const auto& a = c.attrs<RotateAttrs>();
  c.want(a.fill_value.size() == 1 || a.fill_value.size() == 3, "fillValue must be 1 or 3 numbers, got ", a.fill_value.size());
  c.want(a.center.size() == 1 || a.center.size() == 2, "center must be 1 or 2 numbers, got ", a.center.size());
  c.out(c.shape(0), DType::kFloat32);
}

Expr rotate_body(BodyCtx& ctx) {
  const auto& a = ctx.attrs<RotateAttrs>();
  const auto image = ctx.in(0);
  const Shape& s = ctx.out_shape();
  // As TensorFlow.js: whole pixels, rounded half up; the sine and cosine of the angle come as parameters, so that every device has the
  // same ones.
  const Expr cx = ctx.pf(a.center.front() * static_cast<double>(s[2]));
  const Expr cy = ctx.pf(a.center.back() * static_cast<double>(s[1]));
  const Expr sine = ctx.pf(std::sin(a.radians)), cosine = ctx.pf(std::cos(a.radians));
  const Expr dx = to_f32(ctx.out(2)) - cx, dy = to_f32(ctx.out(1)) - cy;
  const auto whole = [](const Expr& v) { return to_i32(floor(v + 0.5)); };
  const Expr x = whole(dx * cosine - dy * sine + cx);
  const Expr y = whole(dx * sine + dy * cosine + cy);
  const Expr inside = (x >= 0 && x < image.dim(2)) && (y >= 0 && y < image.dim(1));
  Expr fill = ctx.pf(a.fill_value[0]);
  if (a.fill_value.size() == 3) {
    const Expr green = ctx.pf(a.fill_value[1]), blue = ctx.pf(a.fill_value[2]);
    fill = select(ctx.out(3) == 0, fill, select(ctx.out(3) == 1, green, select(ctx.out(3) == 2, blue, ir::f32(255))));
  } else {
    fill = select(ctx.out(3) == 3, ir::f32(255), fill);
  }
  const auto in_range = [](const Expr& i, const Expr& extent) { return clamp(i, 0, max(extent - 1, 0)); };
  return select(inside, image({ctx.out(0), in_range(y, image.dim(1)), in_range(x, image.dim(2)), ctx.out(3)}), fill);
}

const RegisterOp kRotateWithOffset{{
    .name = "rotateWithOffset",
    .doc = "Rotates NHWC images about a point, copying the nearest pixel. A fourth channel is alpha, filled with 255 outside the image.",
    .family = "image",
    .inputs = {{"image", "[batch, height, width, channels]"}},
    .attrs = &AttrSchema::of<RotateAttrs>,
    .infer = infer_rotate,
    .body = rotate_body,
    .tolerance = 0,
}};

// ---- rgbToGrayscale, grayscaleToRGB -------------------------------------------------------------------------------------

std::vector<Tensor> rgb_to_grayscale(const ComposeCtx& c) {
  const Tensor& x = c.in[0];
  require(x.rank() >= 2, "[rgbToGrayscale] 'image' must have rank 2 or more, got shape ", x.shape());
  require(x.shape().back() == 3, "[rgbToGrayscale] the last dimension must be 3 (red, green, blue), got shape ", x.shape());
  // ITU-R BT.601 luma, as TensorFlow has it.
  const float weights[] = {0.2989f, 0.587f, 0.114f};
  Tensor f = x.dtype() == DType::kFloat32 ? x : call1("cast", {x}, {{"dtype", DType::kFloat32}});
  Tensor y = call1("mul", {f, Tensor::from(std::span<const float>(weights), {3})});
  y = call1("sum", {y}, {{"axis", std::vector<int64_t>{-1}}, {"keepDims", true}});
  return {x.dtype() == DType::kFloat32 ? y : call1("cast", {y}, {{"dtype", x.dtype()}})};
}

const RegisterOp kRgbToGrayscale{{
    .name = "rgbToGrayscale",
    .doc = "0.2989 * red + 0.587 * green + 0.114 * blue; the last dimension becomes 1.",
    .family = "image",
    .inputs = {{"image", "[..., 3]"}},
    .compose = rgb_to_grayscale,
    .tolerance = 1e-5,
}};

std::vector<Tensor> grayscale_to_rgb(const ComposeCtx& c) {
  const Tensor& x = c.in[0];
  require(x.rank() >= 2, "[grayscaleToRGB] 'image' must have rank 2 or more, got shape ", x.shape());
  require(x.shape().back() == 1, "[grayscaleToRGB] the last dimension must be 1, got shape ", x.shape());
  std::vector<int64_t> reps(static_cast<size_t>(x.rank()), 1);
  reps.back() = 3;
  return {call1("tile", {x}, {{"reps", reps}})};
}

const RegisterOp kGrayscaleToRgb{{
    .name = "grayscaleToRGB",
    .doc = "Repeats the one channel of an image three times.",
    .family = "image",
    .inputs = {{"image", "[..., 1]"}},
    .compose = grayscale_to_rgb,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
