// Convolutions that are other convolutions in disguise.
#include "core/op_def.h"
#include "core/window_attrs.h"
#include "ops/op_call.h"

namespace tsr::ops {
namespace {

// ---- conv1d -------------------------------------------------------------------------------------------------------------

struct Conv1DAttrs {
  int64_t stride = 1;
  PadMode pad = PadMode::kValid;
  std::vector<int64_t> padding;
  int64_t dilation = 1;
  DimRounding dim_rounding_mode = DimRounding::kFloor;
  static void describe(AttrSchema& s) {
    s.field<&Conv1DAttrs::stride>("stride", "step of the window");
    s.field<&Conv1DAttrs::pad>("pad", "padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding)",
                               {"same", "valid", "explicit"});
    s.field<&Conv1DAttrs::padding>("padding", "with pad 'explicit': [before, after] cells; one number stands for both");
    s.field<&Conv1DAttrs::dilation>("dilation", "distance between neighbouring window cells");
    s.field<&Conv1DAttrs::dim_rounding_mode>("dimRoundingMode", "rounding of the output width with explicit padding",
                                             {"floor", "round", "ceil"});
  }
};

std::vector<Tensor> conv1d_compose(const ComposeCtx& c) {
  const auto& a = c.attrs<Conv1DAttrs>();
  const Tensor &x = c.in[0], &f = c.in[1];
  require(x.rank() == 3, "[conv1d] 'x' must have rank 3, got shape ", x.shape());
  require(f.rank() == 3, "[conv1d] 'filter' must have rank 3, got shape ", f.shape());
  Conv2DAttrs b;
  b.strides = {1, a.stride};
  b.pad = a.pad;
  b.dilations = {1, a.dilation};
  b.dim_rounding_mode = a.dim_rounding_mode;
  if (a.pad == PadMode::kExplicit) {
    require(a.padding.size() == 1 || a.padding.size() == 2, "[conv1d] pad 'explicit' needs padding as [before, after], got ",
            a.padding.size(), " numbers");
    b.padding = {0, 0, a.padding.front(), a.padding.back()};
  } else {
    require(a.padding.empty(), "[conv1d] padding is given, but pad is not 'explicit'");
  }
  const Tensor x4 = reshape_to(x, {x.shape()[0], 1, x.shape()[1], x.shape()[2]});
  const Tensor f4 = reshape_to(f, {1, f.shape()[0], f.shape()[1], f.shape()[2]});
  const Tensor y = call_with("conv2d", {x4, f4}, std::move(b));
  return {reshape_to(y, {y.shape()[0], y.shape()[2], y.shape()[3]})};
}

const RegisterOp kConv1D{{
    .name = "conv1d",
    .doc = "1-D convolution: conv2d of an image of height 1.",
    .family = "convolution",
    .inputs = {{"x", "[batch, width, channels]"}, {"filter", "[width, channels, outputs]"}},
    .attrs = &AttrSchema::of<Conv1DAttrs>,
    .compose = conv1d_compose,
    .tolerance = 1e-4,  // conv2d's
}};

// ---- conv2dTranspose ----------------------------------------------------------------------------------------------------

struct Conv2DTransposeAttrs {
  std::vector<int64_t> output_shape;
  std::vector<int64_t> strides{1, 1};
  PadMode pad = PadMode::kValid;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilations{1, 1};
  DimRounding dim_rounding_mode = DimRounding::kFloor;
  static void describe(AttrSchema& s) {
    s.field<&Conv2DTransposeAttrs::output_shape>("outputShape", "shape of the result, [batch, height, width, channels]").required();
    describe_window<Conv2DTransposeAttrs>(s);
  }
};

std::vector<Tensor> conv2d_transpose_compose(const ComposeCtx& c) {
  const auto& a = c.attrs<Conv2DTransposeAttrs>();
  const Tensor &x = c.in[0], &f = c.in[1];
  require(x.rank() == 4, "[conv2dTranspose] 'x' must have rank 4, got shape ", x.shape());
  require(f.rank() == 4, "[conv2dTranspose] 'filter' must have rank 4, got shape ", f.shape());
  require(a.output_shape.size() == 4, "[conv2dTranspose] outputShape must be 4 numbers, got ", a.output_shape.size());
  require(f.shape()[3] == x.shape()[3], "[conv2dTranspose] filter ", f.shape(), " is for ", f.shape()[3],
          " channels (its last extent), but x has ", x.shape()[3]);
  require(f.shape()[2] == a.output_shape[3], "[conv2dTranspose] filter ", f.shape(), " makes ", f.shape()[2],
          " channels (its third extent), but outputShape asks for ", a.output_shape[3]);
  auto b = window_from<ConvBackpropInputAttrs>(a);
  b.input_shape = a.output_shape;
  return {call_with("conv2dBackpropInput", {x, f}, std::move(b))};
}

const RegisterOp kConv2DTranspose{{
    .name = "conv2dTranspose",
    .doc = "Transposed convolution, the adjoint of the conv2d that maps outputShape to x's shape with this filter (TensorFlow's "
           "Conv2DBackpropInput).",
    .family = "convolution",
    .inputs = {{"x", "[batch, height, width, channels]"}, {"filter", "[height, width, outputs, channels]"}},
    .attrs = &AttrSchema::of<Conv2DTransposeAttrs>,
    .compose = conv2d_transpose_compose,
    .tolerance = 1e-4,  // conv2dBackpropInput's
}};

// ---- separableConv2d ----------------------------------------------------------------------------------------------------

std::vector<Tensor> separable_compose(const ComposeCtx& c) {
  const Tensor &x = c.in[0], &depthwise = c.in[1], &pointwise = c.in[2];
  require(x.rank() == 4, "[separableConv2d] 'x' must have rank 4, got shape ", x.shape());
  require(depthwise.rank() == 4, "[separableConv2d] 'depthwiseFilter' must have rank 4, got shape ", depthwise.shape());
  require(pointwise.rank() == 4, "[separableConv2d] 'pointwiseFilter' must have rank 4, got shape ", pointwise.shape());
  const Shape &d = depthwise.shape(), &p = pointwise.shape();
  require(p[0] == 1 && p[1] == 1, "[separableConv2d] 'pointwiseFilter' must be 1 x 1, got shape ", p);
  require(p[2] == d[2] * d[3], "[separableConv2d] 'pointwiseFilter' ", p, " has ", p[2], " input channels, but the depthwise step makes ",
          d[2] * d[3]);
  const Tensor y = call_with("depthwiseConv2d", {x, depthwise}, Conv2DAttrs(c.attrs<Conv2DAttrs>()));
  return {call_with("conv2d", {y, pointwise}, Conv2DAttrs{})};
}

const RegisterOp kSeparableConv2D{{
    .name = "separableConv2d",
    .doc = "depthwiseConv2d followed by a 1 x 1 conv2d.",
    .family = "convolution",
    .inputs = {{"x", "[batch, height, width, channels]"},
               {"depthwiseFilter", "[height, width, channels, multiplier]"},
               {"pointwiseFilter", "[1, 1, channels * multiplier, outputs]"}},
    .attrs = &AttrSchema::of<Conv2DAttrs>,
    .compose = separable_compose,
    .tolerance = 1e-4,  // its parts'
}};

}  // namespace
}  // namespace tsr::ops
