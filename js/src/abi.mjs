// The flat C ABI (include/tessera/tessera.h) seen from JavaScript: pointers, scratch memory, strings and errors.
import { fromBytes } from './dtypes.mjs';
import { TesseraError } from './errors.mjs';

const kScratchBytes = 1 << 16;  // enough for the inputs, words and outputs of any usual call; larger ones allocate
const kMaxOutputs = 256;
const kFewBytes = 1024;
const kInfoWords = 10;  // dtype, rank, eight dims

export class Abi {
  /** @param {object} module an instantiated module of src/capi */
  constructor(module) {
    this.module = module;
    /** The exports, by their C names. */
    this.x = module.wasmExports;
    this.memory = module.wasmMemory;
    this.buffer = null;
    this.u8 = new Uint8Array(0);
    /** Memory that threads share grows without a trace in the views; other memory detaches them, which is quicker to see. */
    this.shared = typeof SharedArrayBuffer !== 'undefined' && this.memory.buffer instanceof SharedArrayBuffer;
    this.decoder = new TextDecoder();
    this.encoder = new TextEncoder();
    this.scratch = this.alloc(kScratchBytes);
    /** Memory for outputs and for one tensor's info. */
    this.out = this.alloc((kMaxOutputs + kInfoWords + 2) * 4);
    this.info = this.out + kMaxOutputs * 4;
    this.opIds = new Map();
  }

  /** Must be called before views are used: memory may have grown in any call, which detaches or outdates the views. */
  views() {
    if (this.u8.length === 0 || (this.shared && this.memory.buffer !== this.buffer)) this.renewViews();
    return this;
  }

  renewViews() {
    const { buffer } = this.memory;
    this.buffer = buffer;
    this.u8 = new Uint8Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
  }

  /** The error of the call that just failed, to be thrown. */
  error() {
    return new TesseraError(this.x.tsr_last_error_code(), this.text(this.x.tsr_last_error()));
  }

  /** Passes on a result that is negative on failure. */
  check(result) {
    if (result < 0) throw this.error();
    return result;
  }

  alloc(bytes) {
    const p = this.x.tsr_alloc(bytes) >>> 0;
    if (p === 0) throw this.error();
    return p;
  }

  free(p) {
    this.x.tsr_free(p);
  }

  /** A zero-terminated string; null for a null pointer. */
  text(p) {
    p >>>= 0;
    if (p === 0) return null;
    const { u8 } = this.views();
    let end = p;
    while (u8[end] !== 0) ++end;
    return this.decoder.decode(u8.slice(p, end));  // a copy, because shared memory cannot be decoded
  }

  /** Calls fn(pointer, bytes) with the string, zero-terminated, in memory that is freed afterwards. */
  withText(text, fn) {
    const bytes = this.encoder.encode(text);
    return this.withBytes(bytes, fn, 1);
  }

  /** Calls fn(pointer, bytes) with a copy of the bytes; `zeros` bytes of 0 follow it. Nested calls are fine. */
  withBytes(bytes, fn, zeros = 0) {
    const p = this.alloc(bytes.length + zeros);
    try {
      const { u8 } = this.views();
      u8.set(bytes, p);
      u8.fill(0, p + bytes.length, p + bytes.length + zeros);
      return fn(p, bytes.length);
    } finally {
      this.free(p);
    }
  }

  opId(name) {
    let id = this.opIds.get(name);
    if (id === undefined) {
      id = this.check(this.withText(name, (p) => this.x.tsr_op_id(p)));
      this.opIds.set(name, id);
    }
    return id;
  }

  /**
   * Calls an op on tensors; returns the handles of its outputs. The type of a single one can then be had by toldType().
   * @param {string} name @param {{_h: number}[]} inputs alive @param {number[]} words
   * @param {number} room for so many outputs; kMaxOutputs there always is @returns {number[]}
   */
  call(name, inputs, words, room = 0) {
    const id = this.opId(name);
    const wordBytes = words.length * 8;
    const bytes = wordBytes + inputs.length * 4;
    const p = bytes <= kScratchBytes ? this.scratch : this.alloc(bytes);
    const { f64, i32 } = this.views();
    for (let i = 0, at = p >>> 3; i < words.length; ++i) f64[at + i] = words[i];
    const q = p + wordBytes;
    for (let i = 0, at = q >>> 2; i < inputs.length; ++i) i32[at + i] = inputs[i]._h;
    const out = room > kMaxOutputs ? this.alloc(room * 4) : this.out;
    const n = this.x.tsr_call(id, q, inputs.length, p, words.length, out, Math.max(room, kMaxOutputs), this.info);
    if (p !== this.scratch) this.free(p);
    const handles = n < 0 ? null : this.outputs(n, out);
    if (out !== this.out) this.free(out);
    if (!handles) throw this.error();
    return handles;
  }

