// The engine as JavaScript sees it: tensors over handles, scopes, garbage, reading. One engine a realm.
//
// Who frees a tensor: its dispose(), the scope (tidy) it was made in, or the garbage collector. Tensors made inside a scope are held
// by it until it ends, so only those that outlive all scopes are watched by a FinalizationRegistry: that costs more than a small op.
import { Abi } from './abi.mjs';
import { bytesPerElement, dtypeNumber, flatten, inferDtype, inferShape, kDTypes, sizeFromShape, splitStrings } from './dtypes.mjs';
import { makeTensor, newHandle } from './create.mjs';
import { TesseraError } from './errors.mjs';
import { collectorTurn, macrotask, noteOutstanding, now, sleep, unrefTimer } from './schedule.mjs';
import { tileRowLimit } from './platform.mjs';
import { Tensor, Variable } from './tensor.mjs';

// ---- The module ---------------------------------------------------------------------------------------------------------

/** @type {Abi|null} */
let api = null;
let moduleOnDemand = null;
const onInstall = [];

/** Takes an instantiated module into service. Only once: handles are of one module. */
export function install(module) {
  if (api) throw new Error('the engine is running already');
  api = new Abi(module);
  api.check(api.x.tsr_limit_tile_rows(tileRowLimit()));
  for (const fn of onInstall) fn(api);
}

export const isInstalled = () => api !== null;
/** fn(abi) runs when a module is taken into service. */
export function whenInstalled(fn) {
  if (api) fn(api);
  else onInstall.push(fn);
}
/** Gives a way to get a module at once, for the entries that work from the first line. */
export function provideModule(fn) {
  moduleOnDemand = fn;
}
export const hasModuleOnDemand = () => moduleOnDemand !== null;

export function abi() {
  if (api === null) {
    if (!moduleOnDemand) throw new Error('Tessera is not ready: `await tf.ready()` first, or import the synchronous entry (tessera-ml/sync)');
    install(moduleOnDemand());
  }
  return api;
}

// ---- Garbage ------------------------------------------------------------------------------------------------------------

const watched = new FinalizationRegistry(({ handle, bytes }) => {
  noteOutstanding(-bytes);
  api.x.tsr_dispose(handle);
});

// Tensors not handed to the registry yet: most are disposed of soon, and registering costs more than a small op. They are held
// meanwhile, so they are few, small, and only for a moment.
const kYoungTensors = 128;
const kYoungBytes = 4e6;
const kYoungMs = 50;
let young = [];
let youngBytes = 0;
let settling = false;

function watch(t) {
  young.push(t);
  youngBytes += t.size * bytesPerElement(t.dtype);
  if (young.length >= kYoungTensors || youngBytes > kYoungBytes) settle();
  else if (!settling) {
    settling = true;
    unrefTimer(setTimeout(() => {
      settling = false;
      settle();
    }, kYoungMs));
  }
}

/** Lets the registry watch the young tensors that are still there. */
function settle() {
  const list = young;
  young = [];
  youngBytes = 0;
  for (const t of list) {
    if (t._h === 0 || t._watched !== undefined) continue;
    const bytes = t.size * bytesPerElement(t.dtype);
    t._watched = bytes;
    noteOutstanding(bytes);
    watched.register(t, { handle: t._h, bytes }, t);
  }
}

function unwatch(t) {
  if (t._watched === undefined) return;
  noteOutstanding(-t._watched);
  t._watched = undefined;
  watched.unregister(t);
}

// ---- Scopes -------------------------------------------------------------------------------------------------------------

/** Open scopes, outermost first: {name, made: Tensor[]}. */
const scopes = [];

/** Temporaries that ops made of plain values: gone when the op has been called. */
const temporaries = [];

function dropTemporaries() {
  while (temporaries.length) api.x.tsr_dispose(temporaries.pop());
}

export function disposedError() {
  return new TesseraError('disposed', 'Tensor is disposed.');
}

/** A tensor for a new handle. @returns {Tensor} */
export function wrap(handle, shape, dtype) {
  if (shape === undefined) {
    const type = api.typeOf(handle);
    shape = type.shape;
    dtype = kDTypes[type.dtype];
  }
  const t = new Tensor(handle, shape, dtype);
  if (scopes.length) scopes[scopes.length - 1].made.push(t);
  else watch(t);
  return t;
}

export function startScope(name) {
  const a = abi();
  a.check(a.x.tsr_scope_begin());
  scopes.push({ name, made: [] });
}

