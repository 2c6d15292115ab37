// Written by tessera_gen from the op registry; do not edit. Every op as a function in TensorFlow.js's call style.
//
// Attributes travel as numbers, one field after the other: one word a value; a count and that many words a list or string;
// NaN where the default is meant (a number attribute is always written out, since NaN is one of its values).
import {callOp, toTensor} from '../src/engine.mjs';

const kDTypes = ['float32', 'int32', 'bool', 'complex64', 'string', 'float16', 'int8', 'uint8', 'uint16'];

function wrong(op, attr, wanted, value) {
  return new Error(`[${op}] attribute '${attr}' must be ${wanted}, got ${typeof value === 'string' ? `'${value}'` : String(value)}`);
}

function putInt(words, op, attr, value) {
  if (value == null) words.push(NaN);
  else if (typeof value === 'boolean') words.push(value ? 1 : 0);
  else if (Number.isInteger(value)) words.push(value);
  else throw wrong(op, attr, 'an integer', value);
}

function putFloat(words, op, attr, value, otherwise) {
  if (value == null) words.push(otherwise);
  else if (typeof value === 'number') words.push(value);
  else if (typeof value === 'boolean') words.push(value ? 1 : 0);
  else throw wrong(op, attr, 'a number', value);
}

function flatten(out, op, attr, value) {
  if (typeof value === 'number') out.push(value);
  else if (typeof value === 'boolean') out.push(value ? 1 : 0);
  else if (Array.isArray(value) || ArrayBuffer.isView(value)) for (const v of value) flatten(out, op, attr, v);
  else throw wrong(op, attr, 'a list of numbers', value);
}

function putList(words, op, attr, value) {
  if (value == null) {
    words.push(NaN);
    return;
  }
  const at = words.push(0) - 1;
  flatten(words, op, attr, value);
  words[at] = words.length - at - 1;
}

function putString(words, op, attr, value) {
  if (value == null) {
    words.push(NaN);
    return;
  }
  const bytes = new TextEncoder().encode(String(value));
  words.push(bytes.length, ...bytes);
}

function putEnum(words, op, attr, value, names) {
  if (value == null) {
    words.push(NaN);
    return;
  }
  const index = names.indexOf(value);
  if (index < 0) throw wrong(op, attr, `one of ${names.map((n) => `'${n}'`).join(' ')}`, value);
  words.push(index);
}

function putDType(words, op, attr, value) {
  putEnum(words, op, attr, value, kDTypes);
}

function putOptional(inputs, value, name, op, dtype) {
  if (value != null) inputs.push(toTensor(value, name, op, dtype));
}

function putAll(inputs, values, name, op, dtype) {
  if (!Array.isArray(values)) throw new Error(`[${op}] '${name}' must be an array of tensors`);
  values.forEach((v, i) => inputs.push(toTensor(v, `${name}[${i}]`, op, dtype)));
}

export function abs(x) {
  return callOp('abs', [toTensor(x, 'x', 'abs')], [])[0];
}

export function acos(x) {
  return callOp('acos', [toTensor(x, 'x', 'acos')], [])[0];
}

export function acosh(x) {
  return callOp('acosh', [toTensor(x, 'x', 'acosh')], [])[0];
}

export function add(a, b) {
  return callOp('add', [toTensor(a, 'a', 'add'), toTensor(b, 'b', 'add')], [])[0];
}

export function all(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'all', 'axis', axis);
  putInt(words, 'all', 'keepDims', keepDims);
  return callOp('all', [toTensor(x, 'x', 'all')], words)[0];
}

export function any(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'any', 'axis', axis);
  putInt(words, 'any', 'keepDims', keepDims);
  return callOp('any', [toTensor(x, 'x', 'any')], words)[0];
}

export function argMax(x, axis = 0) {
  const words = [];
  putInt(words, 'argMax', 'axis', axis);
  return callOp('argMax', [toTensor(x, 'x', 'argMax')], words)[0];
}

export function argMin(x, axis = 0) {
  const words = [];
  putInt(words, 'argMin', 'axis', axis);
  return callOp('argMin', [toTensor(x, 'x', 'argMin')], words)[0];
}

export function asin(x) {
  return callOp('asin', [toTensor(x, 'x', 'asin')], [])[0];
}

export function asinh(x) {
  return callOp('asinh', [toTensor(x, 'x', 'asinh')], [])[0];
}

export function atan(x) {
  return callOp('atan', [toTensor(x, 'x', 'atan')], [])[0];
}

export function atan2(a, b) {
  return callOp('atan2', [toTensor(a, 'a', 'atan2'), toTensor(b, 'b', 'atan2')], [])[0];
}

export function atanh(x) {
  return callOp('atanh', [toTensor(x, 'x', 'atanh')], [])[0];
}

export function avgPool(x, filterSize, strides = [1, 1], pad = 'valid', padding = [], dilations = [1, 1], dimRoundingMode = 'floor') {
  const words = [];
  putList(words, 'avgPool', 'filterSize', filterSize);
  putList(words, 'avgPool', 'strides', strides);
  putEnum(words, 'avgPool', 'pad', pad, ['same', 'valid', 'explicit']);
  putList(words, 'avgPool', 'padding', padding);
  putList(words, 'avgPool', 'dilations', dilations);
  putEnum(words, 'avgPool', 'dimRoundingMode', dimRoundingMode, ['floor', 'round', 'ceil']);
  return callOp('avgPool', [toTensor(x, 'x', 'avgPool')], words)[0];
}

export function batchNorm(x, mean, variance, offset, scale, varianceEpsilon = 0.001) {
  const inputs = [toTensor(x, 'x', 'batchNorm'), toTensor(mean, 'mean', 'batchNorm'), toTensor(variance, 'variance', 'batchNorm')];
  putOptional(inputs, offset, 'offset', 'batchNorm');
  putOptional(inputs, scale, 'scale', 'batchNorm');
  const words = [];
  putFloat(words, 'batchNorm', 'varianceEpsilon', varianceEpsilon, 0.001);
  return callOp('batchNorm', inputs, words)[0];
}

