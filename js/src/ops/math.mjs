// Mathematics that is a few ops long, or whose call style differs.
import * as G from '../../generated/ops.mjs';
import { asTensor, tidy } from '../engine.mjs';

/** log(sigmoid(x)), computed so that neither end overflows. */
export const logSigmoid = (x) => tidy('logSigmoid', () => G.neg(G.softplus(G.neg(asTensor(x, 'x', 'logSigmoid')))));

export const matMul = (a, b, transposeA = false, transposeB = false) => G.matMul(a, b, transposeA, transposeB);

export function clipByValue(x, clipValueMin, clipValueMax) {
  if (!(clipValueMin <= clipValueMax)) {
    throw new Error(`Error in clip: min (${clipValueMin}) must be less than or equal to max (${clipValueMax}).`);
  }
  return G.clipByValue(x, clipValueMin, clipValueMax);
}

export function norm(x, ord = 'euclidean', axis = null, keepDims = false) {
  return G.norm(x, String(ord), axis ?? [], keepDims);
}
export const euclideanNorm = (x, axis = null, keepDims = false) => norm(x, 'euclidean', axis, keepDims);

export function batchNorm(x, mean, variance, offset, scale, varianceEpsilon = 0.001) {
  return tidy('batchNorm', () => {
    const t = asTensor(x, 'x', 'batchNorm');
    let s = scale;
    // the op's optional inputs are positional: without an offset a scale needs one of zeros
    let o = offset;
    if (s != null && o == null) o = G.zerosLike(asTensor(s, 'scale', 'batchNorm'));
    return G.batchNorm(t, mean, variance, o, s, varianceEpsilon);
  });
}
export const batchNorm2d = batchNorm;
export const batchNorm3d = batchNorm;
export const batchNorm4d = batchNorm;

export function softmax(logits, dim = -1) {
  return G.softmax(logits, dim);
}

export function oneHot(indices, depth, onValue = 1, offValue = 0, dtype = 'int32') {
  if (depth < 2) throw new Error(`Error in oneHot: depth must be >=2, but it is ${depth}`);
  return G.oneHot(indices, depth, onValue, offValue, dtype);
}

export function stridedSlice(x, begin, end, strides, beginMask = 0, endMask = 0, ellipsisMask = 0, newAxisMask = 0, shrinkAxisMask = 0) {
  return G.stridedSlice(x, begin, end, strides ?? begin.map(() => 1), beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask);
}

export function slice(x, begin, size) {
  const list = (v) => typeof v === 'number' ? [v] : Array.from(v ?? []);
  return G.slice(x, list(begin), list(size));
}

export function gather(x, indices, axis = 0, batchDims = 0) {
  return G.gather(x, indices, axis, batchDims);
}

export function transpose(x, perm) {
  return G.transpose(x, perm ?? []);
}

export function squeeze(x, axis) {
  return G.squeeze(x, axis ?? []);
}

export function reverse(x, axis) {
  return G.reverse(x, axis ?? []);
}

/** A moving average's next value. */
export function movingAverage(v, x, decay, step, zeroDebias = true) {
  return tidy('movingAverage', () => {
    const d = asTensor(decay, 'decay', 'movingAverage');
    const one = asTensor(1, 'one', 'movingAverage');
    let update = G.mul(G.sub(asTensor(x, 'x', 'movingAverage'), v), G.sub(one, d));
    if (zeroDebias) {
      if (step == null) throw new Error('When using zeroDebias: true, step is required.');
      update = G.div(update, G.sub(one, G.pow(d, asTensor(step, 'step', 'movingAverage'))));
    }
    return G.add(v, update);
  });
}

/** Random numbers: the seed as TensorFlow.js passes it, none meaning new numbers each call. */
const seedOf = (seed) => seed == null ? NaN : typeof seed === 'string' ? hash(seed) : seed;
/** FNV-1a: a string's characters as a 32-bit number. */
function hash(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}
export const randomUniform = (shape, minval = 0, maxval = 1, dtype = 'float32', seed) => G.randomUniform(shape, minval, maxval, dtype, seedOf(seed));
export const randomUniformInt = (shape, minval, maxval, seed) => G.randomUniformInt(shape, minval, maxval, seedOf(seed));
export function randomNormal(shape, mean = 0, stdDev = 1, dtype, seed) {
  if (dtype === 'bool') throw new Error(`Unsupported data type ${dtype}`);
  return G.randomNormal(shape, mean, stdDev, dtype ?? 'float32', seedOf(seed));
}
export const randomStandardNormal = (shape, dtype, seed) => randomNormal(shape, 0, 1, dtype, seed);
export function truncatedNormal(shape, mean = 0, stdDev = 1, dtype, seed) {
  if (dtype === 'bool') throw new Error('Unsupported data type $ { dtype }');
  return G.truncatedNormal(shape, mean, stdDev, dtype ?? 'float32', seedOf(seed));
}
export const multinomial = (logits, numSamples, seed, normalized = false) => G.multinomial(logits, numSamples, seedOf(seed), normalized);
export function dropout(x, rate, noiseShape, seed) {
  if (!(rate >= 0 && rate < 1)) throw new Error(`rate must be a float in the range [0, 1), but got ${rate}.`);
  if (rate === 0) return tidy('dropout', () => asTensor(x, 'x', 'dropout').clone());
  return G.dropout(x, rate, noiseShape ?? [], seedOf(seed));
}