  /** The n handles that a call wrote to `out`. */
  outputs(n, out = this.out) {
    if (n < 0) throw this.error();
    const { i32 } = this.views();
    const at = out >>> 2;
    if (n === 1) return [i32[at]];
    return Array.from(i32.subarray(at, at + n));
  }

  get maxOutputs() {
    return kMaxOutputs;
  }

  /** Calls fn(pointer, count) with the handles in memory. */
  withHandles(handles, fn) {
    const bytes = handles.length * 4;
    const p = bytes <= kScratchBytes ? this.scratch : this.alloc(bytes);
    this.views().i32.set(handles, p >>> 2);
    try {
      return fn(p, handles.length);
    } finally {
      if (p !== this.scratch) this.free(p);
    }
  }

  /** {dtype: number, shape: number[]} of a tensor handle. */
  typeOf(handle) {
    if (this.x.tsr_tensor_info(handle, this.info) < 0) throw this.error();
    return this.toldType();
  }

  /** The type that the last call wrote to `info`. */
  toldType() {
    const { i32 } = this.views();
    const at = this.info >>> 2;
    const rank = i32[at + 1];
    const shape = new Array(rank);
    for (let i = 0; i < rank; ++i) shape[i] = i32[at + 2 + i];
    return { dtype: i32[at], shape };
  }

  /** A new tensor of raw bytes. @param {number} dtype @param {number[]} shape @param {Uint8Array} bytes */
  newTensor(dtype, shape, bytes) {
    const header = 64;
    const small = header + bytes.length <= kScratchBytes;
    const p = small ? this.scratch : this.alloc(header + bytes.length);
    const { i32, u8 } = this.views();
    for (let i = 0, at = p >>> 2; i < shape.length; ++i) i32[at + i] = shape[i];
    u8.set(bytes, p + header);
    const t = this.x.tsr_tensor_new(dtype, p, shape.length, p + header, bytes.length);
    if (!small) this.free(p);
    if (t <= 0) throw this.error();
    return t;
  }

  /** A new string tensor. @param {number[]} shape @param {Uint8Array[]} strings */
  newStrings(shape, strings) {
    let total = 0;
    for (const s of strings) total += s.length;
    const header = 64 + strings.length * 4;
    const p = this.alloc(header + total);
    const { i32, u8 } = this.views();
    i32.set(shape, p >>> 2);
    let at = p + header;
    strings.forEach((s, i) => {
      i32[(p >>> 2) + 16 + i] = s.length;
      u8.set(s, at);
      at += s.length;
    });
    const t = this.x.tsr_tensor_new_strings(p, shape.length, p + header, p + 64);
    this.free(p);
    if (t <= 0) throw this.error();
    return t;
  }

  /** Numbers of a dtype, a copy: fn(where to write how many bytes) returns a pointer to them. */
  copyNumbers(dtype, fn) {
    const p = fn(this.info) >>> 0;
    if (p === 0) throw this.error();
    const { u8, u32, f32 } = this.views();
    const bytes = u32[this.info >>> 2];
    // for few numbers a loop is faster than slice(), which makes a buffer first
    if (dtype === 'float32' && bytes <= kFewBytes) {
      const out = new Float32Array(bytes >>> 2);
      for (let i = 0, at = p >>> 2; i < out.length; ++i) out[i] = f32[at + i];
      return out;
    }
    return fromBytes(u8.slice(p, p + bytes), dtype);
  }

  /** The bytes that fn(where to write how many) returns a pointer to, a copy. */
  copyBytes(fn) {
    return this.copyNumbers('uint8', fn);
  }

  /** The eight numbers of tsr_memory. */
  memoryNumbers() {
    this.check(this.x.tsr_memory(this.scratch));
    const at = this.scratch >>> 3;
    return Array.from(this.views().f64.subarray(at, at + 8));
  }
}