export function batchToSpaceND(x, blockShape, crops) {
  const words = [];
  putList(words, 'batchToSpaceND', 'blockShape', blockShape);
  putList(words, 'batchToSpaceND', 'crops', crops);
  return callOp('batchToSpaceND', [toTensor(x, 'x', 'batchToSpaceND')], words)[0];
}

export function bincount(x, weights, size) {
  const words = [];
  putInt(words, 'bincount', 'size', size);
  return callOp('bincount', [toTensor(x, 'x', 'bincount'), toTensor(weights, 'weights', 'bincount')], words)[0];
}

export function bitwiseAnd(a, b) {
  return callOp('bitwiseAnd', [toTensor(a, 'a', 'bitwiseAnd'), toTensor(b, 'b', 'bitwiseAnd')], [])[0];
}

export function booleanMask(tensor, mask, axis = 0) {
  const words = [];
  putInt(words, 'booleanMask', 'axis', axis);
  return callOp('booleanMask', [toTensor(tensor, 'tensor', 'booleanMask'), toTensor(mask, 'mask', 'booleanMask')], words)[0];
}

export function broadcastTo(x, shape) {
  const words = [];
  putList(words, 'broadcastTo', 'shape', shape);
  return callOp('broadcastTo', [toTensor(x, 'x', 'broadcastTo')], words)[0];
}

export function cast(x, dtype) {
  const words = [];
  putDType(words, 'cast', 'dtype', dtype);
  return callOp('cast', [toTensor(x, 'x', 'cast')], words)[0];
}

export function ceil(x) {
  return callOp('ceil', [toTensor(x, 'x', 'ceil')], [])[0];
}

export function clipByValue(x, clipValueMin, clipValueMax) {
  const words = [];
  putFloat(words, 'clipByValue', 'clipValueMin', clipValueMin, 0);
  putFloat(words, 'clipByValue', 'clipValueMax', clipValueMax, 0);
  return callOp('clipByValue', [toTensor(x, 'x', 'clipByValue')], words)[0];
}

export function concat(tensors, axis = 0) {
  const inputs = [];
  putAll(inputs, tensors, 'tensors', 'concat');
  const words = [];
  putInt(words, 'concat', 'axis', axis);
  return callOp('concat', inputs, words)[0];
}

export function conv1d(x, filter, stride = 1, pad = 'valid', padding = [], dilation = 1, dimRoundingMode = 'floor') {
  const words = [];
  putInt(words, 'conv1d', 'stride', stride);
  putEnum(words, 'conv1d', 'pad', pad, ['same', 'valid', 'explicit']);
  putList(words, 'conv1d', 'padding', padding);
  putInt(words, 'conv1d', 'dilation', dilation);
  putEnum(words, 'conv1d', 'dimRoundingMode', dimRoundingMode, ['floor', 'round', 'ceil']);
  return callOp('conv1d', [toTensor(x, 'x', 'conv1d'), toTensor(filter, 'filter', 'conv1d')], words)[0];
}

export function conv2d(x, filter, strides = [1, 1], pad = 'valid', padding = [], dilations = [1, 1], dimRoundingMode = 'floor') {
  const words = [];
  putList(words, 'conv2d', 'strides', strides);
  putEnum(words, 'conv2d', 'pad', pad, ['same', 'valid', 'explicit']);
  putList(words, 'conv2d', 'padding', padding);
  putList(words, 'conv2d', 'dilations', dilations);
  putEnum(words, 'conv2d', 'dimRoundingMode', dimRoundingMode, ['floor', 'round', 'ceil']);
  return callOp('conv2d', [toTensor(x, 'x', 'conv2d'), toTensor(filter, 'filter', 'conv2d')], words)[0];
}

export function conv2dTranspose(x, filter, outputShape, strides = [1, 1], pad = 'valid', padding = [], dilations = [1, 1], dimRoundingMode = 'floor') {
  const words = [];
  putList(words, 'conv2dTranspose', 'outputShape', outputShape);
  putList(words, 'conv2dTranspose', 'strides', strides);
  putEnum(words, 'conv2dTranspose', 'pad', pad, ['same', 'valid', 'explicit']);
  putList(words, 'conv2dTranspose', 'padding', padding);
  putList(words, 'conv2dTranspose', 'dilations', dilations);
  putEnum(words, 'conv2dTranspose', 'dimRoundingMode', dimRoundingMode, ['floor', 'round', 'ceil']);
  return callOp('conv2dTranspose', [toTensor(x, 'x', 'conv2dTranspose'), toTensor(filter, 'filter', 'conv2dTranspose')], words)[0];
}

export function cos(x) {
  return callOp('cos', [toTensor(x, 'x', 'cos')], [])[0];
}

export function cosh(x) {
  return callOp('cosh', [toTensor(x, 'x', 'cosh')], [])[0];
}

export function cropAndResize(image, boxes, boxInd, cropSize, method = 'bilinear', extrapolationValue = 0) {
  const words = [];
  putList(words, 'cropAndResize', 'cropSize', cropSize);
  putEnum(words, 'cropAndResize', 'method', method, ['bilinear', 'nearest']);
  putFloat(words, 'cropAndResize', 'extrapolationValue', extrapolationValue, 0);
  return callOp('cropAndResize', [toTensor(image, 'image', 'cropAndResize'), toTensor(boxes, 'boxes', 'cropAndResize'), toTensor(boxInd, 'boxInd', 'cropAndResize', 'int32')], words)[0];
}

export function cumprod(x, axis = 0, exclusive = false, reverse = false) {
  const words = [];
  putInt(words, 'cumprod', 'axis', axis);
  putInt(words, 'cumprod', 'exclusive', exclusive);
  putInt(words, 'cumprod', 'reverse', reverse);
  return callOp('cumprod', [toTensor(x, 'x', 'cumprod')], words)[0];
}