/** Ends the innermost scope; tensors in `result` (nested in arrays and objects) pass to the scope around. */
export function endScope(result) {
  const scope = scopes.pop();
  if (!scope) throw new Error('endScope() without startScope()');
  const results = getTensorsInContainer(result);
  const passed = new Set(results);
  const outer = scopes[scopes.length - 1];
  for (const t of scope.made) {
    if (t._h === 0) continue;
    if (t.kept) {
      watch(t);
    } else if (!passed.has(t)) {
      t._h = 0;  // the engine ends the handle below
    } else if (outer) {
      outer.made.push(t);
    } else {
      watch(t);
    }
  }
  dropTemporaries();
  const handles = results.filter((t) => t._h !== 0).map((t) => t._h);
  api.check(api.withHandles(handles, (p, n) => api.x.tsr_scope_end(p, n)));
}

export const inScope = () => scopes.length > 0;

/**
 * Runs fn and disposes of all tensors that it made, but for those it returns (also in arrays and objects), kept ones and variables.
 * @param {string|Function} nameOrFn @param {Function=} fn
 */
export function tidy(nameOrFn, fn) {
  let name = null;
  if (fn == null) {
    if (typeof nameOrFn !== 'function') throw new Error('Please provide a function to tidy()');
    fn = nameOrFn;
  } else {
    if (typeof nameOrFn !== 'string' && !(nameOrFn instanceof String)) {
      throw new Error('When calling with two arguments, the first argument to tidy() must be a string');
    }
    if (typeof fn !== 'function') throw new Error('When calling with two arguments, the 2nd argument to tidy() must be a function');
    name = nameOrFn;
  }
  startScope(name);
  let result;
  try {
    result = fn();
    if (result && typeof result.then === 'function') {
      Promise.resolve(result).catch(() => {});  // its tensors are gone, so it may well fail: the error below is the one to see
      throw new Error('Cannot return a Promise inside of tidy(): its function must not be async, because what it makes after the first ' +
        'await would not be tidied. Use tf.engine().startScope() and endScope(), or dispose() what you make.');
    }
  } catch (e) {
    endScope();
    throw e;
  }
  endScope(result);
  return result;
}

/** The tensors in nested arrays and objects, each once. */
export function getTensorsInContainer(container) {
  const found = new Set();
  const seen = new Set();
  const walk = (v) => {
    if (v == null) return;
    if (v instanceof Tensor) {
      found.add(v);
      return;
    }
    if (typeof v !== 'object' || ArrayBuffer.isView(v) || seen.has(v)) return;
    seen.add(v);
    for (const key in v) walk(v[key]);
  };
  walk(container);
  return [...found];
}

/** No scope will dispose of it. */
export function keep(t) {
  if (!t.kept) {
    t.throwIfDisposed();
    abi().check(api.x.tsr_keep(t._h));
    t.kept = true;
  }
  return t;
}

/** Disposes of a tensor, or of all tensors in nested arrays and objects. */
export function dispose(container) {
  for (const t of getTensorsInContainer(container)) t.dispose();
}

export function disposeTensor(t) {
  unwatch(t);
  api.x.tsr_dispose(t._h);
  t._h = 0;
}

// ---- Ops ----------------------------------------------------------------------------------------------------------------

// Ops whose number of results is an extent of their input.
const kManyResults = new Set(['split', 'unstack']);

/**
 * Calls an op of the engine.
 * @param {string} name @param {{_h: number}[]} inputs @param {number[]} words attributes, see tessera.h
 * @returns {Tensor[]}
 */
export function callOp(name, inputs, words) {
  const a = api ?? abi();
  let out;
  try {
    for (let i = 0; i < inputs.length; ++i) {
      if (inputs[i]._h === 0) throw new TesseraError('disposed', `[${name}] input ${i}: Tensor is disposed.`);
    }
    out = a.call(name, inputs, words, kManyResults.has(name) ? Math.max(0, ...inputs[0].shape) : 0);
  } finally {
    if (temporaries.length) dropTemporaries();
  }
  if (out.length === 1) {
    const type = a.toldType();
    return [wrap(out[0], type.shape, kDTypes[type.dtype])];
  }
  return out.map((h) => wrap(h));
}

/**
 * What an op takes as a tensor: tensors as they are; numbers, booleans, strings and (nested, typed) arrays of them become a
 * temporary, which goes when the op has been called.
 * @param {string=} dtype for plain values: what the op wants; else inferred
 */
