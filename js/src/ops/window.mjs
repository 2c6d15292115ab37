// Convolutions and pooling in TensorFlow.js's call style: padding as a word, a number or a list; single images without a batch;
// channels first.
import * as G from '../../generated/ops.mjs';
import { asTensor, tidy } from '../engine.mjs';

/** {pad, padding} for the engine from what TensorFlow.js takes. `nchw`: the list's axes are [n, c, h, w]. */
export function parsePad(op, pad, dimRoundingMode, nchw = false) {
  if (typeof pad === 'string') {
    const p = pad.toLowerCase();
    if (p !== 'same' && p !== 'valid') throw new Error(`[${op}] pad must be 'same', 'valid', a number or a list, got '${pad}'`);
    if (dimRoundingMode != null) {
      throw new Error(`Error in ${op}: pad must be an integer when using dimRoundingMode ${dimRoundingMode} but got pad ${pad}.`);
    }
    return { pad: p, padding: [] };
  }
  const whole = (n) => {
    if (!Number.isInteger(n)) {
      throw new Error(`Error in ${op}: pad must be an integer when using dimRoundingMode ${dimRoundingMode} but got pad ${n}.`);
    }
    if (n < 0) throw new Error(`[${op}] pad must not be negative, got ${n}`);
    return n;
  };
  if (typeof pad === 'number') {
    whole(pad);
    return { pad: 'explicit', padding: [pad, pad, pad, pad] };
  }
  if (Array.isArray(pad)) {
    if (pad.length !== 4 || !pad.every((p) => Array.isArray(p) && p.length === 2)) {
      throw new Error(`[${op}] pad as a list must be [[before, after], ...] for each of the 4 axes`);
    }
    const [n, h, w, c] = nchw ? [pad[0], pad[2], pad[3], pad[1]] : pad;
    if ([...n, ...c].some((v) => v !== 0)) throw new Error(`[${op}] batch and channels cannot be padded`);
    return { pad: 'explicit', padding: [...h, ...w].map(whole) };
  }
  throw new Error(`[${op}] pad must be 'same', 'valid', a number or a list, got ${pad}`);
}

const rounding = (mode) => mode ?? 'floor';

/**
 * Calls fn with x as an NHWC batch and turns the result back.
 * @param {string} op @param {any} x @param {string} dataFormat @param {(x: any, nchw: boolean) => any} fn
 */
function onImages(op, x, dataFormat, fn) {
  if (dataFormat !== 'NHWC' && dataFormat !== 'NCHW') throw new Error(`Error in ${op}: dataFormat must be NHWC or NCHW, got ${dataFormat}`);
  return tidy(op, () => {
    const nchw = dataFormat === 'NCHW';
    let t = asTensor(x, 'x', op);
    const single = t.rank === 3;
    if (!single && t.rank !== 4) throw new Error(`Error in ${op}: x must be rank 3 or 4, but got rank ${t.rank}.`);
    if (single) t = G.expandDims(t, 0);
    if (nchw) t = G.transpose(t, [0, 2, 3, 1]);
    const back = (y) => {
      if (nchw) y = G.transpose(y, [0, 3, 1, 2]);
      return single ? G.squeeze(y, [0]) : y;
    };
    const y = fn(t, nchw);
    return Array.isArray(y) ? y.map(back) : back(y);
  });
}

function checkStrides(op, strides, dilations) {
  const both = (v) => Array.isArray(v) ? v : [v, v];
  if (!both(strides).every((s) => s === 1) && !both(dilations).every((d) => d === 1)) {
    throw new Error(`Error in ${op}: Either strides or dilations must be 1. Got strides ${strides} and dilations '${dilations}'`);
  }
}

export function conv2d(x, filter, strides, pad, dataFormat = 'NHWC', dilations = [1, 1], dimRoundingMode) {
  checkStrides('conv2d', strides, dilations);
  return onImages('conv2d', x, dataFormat, (t, nchw) => {
    const p = parsePad('conv2d', pad, dimRoundingMode, nchw);
    return G.conv2d(t, filter, strides, p.pad, p.padding, dilations, rounding(dimRoundingMode));
  });
}

export function depthwiseConv2d(x, filter, strides, pad, dataFormat = 'NHWC', dilations = [1, 1], dimRoundingMode) {
  checkStrides('depthwiseConv2d', strides, dilations);
  return onImages('depthwiseConv2d', x, dataFormat, (t, nchw) => {
    const p = parsePad('depthwiseConv2d', pad, dimRoundingMode, nchw);
    return G.depthwiseConv2d(t, filter, strides, p.pad, p.padding, dilations, rounding(dimRoundingMode));
  });
}

export function separableConv2d(x, depthwiseFilter, pointwiseFilter, strides, pad, dilation = [1, 1], dataFormat = 'NHWC') {
  if (dataFormat === 'NCHW') throw new Error('separableConv2d currently does not support dataFormat NCHW; only NHWC is supported');
  return onImages('separableConv2d', x, dataFormat, (t) => {
    const p = parsePad('separableConv2d', pad);
    return G.separableConv2d(t, depthwiseFilter, pointwiseFilter, strides, p.pad, p.padding, dilation);
  });
}

