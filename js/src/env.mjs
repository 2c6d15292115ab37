// Flags, as tf.env() has them, and what is known of the platform.
import { features, isNode } from './platform.mjs';

/** @type {Record<string, () => any>} */
const kFlags = {
  DEBUG: () => false,
  PROD: () => false,
  IS_NODE: () => isNode,
  IS_BROWSER: () => typeof window !== 'undefined' || typeof WorkerGlobalScope !== 'undefined',
  IS_CHROME: () => typeof navigator !== 'undefined' && /Chrome/.test(navigator.userAgent ?? ''),
  IS_SAFARI: () => typeof navigator !== 'undefined' && /Safari/.test(navigator.userAgent ?? '') && !/Chrome/.test(navigator.userAgent ?? ''),
  IS_TEST: () => false,
  DEPRECATION_WARNINGS_ENABLED: () => true,
  TENSORLIKE_CHECK_SHAPE_CONSISTENCY: () => true,
  WASM_HAS_SIMD_SUPPORT: () => features().simd,
  WASM_HAS_RELAXED_SIMD_SUPPORT: () => features().relaxed,
  WASM_HAS_MULTITHREAD_SUPPORT: () => features().threads,
  /** '' chooses by what the machine can do; else scalar, simd, relaxed, simd-threads or relaxed-threads. */
  WASM_VARIANT: () => (isNode && process.env.TESSERA_VARIANT) || '',
};

export class Environment {
  constructor() {
    this.flags = {};
    this.global = globalThis;
    this.platformName = isNode ? 'node' : 'browser';
    this.platform = {
      fetch: (...args) => globalThis.fetch(...args), now: () => performance.now(),
      encode: (text) => new TextEncoder().encode(text), decode: (bytes, encoding) => new TextDecoder(encoding).decode(bytes),
    };
  }

  get features() {
    return this.flags;
  }

  registerFlag(name, evaluate) {
    kFlags[name] = evaluate;
  }

  get(name) {
    if (!(name in this.flags)) {
      if (!(name in kFlags)) return undefined;
      this.flags[name] = kFlags[name]();
    }
    return this.flags[name];
  }

  getNumber(name) {
    return this.get(name);
  }

  getBool(name) {
    return this.get(name);
  }

  getString(name) {
    return this.get(name);
  }

  async getAsync(name) {
    return this.get(name);
  }

  set(name, value) {
    this.flags[name] = value;
  }

  getFlags() {
    return this.flags;
  }

  setFlags(flags) {
    this.flags = { ...flags };
  }

  setPlatform(name, platform) {
    this.platformName = name;
    this.platform = platform;
  }

  reset() {
    this.flags = {};
  }
}

export const ENV = new Environment();
export const env = () => ENV;
