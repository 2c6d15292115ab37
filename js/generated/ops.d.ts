// Written by tessera_gen from the op registry; do not edit. The types of ops.mjs.
import type {DataType, Tensor, TensorLike} from '../src/types';

/** One number, or numbers nested to any depth (read in order). */
export type NumberList = number | ReadonlyArray<NumberList> | Int32Array | Float32Array;
type Operand = Tensor | TensorLike;

/**
 * Absolute value.
 * @param x any shape
 */
export declare function abs(x: Operand): Tensor;

/**
 * Inverse cosine in [0, pi]; NaN outside [-1, 1].
 * @param x any shape
 */
export declare function acos(x: Operand): Tensor;

/**
 * Inverse hyperbolic cosine; NaN below 1.
 * @param x any shape
 */
export declare function acosh(x: Operand): Tensor;

/**
 * a + b.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function add(a: Operand, b: Operand): Tensor;

/**
 * True where all elements along the axes are true; true where there are none.
 * @param x a bool tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function all(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * True where any element along the axes is true; false where there are none.
 * @param x a bool tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function any(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * Index of the largest element along an axis, as int32: the first one of several; the first NaN if there is one.
 * @param x any numeric tensor of rank 1 or more
 * @param axis the axis to search along (default 0)
 */
export declare function argMax(x: Operand, axis?: number): Tensor;

/**
 * Index of the smallest element along an axis, as int32: the first one of several; the first NaN if there is one.
 * @param x any numeric tensor of rank 1 or more
 * @param axis the axis to search along (default 0)
 */
export declare function argMin(x: Operand, axis?: number): Tensor;

/**
 * Inverse sine in [-pi/2, pi/2]; NaN outside [-1, 1].
 * @param x any shape
 */
export declare function asin(x: Operand): Tensor;

/**
 * Inverse hyperbolic sine.
 * @param x any shape
 */
export declare function asinh(x: Operand): Tensor;

/**
 * Inverse tangent in [-pi/2, pi/2].
 * @param x any shape
 */
export declare function atan(x: Operand): Tensor;

/**
 * The angle of the point (b, a) in (-pi, pi].
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function atan2(a: Operand, b: Operand): Tensor;

/**
 * Inverse hyperbolic tangent; NaN outside [-1, 1].
 * @param x any shape
 */
export declare function atanh(x: Operand): Tensor;

/**
 * The mean of each window of an NHWC image, per channel. Padding does not count: at the borders the mean is over the
 * cells inside the image. int32 means truncate toward zero.
 * @param x [batch, height, width, channels]
 * @param filterSize size of the window as [h, w]
 * @param strides step of the window as [h, w] (default [1, 1])
 * @param pad padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding) (default
 * 'valid')
 * @param padding with pad 'explicit': [top, bottom, left, right] cells (default [])
 * @param dilations distance between neighbouring window cells as [h, w] (default [1, 1])
 * @param dimRoundingMode rounding of the output extent with explicit padding (default 'floor')
 */
export declare function avgPool(x: Operand, filterSize: NumberList, strides?: NumberList, pad?: 'same' | 'valid' | 'explicit', padding?: NumberList, dilations?: NumberList, dimRoundingMode?: 'floor' | 'round' | 'ceil'): Tensor;

/**
 * (x - mean) * scale / sqrt(variance + varianceEpsilon) + offset.
 * @param x any float tensor
 * @param mean broadcasts to x
 * @param variance broadcasts to x
 * @param offset broadcasts to x; none: 0
 * @param scale broadcasts to x; none: 1
 * @param varianceEpsilon added to the variance, against division by zero (default 0.001)
 */
export declare function batchNorm(x: Operand, mean: Operand, variance: Operand, offset?: Operand | null, scale?: Operand | null, varianceEpsilon?: number): Tensor;

/**
 * The inverse of spaceToBatchND: lays batches out as blocks of blockShape, then crops the spatial axes.
 * @param x [batch, spatial..., rest...]
 * @param blockShape block extent of each spatial axis
 * @param crops [before, after] of each spatial axis
 */
export declare function batchToSpaceND(x: Operand, blockShape: NumberList, crops: NumberList): Tensor;

/**
 * How often each of 0 .. size - 1 occurs in x, or the sum of the weights there. Other values are dropped.
 * @param x int32 vector
 * @param weights x's shape, or no elements; its dtype is the result's
 * @param size number of bins
 */
export declare function bincount(x: Operand, weights: Operand, size: number): Tensor;

/**
 * The bits that a and b both have.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function bitwiseAnd(a: Operand, b: Operand): Tensor;

/**
 * The slices of a tensor where the mask is true, in row-major order, along one new dimension in place of the mask's.
 * @param tensor any shape
 * @param mask bool; its shape equals the tensor's from `axis` on
 * @param axis where the mask's dimensions begin in the tensor's (default 0)
 */
export declare function booleanMask(tensor: Operand, mask: Operand, axis?: number): Tensor;

/**
 * Repeats axes of extent 1, and adds leading ones, until the shape is the wanted one.
 * @param x a numeric tensor whose shape broadcasts to `shape`
 * @param shape shape of the result
 */
export declare function broadcastTo(x: Operand, shape: NumberList): Tensor;

/**
 * x in another dtype. Floats become integers by dropping the fraction (saturating; NaN gives 0), bool by comparing
 * with 0.
 * @param x any shape
 * @param dtype float32, int32 or bool
 */
export declare function cast(x: Operand, dtype: DataType): Tensor;

