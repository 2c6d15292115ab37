// Creation, shapes and indexing where TensorFlow.js's call style differs from the op's own.
import * as G from '../../generated/ops.mjs';
import { makeTensor } from '../create.mjs';
import { assertDType, bytesPerElement, sizeFromShape } from '../dtypes.mjs';
import { asTensor, read, tidy } from '../engine.mjs';
import { Tensor } from '../tensor.mjs';

// ---- Creation

function constant(shape, value, dtype, what) {
  const dims = Array.from(shape, Number);
  dtype ??= 'float32';
  assertDType(dtype, what);
  if (dims.some((d) => !Number.isInteger(d) || d < 0)) {
    throw new Error(`[${what}] Tensor must have a shape comprised of positive integers but got shape [${dims}].`);
  }
  if (dtype === 'string') return makeTensor(new Array(sizeFromShape(dims)).fill(value === 0 ? '' : String(value)), dims, dtype, what);
  return G.fill(dims, value, dtype);
}

export function zeros(shape, dtype = 'float32') {
  return constant(shape, 0, dtype, 'zeros');
}
export function ones(shape, dtype = 'float32') {
  return constant(shape, 1, dtype, 'ones');
}
export function fill(shape, value, dtype) {
  dtype ??= typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'float32';
  return constant(shape, dtype === 'string' ? String(value) : Number(value), dtype, 'fill');
}
export function range(start, stop, step = 1, dtype = 'float32') {
  if (step === 0) throw new Error('Cannot have a step of zero');
  return G.range(start, stop, step, dtype);
}
export function eye(numRows, numColumns, batchShape, dtype = 'float32') {
  return G.eye(numRows, numColumns ?? numRows, batchShape ?? [], dtype);
}
export function zerosLike(x) {
  return G.zerosLike(x);
}
export function complex() {
  throw new Error('complex() is not supported yet: compute with the real and the imaginary part');
}
export function clone(x) {
  return x instanceof Tensor ? x.clone() : tidy(() => asTensor(x, 'x', 'clone'));
}

// ---- Joining and cutting

/** A list of tensors from an array, or from one tensor-like value. */
function listOf(tensors, what) {
  if (!Array.isArray(tensors) || tensors.length === 0) throw new Error(`Argument 'tensors' passed to '${what}' must be a non-empty array of tensors`);
  return tensors;
}
export function concat(tensors, axis = 0) {
  listOf(tensors, 'concat');
  if (tensors.length === 1) return clone(tensors[0]);
  return G.concat(tensors, axis);
}
export const concat1d = (tensors) => concat(tensors, 0);
export const concat2d = (tensors, axis) => concat(tensors, axis);
export const concat3d = concat2d;
export const concat4d = concat2d;
export const stack = (tensors, axis = 0) => G.stack(listOf(tensors, 'stack'), axis);
export const split = (x, numOrSizeSplits, axis = 0) => G.split(x, numOrSizeSplits, axis);
export const unstack = (x, axis = 0) => G.unstack(x, axis);
export const pad1d = (x, paddings, constantValue = 0) => G.pad(x, [paddings], constantValue);
export const pad2d = (x, paddings, constantValue = 0) => G.pad(x, paddings, constantValue);
export const pad3d = pad2d;
export const pad4d = pad2d;
export const slice1d = (x, begin, size) => G.slice(x, [begin], [size]);
export const slice2d = (x, begin, size) => G.slice(x, begin, size);
export const slice3d = slice2d;
export const slice4d = slice2d;
export const reverse1d = (x) => G.reverse(x, [0]);
export const reverse2d = (x, axis) => G.reverse(x, axis);
export const reverse3d = reverse2d;
export const reverse4d = reverse2d;

/** tf.addN: the sum of several tensors of one shape. */
export function addN(tensors) {
  listOf(tensors, 'addN');
  return tidy('addN', () => {
    const list = tensors.map((t, i) => asTensor(t, `tensors${i}`, 'addN'));
    for (const t of list) {
      if (t.dtype !== list[0].dtype) throw new Error('All tensors passed to tf.addN() must have the same dtype');
      if (t.shape.join() !== list[0].shape.join()) throw new Error('All tensors passed to tf.addN() must have the same shape');
    }
    return list.length === 1 ? list[0].clone() : list.reduce((a, b) => G.add(a, b));
  });
}

export function meshgrid(x, y, { indexing = 'xy' } = {}) {
  if (indexing !== 'xy' && indexing !== 'ij') throw new TypeError(`${indexing} is not a valid third argument to meshgrid`);
  if (x === undefined) return [];
  return tidy('meshgrid', () => {
    const a = asTensor(x, 'x', 'meshgrid');
    if (y === undefined) return [a.clone()];
    const b = asTensor(y, 'y', 'meshgrid');
    const [w, h] = [a.size, b.size];
    const shape = indexing === 'xy' ? [h, w] : [w, h];
    const across = (t) => G.broadcastTo(G.reshape(t, [1, -1]), shape);
    const down = (t) => G.broadcastTo(G.reshape(t, [-1, 1]), shape);
    return indexing === 'xy' ? [across(a), down(b)] : [down(a), across(b)];
  });
}

export function tile(x, reps) {
  return G.tile(x, reps);
}

/** `where` picks element by element; the indices of true elements come from whereAsync. */
export const where = (condition, a, b) => G.where(condition, a, b);

// ---- Results by name, and what depends on data

/** {values, indices} of the k largest along the last axis. */
export function topk(x, k = 1, sorted = true) {
  const [values, indices] = G.topk(x, k, sorted);
  return { values, indices };
}
/** {values, indices}: distinct values in order of appearance, and for each element which one it is. */
export function unique(x, axis = 0) {
  const [values, indices] = G.unique(x, axis);
  return { values, indices };
}
/** {mean, variance}. */
export function moments(x, axis = null, keepDims = false) {
  const [mean, variance] = G.moments(x, axis ?? [], keepDims);
  return { mean, variance };
}

/** Brings tensors to the host first: what depends on data cannot wait inside a synchronous call on a GPU. */
export async function onHost(tensors) {
  for (const t of tensors) if (t instanceof Tensor) await read(t);
}
/** Coordinates of the true elements, int32 [n, rank]. */
export async function whereAsync(condition) {
  await onHost([condition]);
  return G.whereIndices(condition);
}
/** The slices of `tensor` where `mask` is true. */
export async function booleanMaskAsync(tensor, mask, axis = 0) {
  await onHost([mask, tensor]);
  return G.booleanMask(tensor, mask, axis);
}
/** [values of x that are not in y, their indices]. */
export async function setdiff1dAsync(x, y) {
  await onHost([x, y]);
  return G.setdiff1d(x, y);
}

// ---- Chained names

export const flatten = (x) => G.reshape(x, [-1]);
export const asScalar = (x) => {
  if (x.size !== 1) throw new Error('The array must have only 1 element.');
  return G.reshape(x, []);
};
export const as1D = (x) => G.reshape(x, [x.size]);
export const asType = (x, dtype) => cast(x, dtype);
export const reshapeAs = (x, y) => G.reshape(x, y.shape);
export const toFloat = (x) => cast(x, 'float32');
export const toInt = (x) => cast(x, 'int32');
export const toBool = (x) => cast(x, 'bool');

export function cast(x, dtype) {
  if (bytesPerElement(dtype) === undefined) throw new Error(`Failed to cast to unknown dtype ${dtype}`);
  return G.cast(x, dtype);
}

export const rank = (x) => x.rank;

/** tf.print. */
export function print(x, verbose = false) {
  console.log(x.toString(verbose));
}