export function cumsum(x, axis = 0, exclusive = false, reverse = false) {
  const words = [];
  putInt(words, 'cumsum', 'axis', axis);
  putInt(words, 'cumsum', 'exclusive', exclusive);
  putInt(words, 'cumsum', 'reverse', reverse);
  return callOp('cumsum', [toTensor(x, 'x', 'cumsum')], words)[0];
}

export function denseBincount(x, weights, size, binaryOutput = false) {
  const words = [];
  putInt(words, 'denseBincount', 'size', size);
  putInt(words, 'denseBincount', 'binaryOutput', binaryOutput);
  return callOp('denseBincount', [toTensor(x, 'x', 'denseBincount'), toTensor(weights, 'weights', 'denseBincount')], words)[0];
}

export function depthToSpace(x, blockSize, dataFormat = 'NHWC') {
  const words = [];
  putInt(words, 'depthToSpace', 'blockSize', blockSize);
  putEnum(words, 'depthToSpace', 'dataFormat', dataFormat, ['NHWC', 'NCHW']);
  return callOp('depthToSpace', [toTensor(x, 'x', 'depthToSpace')], words)[0];
}

export function depthwiseConv2d(x, filter, strides = [1, 1], pad = 'valid', padding = [], dilations = [1, 1], dimRoundingMode = 'floor') {
  const words = [];
  putList(words, 'depthwiseConv2d', 'strides', strides);
  putEnum(words, 'depthwiseConv2d', 'pad', pad, ['same', 'valid', 'explicit']);
  putList(words, 'depthwiseConv2d', 'padding', padding);
  putList(words, 'depthwiseConv2d', 'dilations', dilations);
  putEnum(words, 'depthwiseConv2d', 'dimRoundingMode', dimRoundingMode, ['floor', 'round', 'ceil']);
  return callOp('depthwiseConv2d', [toTensor(x, 'x', 'depthwiseConv2d'), toTensor(filter, 'filter', 'depthwiseConv2d')], words)[0];
}

export function div(a, b) {
  return callOp('div', [toTensor(a, 'a', 'div'), toTensor(b, 'b', 'div')], [])[0];
}

export function divNoNan(a, b) {
  return callOp('divNoNan', [toTensor(a, 'a', 'divNoNan'), toTensor(b, 'b', 'divNoNan')], [])[0];
}

export function dot(t1, t2) {
  return callOp('dot', [toTensor(t1, 't1', 'dot'), toTensor(t2, 't2', 'dot')], [])[0];
}

export function dropout(x, rate, noiseShape = [], seed = NaN) {
  const words = [];
  putFloat(words, 'dropout', 'rate', rate, 0);
  putList(words, 'dropout', 'noiseShape', noiseShape);
  putFloat(words, 'dropout', 'seed', seed, NaN);
  return callOp('dropout', [toTensor(x, 'x', 'dropout')], words)[0];
}

export function elu(x) {
  return callOp('elu', [toTensor(x, 'x', 'elu')], [])[0];
}

export function equal(a, b) {
  return callOp('equal', [toTensor(a, 'a', 'equal'), toTensor(b, 'b', 'equal')], [])[0];
}

export function erf(x) {
  return callOp('erf', [toTensor(x, 'x', 'erf')], [])[0];
}

export function exp(x) {
  return callOp('exp', [toTensor(x, 'x', 'exp')], [])[0];
}

export function expandDims(x, axis = 0) {
  const words = [];
  putInt(words, 'expandDims', 'axis', axis);
  return callOp('expandDims', [toTensor(x, 'x', 'expandDims')], words)[0];
}

export function expm1(x) {
  return callOp('expm1', [toTensor(x, 'x', 'expm1')], [])[0];
}

export function eye(numRows, numColumns = -1, batchShape = [], dtype = 'float32') {
  const words = [];
  putInt(words, 'eye', 'numRows', numRows);
  putInt(words, 'eye', 'numColumns', numColumns);
  putList(words, 'eye', 'batchShape', batchShape);
  putDType(words, 'eye', 'dtype', dtype);
  return callOp('eye', [], words)[0];
}

export function fill(shape, value, dtype = 'float32') {
  const words = [];
  putList(words, 'fill', 'shape', shape);
  putFloat(words, 'fill', 'value', value, 0);
  putDType(words, 'fill', 'dtype', dtype);
  return callOp('fill', [], words)[0];
}

export function flipLeftRight(image) {
  return callOp('flipLeftRight', [toTensor(image, 'image', 'flipLeftRight')], [])[0];
}

export function floor(x) {
  return callOp('floor', [toTensor(x, 'x', 'floor')], [])[0];
}

export function floorDiv(a, b) {
  return callOp('floorDiv', [toTensor(a, 'a', 'floorDiv'), toTensor(b, 'b', 'floorDiv')], [])[0];
}

export function gather(x, indices, axis = 0, batchDims = 0) {
  const words = [];
  putInt(words, 'gather', 'axis', axis);
  putInt(words, 'gather', 'batchDims', batchDims);
  return callOp('gather', [toTensor(x, 'x', 'gather'), toTensor(indices, 'indices', 'gather', 'int32')], words)[0];
}

export function gatherND(x, indices) {
  return callOp('gatherND', [toTensor(x, 'x', 'gatherND'), toTensor(indices, 'indices', 'gatherND', 'int32')], [])[0];
}

export function grayscaleToRGB(image) {
  return callOp('grayscaleToRGB', [toTensor(image, 'image', 'grayscaleToRGB')], [])[0];
}

export function greater(a, b) {
  return callOp('greater', [toTensor(a, 'a', 'greater'), toTensor(b, 'b', 'greater')], [])[0];
}

