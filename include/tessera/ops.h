// Written by tessera_gen from the op registry; do not edit. Every op as a C++ function.
//
// All functions check their arguments at once and throw tsr::Error; the values are computed when they are read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tessera/dtype.h"
#include "tessera/shape.h"
#include "tessera/tensor.h"

namespace tsr {

/// A list of integers as ops take it: axes, a shape, strides. From one number, {1, 2}, a vector or a Shape.
struct Ints {
  std::vector<int64_t> values;
  Ints() = default;
  Ints(int64_t one) : values{one} {}                                // NOLINT: sum(x, 0)
  Ints(std::initializer_list<int64_t> list) : values(list) {}       // NOLINT: sum(x, {0, 1})
  Ints(std::vector<int64_t> list) : values(std::move(list)) {}      // NOLINT
  Ints(const Shape& shape) : values(shape.vector()) {}              // NOLINT: reshape(x, y.shape())
};

/// Absolute value.
///   x: any shape
Tensor abs(const Tensor& x);

/// Inverse cosine in [0, pi]; NaN outside [-1, 1].
///   x: any shape
Tensor acos(const Tensor& x);

/// Inverse hyperbolic cosine; NaN below 1.
///   x: any shape
Tensor acosh(const Tensor& x);

/// a + b.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor add(const Tensor& a, const Tensor& b);

/// True where all elements along the axes are true; true where there are none.
///   x: a bool tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
Tensor all(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// True where any element along the axes is true; false where there are none.
///   x: a bool tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
Tensor any(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// Index of the largest element along an axis, as int32: the first one of several; the first NaN if there is one.
///   x: any numeric tensor of rank 1 or more
///   axis: the axis to search along
Tensor arg_max(const Tensor& x, int64_t axis = 0);

/// Index of the smallest element along an axis, as int32: the first one of several; the first NaN if there is one.
///   x: any numeric tensor of rank 1 or more
///   axis: the axis to search along
Tensor arg_min(const Tensor& x, int64_t axis = 0);

/// Inverse sine in [-pi/2, pi/2]; NaN outside [-1, 1].
///   x: any shape
Tensor asin(const Tensor& x);

/// Inverse hyperbolic sine.
///   x: any shape
Tensor asinh(const Tensor& x);

/// Inverse tangent in [-pi/2, pi/2].
///   x: any shape
Tensor atan(const Tensor& x);

/// The angle of the point (b, a) in (-pi, pi].
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor atan2(const Tensor& a, const Tensor& b);

/// Inverse hyperbolic tangent; NaN outside [-1, 1].
///   x: any shape
Tensor atanh(const Tensor& x);

/// The mean of each window of an NHWC image, per channel. Padding does not count: at the borders the mean is over the
/// cells inside the image. int32 means truncate toward zero.
///   x: [batch, height, width, channels]
///   filter_size: size of the window as [h, w]
///   strides: step of the window as [h, w]
///   pad: padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding): "same" "valid"
///   "explicit"
///   padding: with pad 'explicit': [top, bottom, left, right] cells
///   dilations: distance between neighbouring window cells as [h, w]
///   dim_rounding_mode: rounding of the output extent with explicit padding: "floor" "round" "ceil"
Tensor avg_pool(const Tensor& x, const Ints& filter_size, const Ints& strides = {1, 1}, const char* pad = "valid",
    const Ints& padding = {}, const Ints& dilations = {1, 1}, const char* dim_rounding_mode = "floor");

/// (x - mean) * scale / sqrt(variance + varianceEpsilon) + offset.
///   x: any float tensor
///   mean: broadcasts to x
///   variance: broadcasts to x
///   offset: broadcasts to x; none: 0
///   scale: broadcasts to x; none: 1
///   variance_epsilon: added to the variance, against division by zero
Tensor batch_norm(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& offset = {},
    const Tensor& scale = {}, double variance_epsilon = 0.001);

/// The inverse of spaceToBatchND: lays batches out as blocks of blockShape, then crops the spatial axes.
///   x: [batch, spatial..., rest...]
///   block_shape: block extent of each spatial axis
///   crops: [before, after] of each spatial axis
Tensor batch_to_space_nd(const Tensor& x, const Ints& block_shape, const Ints& crops);

/// How often each of 0 .. size - 1 occurs in x, or the sum of the weights there. Other values are dropped.
///   x: int32 vector
///   weights: x's shape, or no elements; its dtype is the result's
///   size: number of bins
Tensor bincount(const Tensor& x, const Tensor& weights, int64_t size);

/// The bits that a and b both have.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor bitwise_and(const Tensor& a, const Tensor& b);

/// The slices of a tensor where the mask is true, in row-major order, along one new dimension in place of the mask's.
///   tensor: any shape
///   mask: bool; its shape equals the tensor's from `axis` on
///   axis: where the mask's dimensions begin in the tensor's
Tensor boolean_mask(const Tensor& tensor, const Tensor& mask, int64_t axis = 0);

/// Repeats axes of extent 1, and adds leading ones, until the shape is the wanted one.
///   x: a numeric tensor whose shape broadcasts to `shape`
///   shape: shape of the result
Tensor broadcast_to(const Tensor& x, const Ints& shape);

/// x in another dtype. Floats become integers by dropping the fraction (saturating; NaN gives 0), bool by comparing
/// with 0.
///   x: any shape
///   dtype: float32, int32 or bool
Tensor cast(const Tensor& x, DType dtype);

/// The least integer that is not below x.
///   x: any shape
Tensor ceil(const Tensor& x);

/// x limited to [clipValueMin, clipValueMax]; NaN stays NaN.
///   x: any shape
///   clip_value_min: least value
///   clip_value_max: greatest value
Tensor clip_by_value(const Tensor& x, double clip_value_min, double clip_value_max);

/// Joins tensors along an axis that exists; all other extents must be equal.
///   tensors: numeric tensors of rank 1 or more
///   axis: the axis; negative counts from the end
Tensor concat(std::span<const Tensor> tensors, int64_t axis = 0);
Tensor concat(std::initializer_list<Tensor> tensors, int64_t axis = 0);

/// 1-D convolution: conv2d of an image of height 1.
///   x: [batch, width, channels]
///   filter: [width, channels, outputs]
///   stride: step of the window
///   pad: padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding): "same" "valid"
///   "explicit"
///   padding: with pad 'explicit': [before, after] cells; one number stands for both
///   dilation: distance between neighbouring window cells
///   dim_rounding_mode: rounding of the output width with explicit padding: "floor" "round" "ceil"
Tensor conv1d(const Tensor& x, const Tensor& filter, int64_t stride = 1, const char* pad = "valid",
    const Ints& padding = {}, int64_t dilation = 1, const char* dim_rounding_mode = "floor");

/// 2-D convolution (cross-correlation) of NHWC images: y[b, i, j, o] = sum over ky, kx, c of x[b, i * stride + ky *
/// dilation - pad, ..., c] * filter[ky, kx, c, o]. When x has g times as many channels as the filter, channels are
/// split into g groups.
///   x: [batch, height, width, channels]
///   filter: [height, width, channels / groups, outputs]
///   strides: step of the window as [h, w]
///   pad: padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding): "same" "valid"
///   "explicit"
///   padding: with pad 'explicit': [top, bottom, left, right] cells
///   dilations: distance between neighbouring window cells as [h, w]
///   dim_rounding_mode: rounding of the output extent with explicit padding: "floor" "round" "ceil"
Tensor conv2d(const Tensor& x, const Tensor& filter, const Ints& strides = {1, 1}, const char* pad = "valid",
    const Ints& padding = {}, const Ints& dilations = {1, 1}, const char* dim_rounding_mode = "floor");

/// Transposed convolution, the adjoint of the conv2d that maps outputShape to x's shape with this filter
/// (TensorFlow's Conv2DBackpropInput).
///   x: [batch, height, width, channels]
///   filter: [height, width, outputs, channels]
///   output_shape: shape of the result, [batch, height, width, channels]
///   strides: step of the window as [h, w]
///   pad: padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding): "same" "valid"
///   "explicit"
///   padding: with pad 'explicit': [top, bottom, left, right] cells
///   dilations: distance between neighbouring window cells as [h, w]
///   dim_rounding_mode: rounding of the output extent with explicit padding: "floor" "round" "ceil"
Tensor conv2d_transpose(const Tensor& x, const Tensor& filter, const Ints& output_shape, const Ints& strides = {1, 1},
    const char* pad = "valid", const Ints& padding = {}, const Ints& dilations = {1, 1},
    const char* dim_rounding_mode = "floor");

/// Cosine of x in radians.
///   x: any shape
Tensor cos(const Tensor& x);

/// Hyperbolic cosine.
///   x: any shape
Tensor cosh(const Tensor& x);

/// Cuts boxes (y1, x1, y2, x2 in fractions of the image's height - 1 and width - 1) out of images and resizes each to
/// cropSize. Samples outside the image, and boxes whose boxInd names no image, are extrapolationValue.
///   image: [batch, height, width, channels]
///   boxes: [n, 4]: y1, x1, y2, x2; y1 > y2 flips
///   box_ind: [n] int32: the image that each box is cut from
///   crop_size: [height, width] of each crop
///   method: 'bilinear' or 'nearest' (half rounds up): "bilinear" "nearest"
///   extrapolation_value: what lies outside the image
Tensor crop_and_resize(const Tensor& image, const Tensor& boxes, const Tensor& box_ind, const Ints& crop_size,
    const char* method = "bilinear", double extrapolation_value = 0);

/// Product of all elements up to each one along an axis. bool counts as int32.
///   x: any numeric tensor of rank 1 or more
///   axis: the axis to accumulate along
///   exclusive: leave the element itself out
///   reverse: accumulate from the end
Tensor cumprod(const Tensor& x, int64_t axis = 0, bool exclusive = false, bool reverse = false);

/// Sum of all elements up to each one along an axis. bool counts as int32.
///   x: any numeric tensor of rank 1 or more
///   axis: the axis to accumulate along
///   exclusive: leave the element itself out
///   reverse: accumulate from the end
Tensor cumsum(const Tensor& x, int64_t axis = 0, bool exclusive = false, bool reverse = false);

/// bincount of a vector, or of each row of a matrix.
///   x: int32 vector or matrix
///   weights: x's shape, or no elements; its dtype is the result's
///   size: number of bins
///   binary_output: 1 for a value that occurs, instead of its count
Tensor dense_bincount(const Tensor& x, const Tensor& weights, int64_t size, bool binary_output = false);

/// Lays groups of blockSize^2 channels out as squares of space.
///   x: a numeric tensor of rank 4
///   block_size: edge of the squares that channels become
///   data_format: order of the axes: "NHWC" "NCHW"
Tensor depth_to_space(const Tensor& x, int64_t block_size, const char* data_format = "NHWC");

/// Convolves each channel of an NHWC image with its own filters: y[b, i, j, c * multiplier + q] = sum over ky, kx of
/// x[b, i * stride + ky * dilation - pad, ..., c] * filter[ky, kx, c, q].
///   x: [batch, height, width, channels]
///   filter: [height, width, channels, multiplier]
///   strides: step of the window as [h, w]
///   pad: padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding): "same" "valid"
///   "explicit"
///   padding: with pad 'explicit': [top, bottom, left, right] cells
///   dilations: distance between neighbouring window cells as [h, w]
///   dim_rounding_mode: rounding of the output extent with explicit padding: "floor" "round" "ceil"
Tensor depthwise_conv2d(const Tensor& x, const Tensor& filter, const Ints& strides = {1, 1},
    const char* pad = "valid", const Ints& padding = {}, const Ints& dilations = {1, 1},
    const char* dim_rounding_mode = "floor");

/// a / b. Of two int32 tensors: the quotient rounded down (0 where b is 0).
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor div(const Tensor& a, const Tensor& b);

/// a / b, but 0 where b is 0.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor div_no_nan(const Tensor& a, const Tensor& b);

/// Product of two vectors (a scalar), a matrix and a vector, or two matrices.
///   t1: rank 1 or 2
///   t2: rank 1 or 2
Tensor dot(const Tensor& t1, const Tensor& t2);

/// Sets values to 0 with probability rate, and divides the others by 1 - rate.
///   x: any shape
///   rate: probability of a value being dropped, in [0, 1)
///   noise_shape: shape of the mask, broadcast to x's; default: x's shape
///   seed: any number; equal seeds give equal results; NaN: a new one each call
Tensor dropout(const Tensor& x, double rate, const Ints& noise_shape = {},
    double seed = std::numeric_limits<double>::quiet_NaN());

/// x from 0 up, exp(x) - 1 below.
///   x: any shape
Tensor elu(const Tensor& x);

/// True where a and b are equal.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor equal(const Tensor& a, const Tensor& b);

/// Gauss error function.
///   x: any shape
Tensor erf(const Tensor& x);

/// e to the power of x.
///   x: any shape
Tensor exp(const Tensor& x);

/// Inserts an axis of extent 1 before the given one; -1 appends it.
///   x: any tensor
///   axis: the axis; negative counts from the end
Tensor expand_dims(const Tensor& x, int64_t axis = 0);

/// exp(x) - 1, accurate near 0.
///   x: any shape
Tensor expm1(const Tensor& x);

/// The identity matrix, repeated over the batch axes.
///   num_rows: number of rows
///   num_columns: number of columns; -1: as many as rows
///   batch_shape: leading axes, each with the same matrix
///   dtype: float32, int32 or bool
Tensor eye(int64_t num_rows, int64_t num_columns = -1, const Ints& batch_shape = {}, DType dtype = DType::kFloat32);

/// A tensor whose elements are all the same.
///   shape: shape of the result
///   value: value of every element
///   dtype: float32, int32 or bool
Tensor fill(const Ints& shape, double value, DType dtype = DType::kFloat32);

/// Mirrors NHWC images from left to right.
///   image: [batch, height, width, channels]
Tensor flip_left_right(const Tensor& image);

/// The greatest integer that is not above x.
///   x: any shape
Tensor floor(const Tensor& x);

/// The quotient a / b rounded down, as int32 (0 where b is 0).
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor floor_div(const Tensor& a, const Tensor& b);

/// The slices of x along an axis that indices name: out[..., i, ...] = x[..., indices[i], ...]. An index out of range
/// gives 0.
///   x: a numeric tensor of rank 1 or more
///   indices: an int32 tensor
///   axis: the axis of x that indices choose from
///   batch_dims: number of leading axes that x and indices share
Tensor gather(const Tensor& x, const Tensor& indices, int64_t axis = 0, int64_t batch_dims = 0);

/// out[p...] = x[indices[p..., 0], indices[p..., 1], ...]: each row of indices names an element or slice of x. An
/// index out of range gives 0.
///   x: any numeric tensor
///   indices: [points..., axes], int32
Tensor gather_nd(const Tensor& x, const Tensor& indices);

/// Repeats the one channel of an image three times.
///   image: [..., 1]
Tensor grayscale_to_rgb(const Tensor& image);

/// True where a is greater than b.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor greater(const Tensor& a, const Tensor& b);

/// True where a is greater than b or equal.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor greater_equal(const Tensor& a, const Tensor& b);

/// The tensor itself, as another tensor that shares its memory.
///   x: any tensor
Tensor identity(const Tensor& x);

/// Whether the target class is among the k largest predictions of its row; among equals the lower index comes first.
/// False for targets that are no class, and where the prediction is not finite.
///   predictions: [..., classes]
///   targets: [...] int32
///   k: how many of the largest count
Tensor in_top_k(const Tensor& predictions, const Tensor& targets, int64_t k = 1);

/// True where x is neither infinite nor NaN.
///   x: any shape
Tensor is_finite(const Tensor& x);

/// True where x is infinite.
///   x: any shape
Tensor is_inf(const Tensor& x);

/// True where x is NaN.
///   x: any shape
Tensor is_na_n(const Tensor& x);

/// x from 0 up, alpha * x below.
///   x: any shape
///   alpha: slope below 0
Tensor leaky_relu(const Tensor& x, double alpha = 0.2);

/// True where a is less than b.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor less(const Tensor& a, const Tensor& b);

/// True where a is less than b or equal.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor less_equal(const Tensor& a, const Tensor& b);

/// num values from start to stop, both included, at equal distances.
///   start: the first value
///   stop: the last value
///   num: number of values, at least 1
Tensor linspace(double start, double stop, int64_t num);

/// Natural logarithm; -infinity at 0, NaN below.
///   x: any shape
Tensor log(const Tensor& x);

/// log(1 + x), accurate near 0.
///   x: any shape
Tensor log1p(const Tensor& x);

/// log(sigmoid(x)).
///   x: any shape
Tensor log_sigmoid(const Tensor& x);

/// x - log(sum(exp(x))) along an axis, computed without overflow.
///   logits: a numeric tensor of rank 1 or more
///   axis: the axis whose exponentials sum to 1
Tensor log_softmax(const Tensor& logits, int64_t axis = -1);

/// log(sum(exp(x))) along the axes, computed without overflow: m + log(sum(exp(x - m))) with m the largest element.
///   x: any numeric tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
Tensor log_sum_exp(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// True where a and b both are.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor logical_and(const Tensor& a, const Tensor& b);

/// True where x is false.
///   x: any shape
Tensor logical_not(const Tensor& x);

/// True where a or b is.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor logical_or(const Tensor& a, const Tensor& b);

/// True where exactly one of a and b is.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor logical_xor(const Tensor& a, const Tensor& b);

/// searchSorted with side 'left'.
///   sorted_sequence: [..., n], ascending along the last dimension
///   values: [..., m]
Tensor lower_bound(const Tensor& sorted_sequence, const Tensor& values);

/// Matrix product over the last two axes: out[i, j] = sum over k of a[i, k] * b[k, j]. Leading axes broadcast.
///   a: numeric, rank 2 or more
///   b: numeric, rank 2 or more
///   transpose_a: read the last two axes of a the other way round
///   transpose_b: read the last two axes of b the other way round
Tensor mat_mul(const Tensor& a, const Tensor& b, bool transpose_a = false, bool transpose_b = false);

/// Largest element along the axes; NaN if there is one; -Infinity (int32: the lowest value) where there are none.
/// Elements that tie share the gradient.
///   x: any numeric tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
Tensor max(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// The largest value of each window of an NHWC image, per channel. Padding never counts; a NaN in the window is the
/// result.
///   x: [batch, height, width, channels]
///   filter_size: size of the window as [h, w]
///   strides: step of the window as [h, w]
///   pad: padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding): "same" "valid"
///   "explicit"
///   padding: with pad 'explicit': [top, bottom, left, right] cells
///   dilations: distance between neighbouring window cells as [h, w]
///   dim_rounding_mode: rounding of the output extent with explicit padding: "floor" "round" "ceil"
Tensor max_pool(const Tensor& x, const Ints& filter_size, const Ints& strides = {1, 1}, const char* pad = "valid",
    const Ints& padding = {}, const Ints& dilations = {1, 1}, const char* dim_rounding_mode = "floor");

/// maxPool, and the flat index (y * width + x) * channels + c of each maximum, the first in row-major order among
/// equals.
///   x: [batch, height, width, channels]
///   filter_size: size of the window as [h, w]
///   strides: step of the window as [h, w]
///   pad: padding: 'same' or 'valid': "same" "valid"
///   include_batch_in_index: count indices over the whole batch
/// Returns result, indexes.
std::vector<Tensor> max_pool_with_argmax(const Tensor& x, const Ints& filter_size, const Ints& strides = {1, 1},
    const char* pad = "valid", bool include_batch_in_index = false);

/// The greater of a and b; NaN where either is.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor maximum(const Tensor& a, const Tensor& b);

/// Arithmetic mean along the axes, in float32; NaN where there are no elements.
///   x: any numeric tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
Tensor mean(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// Smallest element along the axes; NaN if there is one; Infinity (int32: the highest value) where there are none.
/// Elements that tie share the gradient.
///   x: any numeric tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
Tensor min(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// The lesser of a and b; NaN where either is.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor minimum(const Tensor& a, const Tensor& b);

/// Surrounds a tensor with its own mirror image.
///   x: any numeric tensor
///   paddings: [before, after] of each axis
///   mode: whether the edge is repeated ('symmetric') or not ('reflect'): "reflect" "symmetric"
Tensor mirror_pad(const Tensor& x, const Ints& paddings, const char* mode);

/// The remainder of a / b with the sign of b (0 for int32 where b is 0).
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor mod(const Tensor& a, const Tensor& b);

/// Mean and variance (the mean squared distance from the mean) along the axes.
///   x: any numeric tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
/// Returns mean, variance.
std::vector<Tensor> moments(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// a * b.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor mul(const Tensor& a, const Tensor& b);

/// Class numbers drawn with the probabilities softmax(logits), or with the input's own when it is normalized.
///   logits: [classes] or [batch, classes]
///   num_samples: draws for each row
///   seed: any number; equal seeds give equal results; NaN: a new one each call
///   normalized: the input holds probabilities, not logits
Tensor multinomial(const Tensor& logits, int64_t num_samples, double seed = std::numeric_limits<double>::quiet_NaN(),
    bool normalized = false);

/// -x.
///   x: any shape
Tensor neg(const Tensor& x);

/// Indices of boxes, best score first, each overlapping (intersection over union) all better ones by less than
/// iouThreshold. TensorFlow's NonMaxSuppressionV3.
///   boxes: [n, 4]: y1, x1, y2, x2; the corners in either order
///   scores: [n]
///   max_output_size: at most so many boxes
///   iou_threshold: boxes that overlap a chosen one by this much are dropped, in [0, 1]
///   score_threshold: boxes must score above this
Tensor non_max_suppression(const Tensor& boxes, const Tensor& scores, int64_t max_output_size,
    double iou_threshold = 0.5, double score_threshold = -std::numeric_limits<double>::infinity());

/// nonMaxSuppression with the result padded to maxOutputSize if asked for; the second output says how many are real.
/// TensorFlow's NonMaxSuppressionV4.
///   boxes: [n, 4]: y1, x1, y2, x2; the corners in either order
///   scores: [n]
///   max_output_size: at most so many boxes
///   iou_threshold: boxes that overlap a chosen one by this much are dropped, in [0, 1]
///   score_threshold: boxes must score above this
///   pad_to_max_output_size: fill up to maxOutputSize with zeros
/// Returns selected_indices, valid_outputs.
std::vector<Tensor> non_max_suppression_padded(const Tensor& boxes, const Tensor& scores, int64_t max_output_size,
    double iou_threshold = 0.5, double score_threshold = -std::numeric_limits<double>::infinity(),
    bool pad_to_max_output_size = false);

/// nonMaxSuppression that also returns the scores, lowered by Soft-NMS when softNmsSigma is above 0. TensorFlow's
/// NonMaxSuppressionV5.
///   boxes: [n, 4]: y1, x1, y2, x2; the corners in either order
///   scores: [n]
///   max_output_size: at most so many boxes
///   iou_threshold: boxes that overlap a chosen one by this much are dropped, in [0, 1]
///   score_threshold: boxes must score above this
///   soft_nms_sigma: above 0: overlap lowers a score by exp(-iou^2 / (2 sigma)) instead of dropping it
/// Returns selected_indices, selected_scores.
std::vector<Tensor> non_max_suppression_with_score(const Tensor& boxes, const Tensor& scores, int64_t max_output_size,
    double iou_threshold = 0.5, double score_threshold = -std::numeric_limits<double>::infinity(),
    double soft_nms_sigma = 0);

/// Norm of vectors (one axis, or all elements as one vector) or of matrices (two axes): the root of the sum of
/// squares, the sum (1) or the extremes (Infinity, -Infinity) of absolute values; for matrices of the columns' (1) or
/// rows' sums.
///   x: any numeric tensor
///   ord: which norm: 'euclidean', 'fro', 1, 2, Infinity or -Infinity
///   axis: one axis for vectors, two for matrices; none given: x as one vector
///   keep_dims: keep reduced axes with extent 1
Tensor norm(const Tensor& x, std::string ord = "euclidean", const Ints& axis = {}, bool keep_dims = false);

/// True where a and b differ (NaN differs from everything).
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor not_equal(const Tensor& a, const Tensor& b);

/// A new last axis with onValue at the place that each index names and offValue elsewhere; an index outside of [0,
/// depth) gives offValue everywhere.
///   indices: an int32 tensor
///   depth: extent of the new last axis
///   on_value: value where the index matches
///   off_value: value elsewhere
///   dtype: float32, int32 or bool
Tensor one_hot(const Tensor& indices, int64_t depth, double on_value = 1, double off_value = 0,
    DType dtype = DType::kInt32);

/// Ones in the shape and dtype of x.
///   x: any shape; its values are not read
Tensor ones_like(const Tensor& x);

/// out[i, j] = v1[i] * v2[j].
///   v1: a vector
///   v2: a vector
Tensor outer_product(const Tensor& v1, const Tensor& v2);

/// Surrounds a tensor with a constant.
///   x: any numeric tensor
///   paddings: [before, after] of each axis
///   constant_value: value of the new elements
Tensor pad(const Tensor& x, const Ints& paddings, double constant_value = 0);

/// a to the power of b. int32 powers are exact modulo 2^32; negative exponents round toward 0.
///   base: any shape
///   exp: a shape that broadcasts with base's
Tensor pow(const Tensor& base, const Tensor& exp);

/// x from 0 up, alpha * x below, with an alpha for each element or channel.
///   x: any shape
///   alpha: slopes below 0; broadcasts with x
Tensor prelu(const Tensor& x, const Tensor& alpha);

/// Product of the elements along the axes; 1 where there are none. bool counts as int32.
///   x: any numeric tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
Tensor prod(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// Normally distributed values.
///   shape: shape of the result
///   mean: the mean
///   std_dev: the standard deviation
///   dtype: float32, or int32 (truncated)
///   seed: any number; equal seeds give equal results; NaN: a new one each call
Tensor random_normal(const Ints& shape, double mean = 0, double std_dev = 1, DType dtype = DType::kFloat32,
    double seed = std::numeric_limits<double>::quiet_NaN());

/// Uniformly distributed values in [minval, maxval): a hash of each element's number and the seed.
///   shape: shape of the result
///   minval: smallest value
///   maxval: what all values are below
///   dtype: float32, int32 (whole numbers) or bool (a fair coin)
///   seed: any number; equal seeds give equal results; NaN: a new one each call
Tensor random_uniform(const Ints& shape, double minval = 0, double maxval = 1, DType dtype = DType::kFloat32,
    double seed = std::numeric_limits<double>::quiet_NaN());

/// Uniformly distributed int32 values, minval included, maxval not.
///   shape: shape of the result
///   minval: smallest value
///   maxval: what all values are below
///   seed: any number; equal seeds give equal results; NaN: a new one each call
Tensor random_uniform_int(const Ints& shape, int64_t minval, int64_t maxval,
    double seed = std::numeric_limits<double>::quiet_NaN());

/// start, start + step, ... up to but without stop. A step of 1 counts down when stop is below start; any other step
/// that leads away from stop gives an empty tensor.
///   start: the first value
///   stop: where to end; not reached
///   step: distance of neighbours; its sign is turned towards stop
///   dtype: float32 or int32
Tensor range(double start, double stop, double step = 1, DType dtype = DType::kFloat32);

/// 1 / x.
///   x: any shape
Tensor reciprocal(const Tensor& x);

/// max(x, 0).
///   x: any shape
Tensor relu(const Tensor& x);

/// min(max(x, 0), 6).
///   x: any shape
Tensor relu6(const Tensor& x);

/// The same elements in the same order under another shape, of which one entry may be -1: what is left over.
///   x: any tensor
///   shape: shape of the result
Tensor reshape(const Tensor& x, const Ints& shape);

/// Resizes NHWC images, interpolating linearly between the four nearest pixels. The result is float32. TensorFlow's
/// sampling: source = i * in / out, or i * (in - 1) / (out - 1) with alignCorners, or (i + 0.5) * in / out - 0.5 with
/// halfPixelCenters.
///   images: [batch, height, width, channels]
///   size: height and width of the result
///   align_corners: map the centres of the corner pixels onto each other
///   half_pixel_centers: sample at pixel centres; not together with alignCorners
Tensor resize_bilinear(const Tensor& images, const Ints& size, bool align_corners = false,
    bool half_pixel_centers = false);

/// Resizes NHWC images by copying the nearest pixel: floor of the source position (see resizeBilinear), rounded half
/// up with alignCorners; positions are exact fractions, so all devices agree. Keeps the dtype.
///   images: [batch, height, width, channels]
///   size: height and width of the result
///   align_corners: map the centres of the corner pixels onto each other
///   half_pixel_centers: sample at pixel centres; not together with alignCorners
Tensor resize_nearest_neighbor(const Tensor& images, const Ints& size, bool align_corners = false,
    bool half_pixel_centers = false);

/// Turns the order of the elements along the axes round.
///   x: any numeric tensor
///   axis: the axes; none given: all of them
Tensor reverse(const Tensor& x, const Ints& axis = {});

/// 0.2989 * red + 0.587 * green + 0.114 * blue; the last dimension becomes 1.
///   image: [..., 3]
Tensor rgb_to_grayscale(const Tensor& image);

/// Rotates NHWC images about a point, copying the nearest pixel. A fourth channel is alpha, filled with 255 outside
/// the image.
///   image: [batch, height, width, channels]
///   radians: angle, anticlockwise
///   fill_value: what lies outside: one number, or [red, green, blue]; alpha is then 255
///   center: the fixed point in fractions of the size: one number, or [x, y]
Tensor rotate_with_offset(const Tensor& image, double radians, const std::vector<double>& fill_value = {0},
    const std::vector<double>& center = {0.5});

/// The nearest integer; halves go to the even one.
///   x: any shape
Tensor round(const Tensor& x);

/// 1 / sqrt(x).
///   x: any shape
Tensor rsqrt(const Tensor& x);

/// Zeros of the given shape with each update added at the place that its row of indices names; updates of one place
/// add up, those out of range are dropped.
///   indices: [points..., axes], int32
///   updates: [points..., rest of shape]
///   shape: shape of the result
Tensor scatter_nd(const Tensor& indices, const Tensor& updates, const Ints& shape);

/// For each value, the number of elements of its sorted row that are less than it (side 'left') or not greater
/// ('right'): where it would be inserted to keep the order.
///   sorted_sequence: [..., n], ascending along the last dimension
///   values: [..., m]
///   side: 'left': before equal elements; 'right': after them: "left" "right"
Tensor search_sorted(const Tensor& sorted_sequence, const Tensor& values, const char* side = "left");

/// Scaled exponential linear unit: 1.0507 x from 0 up, 1.7581 (exp(x) - 1) below.
///   x: any shape
Tensor selu(const Tensor& x);

/// depthwiseConv2d followed by a 1 x 1 conv2d.
///   x: [batch, height, width, channels]
///   depthwise_filter: [height, width, channels, multiplier]
///   pointwise_filter: [1, 1, channels * multiplier, outputs]
///   strides: step of the window as [h, w]
///   pad: padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding): "same" "valid"
///   "explicit"
///   padding: with pad 'explicit': [top, bottom, left, right] cells
///   dilations: distance between neighbouring window cells as [h, w]
///   dim_rounding_mode: rounding of the output extent with explicit padding: "floor" "round" "ceil"
Tensor separable_conv2d(const Tensor& x, const Tensor& depthwise_filter, const Tensor& pointwise_filter,
    const Ints& strides = {1, 1}, const char* pad = "valid", const Ints& padding = {}, const Ints& dilations = {1, 1},
    const char* dim_rounding_mode = "floor");

/// The values of x that are not in y, in x's order with repetitions, and their indices in x.
///   x: [n]
///   y: [m], of x's dtype
/// Returns values, indices.
std::vector<Tensor> setdiff1d(const Tensor& x, const Tensor& y);

/// 1 / (1 + exp(-x)).
///   x: any shape
Tensor sigmoid(const Tensor& x);

/// 1, -1 or 0 for positive, negative and other elements (NaN gives 0).
///   x: any shape
Tensor sign(const Tensor& x);

/// Sine of x in radians.
///   x: any shape
Tensor sin(const Tensor& x);

/// Hyperbolic sine.
///   x: any shape
Tensor sinh(const Tensor& x);

/// The block of a tensor that starts at `begin` and has the extents `size`.
///   x: any numeric tensor
///   begin: first index of each axis; missing axes start at 0
///   size: extent of each axis; -1 and missing axes: up to the end
Tensor slice(const Tensor& x, const Ints& begin, const Ints& size = {});

/// exp(x) / sum(exp(x)) along an axis, computed as exp(x - max) so that nothing overflows.
///   logits: a numeric tensor of rank 1 or more
///   dim: the axis that sums to 1
Tensor softmax(const Tensor& logits, int64_t dim = -1);

/// log(1 + exp(x)).
///   x: any shape
Tensor softplus(const Tensor& x);

/// Pads the spatial axes with zeros and moves each position within blocks of blockShape into the batch.
///   x: [batch, spatial..., rest...]
///   block_shape: block extent of each spatial axis
///   paddings: [before, after] of each spatial axis
Tensor space_to_batch_nd(const Tensor& x, const Ints& block_shape, const Ints& paddings);

/// The inverse of depthToSpace: moves squares of blockSize x blockSize pixels into the channels.
///   x: a numeric tensor of rank 4
///   block_size: edge of the squares that channels become
///   data_format: order of the axes: "NHWC" "NCHW"
Tensor space_to_depth(const Tensor& x, int64_t block_size, const char* data_format = "NHWC");

/// Cuts a tensor along an axis: into a number of equal parts, or into parts of the given extents.
///   x: a numeric tensor of rank 1 or more
///   num_or_size_splits: a number of equal parts, or the extents of the parts (one may be -1: the rest)
///   axis: the axis to cut
std::vector<Tensor> split(const Tensor& x, const Ints& num_or_size_splits, int64_t axis = 0);

/// Square root; NaN below 0.
///   x: any shape
Tensor sqrt(const Tensor& x);

/// x * x.
///   x: any shape
Tensor square(const Tensor& x);

/// (a - b)^2.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor squared_difference(const Tensor& a, const Tensor& b);

/// Drops axes of extent 1: the given ones, or all of them.
///   x: any tensor
///   axis: the axes; none given: all of them
Tensor squeeze(const Tensor& x, const Ints& axis = {});

/// Joins tensors of one shape along a new axis.
///   tensors: numeric tensors of the same shape
///   axis: the axis; negative counts from the end
Tensor stack(std::span<const Tensor> tensors, int64_t axis = 0);
Tensor stack(std::initializer_list<Tensor> tensors, int64_t axis = 0);

/// 1 above 0, alpha elsewhere; NaN stays NaN.
///   x: any shape
///   alpha: value at and below 0
Tensor step(const Tensor& x, double alpha = 0);

/// The tensor itself, which gradients take for a constant.
///   x: any tensor
Tensor stop_gradient(const Tensor& x);

/// numpy's x[begin:end:strides, ...], with masks for what numpy spells as ':', '...', 'newaxis' and a plain index.
///   x: any numeric tensor
///   begin: first index of each axis; negative counts from the end
///   end: index after the last of each axis; negative counts from the end
///   strides: step of each axis; none given: 1
///   begin_mask: bit i: ignore begin[i], start at the first element
///   end_mask: bit i: ignore end[i], go on to the last element
///   ellipsis_mask: bit i: entry i stands for all axes not named by the others
///   new_axis_mask: bit i: entry i inserts an axis of extent 1
///   shrink_axis_mask: bit i: take one index of this axis and drop the axis
Tensor strided_slice(const Tensor& x, const Ints& begin, const Ints& end, const Ints& strides = {},
    int64_t begin_mask = 0, int64_t end_mask = 0, int64_t ellipsis_mask = 0, int64_t new_axis_mask = 0,
    int64_t shrink_axis_mask = 0);

/// a - b.
///   a: any shape
///   b: a shape that broadcasts with a's
Tensor sub(const Tensor& a, const Tensor& b);

/// Sum of the elements along the axes; 0 where there are none. bool counts as int32.
///   x: any numeric tensor
///   axis: axes to reduce; none given: all of them
///   keep_dims: keep reduced axes with extent 1
Tensor sum(const Tensor& x, const Ints& axis = {}, bool keep_dims = false);

/// Tangent of x in radians.
///   x: any shape
Tensor tan(const Tensor& x);

/// Hyperbolic tangent.
///   x: any shape
Tensor tanh(const Tensor& x);

/// The tensor with the elements or slices that indices name replaced by updates. The last of several updates of one
/// place counts; those out of range are dropped.
///   tensor: any numeric tensor
///   indices: [points..., axes], int32
///   updates: [points..., rest of shape]
Tensor tensor_scatter_update(const Tensor& tensor, const Tensor& indices, const Tensor& updates);

/// Repeats the whole tensor reps[d] times along each axis d.
///   x: any numeric tensor
///   reps: how often each axis is repeated
Tensor tile(const Tensor& x, const Ints& reps);

/// The k largest values of each row of the last dimension, largest first, and their indices; among equals the lower
/// index comes first, and NaN counts as largest.
///   x: [..., n]
///   k: how many of each row
///   sorted: largest first (they always are)
/// Returns values, indices.
std::vector<Tensor> topk(const Tensor& x, int64_t k = 1, bool sorted = true);

/// Reorders the axes: out[i_0, i_1, ...] = x[j_0, j_1, ...] with j_perm[d] = i_d.
///   x: any numeric tensor
///   perm: axis d of the result is axis perm[d] of x; none given: the order is reversed
Tensor transpose(const Tensor& x, const Ints& perm = {});

/// Normally distributed values, all within two standard deviations of the mean.
///   shape: shape of the result
///   mean: the mean
///   std_dev: the standard deviation
///   dtype: float32, or int32 (truncated)
///   seed: any number; equal seeds give equal results; NaN: a new one each call
Tensor truncated_normal(const Ints& shape, double mean = 0, double std_dev = 1, DType dtype = DType::kFloat32,
    double seed = std::numeric_limits<double>::quiet_NaN());

/// The distinct slices along an axis in the order of their first appearance, and for each slice the number of its
/// equal. NaNs count as equal.
///   x: rank 1 or more
///   axis: slices along this axis are compared
/// Returns values, indices.
std::vector<Tensor> unique(const Tensor& x, int64_t axis = 0);

/// Sums the slices of x that have the same segment id: out[s] = sum of x[i] with segmentIds[i] = s. Ids outside of
/// [0, numSegments) are dropped.
///   x: any numeric tensor
///   segment_ids: int32, with the leading axes of x
///   num_segments: extent of the result
Tensor unsorted_segment_sum(const Tensor& x, const Tensor& segment_ids, int64_t num_segments);

/// Cuts a tensor along an axis into tensors without that axis.
///   x: a numeric tensor of rank 1 or more
///   axis: the axis; negative counts from the end
std::vector<Tensor> unstack(const Tensor& x, int64_t axis = 0);

/// searchSorted with side 'right'.
///   sorted_sequence: [..., n], ascending along the last dimension
///   values: [..., m]
Tensor upper_bound(const Tensor& sorted_sequence, const Tensor& values);

/// a where the condition is true, b elsewhere; all three broadcast.
///   condition: bool
///   a: values where true
///   b: values where false
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

/// The coordinates of the true elements, one row each, in row-major order (TensorFlow's where with one argument,
/// TensorFlow.js's whereAsync).
///   condition: bool, any shape
Tensor where_indices(const Tensor& condition);

/// Zeros in the shape and dtype of x.
///   x: any shape; its values are not read
Tensor zeros_like(const Tensor& x);

}  // namespace tsr
