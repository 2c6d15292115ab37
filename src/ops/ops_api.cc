// Written by tessera_gen from the op registry; do not edit. The functions of tessera/ops.h: each is one call by name.
#include "tessera/ops.h"

#include "base/error.h"
#include "tessera/attr_value.h"

namespace tsr {
namespace {

// The inputs without the optional ones that were left out.
struct Inputs {
  const char* op;
  std::vector<Tensor> list;
  bool ended = false;
  void need(const Tensor& t) { list.push_back(t); }
  void may(const Tensor& t) {
    if (!t.defined()) {
      ended = true;
      return;
    }
    require(!ended, "[", op, "] an optional input may be given only when those before it are");
    list.push_back(t);
  }
  void all(std::span<const Tensor> tensors) { list.insert(list.end(), tensors.begin(), tensors.end()); }
};

[[maybe_unused]] Tensor one(std::vector<Tensor> outputs) { return std::move(outputs.at(0)); }

}  // namespace

Tensor abs(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("abs", in_, {}));
}

Tensor acos(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("acos", in_, {}));
}

Tensor acosh(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("acosh", in_, {}));
}

Tensor add(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("add", in_, {}));
}

Tensor all(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return one(call("all", in_, attrs_));
}

Tensor any(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return one(call("any", in_, attrs_));
}

Tensor arg_max(const Tensor& x, int64_t axis) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis};
  return one(call("argMax", in_, attrs_));
}

Tensor arg_min(const Tensor& x, int64_t axis) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis};
  return one(call("argMin", in_, attrs_));
}

Tensor asin(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("asin", in_, {}));
}

Tensor asinh(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("asinh", in_, {}));
}

Tensor atan(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("atan", in_, {}));
}

Tensor atan2(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("atan2", in_, {}));
}

Tensor atanh(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("atanh", in_, {}));
}

Tensor avg_pool(const Tensor& x, const Ints& filter_size, const Ints& strides, const char* pad, const Ints& padding,
    const Ints& dilations, const char* dim_rounding_mode) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {filter_size.values, strides.values, std::string(pad), padding.values, dilations.values, std::string(dim_rounding_mode)};
  return one(call("avgPool", in_, attrs_));
}

Tensor batch_norm(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& offset,
    const Tensor& scale, double variance_epsilon) {
  Inputs in_{"batchNorm", {}};
  in_.need(x);
  in_.need(mean);
  in_.need(variance);
  in_.may(offset);
  in_.may(scale);
  const AttrValue attrs_[] = {variance_epsilon};
  return one(call("batchNorm", in_.list, attrs_));
}

Tensor batch_to_space_nd(const Tensor& x, const Ints& block_shape, const Ints& crops) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {block_shape.values, crops.values};
  return one(call("batchToSpaceND", in_, attrs_));
}

Tensor bincount(const Tensor& x, const Tensor& weights, int64_t size) {
  const Tensor in_[] = {x, weights};
  const AttrValue attrs_[] = {size};
  return one(call("bincount", in_, attrs_));
}

Tensor bitwise_and(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("bitwiseAnd", in_, {}));
}

Tensor boolean_mask(const Tensor& tensor, const Tensor& mask, int64_t axis) {
  const Tensor in_[] = {tensor, mask};
  const AttrValue attrs_[] = {axis};
  return one(call("booleanMask", in_, attrs_));
}

Tensor broadcast_to(const Tensor& x, const Ints& shape) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {shape.values};
  return one(call("broadcastTo", in_, attrs_));
}

Tensor cast(const Tensor& x, DType dtype) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {dtype};
  return one(call("cast", in_, attrs_));
}

Tensor ceil(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("ceil", in_, {}));
}

Tensor clip_by_value(const Tensor& x, double clip_value_min, double clip_value_max) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {clip_value_min, clip_value_max};
  return one(call("clipByValue", in_, attrs_));
}

Tensor concat(std::span<const Tensor> tensors, int64_t axis) {
  Inputs in_{"concat", {}};
  in_.all(tensors);
  const AttrValue attrs_[] = {axis};
  return one(call("concat", in_.list, attrs_));
}
Tensor concat(std::initializer_list<Tensor> tensors, int64_t axis) {
  return concat(std::span<const Tensor>(tensors.begin(), tensors.size()), axis);
}

