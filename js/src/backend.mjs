// Starting the engine and choosing its device.
import { attachGpu } from './gpu/index.mjs';
import * as engine from './engine.mjs';
import { ENV } from './env.mjs';
import { TesseraError } from './errors.mjs';
import { candidates, instantiate, kVariants, loadVariant, setWasmPaths, variantFault } from './module.mjs';
import { features, isNode, nodeModule } from './platform.mjs';

/** Names that users of TensorFlow.js say, and the devices that stand for them here. */
const kDevices = { cpu: 'cpu', wasm: 'cpu', tensorflow: 'cpu', node: 'cpu', webgpu: 'webgpu', webgl: 'webgl' };
const kKinds = { webgpu: 0, webgl: 1 };

let variant = '';
let starting = null;
let gpu = null;
let chosen = 'wasm';
let offered = Object.keys(kDevices);
/** What went wrong on the way to the module now in use, for platformInfo(). */
const notes = [];

engine.whenInstalled((abi) => {
  gpu = attachGpu(abi.module, {
    onReadDone: (request, status) => {
      abi.x.tsr_gpu_read_done(request, status);
      engine.wake();
    },
    onLost: (lost) => {
      abi.x.tsr_gpu_lost(lost ? 1 : 0);
      engine.wake();
      for (const fn of lostListeners) fn({ backend: getBackend(), lost: !!lost });
    },
  });
});

const lostListeners = new Set();
/** fn({backend, lost}) is called when a GPU device or context goes (lost: true) or comes back (false). Returns a function that ends it. */
export function onDeviceLost(fn) {
  lostListeners.add(fn);
  return () => lostListeners.delete(fn);
}

function tryOrder(forced) {
  const list = candidates(forced);
  if (forced) return list;
  return list.filter((v) => (ENV.get('WASM_HAS_MULTITHREAD_SUPPORT') || !v.includes('threads')) &&
    (ENV.get('WASM_HAS_RELAXED_SIMD_SUPPORT') || !v.includes('relaxed')) && (ENV.get('WASM_HAS_SIMD_SUPPORT') || v === 'scalar'));
}

async function start(forced) {
  const onDemand = engine.hasModuleOnDemand();
  let failure = null;
  for (const name of tryOrder(forced)) {
    if (onDemand && name === 'simd' && !forced) break;  // the embedded one is as good, and here
    try {
      const module = await loadVariant(name);
      if (engine.isInstalled()) return;  // the synchronous entry was used meanwhile
      engine.install(module);
      variant = name;
      return;
    } catch (e) {
      if (forced) throw e;
      failure ??= e;
      notes.push(`${name}: ${e.message}`);
    }
  }
  if (onDemand) {
    engine.abi();
    return;
  }
  // The files are missing where they should be (a bundler left them out, say): the module that lies in a script of its own.
  try {
    const { wasmBytes } = await import('tessera:embedded');
    installEmbedded(wasmBytes);
  } catch (e) {
    throw failure ?? e;
  }
}

function installEmbedded(wasmBytes) {
  const module = instantiate(wasmBytes());
  variant = 'simd';
  engine.install(module);
}

/** For the synchronous entries: the embedded module is instantiated when first needed. */
export function provideEmbedded(wasmBytes) {
  engine.provideModule(() => {
    variant = 'simd';
    return instantiate(wasmBytes());
  });
}

/**
 * Resolves when the engine can be used. options.variant forces a WebAssembly variant (also: tf.env().set('WASM_VARIANT', name), or the
 * environment variable TESSERA_VARIANT in Node).
 * @param {{variant?: string}=} options
 */
export async function ready(options = {}) {
  const forced = options.variant || ENV.get('WASM_VARIANT') || '';
  if (engine.isInstalled()) {
    if (options.variant && options.variant !== variant) {
      throw new TesseraError('unsupported', `the engine runs the variant '${variant}' already; '${options.variant}' must be asked for before anything is created`);
    }
    return;
  }
  starting ??= start(forced).finally(() => { starting = null; });
  await starting;
}

/**
 * What is used and why not more: {variant, backend, threads, simd, relaxed, message, notes}.
 * `message` is one sentence for people: what is off and why; '' when nothing is.
 */