export function greaterEqual(a, b) {
  return callOp('greaterEqual', [toTensor(a, 'a', 'greaterEqual'), toTensor(b, 'b', 'greaterEqual')], [])[0];
}

export function identity(x) {
  return callOp('identity', [toTensor(x, 'x', 'identity')], [])[0];
}

export function inTopK(predictions, targets, k = 1) {
  const words = [];
  putInt(words, 'inTopK', 'k', k);
  return callOp('inTopK', [toTensor(predictions, 'predictions', 'inTopK'), toTensor(targets, 'targets', 'inTopK')], words)[0];
}

export function isFinite(x) {
  return callOp('isFinite', [toTensor(x, 'x', 'isFinite')], [])[0];
}

export function isInf(x) {
  return callOp('isInf', [toTensor(x, 'x', 'isInf')], [])[0];
}

export function isNaN(x) {
  return callOp('isNaN', [toTensor(x, 'x', 'isNaN')], [])[0];
}

export function leakyRelu(x, alpha = 0.2) {
  const words = [];
  putFloat(words, 'leakyRelu', 'alpha', alpha, 0.2);
  return callOp('leakyRelu', [toTensor(x, 'x', 'leakyRelu')], words)[0];
}

export function less(a, b) {
  return callOp('less', [toTensor(a, 'a', 'less'), toTensor(b, 'b', 'less')], [])[0];
}

export function lessEqual(a, b) {
  return callOp('lessEqual', [toTensor(a, 'a', 'lessEqual'), toTensor(b, 'b', 'lessEqual')], [])[0];
}

export function linspace(start, stop, num) {
  const words = [];
  putFloat(words, 'linspace', 'start', start, 0);
  putFloat(words, 'linspace', 'stop', stop, 0);
  putInt(words, 'linspace', 'num', num);
  return callOp('linspace', [], words)[0];
}

export function log(x) {
  return callOp('log', [toTensor(x, 'x', 'log')], [])[0];
}

export function log1p(x) {
  return callOp('log1p', [toTensor(x, 'x', 'log1p')], [])[0];
}

export function logSigmoid(x) {
  return callOp('logSigmoid', [toTensor(x, 'x', 'logSigmoid')], [])[0];
}

export function logSoftmax(logits, axis = -1) {
  const words = [];
  putInt(words, 'logSoftmax', 'axis', axis);
  return callOp('logSoftmax', [toTensor(logits, 'logits', 'logSoftmax')], words)[0];
}

export function logSumExp(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'logSumExp', 'axis', axis);
  putInt(words, 'logSumExp', 'keepDims', keepDims);
  return callOp('logSumExp', [toTensor(x, 'x', 'logSumExp')], words)[0];
}

export function logicalAnd(a, b) {
  return callOp('logicalAnd', [toTensor(a, 'a', 'logicalAnd', 'bool'), toTensor(b, 'b', 'logicalAnd', 'bool')], [])[0];
}

export function logicalNot(x) {
  return callOp('logicalNot', [toTensor(x, 'x', 'logicalNot', 'bool')], [])[0];
}

export function logicalOr(a, b) {
  return callOp('logicalOr', [toTensor(a, 'a', 'logicalOr', 'bool'), toTensor(b, 'b', 'logicalOr', 'bool')], [])[0];
}

export function logicalXor(a, b) {
  return callOp('logicalXor', [toTensor(a, 'a', 'logicalXor', 'bool'), toTensor(b, 'b', 'logicalXor', 'bool')], [])[0];
}

export function lowerBound(sortedSequence, values) {
  return callOp('lowerBound', [toTensor(sortedSequence, 'sortedSequence', 'lowerBound'), toTensor(values, 'values', 'lowerBound')], [])[0];
}

export function matMul(a, b, transposeA = false, transposeB = false) {
  const words = [];
  putInt(words, 'matMul', 'transposeA', transposeA);
  putInt(words, 'matMul', 'transposeB', transposeB);
  return callOp('matMul', [toTensor(a, 'a', 'matMul'), toTensor(b, 'b', 'matMul')], words)[0];
}

export function max(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'max', 'axis', axis);
  putInt(words, 'max', 'keepDims', keepDims);
  return callOp('max', [toTensor(x, 'x', 'max')], words)[0];
}

export function maxPool(x, filterSize, strides = [1, 1], pad = 'valid', padding = [], dilations = [1, 1], dimRoundingMode = 'floor') {
  const words = [];
  putList(words, 'maxPool', 'filterSize', filterSize);
  putList(words, 'maxPool', 'strides', strides);
  putEnum(words, 'maxPool', 'pad', pad, ['same', 'valid', 'explicit']);
  putList(words, 'maxPool', 'padding', padding);
  putList(words, 'maxPool', 'dilations', dilations);
  putEnum(words, 'maxPool', 'dimRoundingMode', dimRoundingMode, ['floor', 'round', 'ceil']);
  return callOp('maxPool', [toTensor(x, 'x', 'maxPool')], words)[0];
}

export function maxPoolWithArgmax(x, filterSize, strides = [1, 1], pad = 'valid', includeBatchInIndex = false) {
  const words = [];
  putList(words, 'maxPoolWithArgmax', 'filterSize', filterSize);
  putList(words, 'maxPoolWithArgmax', 'strides', strides);
  putEnum(words, 'maxPoolWithArgmax', 'pad', pad, ['same', 'valid']);
  putInt(words, 'maxPoolWithArgmax', 'includeBatchInIndex', includeBatchInIndex);
  return callOp('maxPoolWithArgmax', [toTensor(x, 'x', 'maxPoolWithArgmax')], words);
}

export function maximum(a, b) {
  return callOp('maximum', [toTensor(a, 'a', 'maximum'), toTensor(b, 'b', 'maximum')], [])[0];
}

export function mean(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'mean', 'axis', axis);
  putInt(words, 'mean', 'keepDims', keepDims);
  return callOp('mean', [toTensor(x, 'x', 'mean')], words)[0];
}