Tensor conv1d(const Tensor& x, const Tensor& filter, int64_t stride, const char* pad, const Ints& padding,
    int64_t dilation, const char* dim_rounding_mode) {
  const Tensor in_[] = {x, filter};
  const AttrValue attrs_[] = {stride, std::string(pad), padding.values, dilation, std::string(dim_rounding_mode)};
  return one(call("conv1d", in_, attrs_));
}

Tensor conv2d(const Tensor& x, const Tensor& filter, const Ints& strides, const char* pad, const Ints& padding,
    const Ints& dilations, const char* dim_rounding_mode) {
  const Tensor in_[] = {x, filter};
  const AttrValue attrs_[] = {strides.values, std::string(pad), padding.values, dilations.values, std::string(dim_rounding_mode)};
  return one(call("conv2d", in_, attrs_));
}

Tensor conv2d_transpose(const Tensor& x, const Tensor& filter, const Ints& output_shape, const Ints& strides,
    const char* pad, const Ints& padding, const Ints& dilations, const char* dim_rounding_mode) {
  const Tensor in_[] = {x, filter};
  const AttrValue attrs_[] = {output_shape.values, strides.values, std::string(pad), padding.values, dilations.values, std::string(dim_rounding_mode)};
  return one(call("conv2dTranspose", in_, attrs_));
}

Tensor cos(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("cos", in_, {}));
}

Tensor cosh(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("cosh", in_, {}));
}

Tensor crop_and_resize(const Tensor& image, const Tensor& boxes, const Tensor& box_ind, const Ints& crop_size,
    const char* method, double extrapolation_value) {
  const Tensor in_[] = {image, boxes, box_ind};
  const AttrValue attrs_[] = {crop_size.values, std::string(method), extrapolation_value};
  return one(call("cropAndResize", in_, attrs_));
}

Tensor cumprod(const Tensor& x, int64_t axis, bool exclusive, bool reverse) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis, exclusive, reverse};
  return one(call("cumprod", in_, attrs_));
}

Tensor cumsum(const Tensor& x, int64_t axis, bool exclusive, bool reverse) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis, exclusive, reverse};
  return one(call("cumsum", in_, attrs_));
}

Tensor dense_bincount(const Tensor& x, const Tensor& weights, int64_t size, bool binary_output) {
  const Tensor in_[] = {x, weights};
  const AttrValue attrs_[] = {size, binary_output};
  return one(call("denseBincount", in_, attrs_));
}

Tensor depth_to_space(const Tensor& x, int64_t block_size, const char* data_format) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {block_size, std::string(data_format)};
  return one(call("depthToSpace", in_, attrs_));
}

Tensor depthwise_conv2d(const Tensor& x, const Tensor& filter, const Ints& strides, const char* pad,
    const Ints& padding, const Ints& dilations, const char* dim_rounding_mode) {
  const Tensor in_[] = {x, filter};
  const AttrValue attrs_[] = {strides.values, std::string(pad), padding.values, dilations.values, std::string(dim_rounding_mode)};
  return one(call("depthwiseConv2d", in_, attrs_));
}

Tensor div(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("div", in_, {}));
}

Tensor div_no_nan(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("divNoNan", in_, {}));
}

Tensor dot(const Tensor& t1, const Tensor& t2) {
  const Tensor in_[] = {t1, t2};
  return one(call("dot", in_, {}));
}

Tensor dropout(const Tensor& x, double rate, const Ints& noise_shape, double seed) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {rate, noise_shape.values, seed};
  return one(call("dropout", in_, attrs_));
}

Tensor elu(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("elu", in_, {}));
}

Tensor equal(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("equal", in_, {}));
}

Tensor erf(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("erf", in_, {}));
}

Tensor exp(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("exp", in_, {}));
}

Tensor expand_dims(const Tensor& x, int64_t axis) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis};
  return one(call("expandDims", in_, attrs_));
}

Tensor expm1(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("expm1", in_, {}));
}

