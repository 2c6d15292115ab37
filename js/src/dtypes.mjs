// Element types, and turning JavaScript values into elements.

/** Names in the order of enum tsr_dtype. */
export const kDTypes = ['float32', 'int32', 'bool', 'complex64', 'string', 'float16', 'int8', 'uint8', 'uint16'];
const kNumbers = Object.fromEntries(kDTypes.map((name, i) => [name, i]));
/** What tensors made by callers may have. */
const kUsable = new Set(['float32', 'int32', 'bool', 'complex64', 'string']);

export const dtypeNumber = (name) => kNumbers[name];

export function bytesPerElement(dtype) {
  return { float32: 4, int32: 4, bool: 1, complex64: 8, string: 0, float16: 2, int8: 1, uint8: 1, uint16: 2 }[dtype];
}

export function assertDType(dtype, what) {
  if (!kUsable.has(dtype)) {
    throw new Error(`[${what}] dtype must be one of ${[...kUsable].join(', ')}, got ${typeof dtype === 'string' ? `'${dtype}'` : String(dtype)}`);
  }
}

export const isTypedArray = (v) => ArrayBuffer.isView(v) && !(v instanceof DataView);

export function sizeFromShape(shape) {
  let n = 1;
  for (const d of shape) n *= d;
  return n;
}

export function computeStrides(shape) {
  const strides = new Array(Math.max(shape.length - 1, 0));
  for (let i = shape.length - 2, s = 1; i >= 0; --i) {
    s *= shape[i + 1];
    strides[i] = s;
  }
  return strides;
}

/** The dtype that TensorFlow.js gives a value without one. */
export function inferDtype(values) {
  if (Array.isArray(values)) {
    let v = values;
    while (Array.isArray(v)) v = v.length ? v[0] : 0;
    values = v;
    if (isTypedArray(values) && !(values instanceof Uint8Array)) return inferDtype(values);
    if (values instanceof Uint8Array) return 'int32';
  }
  if (isTypedArray(values)) {
    return values instanceof Float32Array || values instanceof Float64Array ? 'float32' : 'int32';
  }
  if (typeof values === 'string') return 'string';
  if (typeof values === 'boolean') return 'bool';
  return 'float32';
}

/**
 * The shape of nested arrays; throws on a ragged one, naming the place.
 * With dtype 'string' a Uint8Array is an element (an encoded string).
 */
export function inferShape(value, dtype, what) {
  const leaf = (v) => !Array.isArray(v) && !(isTypedArray(v) && dtype !== 'string');
  const shape = [];
  let v = value;
  while (!leaf(v)) {
    shape.push(v.length);
    if (isTypedArray(v) || v.length === 0) break;
    v = v[0];
  }
  const verify = (w, depth, path) => {
    if (depth === shape.length) {
      if (!leaf(w)) throw new Error(`[${what}] ragged array: element ${path || '[]'} is an array of ${w.length}, but should be a single value`);
      return;
    }
    if (leaf(w)) throw new Error(`[${what}] ragged array: element ${path || '[]'} is a single value, but should be an array of ${shape[depth]}`);
    if (w.length !== shape[depth]) {
      throw new Error(`[${what}] ragged array: element ${path || '[]'} has length ${w.length}, but should have length ${shape[depth]}`);
    }
    if (isTypedArray(w)) return;
    if (depth + 1 === shape.length) {
      for (let i = 0; i < w.length; ++i) if (typeof w[i] === 'object' && w[i] !== null && !leaf(w[i])) verify(w[i], depth + 1, `${path}[${i}]`);
      return;
    }
    for (let i = 0; i < w.length; ++i) verify(w[i], depth + 1, `${path}[${i}]`);
  };
  if (shape.length) verify(value, 0, '');
  return shape;
}

/** Nested arrays as one flat array; flat ones and typed arrays are returned as they are. */
export function flatten(value, dtype) {
  if (!Array.isArray(value)) return isTypedArray(value) && dtype !== 'string' ? value : [value];
  if (!value.some((v) => Array.isArray(v) || (isTypedArray(v) && dtype !== 'string'))) return value;
  const out = [];
  const walk = (v) => {
    if (Array.isArray(v) || (isTypedArray(v) && dtype !== 'string')) for (let i = 0; i < v.length; ++i) walk(v[i]);
    else out.push(v);
  };
  walk(value);
  return out;
}

/** Elements as a typed array of the dtype; the given one where it fits already. */
export function toTypedArray(values, dtype) {
  if (dtype === 'float32' || dtype === 'complex64') return values instanceof Float32Array ? values : new Float32Array(values);
  if (dtype === 'int32') return values instanceof Int32Array ? values : Int32Array.from(values, Math.trunc);
  if (dtype === 'bool') {
    const out = new Uint8Array(values.length);
    for (let i = 0; i < out.length; ++i) out[i] = values[i] ? 1 : Number.isNaN(values[i]) ? 1 : 0;
    return out;
  }
  throw new Error(`there are no typed arrays of ${dtype}`);
}

/** Raw little-endian bytes as the array that tensors of the dtype give out. The bytes must be a copy of their own. */
export function fromBytes(bytes, dtype) {
  switch (dtype) {
    case 'float32':
    case 'complex64':
      return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    case 'int32':
      return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    case 'int8':
      return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    case 'uint16':
    case 'float16':
      return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
    default:
      return bytes;
  }
}

/** The strings of tsr_read_result: count lengths, then the bytes. */
export function splitStrings(bytes, count) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Array(count);
  let at = count * 4;
  for (let i = 0; i < count; ++i) {
    const n = view.getInt32(i * 4, true);
    out[i] = bytes.subarray(at, at + n);
    at += n;
  }
  return out;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
export const decodeString = (bytes, encoding = 'utf-8') => (/^utf-?8$/i.test(encoding) ? decoder : new TextDecoder(encoding)).decode(bytes);
export function encodeString(s, encoding = 'utf-8') {
  if (!/^utf-?8$/i.test(encoding)) throw new Error(`only utf-8 can be encoded, not ${encoding}`);
  return encoder.encode(s);
}

/** A flat array as nested ones. Complex numbers come as pairs, one after the other in the innermost array. */
export function toNestedArray(shape, values, isComplex = false) {
  const unit = isComplex ? 2 : 1;
  if (shape.length === 0) return isComplex ? [values[0], values[1]] : values[0];
  let offset = 0;
  const build = (depth) => {
    const n = shape[depth];
    if (depth === shape.length - 1) {
      const row = Array.from(values.slice(offset, offset + n * unit));
      offset += n * unit;
      return row;
    }
    return Array.from({ length: n }, () => build(depth + 1));
  };
  return sizeFromShape(shape) === 0 ? emptyNested(shape) : build(0);
}

function emptyNested(shape) {
  const build = (depth) => depth === shape.length ? 0 : Array.from({ length: shape[depth] }, () => build(depth + 1));
  return build(0);
}