export function min(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'min', 'axis', axis);
  putInt(words, 'min', 'keepDims', keepDims);
  return callOp('min', [toTensor(x, 'x', 'min')], words)[0];
}

export function minimum(a, b) {
  return callOp('minimum', [toTensor(a, 'a', 'minimum'), toTensor(b, 'b', 'minimum')], [])[0];
}

export function mirrorPad(x, paddings, mode) {
  const words = [];
  putList(words, 'mirrorPad', 'paddings', paddings);
  putEnum(words, 'mirrorPad', 'mode', mode, ['reflect', 'symmetric']);
  return callOp('mirrorPad', [toTensor(x, 'x', 'mirrorPad')], words)[0];
}

export function mod(a, b) {
  return callOp('mod', [toTensor(a, 'a', 'mod'), toTensor(b, 'b', 'mod')], [])[0];
}

export function moments(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'moments', 'axis', axis);
  putInt(words, 'moments', 'keepDims', keepDims);
  return callOp('moments', [toTensor(x, 'x', 'moments')], words);
}

export function mul(a, b) {
  return callOp('mul', [toTensor(a, 'a', 'mul'), toTensor(b, 'b', 'mul')], [])[0];
}

export function multinomial(logits, numSamples, seed = NaN, normalized = false) {
  const words = [];
  putInt(words, 'multinomial', 'numSamples', numSamples);
  putFloat(words, 'multinomial', 'seed', seed, NaN);
  putInt(words, 'multinomial', 'normalized', normalized);
  return callOp('multinomial', [toTensor(logits, 'logits', 'multinomial')], words)[0];
}

export function neg(x) {
  return callOp('neg', [toTensor(x, 'x', 'neg')], [])[0];
}

export function nonMaxSuppression(boxes, scores, maxOutputSize, iouThreshold = 0.5, scoreThreshold = -Infinity) {
  const words = [];
  putInt(words, 'nonMaxSuppression', 'maxOutputSize', maxOutputSize);
  putFloat(words, 'nonMaxSuppression', 'iouThreshold', iouThreshold, 0.5);
  putFloat(words, 'nonMaxSuppression', 'scoreThreshold', scoreThreshold, -Infinity);
  return callOp('nonMaxSuppression', [toTensor(boxes, 'boxes', 'nonMaxSuppression'), toTensor(scores, 'scores', 'nonMaxSuppression')], words)[0];
}

export function nonMaxSuppressionPadded(boxes, scores, maxOutputSize, iouThreshold = 0.5, scoreThreshold = -Infinity, padToMaxOutputSize = false) {
  const words = [];
  putInt(words, 'nonMaxSuppressionPadded', 'maxOutputSize', maxOutputSize);
  putFloat(words, 'nonMaxSuppressionPadded', 'iouThreshold', iouThreshold, 0.5);
  putFloat(words, 'nonMaxSuppressionPadded', 'scoreThreshold', scoreThreshold, -Infinity);
  putInt(words, 'nonMaxSuppressionPadded', 'padToMaxOutputSize', padToMaxOutputSize);
  return callOp('nonMaxSuppressionPadded', [toTensor(boxes, 'boxes', 'nonMaxSuppressionPadded'), toTensor(scores, 'scores', 'nonMaxSuppressionPadded')], words);
}

export function nonMaxSuppressionWithScore(boxes, scores, maxOutputSize, iouThreshold = 0.5, scoreThreshold = -Infinity, softNmsSigma = 0) {
  const words = [];
  putInt(words, 'nonMaxSuppressionWithScore', 'maxOutputSize', maxOutputSize);
  putFloat(words, 'nonMaxSuppressionWithScore', 'iouThreshold', iouThreshold, 0.5);
  putFloat(words, 'nonMaxSuppressionWithScore', 'scoreThreshold', scoreThreshold, -Infinity);
  putFloat(words, 'nonMaxSuppressionWithScore', 'softNmsSigma', softNmsSigma, 0);
  return callOp('nonMaxSuppressionWithScore', [toTensor(boxes, 'boxes', 'nonMaxSuppressionWithScore'), toTensor(scores, 'scores', 'nonMaxSuppressionWithScore')], words);
}

export function norm(x, ord = 'euclidean', axis = [], keepDims = false) {
  const words = [];
  putString(words, 'norm', 'ord', ord);
  putList(words, 'norm', 'axis', axis);
  putInt(words, 'norm', 'keepDims', keepDims);
  return callOp('norm', [toTensor(x, 'x', 'norm')], words)[0];
}

export function notEqual(a, b) {
  return callOp('notEqual', [toTensor(a, 'a', 'notEqual'), toTensor(b, 'b', 'notEqual')], [])[0];
}

export function oneHot(indices, depth, onValue = 1, offValue = 0, dtype = 'int32') {
  const words = [];
  putInt(words, 'oneHot', 'depth', depth);
  putFloat(words, 'oneHot', 'onValue', onValue, 1);
  putFloat(words, 'oneHot', 'offValue', offValue, 0);
  putDType(words, 'oneHot', 'dtype', dtype);
  return callOp('oneHot', [toTensor(indices, 'indices', 'oneHot', 'int32')], words)[0];
}

export function onesLike(x) {
  return callOp('onesLike', [toTensor(x, 'x', 'onesLike')], [])[0];
}

export function outerProduct(v1, v2) {
  return callOp('outerProduct', [toTensor(v1, 'v1', 'outerProduct'), toTensor(v2, 'v2', 'outerProduct')], [])[0];
}

export function pad(x, paddings, constantValue = 0) {
  const words = [];
  putList(words, 'pad', 'paddings', paddings);
  putFloat(words, 'pad', 'constantValue', constantValue, 0);
  return callOp('pad', [toTensor(x, 'x', 'pad')], words)[0];
}

export function pow(base, exp) {
  return callOp('pow', [toTensor(base, 'base', 'pow'), toTensor(exp, 'exp', 'pow')], [])[0];
}