Tensor eye(int64_t num_rows, int64_t num_columns, const Ints& batch_shape, DType dtype) {
  const AttrValue attrs_[] = {num_rows, num_columns, batch_shape.values, dtype};
  return one(call("eye", {}, attrs_));
}

Tensor fill(const Ints& shape, double value, DType dtype) {
  const AttrValue attrs_[] = {shape.values, value, dtype};
  return one(call("fill", {}, attrs_));
}

Tensor flip_left_right(const Tensor& image) {
  const Tensor in_[] = {image};
  return one(call("flipLeftRight", in_, {}));
}

Tensor floor(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("floor", in_, {}));
}

Tensor floor_div(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("floorDiv", in_, {}));
}

Tensor gather(const Tensor& x, const Tensor& indices, int64_t axis, int64_t batch_dims) {
  const Tensor in_[] = {x, indices};
  const AttrValue attrs_[] = {axis, batch_dims};
  return one(call("gather", in_, attrs_));
}

Tensor gather_nd(const Tensor& x, const Tensor& indices) {
  const Tensor in_[] = {x, indices};
  return one(call("gatherND", in_, {}));
}

Tensor grayscale_to_rgb(const Tensor& image) {
  const Tensor in_[] = {image};
  return one(call("grayscaleToRGB", in_, {}));
}

Tensor greater(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("greater", in_, {}));
}

Tensor greater_equal(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("greaterEqual", in_, {}));
}

Tensor identity(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("identity", in_, {}));
}

Tensor in_top_k(const Tensor& predictions, const Tensor& targets, int64_t k) {
  const Tensor in_[] = {predictions, targets};
  const AttrValue attrs_[] = {k};
  return one(call("inTopK", in_, attrs_));
}

Tensor is_finite(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("isFinite", in_, {}));
}

Tensor is_inf(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("isInf", in_, {}));
}

Tensor is_na_n(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("isNaN", in_, {}));
}

Tensor leaky_relu(const Tensor& x, double alpha) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {alpha};
  return one(call("leakyRelu", in_, attrs_));
}

Tensor less(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("less", in_, {}));
}

Tensor less_equal(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("lessEqual", in_, {}));
}

Tensor linspace(double start, double stop, int64_t num) {
  const AttrValue attrs_[] = {start, stop, num};
  return one(call("linspace", {}, attrs_));
}

Tensor log(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("log", in_, {}));
}

Tensor log1p(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("log1p", in_, {}));
}

Tensor log_sigmoid(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("logSigmoid", in_, {}));
}

Tensor log_softmax(const Tensor& logits, int64_t axis) {
  const Tensor in_[] = {logits};
  const AttrValue attrs_[] = {axis};
  return one(call("logSoftmax", in_, attrs_));
}

Tensor log_sum_exp(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return one(call("logSumExp", in_, attrs_));
}

Tensor logical_and(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("logicalAnd", in_, {}));
}

Tensor logical_not(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("logicalNot", in_, {}));
}

Tensor logical_or(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("logicalOr", in_, {}));
}

Tensor logical_xor(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("logicalXor", in_, {}));
}

Tensor lower_bound(const Tensor& sorted_sequence, const Tensor& values) {
  const Tensor in_[] = {sorted_sequence, values};
  return one(call("lowerBound", in_, {}));
}

Tensor mat_mul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  const Tensor in_[] = {a, b};
  const AttrValue attrs_[] = {transpose_a, transpose_b};
  return one(call("matMul", in_, attrs_));
}

Tensor max(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return one(call("max", in_, attrs_));
}

Tensor max_pool(const Tensor& x, const Ints& filter_size, const Ints& strides, const char* pad, const Ints& padding,
    const Ints& dilations, const char* dim_rounding_mode) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {filter_size.values, strides.values, std::string(pad), padding.values, dilations.values, std::string(dim_rounding_mode)};
  return one(call("maxPool", in_, attrs_));
}

std::vector<Tensor> max_pool_with_argmax(const Tensor& x, const Ints& filter_size, const Ints& strides,
    const char* pad, bool include_batch_in_index) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {filter_size.values, strides.values, std::string(pad), include_batch_in_index};
  return call("maxPoolWithArgmax", in_, attrs_);
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("maximum", in_, {}));
}

