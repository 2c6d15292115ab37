// Tensors from JavaScript values.
import { assertDType, dtypeNumber, encodeString, flatten, inferDtype, inferShape, isTypedArray, sizeFromShape, toTypedArray } from './dtypes.mjs';
import * as engine from './engine.mjs';
import { Tensor } from './tensor.mjs';
import { TensorBuffer } from './buffer.mjs';

/** The handle of a new tensor: flat values of the dtype. */
export function newHandle(values, shape, dtype) {
  const a = engine.abi();
  if (dtype === 'string') {
    return a.newStrings(shape, Array.from(values, (s) => s instanceof Uint8Array ? s : encodeString(String(s))));
  }
  const typed = toTypedArray(values, dtype);
  return a.newTensor(dtypeNumber(dtype), shape, new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength));
}

function checkShape(shape, what) {
  if (!Array.isArray(shape) && !isTypedArray(shape)) throw new Error(`[${what}] shape must be an array of numbers, got ${shape}`);
  for (const d of shape) {
    if (!Number.isInteger(d) || d < 0) throw new Error(`[${what}] Tensor must have a shape comprised of positive integers but got shape [${Array.from(shape)}].`);
  }
  return Array.from(shape);
}

/**
 * @param {any} values flat values @param {number[]} shape @param {string} dtype
 * @param {string} what for errors: the function that was called
 */
export function makeTensor(values, shape, dtype, what) {
  assertDType(dtype, what);
  if (dtype === 'complex64') {
    throw new Error('Cannot construct a complex64 tensor directly. Please use tf.complex(real, imag).');
  }
  const size = sizeFromShape(shape);
  if (values.length !== size) {
    throw new Error(`[${what}] Based on the provided shape, [${shape}], the tensor should have ${size} values but has ${values.length}`);
  }
  return engine.wrap(newHandle(values, shape, dtype), shape, dtype);
}

/** tf.tensor and its kin. `rank`: the rank that values and shape must have; undefined: any. */
function create(values, shape, dtype, what, rank) {
  if (values == null) throw new Error(`[${what}] The input to the tensor constructor must be a non-null value.`);
  if (values instanceof Tensor) throw new Error(`[${what}] values must be numbers, booleans or strings, not a tensor: use clone()`);
  if (typeof values === 'object' && !Array.isArray(values) && !isTypedArray(values)) {
    throw new Error(`[${what}] values must be a number, boolean, string, an array of those, or a typed array`);
  }
  dtype ??= inferDtype(values);
  const inferred = inferShape(values, dtype, what);
  if (rank !== undefined && shape != null && shape.length !== rank) {
    throw new Error(`[${what}] ${what}() requires shape to have ${rank} numbers, got ${shape.length}`);
  }
  if (rank !== undefined && inferred.length !== rank && (inferred.length !== 1 || shape == null)) {
    throw new Error(inferred.length === 1 && shape == null
      ? `[${what}] ${what}() requires shape to be provided when \`values\` are a flat/TypedArray`
      : `[${what}] ${what}() requires values to be ${rank === 1 ? '' : `number[]${'[]'.repeat(rank - 1)} or `}flat/TypedArray`);
  }
  let target = inferred;
  if (shape != null) {
    target = checkShape(shape, what);
    const size = sizeFromShape(target);
    const given = sizeFromShape(inferred);
    if (size !== given) {
      throw new Error(`[${what}] Based on the provided shape, [${target}], the tensor should have ${size} values but has ${given}`);
    }
    const trailing = inferred.length > 1 && (inferred.length !== target.length || inferred.some((d, i) => d !== target[i]));
    if (trailing) {
      throw new Error(`[${what}] Error creating a new Tensor. Inferred shape (${inferred}) does not match the provided shape (${target}). `);
    }
  }
  return makeTensor(flatten(values, dtype), target, dtype, what);
}

/** A tensor of any rank. The shape comes from the nesting, or is given beside flat values; the dtype from the values. */
export function tensor(values, shape, dtype) {
  return create(values, shape, dtype, 'tensor');
}
export function scalar(value, dtype) {
  if ((isTypedArray(value) && dtype !== 'string') || Array.isArray(value)) {
    throw new Error('[scalar] Error creating a new Scalar: value must be a primitive (number|boolean|string)');
  }
  if (dtype === 'string' && isTypedArray(value) && !(value instanceof Uint8Array)) {
    throw new Error("[scalar] When making a scalar from encoded string, the value must be `Uint8Array`.");
  }
  return create(value, [], dtype, 'scalar');
}
export const tensor1d = (values, dtype) => create(values, null, dtype, 'tensor1d', 1);
export const tensor2d = (values, shape, dtype) => create(values, shape, dtype, 'tensor2d', 2);
export const tensor3d = (values, shape, dtype) => create(values, shape, dtype, 'tensor3d', 3);
export const tensor4d = (values, shape, dtype) => create(values, shape, dtype, 'tensor4d', 4);
export const tensor5d = (values, shape, dtype) => create(values, shape, dtype, 'tensor5d', 5);
export const tensor6d = (values, shape, dtype) => create(values, shape, dtype, 'tensor6d', 6);

/** A tensor whose value can be replaced. */
export function variable(initialValue, trainable = true, name, dtype) {
  return engine.makeVariable(initialValue, trainable, name, dtype);
}

/** Values to be set one by one; toTensor() makes the tensor. */
export function buffer(shape, dtype = 'float32', values) {
  return new TensorBuffer(checkShape(shape, 'buffer'), dtype ?? 'float32', values);
}

/** A tensor of values that rand() gives. */
export function rand(shape, randFunction, dtype = 'float32') {
  const size = sizeFromShape(checkShape(shape, 'rand'));
  return makeTensor(toTypedArray(Array.from({ length: size }, randFunction), dtype), Array.from(shape), dtype, 'rand');
}