export function prelu(x, alpha) {
  return callOp('prelu', [toTensor(x, 'x', 'prelu'), toTensor(alpha, 'alpha', 'prelu')], [])[0];
}

export function prod(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'prod', 'axis', axis);
  putInt(words, 'prod', 'keepDims', keepDims);
  return callOp('prod', [toTensor(x, 'x', 'prod')], words)[0];
}

export function randomNormal(shape, mean = 0, stdDev = 1, dtype = 'float32', seed = NaN) {
  const words = [];
  putList(words, 'randomNormal', 'shape', shape);
  putFloat(words, 'randomNormal', 'mean', mean, 0);
  putFloat(words, 'randomNormal', 'stdDev', stdDev, 1);
  putDType(words, 'randomNormal', 'dtype', dtype);
  putFloat(words, 'randomNormal', 'seed', seed, NaN);
  return callOp('randomNormal', [], words)[0];
}

export function randomUniform(shape, minval = 0, maxval = 1, dtype = 'float32', seed = NaN) {
  const words = [];
  putList(words, 'randomUniform', 'shape', shape);
  putFloat(words, 'randomUniform', 'minval', minval, 0);
  putFloat(words, 'randomUniform', 'maxval', maxval, 1);
  putDType(words, 'randomUniform', 'dtype', dtype);
  putFloat(words, 'randomUniform', 'seed', seed, NaN);
  return callOp('randomUniform', [], words)[0];
}

export function randomUniformInt(shape, minval, maxval, seed = NaN) {
  const words = [];
  putList(words, 'randomUniformInt', 'shape', shape);
  putInt(words, 'randomUniformInt', 'minval', minval);
  putInt(words, 'randomUniformInt', 'maxval', maxval);
  putFloat(words, 'randomUniformInt', 'seed', seed, NaN);
  return callOp('randomUniformInt', [], words)[0];
}

export function range(start, stop, step = 1, dtype = 'float32') {
  const words = [];
  putFloat(words, 'range', 'start', start, 0);
  putFloat(words, 'range', 'stop', stop, 0);
  putFloat(words, 'range', 'step', step, 1);
  putDType(words, 'range', 'dtype', dtype);
  return callOp('range', [], words)[0];
}

export function reciprocal(x) {
  return callOp('reciprocal', [toTensor(x, 'x', 'reciprocal')], [])[0];
}

export function relu(x) {
  return callOp('relu', [toTensor(x, 'x', 'relu')], [])[0];
}

export function relu6(x) {
  return callOp('relu6', [toTensor(x, 'x', 'relu6')], [])[0];
}

export function reshape(x, shape) {
  const words = [];
  putList(words, 'reshape', 'shape', shape);
  return callOp('reshape', [toTensor(x, 'x', 'reshape')], words)[0];
}

export function resizeBilinear(images, size, alignCorners = false, halfPixelCenters = false) {
  const words = [];
  putList(words, 'resizeBilinear', 'size', size);
  putInt(words, 'resizeBilinear', 'alignCorners', alignCorners);
  putInt(words, 'resizeBilinear', 'halfPixelCenters', halfPixelCenters);
  return callOp('resizeBilinear', [toTensor(images, 'images', 'resizeBilinear')], words)[0];
}

export function resizeNearestNeighbor(images, size, alignCorners = false, halfPixelCenters = false) {
  const words = [];
  putList(words, 'resizeNearestNeighbor', 'size', size);
  putInt(words, 'resizeNearestNeighbor', 'alignCorners', alignCorners);
  putInt(words, 'resizeNearestNeighbor', 'halfPixelCenters', halfPixelCenters);
  return callOp('resizeNearestNeighbor', [toTensor(images, 'images', 'resizeNearestNeighbor')], words)[0];
}

export function reverse(x, axis = []) {
  const words = [];
  putList(words, 'reverse', 'axis', axis);
  return callOp('reverse', [toTensor(x, 'x', 'reverse')], words)[0];
}

export function rgbToGrayscale(image) {
  return callOp('rgbToGrayscale', [toTensor(image, 'image', 'rgbToGrayscale')], [])[0];
}

export function rotateWithOffset(image, radians, fillValue = [0], center = [0.5]) {
  const words = [];
  putFloat(words, 'rotateWithOffset', 'radians', radians, 0);
  putList(words, 'rotateWithOffset', 'fillValue', fillValue);
  putList(words, 'rotateWithOffset', 'center', center);
  return callOp('rotateWithOffset', [toTensor(image, 'image', 'rotateWithOffset')], words)[0];
}

export function round(x) {
  return callOp('round', [toTensor(x, 'x', 'round')], [])[0];
}

export function rsqrt(x) {
  return callOp('rsqrt', [toTensor(x, 'x', 'rsqrt')], [])[0];
}

export function scatterND(indices, updates, shape) {
  const words = [];
  putList(words, 'scatterND', 'shape', shape);
  return callOp('scatterND', [toTensor(indices, 'indices', 'scatterND', 'int32'), toTensor(updates, 'updates', 'scatterND')], words)[0];
}

export function searchSorted(sortedSequence, values, side = 'left') {
  const words = [];
  putEnum(words, 'searchSorted', 'side', side, ['left', 'right']);
  return callOp('searchSorted', [toTensor(sortedSequence, 'sortedSequence', 'searchSorted'), toTensor(values, 'values', 'searchSorted')], words)[0];
}

export function selu(x) {
  return callOp('selu', [toTensor(x, 'x', 'selu')], [])[0];
}