export function conv2dTranspose(x, filter, outputShape, strides, pad, dimRoundingMode) {
  return onImages('conv2dTranspose', x, 'NHWC', (t) => {
    const shape = outputShape.length === 3 ? [1, ...outputShape] : outputShape;
    const p = parsePad('conv2dTranspose', pad, dimRoundingMode);
    return G.conv2dTranspose(t, filter, shape, strides, p.pad, p.padding, [1, 1], rounding(dimRoundingMode));
  });
}

export function conv1d(x, filter, stride, pad, dataFormat = 'NWC', dilation = 1, dimRoundingMode) {
  if (dataFormat !== 'NWC') throw new Error(`Error in conv1d: got dataFormat of ${dataFormat} but only NWC is currently supported.`);
  checkStrides('conv1d', stride, dilation);
  return tidy('conv1d', () => {
    let t = asTensor(x, 'x', 'conv1d');
    const single = t.rank === 2;
    if (single) t = G.expandDims(t, 0);
    let mode = 'explicit';
    let padding = [];
    if (Array.isArray(pad)) {
      padding = pad.flat();
    } else {
      const p = parsePad('conv1d', pad, dimRoundingMode);
      mode = p.pad;
      padding = p.padding.slice(0, 2);
    }
    const y = G.conv1d(t, filter, stride, mode, padding, dilation, rounding(dimRoundingMode));
    return single ? G.squeeze(y, [0]) : y;
  });
}

function pooled(op, fn, x, filterSize, strides, pad, dimRoundingMode, dilations = [1, 1]) {
  return onImages(op, x, 'NHWC', (t) => {
    const p = parsePad(op, pad, dimRoundingMode);
    return fn(t, filterSize, strides, p.pad, p.padding, dilations, rounding(dimRoundingMode));
  });
}

export const maxPool = (x, filterSize, strides, pad, dimRoundingMode) => pooled('maxPool', G.maxPool, x, filterSize, strides, pad, dimRoundingMode);
export const avgPool = (x, filterSize, strides, pad, dimRoundingMode) => pooled('avgPool', G.avgPool, x, filterSize, strides, pad, dimRoundingMode);

export function pool(input, windowShape, poolingType, pad, dilations = [1, 1], strides = 1, dimRoundingMode) {
  checkStrides('pool', strides ?? 1, dilations ?? [1, 1]);
  if (poolingType !== 'avg' && poolingType !== 'max') throw new Error(`[pool] poolingType must be 'avg' or 'max', got '${poolingType}'`);
  return pooled('pool', poolingType === 'avg' ? G.avgPool : G.maxPool, input, windowShape, strides ?? 1, pad, dimRoundingMode, dilations ?? [1, 1]);
}

/** {result, indexes}. */
export function maxPoolWithArgmax(x, filterSize, strides, pad, includeBatchInIndex = false) {
  const [result, indexes] = onImages('maxPoolWithArgmax', x, 'NHWC', (t) => {
    const p = parsePad('maxPoolWithArgmax', pad);
    return G.maxPoolWithArgmax(t, filterSize, strides, p.pad, includeBatchInIndex);
  });
  return { result, indexes };
}

// ---- tf.fused: plain chains here, because the engine fuses what stands together -------------------------------------------

function activate(op, t, activation = 'linear', preluWeights, leakyreluAlpha) {
  switch (activation) {
    case 'linear': return t;
    case 'relu': return G.relu(t);
    case 'relu6': return G.relu6(t);
    case 'elu': return G.elu(t);
    case 'prelu': return G.prelu(t, preluWeights);
    case 'leakyrelu': return G.leakyRelu(t, leakyreluAlpha);
    case 'sigmoid': return G.sigmoid(t);
    default: throw new Error(`[${op}] Unknown fused activation ${activation}.`);
  }
}

function finishFused(op, t, { bias, activation, preluActivationWeights, leakyreluAlpha }) {
  return activate(op, bias == null ? t : G.add(t, bias), activation, preluActivationWeights, leakyreluAlpha);
}

export const fused = {
  conv2d: (o) => tidy('fusedConv2d', () =>
    finishFused('fusedConv2d', conv2d(o.x, o.filter, o.strides, o.pad, o.dataFormat, o.dilations, o.dimRoundingMode), o)),
  depthwiseConv2d: (o) => tidy('fusedDepthwiseConv2d', () =>
    finishFused('fusedDepthwiseConv2d', depthwiseConv2d(o.x, o.filter, o.strides, o.pad, o.dataFormat, o.dilations, o.dimRoundingMode), o)),
  matMul: (o) => tidy('fusedMatMul', () => finishFused('fusedMatMul', G.matMul(o.a, o.b, o.transposeA, o.transposeB), o)),
};