Tensor mean(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return one(call("mean", in_, attrs_));
}

Tensor min(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return one(call("min", in_, attrs_));
}

Tensor minimum(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("minimum", in_, {}));
}

Tensor mirror_pad(const Tensor& x, const Ints& paddings, const char* mode) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {paddings.values, std::string(mode)};
  return one(call("mirrorPad", in_, attrs_));
}

Tensor mod(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("mod", in_, {}));
}

std::vector<Tensor> moments(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return call("moments", in_, attrs_);
}

Tensor mul(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("mul", in_, {}));
}

Tensor multinomial(const Tensor& logits, int64_t num_samples, double seed, bool normalized) {
  const Tensor in_[] = {logits};
  const AttrValue attrs_[] = {num_samples, seed, normalized};
  return one(call("multinomial", in_, attrs_));
}

Tensor neg(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("neg", in_, {}));
}

Tensor non_max_suppression(const Tensor& boxes, const Tensor& scores, int64_t max_output_size, double iou_threshold,
    double score_threshold) {
  const Tensor in_[] = {boxes, scores};
  const AttrValue attrs_[] = {max_output_size, iou_threshold, score_threshold};
  return one(call("nonMaxSuppression", in_, attrs_));
}

std::vector<Tensor> non_max_suppression_padded(const Tensor& boxes, const Tensor& scores, int64_t max_output_size,
    double iou_threshold, double score_threshold, bool pad_to_max_output_size) {
  const Tensor in_[] = {boxes, scores};
  const AttrValue attrs_[] = {max_output_size, iou_threshold, score_threshold, pad_to_max_output_size};
  return call("nonMaxSuppressionPadded", in_, attrs_);
}

std::vector<Tensor> non_max_suppression_with_score(const Tensor& boxes, const Tensor& scores, int64_t max_output_size,
    double iou_threshold, double score_threshold, double soft_nms_sigma) {
  const Tensor in_[] = {boxes, scores};
  const AttrValue attrs_[] = {max_output_size, iou_threshold, score_threshold, soft_nms_sigma};
  return call("nonMaxSuppressionWithScore", in_, attrs_);
}

Tensor norm(const Tensor& x, std::string ord, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {ord, axis.values, keep_dims};
  return one(call("norm", in_, attrs_));
}

Tensor not_equal(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("notEqual", in_, {}));
}

Tensor one_hot(const Tensor& indices, int64_t depth, double on_value, double off_value, DType dtype) {
  const Tensor in_[] = {indices};
  const AttrValue attrs_[] = {depth, on_value, off_value, dtype};
  return one(call("oneHot", in_, attrs_));
}

Tensor ones_like(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("onesLike", in_, {}));
}

Tensor outer_product(const Tensor& v1, const Tensor& v2) {
  const Tensor in_[] = {v1, v2};
  return one(call("outerProduct", in_, {}));
}

Tensor pad(const Tensor& x, const Ints& paddings, double constant_value) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {paddings.values, constant_value};
  return one(call("pad", in_, attrs_));
}

Tensor pow(const Tensor& base, const Tensor& exp) {
  const Tensor in_[] = {base, exp};
  return one(call("pow", in_, {}));
}

Tensor prelu(const Tensor& x, const Tensor& alpha) {
  const Tensor in_[] = {x, alpha};
  return one(call("prelu", in_, {}));
}

Tensor prod(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return one(call("prod", in_, attrs_));
}

Tensor random_normal(const Ints& shape, double mean, double std_dev, DType dtype, double seed) {
  const AttrValue attrs_[] = {shape.values, mean, std_dev, dtype, seed};
  return one(call("randomNormal", {}, attrs_));
}

Tensor random_uniform(const Ints& shape, double minval, double maxval, DType dtype, double seed) {
  const AttrValue attrs_[] = {shape.values, minval, maxval, dtype, seed};
  return one(call("randomUniform", {}, attrs_));
}