export function platformInfo() {
  const f = features();
  const off = [];
  if (f.why.simd) off.push(`SIMD is off: ${f.why.simd}`);
  else if (f.why.relaxed) off.push(`relaxed SIMD is off: ${f.why.relaxed}`);
  if (f.why.threads) off.push(`threads are off: ${f.why.threads}`);
  return {
    variant, backend: engine.isInstalled() ? getBackend() : '', threads: engine.isInstalled() ? getThreadsCount() : 0, features: { simd: f.simd, relaxed: f.relaxed, threads: f.threads },
    variants: Object.fromEntries(kVariants.map((v) => [v, variantFault(v) || 'can run'])), message: off.join('; '), notes: notes.slice(),
  };
}

/**
 * Chooses what computes: 'wasm' (also 'cpu'), 'webgpu' or 'webgl'. Resolves to true, or to false when it cannot be used here
 * (why: tf.backendFault(name)); what was used before then stays.
 */
export async function setBackend(name, options = {}) {
  if (!offered.includes(name)) throw new Error(`Backend name '${name}' not found in registry`);
  await ready();
  const fault = await prepare(name, options);
  if (fault) {
    faults.set(name, fault);
    if (!options.quiet) console.warn(`Initialization of backend ${name} failed: ${fault}`);
    return false;
  }
  chosen = name;
  return true;
}

const faults = new Map();
/** Why setBackend(name) resolved to false; '' when it did not. */
export const backendFault = (name) => faults.get(name) ?? '';

async function prepare(name, options) {
  const device = kDevices[name];
  try {
    if (device === 'webgpu') {
      const gpuOptions = { ...options };
      if (isNode && !gpuOptions.gpu && !globalThis.navigator?.gpu) gpuOptions.gpu = await nodeGpu();
      if (!await gpu.prepareWebGpu(gpuOptions)) return gpu.whyNot(kKinds.webgpu);
    } else if (device === 'webgl') {
      if (options.context) gpu.adoptContext(options.context);
      if (!gpu.probeWebGl()) return gpu.whyNot(kKinds.webgl);
    }
    const abi = engine.abi();
    abi.check(abi.withText(device, (p) => abi.x.tsr_set_device(p)));
    faults.delete(name);
    return '';
  } catch (e) {
    return e.message;
  }
}

/** WebGPU in Node: the npm package `webgpu`, where it is installed. */
async function nodeGpu() {
  const { createRequire } = await nodeModule('module');
  const { pathToFileURL } = await nodeModule('url');
  const from = createRequire(pathToFileURL(`${process.cwd()}/`));
  let file;
  try {
    file = from.resolve('webgpu');
  } catch {
    throw new TesseraError('unsupported', 'WebGPU in Node needs the npm package webgpu, which is not installed here: npm install webgpu');
  }
  const { create, globals } = await import(/* webpackIgnore: true */ /* @vite-ignore */ String(pathToFileURL(file)));
  Object.assign(globalThis, globals);
  return create([]);
}

export const getBackend = () => chosen;
export const findBackend = (name) => offered.includes(name) && name === chosen ? backend() : null;
export const backendNames = () => offered.slice();
export function removeBackend(name) {
  if (!offered.includes(name)) throw new Error(`${name} backend not found in registry`);
  if (name === chosen) throw new Error(`${name} is in use: set another backend first`);
  offered = offered.filter((n) => n !== name);
}
export function registerBackend(name) {
  if (kDevices[name] && !offered.includes(name)) {
    offered.push(name);
    return true;
  }
  throw new Error(`backends written in JavaScript (here: '${name}') are not supported yet`);
}

/** The backend in use, with the few functions that applications call on it. */
export function backend() {
  return {
    floatPrecision: () => 32,
    epsilon: () => 1e-7,
    numDataIds: () => engine.memory().numDataBuffers,
    timerAvailable: () => true,
    time: engine.time,
    memory: () => engine.memory(),
    dispose: () => {},
    getGPU: () => gpu,
  };
}

/** Threads for CPU work, the calling one included. 0: as many as the machine has. Without threads there is 1. */
export function setThreadsCount(n) {
  if (!Number.isInteger(n)) throw new TesseraError('invalid-argument', `[setThreadsCount] the number of threads must be a whole number (0: all cores), got ${n}`);
  const abi = engine.abi();
  abi.check(abi.x.tsr_set_threads(n));
}
export function getThreadsCount() {
  const abi = engine.abi();
  return abi.check(abi.x.tsr_threads());
}

export { setWasmPaths };
/** TensorFlow.js's older name: one address for the module. */
export function setWasmPath(path) {
  setWasmPaths(Object.fromEntries(kVariants.map((v) => [`tessera-${v}.wasm`, path])));
}
