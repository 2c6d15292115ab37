// TensorBuffer: values to be set one by one before they become a tensor.
import { assertDType, computeStrides, sizeFromShape, toTypedArray } from './dtypes.mjs';
import { makeTensor } from './create.mjs';

function zeros(dtype, size) {
  if (dtype === 'string') return new Array(size).fill('');
  return new (toTypedArray([], dtype).constructor)(size);
}

export class TensorBuffer {
  constructor(shape, dtype, values) {
    if (dtype === 'complex64') throw new Error('complex64 dtype TensorBuffers are not supported: use one for the real and one for the imaginary part');
    assertDType(dtype, 'buffer');
    this.shape = shape.slice();
    this.dtype = dtype;
    this.size = sizeFromShape(shape);
    if (values != null && values.length !== this.size) {
      throw new Error(`Length of values '${values.length}' does not match the size inferred by the shape '${this.size}'.`);
    }
    this.values = values || zeros(dtype, this.size);
    this.strides = computeStrides(shape);
  }

  get rank() {
    return this.shape.length;
  }

  /** Sets one element. @param {number|string} value @param {...number} locs an index for each axis (none: element 0) */
  set(value, ...locs) {
    if (locs.length === 0) locs = [0];
    if (locs.length !== this.rank && !(this.rank === 0 && locs.length === 1)) {
      throw new Error(`The number of provided coordinates (${locs.length}) must match the rank (${this.rank})`);
    }
    this.values[this.locToIndex(locs)] = value;
  }

  get(...locs) {
    if (locs.length === 0) locs = [0];
    for (let i = 0; i < locs.length && i < this.rank; ++i) {
      if (locs[i] < 0 || locs[i] >= this.shape[i]) throw new Error(`Requested out of range element at ${locs}. Buffer shape=${this.shape}`);
    }
    return this.values[this.locToIndex(locs)];
  }

  locToIndex(locs) {
    if (this.rank === 0) return 0;
    if (this.rank === 1) return locs[0];
    let index = locs[locs.length - 1];
    for (let i = 0; i < locs.length - 1; ++i) index += this.strides[i] * locs[i];
    return index;
  }

  indexToLoc(index) {
    if (this.rank === 0) return [];
    if (this.rank === 1) return [index];
    const locs = new Array(this.rank);
    for (let i = 0; i < locs.length - 1; ++i) {
      locs[i] = Math.floor(index / this.strides[i]);
      index -= locs[i] * this.strides[i];
    }
    locs[locs.length - 1] = index;
    return locs;
  }

  /** A tensor with the values of now. */
  toTensor() {
    return makeTensor(this.values, this.shape, this.dtype, 'buffer');
  }
}
