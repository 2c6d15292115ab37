// Tensor and Variable: what callers hold. A tensor is a handle of the engine with its shape and dtype beside it.
import { bytesPerElement, computeStrides, decodeString, sizeFromShape, toNestedArray } from './dtypes.mjs';
import * as engine from './engine.mjs';
import { TensorBuffer } from './buffer.mjs';
import { tensorToString } from './format.mjs';

let nextId = 0;

export class Tensor {
  /**
   * Made by the engine only; callers use tf.tensor() and ops.
   * @param {number} handle @param {number[]} shape @param {string} dtype
   */
  constructor(handle, shape, dtype) {
    /** The engine's handle; 0 once disposed of. @private */
    this._h = handle;
    this.id = nextId++;
    this.shape = shape;
    this.dtype = dtype;
    this.size = sizeFromShape(shape);
    /** True when tf.keep() was called on it: no scope disposes of it. */
    this.kept = false;
  }

  get rank() {
    return this.shape.length;
  }

  get rankType() {
    return this.rank < 5 ? String(this.rank) : 'higher';
  }

  /** Elements to skip to reach the next index of each axis but the last. */
  get strides() {
    return computeStrides(this.shape);
  }

  /** An object that tensors with the same memory (reshape, clone) have in common. */
  get dataId() {
    this.throwIfDisposed();
    return this._dataId ??= engine.dataId(this);
  }

  get isDisposed() {
    return this._h === 0;
  }

  get isDisposedInternal() {
    return this._h === 0;
  }

  throwIfDisposed() {
    if (this._h === 0) throw engine.disposedError();
  }

  /** The values, as a copy: a typed array, or strings. The page stays responsive meanwhile. */
  async data() {
    const bytes = await engine.read(this);
    return this.dtype === 'string' ? bytes.map((b) => decodeString(b)) : bytes;
  }

  /** The values at once, waiting for them here. */
  dataSync() {
    const values = engine.readSync(this);
    return this.dtype === 'string' ? values.map((b) => decodeString(b)) : values;
  }

  /** The raw bytes (strings: an array of them). */
  async bytes() {
    const values = await engine.read(this);
    return this.dtype === 'string' ? values : new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  }

  /** The values as nested arrays. */
  async array() {
    const { shape, dtype } = this;
    return toNestedArray(shape, await this.data(), dtype === 'complex64');
  }

  arraySync() {
    return toNestedArray(this.shape, this.dataSync(), this.dtype === 'complex64');
  }

  async buffer() {
    return new TensorBuffer(this.shape, this.dtype, await this.data());
  }

  bufferSync() {
    return new TensorBuffer(this.shape, this.dtype, this.dataSync());
  }

  dataToGPU() {
    throw new Error('dataToGPU() is not supported yet: read the values with data()');
  }

  /** Frees the memory. Twice is harmless. */
  dispose() {
    if (this._h !== 0) engine.disposeTensor(this);
  }

  /** A tensor of its own with the same (shared) memory. */
  clone() {
    return engine.cloneTensor(this);
  }

  /** A variable that starts with this value. */
  variable(trainable = true, name, dtype) {
    return engine.makeVariable(this, trainable, name, dtype);
  }

  print(verbose = false) {
    console.log(this.toString(verbose));
  }

  toString(verbose = false) {
    return tensorToString(this.dataSync(), this.shape, this.dtype, verbose);
  }
}

Object.defineProperty(Tensor, Symbol.hasInstance, {
  // also true for tensors of another copy of this library, or of TensorFlow.js, as there
  value: (v) => !!v && typeof v === 'object' && v.data != null && v.dataSync != null && v.throwIfDisposed != null,
});

/** A tensor whose value can be replaced; no scope disposes of it. */
export class Variable extends Tensor {
  constructor(handle, shape, dtype, trainable, name) {
    super(handle, shape, dtype);
    this.trainable = trainable;
    this.name = name;
  }

  /** Takes over another value of the same shape and dtype. What was computed from the old one stays. */
  assign(value) {
    engine.assignVariable(this, value);
  }

  dispose() {
    if (this._h !== 0) engine.disposeVariable(this);
  }
}

Object.defineProperty(Variable, Symbol.hasInstance, {
  value: (v) => v instanceof Tensor && v.assign instanceof Function,
});

export function bytesOf(t) {
  return t.size * bytesPerElement(t.dtype);
}