export function separableConv2d(x, depthwiseFilter, pointwiseFilter, strides = [1, 1], pad = 'valid', padding = [], dilations = [1, 1], dimRoundingMode = 'floor') {
  const words = [];
  putList(words, 'separableConv2d', 'strides', strides);
  putEnum(words, 'separableConv2d', 'pad', pad, ['same', 'valid', 'explicit']);
  putList(words, 'separableConv2d', 'padding', padding);
  putList(words, 'separableConv2d', 'dilations', dilations);
  putEnum(words, 'separableConv2d', 'dimRoundingMode', dimRoundingMode, ['floor', 'round', 'ceil']);
  return callOp('separableConv2d', [toTensor(x, 'x', 'separableConv2d'), toTensor(depthwiseFilter, 'depthwiseFilter', 'separableConv2d'), toTensor(pointwiseFilter, 'pointwiseFilter', 'separableConv2d')], words)[0];
}

export function setdiff1d(x, y) {
  return callOp('setdiff1d', [toTensor(x, 'x', 'setdiff1d'), toTensor(y, 'y', 'setdiff1d')], []);
}

export function sigmoid(x) {
  return callOp('sigmoid', [toTensor(x, 'x', 'sigmoid')], [])[0];
}

export function sign(x) {
  return callOp('sign', [toTensor(x, 'x', 'sign')], [])[0];
}

export function sin(x) {
  return callOp('sin', [toTensor(x, 'x', 'sin')], [])[0];
}

export function sinh(x) {
  return callOp('sinh', [toTensor(x, 'x', 'sinh')], [])[0];
}

export function slice(x, begin, size = []) {
  const words = [];
  putList(words, 'slice', 'begin', begin);
  putList(words, 'slice', 'size', size);
  return callOp('slice', [toTensor(x, 'x', 'slice')], words)[0];
}

export function softmax(logits, dim = -1) {
  const words = [];
  putInt(words, 'softmax', 'dim', dim);
  return callOp('softmax', [toTensor(logits, 'logits', 'softmax')], words)[0];
}

export function softplus(x) {
  return callOp('softplus', [toTensor(x, 'x', 'softplus')], [])[0];
}

export function spaceToBatchND(x, blockShape, paddings) {
  const words = [];
  putList(words, 'spaceToBatchND', 'blockShape', blockShape);
  putList(words, 'spaceToBatchND', 'paddings', paddings);
  return callOp('spaceToBatchND', [toTensor(x, 'x', 'spaceToBatchND')], words)[0];
}

export function spaceToDepth(x, blockSize, dataFormat = 'NHWC') {
  const words = [];
  putInt(words, 'spaceToDepth', 'blockSize', blockSize);
  putEnum(words, 'spaceToDepth', 'dataFormat', dataFormat, ['NHWC', 'NCHW']);
  return callOp('spaceToDepth', [toTensor(x, 'x', 'spaceToDepth')], words)[0];
}

export function split(x, numOrSizeSplits, axis = 0) {
  const words = [];
  putList(words, 'split', 'numOrSizeSplits', numOrSizeSplits);
  putInt(words, 'split', 'axis', axis);
  return callOp('split', [toTensor(x, 'x', 'split')], words);
}

export function sqrt(x) {
  return callOp('sqrt', [toTensor(x, 'x', 'sqrt')], [])[0];
}

export function square(x) {
  return callOp('square', [toTensor(x, 'x', 'square')], [])[0];
}

export function squaredDifference(a, b) {
  return callOp('squaredDifference', [toTensor(a, 'a', 'squaredDifference'), toTensor(b, 'b', 'squaredDifference')], [])[0];
}

export function squeeze(x, axis = []) {
  const words = [];
  putList(words, 'squeeze', 'axis', axis);
  return callOp('squeeze', [toTensor(x, 'x', 'squeeze')], words)[0];
}

export function stack(tensors, axis = 0) {
  const inputs = [];
  putAll(inputs, tensors, 'tensors', 'stack');
  const words = [];
  putInt(words, 'stack', 'axis', axis);
  return callOp('stack', inputs, words)[0];
}

export function step(x, alpha = 0) {
  const words = [];
  putFloat(words, 'step', 'alpha', alpha, 0);
  return callOp('step', [toTensor(x, 'x', 'step')], words)[0];
}

export function stopGradient(x) {
  return callOp('stopGradient', [toTensor(x, 'x', 'stopGradient')], [])[0];
}

export function stridedSlice(x, begin, end, strides = [], beginMask = 0, endMask = 0, ellipsisMask = 0, newAxisMask = 0, shrinkAxisMask = 0) {
  const words = [];
  putList(words, 'stridedSlice', 'begin', begin);
  putList(words, 'stridedSlice', 'end', end);
  putList(words, 'stridedSlice', 'strides', strides);
  putInt(words, 'stridedSlice', 'beginMask', beginMask);
  putInt(words, 'stridedSlice', 'endMask', endMask);
  putInt(words, 'stridedSlice', 'ellipsisMask', ellipsisMask);
  putInt(words, 'stridedSlice', 'newAxisMask', newAxisMask);
  putInt(words, 'stridedSlice', 'shrinkAxisMask', shrinkAxisMask);
  return callOp('stridedSlice', [toTensor(x, 'x', 'stridedSlice')], words)[0];
}

export function sub(a, b) {
  return callOp('sub', [toTensor(a, 'a', 'sub'), toTensor(b, 'b', 'sub')], [])[0];
}

export function sum(x, axis = [], keepDims = false) {
  const words = [];
  putList(words, 'sum', 'axis', axis);
  putInt(words, 'sum', 'keepDims', keepDims);
  return callOp('sum', [toTensor(x, 'x', 'sum')], words)[0];
}

export function tan(x) {
  return callOp('tan', [toTensor(x, 'x', 'tan')], [])[0];
}

export function tanh(x) {
  return callOp('tanh', [toTensor(x, 'x', 'tanh')], [])[0];
}

export function tensorScatterUpdate(tensor, indices, updates) {
  return callOp('tensorScatterUpdate', [toTensor(tensor, 'tensor', 'tensorScatterUpdate'), toTensor(indices, 'indices', 'tensorScatterUpdate', 'int32'), toTensor(updates, 'updates', 'tensorScatterUpdate')], [])[0];
}