/**
 * The least integer that is not below x.
 * @param x any shape
 */
export declare function ceil(x: Operand): Tensor;

/**
 * x limited to [clipValueMin, clipValueMax]; NaN stays NaN.
 * @param x any shape
 * @param clipValueMin least value
 * @param clipValueMax greatest value
 */
export declare function clipByValue(x: Operand, clipValueMin: number, clipValueMax: number): Tensor;

/**
 * Joins tensors along an axis that exists; all other extents must be equal.
 * @param tensors numeric tensors of rank 1 or more
 * @param axis the axis; negative counts from the end (default 0)
 */
export declare function concat(tensors: ReadonlyArray<Operand>, axis?: number): Tensor;

/**
 * 1-D convolution: conv2d of an image of height 1.
 * @param x [batch, width, channels]
 * @param filter [width, channels, outputs]
 * @param stride step of the window (default 1)
 * @param pad padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding) (default
 * 'valid')
 * @param padding with pad 'explicit': [before, after] cells; one number stands for both (default [])
 * @param dilation distance between neighbouring window cells (default 1)
 * @param dimRoundingMode rounding of the output width with explicit padding (default 'floor')
 */
export declare function conv1d(x: Operand, filter: Operand, stride?: number, pad?: 'same' | 'valid' | 'explicit', padding?: NumberList, dilation?: number, dimRoundingMode?: 'floor' | 'round' | 'ceil'): Tensor;

/**
 * 2-D convolution (cross-correlation) of NHWC images: y[b, i, j, o] = sum over ky, kx, c of x[b, i * stride + ky *
 * dilation - pad, ..., c] * filter[ky, kx, c, o]. When x has g times as many channels as the filter, channels are
 * split into g groups.
 * @param x [batch, height, width, channels]
 * @param filter [height, width, channels / groups, outputs]
 * @param strides step of the window as [h, w] (default [1, 1])
 * @param pad padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding) (default
 * 'valid')
 * @param padding with pad 'explicit': [top, bottom, left, right] cells (default [])
 * @param dilations distance between neighbouring window cells as [h, w] (default [1, 1])
 * @param dimRoundingMode rounding of the output extent with explicit padding (default 'floor')
 */
export declare function conv2d(x: Operand, filter: Operand, strides?: NumberList, pad?: 'same' | 'valid' | 'explicit', padding?: NumberList, dilations?: NumberList, dimRoundingMode?: 'floor' | 'round' | 'ceil'): Tensor;

/**
 * Transposed convolution, the adjoint of the conv2d that maps outputShape to x's shape with this filter (TensorFlow's
 * Conv2DBackpropInput).
 * @param x [batch, height, width, channels]
 * @param filter [height, width, outputs, channels]
 * @param outputShape shape of the result, [batch, height, width, channels]
 * @param strides step of the window as [h, w] (default [1, 1])
 * @param pad padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding) (default
 * 'valid')
 * @param padding with pad 'explicit': [top, bottom, left, right] cells (default [])
 * @param dilations distance between neighbouring window cells as [h, w] (default [1, 1])
 * @param dimRoundingMode rounding of the output extent with explicit padding (default 'floor')
 */
export declare function conv2dTranspose(x: Operand, filter: Operand, outputShape: NumberList, strides?: NumberList, pad?: 'same' | 'valid' | 'explicit', padding?: NumberList, dilations?: NumberList, dimRoundingMode?: 'floor' | 'round' | 'ceil'): Tensor;

/**
 * Cosine of x in radians.
 * @param x any shape
 */
export declare function cos(x: Operand): Tensor;

/**
 * Hyperbolic cosine.
 * @param x any shape
 */
export declare function cosh(x: Operand): Tensor;

/**
 * Cuts boxes (y1, x1, y2, x2 in fractions of the image's height - 1 and width - 1) out of images and resizes each to
 * cropSize. Samples outside the image, and boxes whose boxInd names no image, are extrapolationValue.
 * @param image [batch, height, width, channels]
 * @param boxes [n, 4]: y1, x1, y2, x2; y1 > y2 flips
 * @param boxInd [n] int32: the image that each box is cut from
 * @param cropSize [height, width] of each crop
 * @param method 'bilinear' or 'nearest' (half rounds up) (default 'bilinear')
 * @param extrapolationValue what lies outside the image (default 0)
 */
export declare function cropAndResize(image: Operand, boxes: Operand, boxInd: Operand, cropSize: NumberList, method?: 'bilinear' | 'nearest', extrapolationValue?: number): Tensor;

/**
 * Product of all elements up to each one along an axis. bool counts as int32.
 * @param x any numeric tensor of rank 1 or more
 * @param axis the axis to accumulate along (default 0)
 * @param exclusive leave the element itself out (default false)
 * @param reverse accumulate from the end (default false)
 */
export declare function cumprod(x: Operand, axis?: number, exclusive?: boolean, reverse?: boolean): Tensor;

/**
 * Sum of all elements up to each one along an axis. bool counts as int32.
 * @param x any numeric tensor of rank 1 or more
 * @param axis the axis to accumulate along (default 0)
 * @param exclusive leave the element itself out (default false)
 * @param reverse accumulate from the end (default false)
 */
export declare function cumsum(x: Operand, axis?: number, exclusive?: boolean, reverse?: boolean): Tensor;

/**
 * bincount of a vector, or of each row of a matrix.
 * @param x int32 vector or matrix
 * @param weights x's shape, or no elements; its dtype is the result's
 * @param size number of bins
 * @param binaryOutput 1 for a value that occurs, instead of its count (default false)
 */