Tensor random_uniform_int(const Ints& shape, int64_t minval, int64_t maxval, double seed) {
  const AttrValue attrs_[] = {shape.values, minval, maxval, seed};
  return one(call("randomUniformInt", {}, attrs_));
}

Tensor range(double start, double stop, double step, DType dtype) {
  const AttrValue attrs_[] = {start, stop, step, dtype};
  return one(call("range", {}, attrs_));
}

Tensor reciprocal(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("reciprocal", in_, {}));
}

Tensor relu(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("relu", in_, {}));
}

Tensor relu6(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("relu6", in_, {}));
}

Tensor reshape(const Tensor& x, const Ints& shape) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {shape.values};
  return one(call("reshape", in_, attrs_));
}

Tensor resize_bilinear(const Tensor& images, const Ints& size, bool align_corners, bool half_pixel_centers) {
  const Tensor in_[] = {images};
  const AttrValue attrs_[] = {size.values, align_corners, half_pixel_centers};
  return one(call("resizeBilinear", in_, attrs_));
}

Tensor resize_nearest_neighbor(const Tensor& images, const Ints& size, bool align_corners, bool half_pixel_centers) {
  const Tensor in_[] = {images};
  const AttrValue attrs_[] = {size.values, align_corners, half_pixel_centers};
  return one(call("resizeNearestNeighbor", in_, attrs_));
}

Tensor reverse(const Tensor& x, const Ints& axis) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values};
  return one(call("reverse", in_, attrs_));
}

Tensor rgb_to_grayscale(const Tensor& image) {
  const Tensor in_[] = {image};
  return one(call("rgbToGrayscale", in_, {}));
}

Tensor rotate_with_offset(const Tensor& image, double radians, const std::vector<double>& fill_value,
    const std::vector<double>& center) {
  const Tensor in_[] = {image};
  const AttrValue attrs_[] = {radians, fill_value, center};
  return one(call("rotateWithOffset", in_, attrs_));
}

Tensor round(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("round", in_, {}));
}

Tensor rsqrt(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("rsqrt", in_, {}));
}

Tensor scatter_nd(const Tensor& indices, const Tensor& updates, const Ints& shape) {
  const Tensor in_[] = {indices, updates};
  const AttrValue attrs_[] = {shape.values};
  return one(call("scatterND", in_, attrs_));
}

Tensor search_sorted(const Tensor& sorted_sequence, const Tensor& values, const char* side) {
  const Tensor in_[] = {sorted_sequence, values};
  const AttrValue attrs_[] = {std::string(side)};
  return one(call("searchSorted", in_, attrs_));
}

Tensor selu(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("selu", in_, {}));
}

Tensor separable_conv2d(const Tensor& x, const Tensor& depthwise_filter, const Tensor& pointwise_filter,
    const Ints& strides, const char* pad, const Ints& padding, const Ints& dilations, const char* dim_rounding_mode) {
  const Tensor in_[] = {x, depthwise_filter, pointwise_filter};
  const AttrValue attrs_[] = {strides.values, std::string(pad), padding.values, dilations.values, std::string(dim_rounding_mode)};
  return one(call("separableConv2d", in_, attrs_));
}

std::vector<Tensor> setdiff1d(const Tensor& x, const Tensor& y) {
  const Tensor in_[] = {x, y};
  return call("setdiff1d", in_, {});
}

Tensor sigmoid(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("sigmoid", in_, {}));
}

Tensor sign(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("sign", in_, {}));
}

Tensor sin(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("sin", in_, {}));
}

Tensor sinh(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("sinh", in_, {}));
}

Tensor slice(const Tensor& x, const Ints& begin, const Ints& size) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {begin.values, size.values};
  return one(call("slice", in_, attrs_));
}

Tensor softmax(const Tensor& logits, int64_t dim) {
  const Tensor in_[] = {logits};
  const AttrValue attrs_[] = {dim};
  return one(call("softmax", in_, attrs_));
}

Tensor softplus(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("softplus", in_, {}));
}

Tensor space_to_batch_nd(const Tensor& x, const Ints& block_shape, const Ints& paddings) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {block_shape.values, paddings.values};
  return one(call("spaceToBatchND", in_, attrs_));
}