export function tile(x, reps) {
  const words = [];
  putList(words, 'tile', 'reps', reps);
  return callOp('tile', [toTensor(x, 'x', 'tile')], words)[0];
}

export function topk(x, k = 1, sorted = true) {
  const words = [];
  putInt(words, 'topk', 'k', k);
  putInt(words, 'topk', 'sorted', sorted);
  return callOp('topk', [toTensor(x, 'x', 'topk')], words);
}

export function transpose(x, perm = []) {
  const words = [];
  putList(words, 'transpose', 'perm', perm);
  return callOp('transpose', [toTensor(x, 'x', 'transpose')], words)[0];
}

export function truncatedNormal(shape, mean = 0, stdDev = 1, dtype = 'float32', seed = NaN) {
  const words = [];
  putList(words, 'truncatedNormal', 'shape', shape);
  putFloat(words, 'truncatedNormal', 'mean', mean, 0);
  putFloat(words, 'truncatedNormal', 'stdDev', stdDev, 1);
  putDType(words, 'truncatedNormal', 'dtype', dtype);
  putFloat(words, 'truncatedNormal', 'seed', seed, NaN);
  return callOp('truncatedNormal', [], words)[0];
}

export function unique(x, axis = 0) {
  const words = [];
  putInt(words, 'unique', 'axis', axis);
  return callOp('unique', [toTensor(x, 'x', 'unique')], words);
}

export function unsortedSegmentSum(x, segmentIds, numSegments) {
  const words = [];
  putInt(words, 'unsortedSegmentSum', 'numSegments', numSegments);
  return callOp('unsortedSegmentSum', [toTensor(x, 'x', 'unsortedSegmentSum'), toTensor(segmentIds, 'segmentIds', 'unsortedSegmentSum', 'int32')], words)[0];
}

export function unstack(x, axis = 0) {
  const words = [];
  putInt(words, 'unstack', 'axis', axis);
  return callOp('unstack', [toTensor(x, 'x', 'unstack')], words);
}

export function upperBound(sortedSequence, values) {
  return callOp('upperBound', [toTensor(sortedSequence, 'sortedSequence', 'upperBound'), toTensor(values, 'values', 'upperBound')], [])[0];
}

export function where(condition, a, b) {
  return callOp('where', [toTensor(condition, 'condition', 'where', 'bool'), toTensor(a, 'a', 'where'), toTensor(b, 'b', 'where')], [])[0];
}

export function whereIndices(condition) {
  return callOp('whereIndices', [toTensor(condition, 'condition', 'whereIndices', 'bool')], [])[0];
}

export function zerosLike(x) {
  return callOp('zerosLike', [toTensor(x, 'x', 'zerosLike')], [])[0];
}

/** The names of all ops above, as the registry spells them. */
export const opNames = [
  'abs',
  'acos',
  'acosh',
  'add',
  'all',
  'any',
  'argMax',
  'argMin',
  'asin',
  'asinh',
  'atan',
  'atan2',
  'atanh',
  'avgPool',
  'batchNorm',
  'batchToSpaceND',
  'bincount',
  'bitwiseAnd',
  'booleanMask',
  'broadcastTo',
  'cast',
  'ceil',
  'clipByValue',
  'concat',
  'conv1d',
  'conv2d',
  'conv2dTranspose',
  'cos',
  'cosh',
  'cropAndResize',
  'cumprod',
  'cumsum',
  'denseBincount',
  'depthToSpace',
  'depthwiseConv2d',
  'div',
  'divNoNan',
  'dot',
  'dropout',
  'elu',
  'equal',
  'erf',
  'exp',
  'expandDims',
  'expm1',
  'eye',
  'fill',
  'flipLeftRight',
  'floor',
  'floorDiv',
  'gather',
  'gatherND',
  'grayscaleToRGB',
  'greater',
  'greaterEqual',
  'identity',
  'inTopK',
  'isFinite',
  'isInf',
  'isNaN',
  'leakyRelu',
  'less',
  'lessEqual',
  'linspace',
  'log',
  'log1p',
  'logSigmoid',
  'logSoftmax',
  'logSumExp',
  'logicalAnd',
  'logicalNot',
  'logicalOr',
  'logicalXor',
  'lowerBound',
  'matMul',
  'max',
  'maxPool',
  'maxPoolWithArgmax',
  'maximum',
  'mean',
  'min',
  'minimum',
  'mirrorPad',
  'mod',
  'moments',
  'mul',
  'multinomial',
  'neg',
  'nonMaxSuppression',
  'nonMaxSuppressionPadded',
  'nonMaxSuppressionWithScore',
  'norm',
  'notEqual',
  'oneHot',
  'onesLike',
  'outerProduct',
  'pad',
  'pow',
  'prelu',
  'prod',
  'randomNormal',
  'randomUniform',
  'randomUniformInt',
  'range',
  'reciprocal',
  'relu',
  'relu6',
  'reshape',
  'resizeBilinear',
  'resizeNearestNeighbor',
  'reverse',
  'rgbToGrayscale',
  'rotateWithOffset',
  'round',
  'rsqrt',
  'scatterND',
  'searchSorted',
  'selu',
  'separableConv2d',
  'setdiff1d',
  'sigmoid',
  'sign',
  'sin',
  'sinh',
  'slice',
  'softmax',
  'softplus',
  'spaceToBatchND',
  'spaceToDepth',
  'split',
  'sqrt',
  'square',
  'squaredDifference',
  'squeeze',
  'stack',
  'step',
  'stopGradient',
  'stridedSlice',
  'sub',
  'sum',
  'tan',
  'tanh',
  'tensorScatterUpdate',
  'tile',
  'topk',
  'transpose',
  'truncatedNormal',
  'unique',
  'unsortedSegmentSum',
  'unstack',
  'upperBound',
  'where',
  'whereIndices',
  'zerosLike',
];
