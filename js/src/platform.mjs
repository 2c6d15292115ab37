// What this machine can do, and why something is off.

const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

export const isNode = typeof process === 'object' && !!process.versions?.node && !process.versions?.electronRenderer;

// (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt)
const kSimd = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);
// A shared memory and an atomic load.
const kAtomics = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 4, 1, 3, 1, 1, 10, 11, 1, 9, 0, 65, 0, 254, 16, 2, 0, 26, 11]);
// t(a, b, c) -> 1 when the relaxed instructions (madd, nmadd, min, max, trunc, laneselect, swizzle, dot) give results that the
// specification allows: an engine once shipped them wrong. Compiled from C with the wasm_simd128.h intrinsics.
const kRelaxed =
  'AGFzbQEAAAABCAFgA319fQF/AwIBAAQFAXABAQEFAwEAAQYHAX8BQYAICwcOAgZtZW1vcnkCAAF0AAAK4wEB4AEBBHv9DAH+A/wF+gf4CfYL9A3yD/AiA/0MDwMC' +
  'AQAEBQYHCAkKCwwNDiIE/ZIC/RkAQQlGIAMgBP2AAiADIAT9Dv0j/WMgAP0TIgMgAf0TIgQgA0MAAMhC/SABIAL9EyIF/UMiBv2LAiADIAQgBv1S/SP9YyAD/YECIAP9' +
  '+AH9N/2jASADIAT9jgIgAyAE/ekB/UH9owEgAyAE/Y0CIAMgBP3oAf1B/aMBIAMgBCAF/YUCIAIgACABlCIBkv0T/UH9owEgAyAEIAX9hgIgAiABk/0T/UH9owFxcXFx' +
  'cXFxCw==';

const chromeVersion = Number(/Chrome\/(\d+)/.exec(globalThis.navigator?.userAgent ?? '')?.[1]);
/** A page or worker of Chrome, Edge or another browser of that family. */
export const isChromium = !isNode && chromeVersion > 0;

/** Rows that register tiles may have here; 0 for no limit. V8 before 13.6 spills the registers of tiles of 5 rows and more. */
export function tileRowLimit() {
  if (globalThis.process?.versions?.bun) return 0;  // it names a V8 that it does not have
  const version = globalThis.process?.versions?.v8 ?? globalThis.Deno?.version?.v8;
  // Chrome N comes with V8 N/10. Other engines have no version here: NaN is less than nothing.
  const [major, minor] = version ? version.split('.').map(Number) : [Math.floor(chromeVersion / 10), chromeVersion % 10];
  return major < 13 || (major === 13 && minor < 6) ? 4 : 0;
}

let cached = null;

/** {simd, relaxed, threads: boolean, why: {simd, relaxed, threads: string}}; `why` is '' where the feature is on. */
export function features() {
  if (cached) return cached;
  const why = { simd: '', relaxed: '', threads: '' };
  if (!WebAssembly.validate(kSimd)) {
    why.simd = 'this JavaScript engine does not know WebAssembly SIMD';
    why.relaxed = why.simd;
  } else {
    why.relaxed = relaxedFault();
  }
  why.threads = threadsFault();
  cached = { simd: !why.simd, relaxed: !why.relaxed, threads: !why.threads, why };
  return cached;
}

function relaxedFault() {
  try {
    const code = bytes(kRelaxed);
    if (!WebAssembly.validate(code)) return 'this JavaScript engine does not know relaxed SIMD';
    const { t } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
    return t(2, 3, 4) === 1 && t(-1.5, 0.5, 8) === 1 ? '' : 'relaxed SIMD of this JavaScript engine gives wrong results';
  } catch (e) {
    return `relaxed SIMD failed its test: ${e.message}`;
  }
}

function threadsFault() {
  if (typeof SharedArrayBuffer === 'undefined' || (!isNode && globalThis.crossOriginIsolated === false)) {
    return 'the page is not cross-origin isolated: serve it with the headers Cross-Origin-Opener-Policy: same-origin and ' +
      'Cross-Origin-Embedder-Policy: require-corp (or credentialless)';
  }
  if (!WebAssembly.validate(kAtomics)) return 'this JavaScript engine does not know WebAssembly threads';
  if (!isNode && typeof Worker === 'undefined') return 'this context cannot start workers';
  return '';
}

/** A built-in module of Node. Bundlers for browsers must not look at it, so its name is no literal. */
export async function nodeModule(name) {
  const specifier = `node:${name}`;
  return process.getBuiltinModule?.(specifier) ?? await import(/* webpackIgnore: true */ /* @vite-ignore */ specifier);
}