export declare function denseBincount(x: Operand, weights: Operand, size: number, binaryOutput?: boolean): Tensor;

/**
 * Lays groups of blockSize^2 channels out as squares of space.
 * @param x a numeric tensor of rank 4
 * @param blockSize edge of the squares that channels become
 * @param dataFormat order of the axes (default 'NHWC')
 */
export declare function depthToSpace(x: Operand, blockSize: number, dataFormat?: 'NHWC' | 'NCHW'): Tensor;

/**
 * Convolves each channel of an NHWC image with its own filters: y[b, i, j, c * multiplier + q] = sum over ky, kx of
 * x[b, i * stride + ky * dilation - pad, ..., c] * filter[ky, kx, c, q].
 * @param x [batch, height, width, channels]
 * @param filter [height, width, channels, multiplier]
 * @param strides step of the window as [h, w] (default [1, 1])
 * @param pad padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding) (default
 * 'valid')
 * @param padding with pad 'explicit': [top, bottom, left, right] cells (default [])
 * @param dilations distance between neighbouring window cells as [h, w] (default [1, 1])
 * @param dimRoundingMode rounding of the output extent with explicit padding (default 'floor')
 */
export declare function depthwiseConv2d(x: Operand, filter: Operand, strides?: NumberList, pad?: 'same' | 'valid' | 'explicit', padding?: NumberList, dilations?: NumberList, dimRoundingMode?: 'floor' | 'round' | 'ceil'): Tensor;

/**
 * a / b. Of two int32 tensors: the quotient rounded down (0 where b is 0).
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function div(a: Operand, b: Operand): Tensor;

/**
 * a / b, but 0 where b is 0.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function divNoNan(a: Operand, b: Operand): Tensor;

/**
 * Product of two vectors (a scalar), a matrix and a vector, or two matrices.
 * @param t1 rank 1 or 2
 * @param t2 rank 1 or 2
 */
export declare function dot(t1: Operand, t2: Operand): Tensor;

/**
 * Sets values to 0 with probability rate, and divides the others by 1 - rate.
 * @param x any shape
 * @param rate probability of a value being dropped, in [0, 1)
 * @param noiseShape shape of the mask, broadcast to x's; default: x's shape (default [])
 * @param seed any number; equal seeds give equal results; NaN: a new one each call (default NaN)
 */
export declare function dropout(x: Operand, rate: number, noiseShape?: NumberList, seed?: number): Tensor;

/**
 * x from 0 up, exp(x) - 1 below.
 * @param x any shape
 */
export declare function elu(x: Operand): Tensor;

/**
 * True where a and b are equal.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function equal(a: Operand, b: Operand): Tensor;

/**
 * Gauss error function.
 * @param x any shape
 */
export declare function erf(x: Operand): Tensor;

/**
 * e to the power of x.
 * @param x any shape
 */
export declare function exp(x: Operand): Tensor;

/**
 * Inserts an axis of extent 1 before the given one; -1 appends it.
 * @param x any tensor
 * @param axis the axis; negative counts from the end (default 0)
 */
export declare function expandDims(x: Operand, axis?: number): Tensor;

/**
 * exp(x) - 1, accurate near 0.
 * @param x any shape
 */
export declare function expm1(x: Operand): Tensor;

/**
 * The identity matrix, repeated over the batch axes.
 * @param numRows number of rows
 * @param numColumns number of columns; -1: as many as rows (default -1)
 * @param batchShape leading axes, each with the same matrix (default [])
 * @param dtype float32, int32 or bool (default 'float32')
 */
export declare function eye(numRows: number, numColumns?: number, batchShape?: NumberList, dtype?: DataType): Tensor;

/**
 * A tensor whose elements are all the same.
 * @param shape shape of the result
 * @param value value of every element
 * @param dtype float32, int32 or bool (default 'float32')
 */
export declare function fill(shape: NumberList, value: number, dtype?: DataType): Tensor;

/**
 * Mirrors NHWC images from left to right.
 * @param image [batch, height, width, channels]
 */
export declare function flipLeftRight(image: Operand): Tensor;

/**
 * The greatest integer that is not above x.
 * @param x any shape
 */
export declare function floor(x: Operand): Tensor;

/**
 * The quotient a / b rounded down, as int32 (0 where b is 0).
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function floorDiv(a: Operand, b: Operand): Tensor;

/**
 * The slices of x along an axis that indices name: out[..., i, ...] = x[..., indices[i], ...]. An index out of range
 * gives 0.
 * @param x a numeric tensor of rank 1 or more
 * @param indices an int32 tensor
 * @param axis the axis of x that indices choose from (default 0)
 * @param batchDims number of leading axes that x and indices share (default 0)
 */
export declare function gather(x: Operand, indices: Operand, axis?: number, batchDims?: number): Tensor;

/**
 * out[p...] = x[indices[p..., 0], indices[p..., 1], ...]: each row of indices names an element or slice of x. An
 * index out of range gives 0.
 * @param x any numeric tensor
 * @param indices [points..., axes], int32
 */
export declare function gatherND(x: Operand, indices: Operand): Tensor;

/**
 * Repeats the one channel of an image three times.
 * @param image [..., 1]
 */
export declare function grayscaleToRGB(image: Operand): Tensor;

/**
 * True where a is greater than b.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function greater(a: Operand, b: Operand): Tensor;

/**
 * True where a is greater than b or equal.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function greaterEqual(a: Operand, b: Operand): Tensor;

/**
 * The tensor itself, as another tensor that shares its memory.
 * @param x any tensor
 */
