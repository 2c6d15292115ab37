// TensorFlow's convolutions, pooling, normalisation and image ops. Fused ones become plain ops in a row, which the
// planner fuses again as it sees fit. Data in NCHW order is transposed to NHWC and back.
#include <array>
#include <cmath>
#include <vector>

#include "formats/tfjs/convert.h"

namespace tsr::formats {
namespace {

bool channels_first(const NodeCtx& c) {
  const std::string format = c.node.get_string("data_format", "NHWC");
  if (format == "NHWC" || format == "NDHWC" || format == "NWC") return false;
  if (format == "NCHW") return true;
  c.unsupported("data_format '", format, "' is not supported; NHWC and NCHW are");
}

ValueId to_nhwc(NodeCtx& c, ValueId x, bool nchw) { return nchw ? c.transposed(x, {0, 2, 3, 1}) : x; }
ValueId from_nhwc(NodeCtx& c, ValueId x, bool nchw) { return nchw ? c.transposed(x, {0, 3, 1, 2}) : x; }

// [h, w] of a list with one entry an axis.
std::vector<int64_t> spatial(const NodeCtx& c, const char* attr, bool nchw) {
  const std::vector<int64_t> all = c.node.get_ints(attr);
  if (all.empty()) return {1, 1};
  if (all.size() != 4) c.bad("attribute '", attr, "' must have 4 numbers, found ", all.size());
  const size_t h = nchw ? 2 : 1;
  const size_t batch = 0, channel = nchw ? 1 : 3;
  if (all[batch] != 1 || all[channel] != 1) c.unsupported("attribute '", attr, "' must be 1 for batch and channels");
  return {all[h], all[h + 1]};
}

// strides, pad, padding and (unless pooling) dilations.
void set_window(NodeCtx& c, OpCall& call, bool nchw, bool dilated) {
  call.set("strides", spatial(c, "strides", nchw));
  if (dilated) call.set("dilations", spatial(c, "dilations", nchw));
  const std::string pad = c.node.get_string("padding", "VALID");
  if (pad == "SAME") {
    call.set("pad", std::string("same"));
  } else if (pad == "VALID") {
    call.set("pad", std::string("valid"));
  } else if (pad == "EXPLICIT") {
    const std::vector<int64_t> p = c.node.get_ints("explicit_paddings");
    if (p.size() != 8) c.bad("explicit_paddings must have 8 numbers, found ", p.size());
    const size_t h = nchw ? 4 : 2;
    call.set("pad", std::string("explicit")).set("padding", std::vector<int64_t>{p[h], p[h + 1], p[h + 2], p[h + 3]});
  } else {
    c.unsupported("padding '", pad, "' is not supported; SAME, VALID and EXPLICIT are");
  }
}

// y = x * scale / sqrt(variance + epsilon) + (offset - mean * ...), NHWC, folded into two constants where the
// statistics are constant.
ValueId batch_norm(NodeCtx& c, ValueId x, size_t first, double epsilon) {
  ConstantData scale, offset, mean, variance;
  const bool folded = c.constant(first, scale) && c.constant(first + 1, offset) && c.constant(first + 2, mean) &&
                      c.constant(first + 3, variance);
  if (folded) {
    const size_t n = scale.values.size();
    if (offset.values.size() != n || mean.values.size() != n || variance.values.size() != n) {
      c.bad("scale, offset, mean and variance have ", n, ", ", offset.values.size(), ", ", mean.values.size(), " and ",
            variance.values.size(), " elements; they must agree (batch norms for training are not supported)");
    }
    std::vector<float> factor(n), shift(n);
    for (size_t i = 0; i < n; ++i) {
      const double f = scale.values[i] / std::sqrt(variance.values[i] + epsilon);
      factor[i] = static_cast<float>(f);
      shift[i] = static_cast<float>(offset.values[i] - mean.values[i] * f);
    }
    const Shape shape{static_cast<int64_t>(n)};
    return c.call("add", {c.call("mul", {x, c.add_constant(shape, factor)}), c.add_constant(shape, shift)});
  }
  const float eps = static_cast<float>(epsilon);
  const ValueId e = c.add_constant(Shape{}, std::span<const float>(&eps, 1));
  const ValueId factor = c.call("mul", {c.in(first), c.call("rsqrt", {c.call("add", {c.in(first + 3), e})})});
  const ValueId centred = c.call("sub", {x, c.in(first + 2)});
  return c.call("add", {c.call("mul", {centred, factor}), c.in(first + 1)});
}

// Applies "fused_ops" to y; their operands begin at input `next`.
ValueId fused(NodeCtx& c, ValueId y, size_t next) {
  for (const std::string& op : c.node.get_strings("fused_ops")) {
    if (op == "BiasAdd")
      y = c.call("add", {y, c.in(next++)});
    else if (op == "Relu")
      y = c.call("relu", {y});
    else if (op == "Relu6")
      y = c.call("relu6", {y});
    else if (op == "Elu")
      y = c.call("elu", {y});
    else if (op == "Sigmoid")
      y = c.call("sigmoid", {y});
    else if (op == "Tanh")
      y = c.call("tanh", {y});
    else if (op == "Prelu")
      y = c.call("prelu", {y, c.in(next++)});
    else if (op == "LeakyRelu")
      y = c.op("leakyRelu").in(y).set("alpha", c.node.get_float("leakyrelu_alpha", 0.2)).emit();
    else if (op == "FusedBatchNorm") {
      y = batch_norm(c, y, next, c.node.get_float("epsilon", 1e-4));
      next += 4;
    } else {
      c.unsupported("the fused op '", op, "' is not supported");
    }
  }
  return y;
}

void conv(NodeCtx& c, const char* op) {
  const bool nchw = channels_first(c);
  OpCall call = c.op(op);
  call.in({to_nhwc(c, c.in(0), nchw), c.in(1)});
  set_window(c, call, nchw, true);
  c.out(from_nhwc(c, fused(c, call.emit(), 2), nchw));
}

void conv1d(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  const std::string pad = c.node.get_string("padding", "VALID");
  const int64_t dilation = c.node.get_int("dilation", 1);
  call.in({c.in(0), c.in(1)}).set("stride", c.node.get_int("stride", 1)).set("dilation", dilation);
  c.out(call.set("pad", std::string(pad == "SAME" ? "same" : "valid")).emit());
}

void conv_backprop_input(NodeCtx& c, const char* op) {
  // (input_sizes, filter, out_backprop)
  const bool nchw = channels_first(c);
  if (nchw) c.unsupported("data_format 'NCHW' is not supported here");
  OpCall call = c.op(op);
  call.in({c.in(2), c.in(1)}).bind("inputShape", 0);
  set_window(c, call, nchw, true);
  c.out(call.emit());
}

void pool(NodeCtx& c, const char* op) {
  const bool nchw = channels_first(c);
  OpCall call = c.op(op);
  call.in(to_nhwc(c, c.in(0), nchw)).set("filterSize", spatial(c, "ksize", nchw));
  set_window(c, call, nchw, false);
  c.out(from_nhwc(c, call.emit(), nchw));
}

void pool_argmax(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  call.in(c.in(0)).set("filterSize", spatial(c, "ksize", false)).set("strides", spatial(c, "strides", false));
  call.set("pad", std::string(c.node.get_string("padding", "VALID") == "SAME" ? "same" : "valid"));
  c.out(call.set("includeBatchInIndex", c.node.get_bool("include_batch_in_index", false)).emit(2), 2);
}

void fused_mat_mul(NodeCtx& c, const char* op) {
  const ValueId y = c.op(op)
                        .in({c.in(0), c.in(1)})
                        .set("transposeA", c.node.get_bool("transpose_a", false))
                        .set("transposeB", c.node.get_bool("transpose_b", false))
                        .emit();
  c.out(fused(c, y, 2));
}

void bias_add(NodeCtx& c, const char* op) {
  const bool nchw = c.node.get_string("data_format", "NHWC") == "NCHW";
  ValueId bias = c.in(1);
  if (nchw) bias = c.op("reshape").in(bias).set("shape", std::vector<int64_t>{-1, 1, 1}).emit();
  c.out(c.call(op, {c.in(0), bias}));
}

void fused_batch_norm(NodeCtx& c, const char*) {
  // (x, scale, offset, mean, variance). Only the first output exists in inference.
  const bool nchw = channels_first(c);
  const ValueId y = batch_norm(c, to_nhwc(c, c.in(0), nchw), 1, c.node.get_float("epsilon", 1e-4));
  c.out(from_nhwc(c, y, nchw));
  c.out(c.in(3));
  c.out(c.in(4));
}

void lrn(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .in(c.in(0))
            .set("depthRadius", c.node.get_int("depth_radius", 5))
            .set("bias", c.node.get_float("bias", 1))
            .set("alpha", c.node.get_float("alpha", 1))
            .set("beta", c.node.get_float("beta", 0.5))
            .emit());
}

void resize(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .in(c.in(0))
            .bind("size", 1)
            .set("alignCorners", c.node.get_bool("align_corners", false))
            .set("halfPixelCenters", c.node.get_bool("half_pixel_centers", false))
            .emit());
}