Tensor space_to_depth(const Tensor& x, int64_t block_size, const char* data_format) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {block_size, std::string(data_format)};
  return one(call("spaceToDepth", in_, attrs_));
}

std::vector<Tensor> split(const Tensor& x, const Ints& num_or_size_splits, int64_t axis) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {num_or_size_splits.values, axis};
  return call("split", in_, attrs_);
}

Tensor sqrt(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("sqrt", in_, {}));
}

Tensor square(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("square", in_, {}));
}

Tensor squared_difference(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("squaredDifference", in_, {}));
}

Tensor squeeze(const Tensor& x, const Ints& axis) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values};
  return one(call("squeeze", in_, attrs_));
}

Tensor stack(std::span<const Tensor> tensors, int64_t axis) {
  Inputs in_{"stack", {}};
  in_.all(tensors);
  const AttrValue attrs_[] = {axis};
  return one(call("stack", in_.list, attrs_));
}
Tensor stack(std::initializer_list<Tensor> tensors, int64_t axis) {
  return stack(std::span<const Tensor>(tensors.begin(), tensors.size()), axis);
}

Tensor step(const Tensor& x, double alpha) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {alpha};
  return one(call("step", in_, attrs_));
}

Tensor stop_gradient(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("stopGradient", in_, {}));
}

Tensor strided_slice(const Tensor& x, const Ints& begin, const Ints& end, const Ints& strides, int64_t begin_mask,
    int64_t end_mask, int64_t ellipsis_mask, int64_t new_axis_mask, int64_t shrink_axis_mask) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {begin.values, end.values, strides.values, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask};
  return one(call("stridedSlice", in_, attrs_));
}

Tensor sub(const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {a, b};
  return one(call("sub", in_, {}));
}

Tensor sum(const Tensor& x, const Ints& axis, bool keep_dims) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis.values, keep_dims};
  return one(call("sum", in_, attrs_));
}

Tensor tan(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("tan", in_, {}));
}

Tensor tanh(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("tanh", in_, {}));
}

Tensor tensor_scatter_update(const Tensor& tensor, const Tensor& indices, const Tensor& updates) {
  const Tensor in_[] = {tensor, indices, updates};
  return one(call("tensorScatterUpdate", in_, {}));
}

Tensor tile(const Tensor& x, const Ints& reps) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {reps.values};
  return one(call("tile", in_, attrs_));
}

std::vector<Tensor> topk(const Tensor& x, int64_t k, bool sorted) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {k, sorted};
  return call("topk", in_, attrs_);
}

Tensor transpose(const Tensor& x, const Ints& perm) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {perm.values};
  return one(call("transpose", in_, attrs_));
}

Tensor truncated_normal(const Ints& shape, double mean, double std_dev, DType dtype, double seed) {
  const AttrValue attrs_[] = {shape.values, mean, std_dev, dtype, seed};
  return one(call("truncatedNormal", {}, attrs_));
}

std::vector<Tensor> unique(const Tensor& x, int64_t axis) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis};
  return call("unique", in_, attrs_);
}

Tensor unsorted_segment_sum(const Tensor& x, const Tensor& segment_ids, int64_t num_segments) {
  const Tensor in_[] = {x, segment_ids};
  const AttrValue attrs_[] = {num_segments};
  return one(call("unsortedSegmentSum", in_, attrs_));
}

std::vector<Tensor> unstack(const Tensor& x, int64_t axis) {
  const Tensor in_[] = {x};
  const AttrValue attrs_[] = {axis};
  return call("unstack", in_, attrs_);
}

Tensor upper_bound(const Tensor& sorted_sequence, const Tensor& values) {
  const Tensor in_[] = {sorted_sequence, values};
  return one(call("upperBound", in_, {}));
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Tensor in_[] = {condition, a, b};
  return one(call("where", in_, {}));
}

Tensor where_indices(const Tensor& condition) {
  const Tensor in_[] = {condition};
  return one(call("whereIndices", in_, {}));
}

Tensor zeros_like(const Tensor& x) {
  const Tensor in_[] = {x};
  return one(call("zerosLike", in_, {}));
}

}  // namespace tsr