export declare function identity(x: Operand): Tensor;

/**
 * Whether the target class is among the k largest predictions of its row; among equals the lower index comes first.
 * False for targets that are no class, and where the prediction is not finite.
 * @param predictions [..., classes]
 * @param targets [...] int32
 * @param k how many of the largest count (default 1)
 */
export declare function inTopK(predictions: Operand, targets: Operand, k?: number): Tensor;

/**
 * True where x is neither infinite nor NaN.
 * @param x any shape
 */
export declare function isFinite(x: Operand): Tensor;

/**
 * True where x is infinite.
 * @param x any shape
 */
export declare function isInf(x: Operand): Tensor;

/**
 * True where x is NaN.
 * @param x any shape
 */
export declare function isNaN(x: Operand): Tensor;

/**
 * x from 0 up, alpha * x below.
 * @param x any shape
 * @param alpha slope below 0 (default 0.2)
 */
export declare function leakyRelu(x: Operand, alpha?: number): Tensor;

/**
 * True where a is less than b.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function less(a: Operand, b: Operand): Tensor;

/**
 * True where a is less than b or equal.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function lessEqual(a: Operand, b: Operand): Tensor;

/**
 * num values from start to stop, both included, at equal distances.
 * @param start the first value
 * @param stop the last value
 * @param num number of values, at least 1
 */
export declare function linspace(start: number, stop: number, num: number): Tensor;

/**
 * Natural logarithm; -infinity at 0, NaN below.
 * @param x any shape
 */
export declare function log(x: Operand): Tensor;

/**
 * log(1 + x), accurate near 0.
 * @param x any shape
 */
export declare function log1p(x: Operand): Tensor;

/**
 * log(sigmoid(x)).
 * @param x any shape
 */
export declare function logSigmoid(x: Operand): Tensor;

/**
 * x - log(sum(exp(x))) along an axis, computed without overflow.
 * @param logits a numeric tensor of rank 1 or more
 * @param axis the axis whose exponentials sum to 1 (default -1)
 */
export declare function logSoftmax(logits: Operand, axis?: number): Tensor;

/**
 * log(sum(exp(x))) along the axes, computed without overflow: m + log(sum(exp(x - m))) with m the largest element.
 * @param x any numeric tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function logSumExp(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * True where a and b both are.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function logicalAnd(a: Operand, b: Operand): Tensor;

/**
 * True where x is false.
 * @param x any shape
 */
export declare function logicalNot(x: Operand): Tensor;

/**
 * True where a or b is.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function logicalOr(a: Operand, b: Operand): Tensor;

/**
 * True where exactly one of a and b is.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function logicalXor(a: Operand, b: Operand): Tensor;

/**
 * searchSorted with side 'left'.
 * @param sortedSequence [..., n], ascending along the last dimension
 * @param values [..., m]
 */
export declare function lowerBound(sortedSequence: Operand, values: Operand): Tensor;

/**
 * Matrix product over the last two axes: out[i, j] = sum over k of a[i, k] * b[k, j]. Leading axes broadcast.
 * @param a numeric, rank 2 or more
 * @param b numeric, rank 2 or more
 * @param transposeA read the last two axes of a the other way round (default false)
 * @param transposeB read the last two axes of b the other way round (default false)
 */
export declare function matMul(a: Operand, b: Operand, transposeA?: boolean, transposeB?: boolean): Tensor;

/**
 * Largest element along the axes; NaN if there is one; -Infinity (int32: the lowest value) where there are none.
 * Elements that tie share the gradient.
 * @param x any numeric tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function max(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * The largest value of each window of an NHWC image, per channel. Padding never counts; a NaN in the window is the
 * result.
 * @param x [batch, height, width, channels]
 * @param filterSize size of the window as [h, w]
 * @param strides step of the window as [h, w] (default [1, 1])
 * @param pad padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding) (default
 * 'valid')
 * @param padding with pad 'explicit': [top, bottom, left, right] cells (default [])
 * @param dilations distance between neighbouring window cells as [h, w] (default [1, 1])
 * @param dimRoundingMode rounding of the output extent with explicit padding (default 'floor')
 */
export declare function maxPool(x: Operand, filterSize: NumberList, strides?: NumberList, pad?: 'same' | 'valid' | 'explicit', padding?: NumberList, dilations?: NumberList, dimRoundingMode?: 'floor' | 'round' | 'ceil'): Tensor;

/**
 * maxPool, and the flat index (y * width + x) * channels + c of each maximum, the first in row-major order among
 * equals.
 * @param x [batch, height, width, channels]
 * @param filterSize size of the window as [h, w]
 * @param strides step of the window as [h, w] (default [1, 1])
 * @param pad padding: 'same' or 'valid' (default 'valid')
 * @param includeBatchInIndex count indices over the whole batch (default false)
 * @returns [result, indexes]
 */
export declare function maxPoolWithArgmax(x: Operand, filterSize: NumberList, strides?: NumberList, pad?: 'same' | 'valid', includeBatchInIndex?: boolean): Tensor[];