void crop_and_resize(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .in({c.in(0), c.in(1), c.in(2)})
            .bind("cropSize", 3)
            .set("method", c.node.get_string("method", "bilinear"))
            .set("extrapolationValue", c.node.get_float("extrapolation_value", 0))
            .emit());
}

// (boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma); V2 ends after iou_threshold.
void nms(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  call.in({c.in(0), c.in(1)}).bind("maxOutputSize", 2).bind("iouThreshold", 3);
  if (c.num_inputs() > 4) call.bind("scoreThreshold", 4);
  c.out(call.emit());
}

void nms_padded(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  call.in({c.in(0), c.in(1)}).bind("maxOutputSize", 2).bind("iouThreshold", 3).bind("scoreThreshold", 4);
  c.out(call.set("padToMaxOutputSize", c.node.get_bool("pad_to_max_output_size", false)).emit(2), 2);
}

void nms_with_score(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  call.in({c.in(0), c.in(1)})
      .bind("maxOutputSize", 2)
      .bind("iouThreshold", 3)
      .bind("scoreThreshold", 4)
      .bind("softNmsSigma", 5);
  const ValueId first = call.emit(2);
  c.out(first, 2);
  c.out(c.call("size", {first}));  // valid_outputs
}

}  // namespace

std::span<const TfOp> neural_tf_ops() {
  static const std::vector<TfOp> table = {
      {"Conv2D", "conv2d", conv},
      {"_FusedConv2D", "conv2d", conv},
      {"DepthwiseConv2d", "depthwiseConv2d", conv},
      {"DepthwiseConv2dNative", "depthwiseConv2d", conv},
      {"FusedDepthwiseConv2dNative", "depthwiseConv2d", conv},
      {"Conv1D", "conv1d", conv1d},
      {"Conv2DBackpropInput", "conv2dBackpropInput", conv_backprop_input},
      {"MaxPool", "maxPool", pool},
      {"AvgPool", "avgPool", pool},
      {"MaxPoolWithArgmax", "maxPoolWithArgmax", pool_argmax},
      {"_FusedMatMul", "matMul", fused_mat_mul},
      {"BiasAdd", "add", bias_add},
      {"FusedBatchNorm", "mul", fused_batch_norm},
      {"FusedBatchNormV2", "mul", fused_batch_norm},
      {"FusedBatchNormV3", "mul", fused_batch_norm},
      {"LRN", "localResponseNormalization", lrn},
      {"ResizeBilinear", "resizeBilinear", resize},
      {"ResizeNearestNeighbor", "resizeNearestNeighbor", resize},
      {"CropAndResize", "cropAndResize", crop_and_resize},
      {"NonMaxSuppressionV2", "nonMaxSuppression", nms},
      {"NonMaxSuppressionV3", "nonMaxSuppression", nms},
      {"NonMaxSuppressionV4", "nonMaxSuppressionPadded", nms_padded},
      {"NonMaxSuppressionV5", "nonMaxSuppressionWithScore", nms_with_score},
  };
  return table;
}

}  // namespace tsr::formats
