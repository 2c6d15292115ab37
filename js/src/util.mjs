// tf.util: small helpers that applications use.
import { bytesPerElement, computeStrides, decodeString, encodeString, flatten as flattenValues, inferDtype, isTypedArray, sizeFromShape, toNestedArray, toTypedArray } from './dtypes.mjs';
import { ENV } from './env.mjs';

export function assert(ok, message) {
  if (!ok) throw new Error(typeof message === 'string' ? message : message());
}

export const arraysEqual = (a, b) => a === b || (a != null && b != null && a.length === b.length && Array.prototype.every.call(a, (v, i) => v === b[i]));

export function assertShapesMatch(a, b, prefix = '') {
  assert(arraysEqual(a, b), () => `${prefix} Shapes ${a} and ${b} must match`);
}
export function assertNonNull(v) {
  assert(v != null, () => 'The input to the tensor constructor must be a non-null value.');
}
export function assertNonNegativeIntegerDimensions(shape) {
  for (const d of shape) assert(Number.isInteger(d) && d >= 0, () => `Tensor must have a shape comprised of positive integers but got shape [${shape}].`);
}

/** In place, by Fisher and Yates. */
export function shuffle(array) {
  for (let i = array.length; i > 0;) swap(array, Math.floor(Math.random() * i), --i);
}
/** The same permutation for both. */
export function shuffleCombo(a, b) {
  if (a.length !== b.length) throw new Error(`Array sizes must match to be shuffled together First array length was ${a.length}Second array length was ${b.length}`);
  for (let i = a.length; i > 0;) {
    const j = Math.floor(Math.random() * i);
    swap(a, j, --i);
    swap(b, j, i);
  }
}
export function swap(array, i, j) {
  [array[i], array[j]] = [array[j], array[i]];
}
export function createShuffledIndices(n) {
  const out = Uint32Array.from({ length: n }, (_, i) => i);
  shuffle(out);
  return out;
}

export const clamp = (min, x, max) => Math.max(min, Math.min(x, max));
export const nearestLargerEven = (v) => v % 2 === 0 ? v : v + 1;
export const sum = (list) => list.reduce((a, b) => a + b, 0);
export const randUniform = (a, b) => { const r = Math.random(); return b * r + (1 - r) * a; };
export const distSquared = (a, b) => a.reduce((s, v, i) => s + (Number(v) - Number(b[i])) ** 2, 0);
export const isInt = (v) => v % 1 === 0;
export const isScalarShape = (shape) => shape.length === 0;
export const isString = (v) => typeof v === 'string' || v instanceof String;
export const isBoolean = (v) => typeof v === 'boolean';
export const isNumber = (v) => typeof v === 'number';
export const isFunction = (f) => typeof f === 'function';
export const isPromise = (v) => !!v && typeof v.then === 'function';
export const isValidDtype = (d) => ['bool', 'complex64', 'float32', 'int32', 'string'].includes(d);
export const now = () => ENV.platform.now();
export const fetch = (path, init) => ENV.platform.fetch(path, init);
export const tanh = (x) => Math.tanh(x);

/** The size with the one implicit (-1) dimension filled in. */
export function inferFromImplicitShape(shape, size) {
  let known = 1;
  let implicit = -1;
  shape.forEach((d, i) => {
    if (d >= 0) {
      known *= d;
    } else if (d === -1) {
      if (implicit !== -1) throw Error(`Shapes can only have 1 implicit size. Found -1 at dim ${implicit} and dim ${i}`);
      implicit = i;
    } else {
      throw Error(`Shapes can not be < 0. Found ${d} at dim ${i}`);
    }
  });
  if (implicit === -1) {
    if (size > 0 && size !== known) throw Error(`Size(${size}) must match the product of shape ${shape}`);
    return shape;
  }
  if (known === 0) throw Error(`Cannot infer the missing size in [${shape}] when there are 0 elements`);
  if (size % known !== 0) throw Error(`The implicit shape can't be a fractional number. Got ${size} / ${known}`);
  return shape.map((d, i) => i === implicit ? size / known : d);
}

export function parseAxisParam(axis, shape) {
  const rank = shape.length;
  const list = axis == null ? shape.map((_, i) => i) : [].concat(axis);
  assert(list.every((a) => a >= -rank && a < rank), () => `All values in axis param must be in range [-${rank}, ${rank}) but got axis ${list}`);
  assert(list.every(isInt), () => `All values in axis param must be integers but got axis ${list}`);
  return list.map((a) => a < 0 ? rank + a : a);
}

export function squeezeShape(shape, axis) {
  const axes = axis == null || (Array.isArray(axis) && axis.length === 0) ? null : parseAxisParam(axis, shape).sort();
  const newShape = [];
  const keptDims = [];
  shape.forEach((d, i) => {
    if (axes?.includes(i) && d !== 1) throw new Error(`Can't squeeze axis ${i} since its dim '${d}' is not 1`);
    if (axes ? !axes.includes(i) : d !== 1) {
      newShape.push(d);
      keptDims.push(i);
    }
  });
  return { newShape, keptDims };
}

export function getTypedArrayFromDType(dtype, size) {
  return getArrayFromDType(dtype, size);
}
export function getArrayFromDType(dtype, size) {
  if (dtype == null || dtype === 'float32') return new Float32Array(size);
  if (dtype === 'int32') return new Int32Array(size);
  if (dtype === 'bool') return new Uint8Array(size);
  if (dtype === 'string') return new Array(size);
  throw new Error(`Unknown data type ${dtype}`);
}
export const makeZerosTypedArray = (size, dtype) => getArrayFromDType(dtype, size);
export const makeOnesTypedArray = (size, dtype) => getArrayFromDType(dtype, size).fill(1);
export const makeZerosNestedTypedArray = (shape, dtype) => toNestedArray(shape, getArrayFromDType(dtype, sizeFromShape(shape)));
export const bytesFromStringArray = (list) => list == null ? 0 : list.reduce((n, s) => n + s.length, 0);
export const createScalarValue = (value, dtype) => dtype === 'string' ? encodeString(value) : toTypedArray([value], dtype);
export function hasEncodingLoss(oldType, newType) {
  const level = { complex64: 3, float32: 2, int32: 1, bool: 0 };
  return level[newType] < level[oldType];
}
export const flatten = (v, result = [], skipTyped = false) => {
  for (const x of flattenValues(v, skipTyped ? 'string' : undefined)) result.push(x);
  return result;
};
export const rightPad = (s, size) => size <= s.length ? s : s + ' '.repeat(size - s.length);
export function sizeToSquarishShape(size) {
  const width = Math.ceil(Math.sqrt(size));
  return [width, Math.ceil(size / width)];
}
export function nearestDivisor(size, start) {
  for (let i = start; i < size; ++i) if (size % i === 0) return i;
  return size;
}
export function indexToLoc(index, rank, strides) {
  if (rank === 0) return [];
  if (rank === 1) return [index];
  const locs = new Array(rank);
  for (let i = 0; i < rank - 1; ++i) {
    locs[i] = Math.floor(index / strides[i]);
    index -= locs[i] * strides[i];
  }
  locs[rank - 1] = index;
  return locs;
}
export function locToIndex(locs, rank, strides) {
  if (rank === 0) return 0;
  return locs.reduce((n, l, i) => n + l * (i < rank - 1 ? strides[i] : 1), 0);
}
export { bytesPerElement, computeStrides, decodeString, encodeString, inferDtype, isTypedArray, sizeFromShape, toNestedArray, toTypedArray };
