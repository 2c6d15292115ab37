// Written by tessera_gen from the op registry; do not edit. The types of ops.mjs.
import type {DataType, Tensor, TensorLike} from '../src/types';

/** One number, or numbers nested to any depth (read in order). */
export type NumberList = number | ReadonlyArray<NumberList> | Int32Array | Float32Array;
type Operand = Tensor | TensorLike;

/**
 * (to come)
 * @param x
 */
export declare function abs(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function acos(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function acosh(x: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function add(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function all(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * (to come)
 * @param x
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function any(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * (to come)
 * @param x
 * @param axis the axis to search along (default 0)
 */
export declare function argMax(x: Operand, axis?: number): Tensor;

/**
 * (to come)
 * @param x
 * @param axis the axis to search along (default 0)
 */
export declare function argMin(x: Operand, axis?: number): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function asin(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function asinh(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function atan(x: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function atan2(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
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
 * (to come)
 * @param x
 * @param mean
 * @param variance
 * @param offset
 * @param scale
 * @param varianceEpsilon added to the variance, against division by zero (default 0.001)
 */
export declare function batchNorm(x: Operand, mean: Operand, variance: Operand, offset?: Operand | null, scale?: Operand | null, varianceEpsilon?: number): Tensor;

/**
 * (to come)
 * @param x
 * @param blockShape block extent of each spatial axis
 * @param crops [before, after] of each spatial axis
 */
export declare function batchToSpaceND(x: Operand, blockShape: NumberList, crops: NumberList): Tensor;

/**
 * (to come)
 * @param x
 * @param weights
 * @param size number of bins
 */
export declare function bincount(x: Operand, weights: Operand, size: number): Tensor;

/**
 * (to come)
 * @param x
 * @param shape shape of the result
 */
export declare function broadcastTo(x: Operand, shape: NumberList): Tensor;

/**
 * (to come)
 * @param x
 * @param dtype
 */
export declare function cast(x: Operand, dtype: DataType): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function ceil(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param clipValueMin
 * @param clipValueMax
 */
export declare function clipByValue(x: Operand, clipValueMin: number, clipValueMax: number): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function clone(x: Operand): Tensor;

/**
 * (to come)
 * @param tensors
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
 * (to come)
 * @param x
 */
export declare function cos(x: Operand): Tensor;

/**
 * (to come)
 * @param x
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
 * (to come)
 * @param x
 * @param axis the axis to accumulate along (default 0)
 * @param exclusive leave the element itself out (default false)
 * @param reverse accumulate from the end (default false)
 */
export declare function cumprod(x: Operand, axis?: number, exclusive?: boolean, reverse?: boolean): Tensor;

/**
 * (to come)
 * @param x
 * @param axis the axis to accumulate along (default 0)
 * @param exclusive leave the element itself out (default false)
 * @param reverse accumulate from the end (default false)
 */
export declare function cumsum(x: Operand, axis?: number, exclusive?: boolean, reverse?: boolean): Tensor;

/**
 * (to come)
 * @param x
 * @param weights
 * @param size number of bins
 * @param binaryOutput 1 for a value that occurs, instead of its count (default false)
 */
export declare function denseBincount(x: Operand, weights: Operand, size: number, binaryOutput?: boolean): Tensor;

/**
 * (to come)
 * @param x
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
 * (to come)
 * @param a
 * @param b
 */
export declare function div(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function divNoNan(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param t1
 * @param t2
 */
export declare function dot(t1: Operand, t2: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function elu(x: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function equal(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function erf(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function exp(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param axis the axis; negative counts from the end (default 0)
 */
export declare function expandDims(x: Operand, axis?: number): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function expm1(x: Operand): Tensor;

/**
 * (to come)
 * @param numRows number of rows
 * @param numColumns number of columns; -1: as many as rows (default -1)
 * @param batchShape leading axes, each with the same matrix (default [])
 * @param dtype float32, int32 or bool (default 'float32')
 */
export declare function eye(numRows: number, numColumns?: number, batchShape?: NumberList, dtype?: DataType): Tensor;

/**
 * (to come)
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
 * (to come)
 * @param x
 */
export declare function floor(x: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function floorDiv(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param indices
 * @param axis the axis of x that indices choose from (default 0)
 * @param batchDims number of leading axes that x and indices share (default 0)
 */
export declare function gather(x: Operand, indices: Operand, axis?: number, batchDims?: number): Tensor;

/**
 * (to come)
 * @param x
 * @param indices
 */
export declare function gatherND(x: Operand, indices: Operand): Tensor;

/**
 * Repeats the one channel of an image three times.
 * @param image [..., 1]
 */
export declare function grayscaleToRGB(image: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function greater(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function greaterEqual(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function identity(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function isFinite(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function isInf(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function isNaN(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param alpha slope (default 0.2)
 */
export declare function leakyRelu(x: Operand, alpha?: number): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function less(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function lessEqual(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param start the first value
 * @param stop the last value
 * @param num number of values, at least 1
 */
export declare function linspace(start: number, stop: number, num: number): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function log(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function log1p(x: Operand): Tensor;

/**
 * (to come)
 * @param logits
 * @param axis the axis whose exponentials sum to 1 (default -1)
 */
export declare function logSoftmax(logits: Operand, axis?: number): Tensor;

/**
 * (to come)
 * @param x
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function logSumExp(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function logicalAnd(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function logicalNot(x: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function logicalOr(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function logicalXor(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 * @param transposeA read the last two axes of a the other way round (default false)
 * @param transposeB read the last two axes of b the other way round (default false)
 */
export declare function matMul(a: Operand, b: Operand, transposeA?: boolean, transposeB?: boolean): Tensor;

/**
 * (to come)
 * @param x
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
 */
export declare function maxPoolWithArgmax(x: Operand, filterSize: NumberList, strides?: NumberList, pad?: 'same' | 'valid', includeBatchInIndex?: boolean): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function maximum(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function mean(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * (to come)
 * @param x
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function min(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function minimum(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param paddings [before, after] of each axis
 * @param mode whether the edge is repeated ('symmetric') or not ('reflect')
 */
export declare function mirrorPad(x: Operand, paddings: NumberList, mode: 'reflect' | 'symmetric'): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function mod(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 * @returns [mean, variance]
 */
export declare function moments(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor[];

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function mul(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function neg(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param ord which norm: 'euclidean', 'fro', 1, 2, Infinity or -Infinity (default 'euclidean')
 * @param axis one axis for vectors, two for matrices; none given: x as one vector (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function norm(x: Operand, ord?: string, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function notEqual(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param indices
 * @param depth extent of the new last axis
 * @param onValue value where the index matches (default 1)
 * @param offValue value elsewhere (default 0)
 * @param dtype float32, int32 or bool (default 'int32')
 */
export declare function oneHot(indices: Operand, depth: number, onValue?: number, offValue?: number, dtype?: DataType): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function onesLike(x: Operand): Tensor;

/**
 * (to come)
 * @param v1
 * @param v2
 */
export declare function outerProduct(v1: Operand, v2: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param paddings [before, after] of each axis
 * @param constantValue value of the new elements (default 0)
 */
export declare function pad(x: Operand, paddings: NumberList, constantValue?: number): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function pow(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param alpha
 */
export declare function prelu(x: Operand, alpha: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function prod(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * (to come)
 * @param start the first value
 * @param stop where to end; not reached
 * @param step distance of neighbours; its sign is turned towards stop (default 1)
 * @param dtype float32 or int32 (default 'float32')
 */
export declare function range(start: number, stop: number, step?: number, dtype?: DataType): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function reciprocal(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function relu(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function relu6(x: Operand): Tensor;

/**
 * (to come)
 * @param x
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
 * (to come)
 * @param x
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
 * (to come)
 * @param x
 */
export declare function round(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function rsqrt(x: Operand): Tensor;

/**
 * (to come)
 * @param indices
 * @param updates
 * @param shape shape of the result
 */
export declare function scatterND(indices: Operand, updates: Operand, shape: NumberList): Tensor;

/**
 * (to come)
 * @param x
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
 * (to come)
 * @param x
 */
export declare function sigmoid(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function sign(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function sin(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function sinh(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param begin first index of each axis; missing axes start at 0
 * @param size extent of each axis; -1 and missing axes: up to the end (default [])
 */
export declare function slice(x: Operand, begin: NumberList, size?: NumberList): Tensor;

/**
 * (to come)
 * @param logits
 * @param dim the axis that sums to 1 (default -1)
 */
export declare function softmax(logits: Operand, dim?: number): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function softplus(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param blockShape block extent of each spatial axis
 * @param paddings [before, after] of each spatial axis
 */
export declare function spaceToBatchND(x: Operand, blockShape: NumberList, paddings: NumberList): Tensor;

/**
 * (to come)
 * @param x
 * @param numOrSizeSplits a number of equal parts, or the extents of the parts (one may be -1: the rest)
 * @param axis the axis to cut (default 0)
 * @returns [parts...]
 */
export declare function split(x: Operand, numOrSizeSplits: NumberList, axis?: number): Tensor[];

/**
 * (to come)
 * @param x
 */
export declare function sqrt(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function square(x: Operand): Tensor;

/**
 * (to come)
 * @param a
 * @param b
 */
export declare function squaredDifference(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param axis the axes; none given: all of them (default [])
 */
export declare function squeeze(x: Operand, axis?: NumberList): Tensor;

/**
 * (to come)
 * @param tensors
 * @param axis the axis; negative counts from the end (default 0)
 */
export declare function stack(tensors: ReadonlyArray<Operand>, axis?: number): Tensor;

/**
 * (to come)
 * @param x
 * @param alpha slope (default 0.2)
 */
export declare function step(x: Operand, alpha?: number): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function stopGradient(x: Operand): Tensor;

/**
 * (to come)
 * @param x
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
 * (to come)
 * @param a
 * @param b
 */
export declare function sub(a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param axis axes to reduce; none given: all of them (default [])
 * @param keepDims keep reduced axes with extent 1 (default false)
 */
export declare function sum(x: Operand, axis?: NumberList, keepDims?: boolean): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function tan(x: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function tanh(x: Operand): Tensor;

/**
 * (to come)
 * @param tensor
 * @param indices
 * @param updates
 */
export declare function tensorScatterUpdate(tensor: Operand, indices: Operand, updates: Operand): Tensor;

/**
 * (to come)
 * @param x
 * @param reps how often each axis is repeated
 */
export declare function tile(x: Operand, reps: NumberList): Tensor;

/**
 * (to come)
 * @param x
 * @param perm axis d of the result is axis perm[d] of x; none given: the order is reversed (default [])
 */
export declare function transpose(x: Operand, perm?: NumberList): Tensor;

/**
 * (to come)
 * @param x
 * @param segmentIds
 * @param numSegments extent of the result
 */
export declare function unsortedSegmentSum(x: Operand, segmentIds: Operand, numSegments: number): Tensor;

/**
 * (to come)
 * @param x
 * @param axis the axis; negative counts from the end (default 0)
 * @returns [parts...]
 */
export declare function unstack(x: Operand, axis?: number): Tensor[];

/**
 * (to come)
 * @param condition
 * @param a
 * @param b
 */
export declare function where(condition: Operand, a: Operand, b: Operand): Tensor;

/**
 * (to come)
 * @param x
 */
export declare function zerosLike(x: Operand): Tensor;

/** The names of all ops above, as the registry spells them. */
export declare const opNames: ReadonlyArray<string>;