export function toTensor(value, argName, opName, dtype) {
  if (value?._h !== undefined) return value;
  if (value instanceof Tensor) {
    throw new Error(`[${opName}] argument '${argName}' is a tensor of another library`);
  }
  if (typeof value === 'number' && dtype === undefined) return temporary([value], [], 'float32');
  const kind = typeof value;
  if (value == null || (!Array.isArray(value) && !ArrayBuffer.isView(value) && kind !== 'number' && kind !== 'boolean' && kind !== 'string')) {
    throw new Error(`Argument '${argName}' passed to '${opName}' must be a Tensor or TensorLike, but got '${value == null ? 'null' : value.constructor?.name ?? kind}'`);
  }
  let type = inferDtype(value);
  if (type !== 'string' && dtype !== undefined) type = dtype;
  const shape = inferShape(value, type, opName);
  return temporary(flatten(value, type), shape, type);
}

function temporary(values, shape, dtype) {
  abi();
  const t = { _h: newHandle(values, shape, dtype), shape, dtype, size: sizeFromShape(shape), rank: shape.length };
  temporaries.push(t._h);
  return t;
}

/** The same as a tensor of the scope that is open: for functions made of several ops, inside tidy(). */
export function asTensor(value, argName, opName, dtype) {
  if (value instanceof Tensor) {
    if (value._h === 0) throw new TesseraError('disposed', `[${opName}] argument '${argName}': Tensor is disposed.`);
    return value;
  }
  const t = toTensor(value, argName, opName, dtype);
  temporaries.splice(temporaries.indexOf(t._h), 1);
  return wrap(t._h, t.shape, t.dtype);
}

export function cloneTensor(t) {
  t.throwIfDisposed();
  const h = abi().x.tsr_clone(t._h);
  if (h <= 0) throw api.error();
  return wrap(h, t.shape.slice(), t.dtype);
}

// ---- Data ids -----------------------------------------------------------------------------------------------------------

const dataIds = new Map();  // number -> WeakRef of the object that stands for it
const forgotten = new FinalizationRegistry((n) => {
  if (!dataIds.get(n)?.deref()) dataIds.delete(n);
});

export function dataId(t) {
  const n = abi().x.tsr_data_id(t._h);
  if (n < 0) throw api.error();
  let object = dataIds.get(n)?.deref();
  if (!object) {
    object = { id: n };
    dataIds.set(n, new WeakRef(object));
    forgotten.register(object, n);
  }
  return object;
}

// ---- Variables ----------------------------------------------------------------------------------------------------------

/** Variables by name, until disposed of. */
export const registeredVariables = Object.create(null);
let nextVariable = 0;

export function makeVariable(initial, trainable = true, name, dtype) {
  let made = null;
  if (!(initial instanceof Tensor)) throw new Error('[variable] the initial value must be a tensor: tf.variable(tf.tensor(...))');
  initial.throwIfDisposed();
  name ??= String(nextVariable++);
  if (registeredVariables[name]) throw new Error(`Variable with name ${name} was already registered`);
  if (dtype != null && dtype !== initial.dtype) {
    const index = dtypeNumber(dtype);
    if (index === undefined) throw new Error(`[variable] dtype '${dtype}' does not exist`);
    initial = made = callOp('cast', [initial], [index])[0];
  }
  const h = abi().x.tsr_variable_new(initial._h);
  if (h <= 0) throw api.error();
  const v = new Variable(h, initial.shape.slice(), initial.dtype, trainable, name);
  made?.dispose();
  registeredVariables[name] = v;
  return v;
}

export function assignVariable(v, value) {
  if (!(value instanceof Tensor)) throw new Error('[assign] the new value must be a tensor');
  if (value.dtype !== v.dtype) {
    throw new Error(`dtype of the new value (${value.dtype}) and previous value (${v.dtype}) must match`);
  }
  if (value.shape.length !== v.shape.length || value.shape.some((d, i) => d !== v.shape[i])) {
    throw new Error(`shape of the new value (${value.shape}) and previous value (${v.shape}) must match`);
  }
  v.throwIfDisposed();
  value.throwIfDisposed();
  v._dataId = undefined;
  abi().check(api.x.tsr_variable_assign(v._h, value._h));
}

export function disposeVariable(v) {
  if (registeredVariables[v.name] === v) delete registeredVariables[v.name];
  disposeTensor(v);
}

export function disposeVariables() {
  for (const name of Object.keys(registeredVariables)) disposeVariable(registeredVariables[name]);
}

// ---- Reading ------------------------------------------------------------------------------------------------------------

const kLongestSleepMs = 4;
const kSliceMs = 8;  // half a frame of 60 Hz: the page gets its turn in between

const wakers = new Set();
/** A device reported something: whoever waits looks again. */
export function wake() {
  for (const fn of [...wakers]) fn();
}

/**
 * Resolves after the next wake(), when a background thread has finished something since its counter was `seen`, or after a while.
 * @param {number} turn how often the same ticket waited already
 */