/**
 * The greater of a and b; NaN where either is.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function maximum(a: Operand, b: Operand): Tensor;

/**
 * Arithmetic mean along the axes, in float32; NaN where there are no elements.
 * @param x any numeric tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function mean(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * Smallest element along the axes; NaN if there is one; Infinity (int32: the highest value) where there are none.
 * Elements that tie share the gradient.
 * @param x any numeric tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function min(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * The lesser of a and b; NaN where either is.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function minimum(a: Operand, b: Operand): Tensor;

/**
 * Surrounds a tensor with its own mirror image.
 * @param x any numeric tensor
 * @param paddings [before, after] of each axis
 * @param mode whether the edge is repeated ('symmetric') or not ('reflect')
 */
export declare function mirrorPad(x: Operand, paddings: NumberList, mode: 'reflect' | 'symmetric'): Tensor;

/**
 * The remainder of a / b with the sign of b (0 for int32 where b is 0).
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function mod(a: Operand, b: Operand): Tensor;

/**
 * Mean and variance (the mean squared distance from the mean) along the axes.
 * @param x any numeric tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 * @returns [mean, variance]
 */
export declare function moments(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor[];

/**
 * a * b.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function mul(a: Operand, b: Operand): Tensor;

/**
 * Class numbers drawn with the probabilities softmax(logits), or with the input's own when it is normalized.
 * @param logits [classes] or [batch, classes]
 * @param numSamples draws for each row
 * @param seed any number; equal seeds give equal results; NaN: a new one each call (default NaN)
 * @param normalized the input holds probabilities, not logits (default false)
 */
export declare function multinomial(logits: Operand, numSamples: number, seed?: number, normalized?: boolean): Tensor;

/**
 * -x.
 * @param x any shape
 */
export declare function neg(x: Operand): Tensor;

/**
 * Indices of boxes, best score first, each overlapping (intersection over union) all better ones by less than
 * iouThreshold. TensorFlow's NonMaxSuppressionV3.
 * @param boxes [n, 4]: y1, x1, y2, x2; the corners in either order
 * @param scores [n]
 * @param maxOutputSize at most so many boxes
 * @param iouThreshold boxes that overlap a chosen one by this much are dropped, in [0, 1] (default 0.5)
 * @param scoreThreshold boxes must score above this (default -Infinity)
 */
export declare function nonMaxSuppression(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number): Tensor;

/**
 * nonMaxSuppression with the result padded to maxOutputSize if asked for; the second output says how many are real.
 * TensorFlow's NonMaxSuppressionV4.
 * @param boxes [n, 4]: y1, x1, y2, x2; the corners in either order
 * @param scores [n]
 * @param maxOutputSize at most so many boxes
 * @param iouThreshold boxes that overlap a chosen one by this much are dropped, in [0, 1] (default 0.5)
 * @param scoreThreshold boxes must score above this (default -Infinity)
 * @param padToMaxOutputSize fill up to maxOutputSize with zeros (default false)
 * @returns [selectedIndices, validOutputs]
 */
export declare function nonMaxSuppressionPadded(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number, padToMaxOutputSize?: boolean): Tensor[];

/**
 * nonMaxSuppression that also returns the scores, lowered by Soft-NMS when softNmsSigma is above 0. TensorFlow's
 * NonMaxSuppressionV5.
 * @param boxes [n, 4]: y1, x1, y2, x2; the corners in either order
 * @param scores [n]
 * @param maxOutputSize at most so many boxes
 * @param iouThreshold boxes that overlap a chosen one by this much are dropped, in [0, 1] (default 0.5)
 * @param scoreThreshold boxes must score above this (default -Infinity)
 * @param softNmsSigma above 0: overlap lowers a score by exp(-iou^2 / (2 sigma)) instead of dropping it (default 0)
 * @returns [selectedIndices, selectedScores]
 */
export declare function nonMaxSuppressionWithScore(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number, softNmsSigma?: number): Tensor[];

/**
 * Norm of vectors (one axis, or all elements as one vector) or of matrices (two axes): the root of the sum of
 * squares, the sum (1) or the extremes (Infinity, -Infinity) of absolute values; for matrices of the columns' (1) or
 * rows' sums.
 * @param x any numeric tensor
 * @param ord which norm: 'euclidean', 'fro', 1, 2, Infinity or -Infinity (default 'euclidean')
 * @param axis one axis for vectors, two for matrices; none given: x as one vector (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function norm(x: Operand, ord?: string, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * True where a and b differ (NaN differs from everything).
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function notEqual(a: Operand, b: Operand): Tensor;

/**
 * A new last axis with onValue at the place that each index names and offValue elsewhere; an index outside of [0,
 * depth) gives offValue everywhere.
 * @param indices an int32 tensor
 * @param depth extent of the new last axis
 * @param onValue value where the index matches (default 1)
 * @param offValue value elsewhere (default 0)
 * @param dtype float32, int32 or bool (default 'int32')
 */
export declare function oneHot(indices: Operand, depth: number, onValue?: number, offValue?: number, dtype?: DataType): Tensor;

/**
 * Ones in the shape and dtype of x.
 * @param x any shape; its values are not read
 */
export declare function onesLike(x: Operand): Tensor;

/**
 * out[i, j] = v1[i] * v2[j].
 * @param v1 a vector
 * @param v2 a vector
 */
export declare function outerProduct(v1: Operand, v2: Operand): Tensor;

/**
 * Surrounds a tensor with a constant.
 * @param x any numeric tensor
 * @param paddings [before, after] of each axis
 * @param constantValue value of the new elements (default 0)
 */
export declare function pad(x: Operand, paddings: NumberList, constantValue?: number): Tensor;

/**
 * a to the power of b. int32 powers are exact modulo 2^32; negative exponents round toward 0.
 * @param base any shape
 * @param exp a shape that broadcasts with base's
 */
export declare function pow(base: Operand, exp: Operand): Tensor;

/**
 * x from 0 up, alpha * x below, with an alpha for each element or channel.
 * @param x any shape
 * @param alpha slopes below 0; broadcasts with x
 */
export declare function prelu(x: Operand, alpha: Operand): Tensor;

/**
 * Product of the elements along the axes; 1 where there are none. bool counts as int32.
 * @param x any numeric tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function prod(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * Normally distributed values.
 * @param shape shape of the result
 * @param mean the mean (default 0)
 * @param stdDev the standard deviation (default 1)
 * @param dtype float32, or int32 (truncated) (default 'float32')
 * @param seed any number; equal seeds give equal results; NaN: a new one each call (default NaN)
 */
export declare function randomNormal(shape: NumberList, mean?: number, stdDev?: number, dtype?: DataType, seed?: number): Tensor;

/**
 * Uniformly distributed values in [minval, maxval): a hash of each element's number and the seed.
 * @param shape shape of the result
 * @param minval smallest value (default 0)
 * @param maxval what all values are below (default 1)
 * @param dtype float32, int32 (whole numbers) or bool (a fair coin) (default 'float32')
 * @param seed any number; equal seeds give equal results; NaN: a new one each call (default NaN)
 */
export declare function randomUniform(shape: NumberList, minval?: number, maxval?: number, dtype?: DataType, seed?: number): Tensor;

/**
 * Uniformly distributed int32 values, minval included, maxval not.
 * @param shape shape of the result
 * @param minval smallest value
 * @param maxval what all values are below
 * @param seed any number; equal seeds give equal results; NaN: a new one each call (default NaN)
 */
export declare function randomUniformInt(shape: NumberList, minval: number, maxval: number, seed?: number): Tensor;

/**
 * start, start + step, ... up to but without stop. A step of 1 counts down when stop is below start; any other step
 * that leads away from stop gives an empty tensor.
 * @param start the first value
 * @param stop where to end; not reached
 * @param step distance of neighbours; its sign is turned towards stop (default 1)
 * @param dtype float32 or int32 (default 'float32')
 */
export declare function range(start: number, stop: number, step?: number, dtype?: DataType): Tensor;

/**
 * 1 / x.
 * @param x any shape
 */
export declare function reciprocal(x: Operand): Tensor;

/**
 * max(x, 0).
 * @param x any shape
 */
export declare function relu(x: Operand): Tensor;

/**
 * min(max(x, 0), 6).
 * @param x any shape
 */
export declare function relu6(x: Operand): Tensor;

/**
 * The same elements in the same order under another shape, of which one entry may be -1: what is left over.
 * @param x any tensor
 * @param shape shape of the result
 */
export declare function reshape(x: Operand, shape: NumberList): Tensor;

/**
 * Resizes NHWC images, interpolating linearly between the four nearest pixels. The result is float32. TensorFlow's
 * sampling: source = i * in / out, or i * (in - 1) / (out - 1) with alignCorners, or (i + 0.5) * in / out - 0.5 with
 * halfPixelCenters.
 * @param images [batch, height, width, channels]
 * @param size height and width of the result
 * @param alignCorners map the centres of the corner pixels onto each other (default false)
 * @param halfPixelCenters sample at pixel centres; not together with alignCorners (default false)
 */
export declare function resizeBilinear(images: Operand, size: NumberList, alignCorners?: boolean, halfPixelCenters?: boolean): Tensor;

/**
 * Resizes NHWC images by copying the nearest pixel: floor of the source position (see resizeBilinear), rounded half
 * up with alignCorners; positions are exact fractions, so all devices agree. Keeps the dtype.
 * @param images [batch, height, width, channels]
 * @param size height and width of the result
 * @param alignCorners map the centres of the corner pixels onto each other (default false)
 * @param halfPixelCenters sample at pixel centres; not together with alignCorners (default false)
 */
export declare function resizeNearestNeighbor(images: Operand, size: NumberList, alignCorners?: boolean, halfPixelCenters?: boolean): Tensor;

/**
 * Turns the order of the elements along the axes round.
 * @param x any numeric tensor
 * @param axis the axes; none given: all of them (default [])
 */
export declare function reverse(x: Operand, axis?: NumberList): Tensor;

/**
 * 0.2989 * red + 0.587 * green + 0.114 * blue; the last dimension becomes 1.
 * @param image [..., 3]
 */
export declare function rgbToGrayscale(image: Operand): Tensor;

/**
 * Rotates NHWC images about a point, copying the nearest pixel. A fourth channel is alpha, filled with 255 outside
 * the image.
 * @param image [batch, height, width, channels]
 * @param radians angle, anticlockwise
 * @param fillValue what lies outside: one number, or [red, green, blue]; alpha is then 255 (default [0])
 * @param center the fixed point in fractions of the size: one number, or [x, y] (default [0.5])
 */
export declare function rotateWithOffset(image: Operand, radians: number, fillValue?: NumberList, center?: NumberList): Tensor;

/**
 * The nearest integer; halves go to the even one.
 * @param x any shape
 */
export declare function round(x: Operand): Tensor;

/**
 * 1 / sqrt(x).
 * @param x any shape
 */
export declare function rsqrt(x: Operand): Tensor;

/**
 * Zeros of the given shape with each update added at the place that its row of indices names; updates of one place
 * add up, those out of range are dropped.
 * @param indices [points..., axes], int32
 * @param updates [points..., rest of shape]
 * @param shape shape of the result
 */
export declare function scatterND(indices: Operand, updates: Operand, shape: NumberList): Tensor;

/**
 * For each value, the number of elements of its sorted row that are less than it (side 'left') or not greater
 * ('right'): where it would be inserted to keep the order.
 * @param sortedSequence [..., n], ascending along the last dimension
 * @param values [..., m]
 * @param side 'left': before equal elements; 'right': after them (default 'left')
 */
export declare function searchSorted(sortedSequence: Operand, values: Operand, side?: 'left' | 'right'): Tensor;

/**
 * Scaled exponential linear unit: 1.0507 x from 0 up, 1.7581 (exp(x) - 1) below.
 * @param x any shape
 */
export declare function selu(x: Operand): Tensor;

/**
 * depthwiseConv2d followed by a 1 x 1 conv2d.
 * @param x [batch, height, width, channels]
 * @param depthwiseFilter [height, width, channels, multiplier]
 * @param pointwiseFilter [1, 1, channels * multiplier, outputs]
 * @param strides step of the window as [h, w] (default [1, 1])
 * @param pad padding: 'same' (output = ceil(input / stride)), 'valid' (none) or 'explicit' (see padding) (default
 * 'valid')
 * @param padding with pad 'explicit': [top, bottom, left, right] cells (default [])
 * @param dilations distance between neighbouring window cells as [h, w] (default [1, 1])
 * @param dimRoundingMode rounding of the output extent with explicit padding (default 'floor')
 */
export declare function separableConv2d(x: Operand, depthwiseFilter: Operand, pointwiseFilter: Operand, strides?: NumberList, pad?: 'same' | 'valid' | 'explicit', padding?: NumberList, dilations?: NumberList, dimRoundingMode?: 'floor' | 'round' | 'ceil'): Tensor;

/**
 * The values of x that are not in y, in x's order with repetitions, and their indices in x.
 * @param x [n]
 * @param y [m], of x's dtype
 * @returns [values, indices]
 */
export declare function setdiff1d(x: Operand, y: Operand): Tensor[];

/**
 * 1 / (1 + exp(-x)).
 * @param x any shape
 */
export declare function sigmoid(x: Operand): Tensor;

/**
 * 1, -1 or 0 for positive, negative and other elements (NaN gives 0).
 * @param x any shape
 */
export declare function sign(x: Operand): Tensor;

/**
 * Sine of x in radians.
 * @param x any shape
 */
export declare function sin(x: Operand): Tensor;

/**
 * Hyperbolic sine.
 * @param x any shape
 */
export declare function sinh(x: Operand): Tensor;

/**
 * The block of a tensor that starts at `begin` and has the extents `size`.
 * @param x any numeric tensor
 * @param begin first index of each axis; missing axes start at 0
 * @param size extent of each axis; -1 and missing axes: up to the end (default [])
 */
export declare function slice(x: Operand, begin: NumberList, size?: NumberList): Tensor;

/**
 * exp(x) / sum(exp(x)) along an axis, computed as exp(x - max) so that nothing overflows.
 * @param logits a numeric tensor of rank 1 or more
 * @param dim the axis that sums to 1 (default -1)
 */
export declare function softmax(logits: Operand, dim?: number): Tensor;

/**
 * log(1 + exp(x)).
 * @param x any shape
 */
export declare function softplus(x: Operand): Tensor;

/**
 * Pads the spatial axes with zeros and moves each position within blocks of blockShape into the batch.
 * @param x [batch, spatial..., rest...]
 * @param blockShape block extent of each spatial axis
 * @param paddings [before, after] of each spatial axis
 */
export declare function spaceToBatchND(x: Operand, blockShape: NumberList, paddings: NumberList): Tensor;

/**
 * The inverse of depthToSpace: moves squares of blockSize x blockSize pixels into the channels.
 * @param x a numeric tensor of rank 4
 * @param blockSize edge of the squares that channels become
 * @param dataFormat order of the axes (default 'NHWC')
 */
export declare function spaceToDepth(x: Operand, blockSize: number, dataFormat?: 'NHWC' | 'NCHW'): Tensor;

/**
 * Cuts a tensor along an axis: into a number of equal parts, or into parts of the given extents.
 * @param x a numeric tensor of rank 1 or more
 * @param numOrSizeSplits a number of equal parts, or the extents of the parts (one may be -1: the rest)
 * @param axis the axis to cut (default 0)
 * @returns [parts...]
 */
export declare function split(x: Operand, numOrSizeSplits: NumberList, axis?: number): Tensor[];

/**
 * Square root; NaN below 0.
 * @param x any shape
 */
export declare function sqrt(x: Operand): Tensor;

/**
 * x * x.
 * @param x any shape
 */
export declare function square(x: Operand): Tensor;

/**
 * (a - b)^2.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function squaredDifference(a: Operand, b: Operand): Tensor;

/**
 * Drops axes of extent 1: the given ones, or all of them.
 * @param x any tensor
 * @param axis the axes; none given: all of them (default [])
 */
export declare function squeeze(x: Operand, axis?: NumberList): Tensor;

/**
 * Joins tensors of one shape along a new axis.
 * @param tensors numeric tensors of the same shape
 * @param axis the axis; negative counts from the end (default 0)
 */
export declare function stack(tensors: ReadonlyArray<Operand>, axis?: number): Tensor;

/**
 * 1 above 0, alpha elsewhere; NaN stays NaN.
 * @param x any shape
 * @param alpha value at and below 0 (default 0)
 */
export declare function step(x: Operand, alpha?: number): Tensor;

/**
 * The tensor itself, which gradients take for a constant.
 * @param x any tensor
 */
export declare function stopGradient(x: Operand): Tensor;

/**
 * numpy's x[begin:end:strides, ...], with masks for what numpy spells as ':', '...', 'newaxis' and a plain index.
 * @param x any numeric tensor
 * @param begin first index of each axis; negative counts from the end
 * @param end index after the last of each axis; negative counts from the end
 * @param strides step of each axis; none given: 1 (default [])
 * @param beginMask bit i: ignore begin[i], start at the first element (default 0)
 * @param endMask bit i: ignore end[i], go on to the last element (default 0)
 * @param ellipsisMask bit i: entry i stands for all axes not named by the others (default 0)
 * @param newAxisMask bit i: entry i inserts an axis of extent 1 (default 0)
 * @param shrinkAxisMask bit i: take one index of this axis and drop the axis (default 0)
 */
export declare function stridedSlice(x: Operand, begin: NumberList, end: NumberList, strides?: NumberList, beginMask?: number, endMask?: number, ellipsisMask?: number, newAxisMask?: number, shrinkAxisMask?: number): Tensor;

/**
 * a - b.
 * @param a any shape
 * @param b a shape that broadcasts with a's
 */
export declare function sub(a: Operand, b: Operand): Tensor;

/**
 * Sum of the elements along the axes; 0 where there are none. bool counts as int32.
 * @param x any numeric tensor
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function sum(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * Tangent of x in radians.
 * @param x any shape
 */
export declare function tan(x: Operand): Tensor;

/**
 * Hyperbolic tangent.
 * @param x any shape
 */
export declare function tanh(x: Operand): Tensor;

/**
 * The tensor with the elements or slices that indices name replaced by updates. The last of several updates of one
 * place counts; those out of range are dropped.
 * @param tensor any numeric tensor
 * @param indices [points..., axes], int32
 * @param updates [points..., rest of shape]
 */
export declare function tensorScatterUpdate(tensor: Operand, indices: Operand, updates: Operand): Tensor;

/**
 * Repeats the whole tensor reps[d] times along each axis d.
 * @param x any numeric tensor
 * @param reps how often each axis is repeated
 */
export declare function tile(x: Operand, reps: NumberList): Tensor;

/**
 * The k largest values of each row of the last dimension, largest first, and their indices; among equals the lower
 * index comes first, and NaN counts as largest.
 * @param x [..., n]
 * @param k how many of each row (default 1)
 * @param sorted largest first (they always are) (default true)
 * @returns [values, indices]
 */
export declare function topk(x: Operand, k?: number, sorted?: boolean): Tensor[];

/**
 * Reorders the axes: out[i_0, i_1, ...] = x[j_0, j_1, ...] with j_perm[d] = i_d.
 * @param x any numeric tensor
 * @param perm axis d of the result is axis perm[d] of x; none given: the order is reversed (default [])
 */
export declare function transpose(x: Operand, perm?: NumberList): Tensor;

/**
 * Normally distributed values, all within two standard deviations of the mean.
 * @param shape shape of the result
 * @param mean the mean (default 0)
 * @param stdDev the standard deviation (default 1)
 * @param dtype float32, or int32 (truncated) (default 'float32')
 * @param seed any number; equal seeds give equal results; NaN: a new one each call (default NaN)
 */
export declare function truncatedNormal(shape: NumberList, mean?: number, stdDev?: number, dtype?: DataType, seed?: number): Tensor;

/**
 * The distinct slices along an axis in the order of their first appearance, and for each slice the number of its
 * equal. NaNs count as equal.
 * @param x rank 1 or more
 * @param axis slices along this axis are compared (default 0)
 * @returns [values, indices]
 */
export declare function unique(x: Operand, axis?: number): Tensor[];

/**
 * Sums the slices of x that have the same segment id: out[s] = sum of x[i] with segmentIds[i] = s. Ids outside of [0,
 * numSegments) are dropped.
 * @param x any numeric tensor
 * @param segmentIds int32, with the leading axes of x
 * @param numSegments extent of the result
 */
export declare function unsortedSegmentSum(x: Operand, segmentIds: Operand, numSegments: number): Tensor;

/**
 * Cuts a tensor along an axis into tensors without that axis.
 * @param x a numeric tensor of rank 1 or more
 * @param axis the axis; negative counts from the end (default 0)
 * @returns [parts...]
 */
export declare function unstack(x: Operand, axis?: number): Tensor[];

/**
 * searchSorted with side 'right'.
 * @param sortedSequence [..., n], ascending along the last dimension
 * @param values [..., m]
 */
export declare function upperBound(sortedSequence: Operand, values: Operand): Tensor;

/**
 * a where the condition is true, b elsewhere; all three broadcast.
 * @param condition bool
 * @param a values where true
 * @param b values where false
 */
export declare function where(condition: Operand, a: Operand, b: Operand): Tensor;

/**
 * The coordinates of the true elements, one row each, in row-major order (TensorFlow's where with one argument,
 * TensorFlow.js's whereAsync).
 * @param condition bool, any shape
 */
export declare function whereIndices(condition: Operand): Tensor;

/**
 * Zeros in the shape and dtype of x.
 * @param x any shape; its values are not read
 */
export declare function zerosLike(x: Operand): Tensor;

/** The names of all ops above, as the registry spells them. */
export declare const opNames: ReadonlyArray<string>;