function waitForDevice(turn, counter, seen) {
  if (turn < 2) return macrotask();  // many results are there within a turn or two
  // bounded, or waiters would pile up where the counter never changes (a GPU computes)
  const sleep = counter ? Atomics.waitAsync?.(api.views().i32, counter >> 2, seen, kLongestSleepMs) : undefined;
  if (sleep && !sleep.async) return macrotask();  // it has changed already
  if (!sleep && turn < 20) return macrotask();
  return new Promise((resolve) => {
    const timer = setTimeout(done, turn < 100 ? 1 : 4);
    function done() {
      clearTimeout(timer);
      wakers.delete(done);
      resolve();
    }
    wakers.add(done);
    sleep?.value.then(done);
  });
}

/**
 * Works on a ticket in slices until it is done.
 * @param {number} ticket @param {AbortSignal=} signal
 */
export async function finish(ticket, signal) {
  for (let turn = 0; ;) {
    signal?.throwIfAborted();
    const counter = api.x.tsr_wake_counter() >>> 0;
    const seen = counter ? Atomics.load(api.views().i32, counter >> 2) : 0;
    const state = api.x.tsr_poll(ticket, kSliceMs);
    if (state < 0) throw api.error();
    if (state === 1) return;
    if (state === 0) {
      turn = 0;
      await macrotask();
    } else {
      await waitForDevice(turn++, counter, seen);
    }
  }
}

/** The values of a tensor: a typed array, or byte strings. A copy. */
export async function read(t) {
  const a = abi();
  t.throwIfDisposed();
  const { dtype, size } = t;
  const ticket = a.x.tsr_read_begin(t._h);
  if (ticket <= 0) throw a.error();
  let values;
  try {
    await finish(ticket);
    const result = (n) => a.x.tsr_read_result(ticket, n);
    values = dtype === 'string' ? splitStrings(a.copyBytes(result), size) : a.copyNumbers(dtype, result);
  } finally {
    a.x.tsr_ticket_end(ticket);
  }
  const turn = collectorTurn();
  if (turn) await turn;
  return values;
}

export function readSync(t) {
  const a = abi();
  t.throwIfDisposed();
  const result = (n) => a.x.tsr_read_sync(t._h, n);
  return t.dtype === 'string' ? splitStrings(a.copyBytes(result), t.size) : a.copyNumbers(t.dtype, result);
}

// ---- Memory and time ----------------------------------------------------------------------------------------------------

/**
 * Exact numbers: tensors, data buffers and logical bytes as TensorFlow.js counts them; beside them the host and device bytes really
 * held, plans cached, the peak of host bytes and the cap.
 */
export function memory() {
  const a = abi();
  dropTemporaries();
  const [numTensors, numDataBuffers, numBytes, hostBytes, deviceBytes, numPlans, peakHostBytes, capBytes] = a.memoryNumbers();
  return { unreliable: false, numTensors, numDataBuffers, numBytes, hostBytes, deviceBytes, numPlans, peakHostBytes, capBytes };
}

/** The most bytes of host memory that tensors may take; an error that names tidy() beyond. */
export function setMemoryCap(bytes) {
  abi().check(api.x.tsr_set_memory_cap(bytes));
}

/** Runs fn with each op timed on its own. */
export async function profile(fn) {
  const a = abi();
  const before = memory();
  a.check(a.x.tsr_profile_begin());
  let result;
  let text = '';
  try {
    result = fn();
    if (result && typeof result.then === 'function') result = await result;
    for (const t of getTensorsInContainer(result)) if (t._h !== 0) await read(t);
  } finally {
    text = a.text(a.x.tsr_profile_end()) ?? '';
  }
  const kernels = text.split('\n').filter(Boolean).map((line) => {
    const [, name, device, ms, bytes] = /^(.*) (\S+) (\S+) (\S+)$/.exec(line);
    return { name, device, kernelTimeMs: Number(ms), bytes: Number(bytes), bytesAdded: Number(bytes), extraInfo: '' };
  });
  const after = memory();
  return {
    newBytes: after.numBytes - before.numBytes, newTensors: after.numTensors - before.numTensors, peakBytes: after.peakHostBytes,
    kernels, result, get kernelNames() { return [...new Set(this.kernels.map((k) => k.name))]; },
  };
}

/** Milliseconds that fn takes, its results computed: {wallMs, kernelMs}. */
export async function time(fn) {
  const start = now();
  const info = await profile(fn);
  return { kernelMs: info.kernels.reduce((sum, k) => sum + k.kernelTimeMs, 0), wallMs: now() - start, getExtraProfileInfo: () => '' };
}

export { makeTensor, sleep };
