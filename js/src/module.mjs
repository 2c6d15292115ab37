// The WebAssembly module: which variant suits this machine, and how it is fetched and instantiated.
//
// Variants: scalar (for engines without SIMD), simd, relaxed (SIMD with fused multiply-add), and the last two with threads.
import createModule from 'tessera:glue';
import { TesseraError } from './errors.mjs';
import { features, isNode, nodeModule } from './platform.mjs';

/** Best first. */
export const kVariants = ['relaxed-threads', 'simd-threads', 'relaxed', 'simd', 'scalar'];

/** The addresses, as literals: that is what bundlers look for. */
const kUrls = {
  'relaxed-threads': () => new URL('./tessera-relaxed-threads.wasm', import.meta.url),
  'simd-threads': () => new URL('./tessera-simd-threads.wasm', import.meta.url),
  'relaxed': () => new URL('./tessera-relaxed.wasm', import.meta.url),
  'simd': () => new URL('./tessera-simd.wasm', import.meta.url),
  'scalar': () => new URL('./tessera-scalar.wasm', import.meta.url),
};

let paths = null;

/**
 * Where the .wasm files are, when not beside the script: a folder's address, or an object from file name to address.
 * To be called before the engine starts.
 */
export function setWasmPaths(prefixOrFiles) {
  paths = prefixOrFiles;
}

function urlOf(variant) {
  const file = `tessera-${variant}.wasm`;
  if (typeof paths === 'string') return paths + (paths.endsWith('/') ? '' : '/') + file;
  return paths?.[file] ?? kUrls[variant]();
}

/** Whether the variant can run here; '' or why not. */
export function variantFault(variant) {
  const f = features();
  if (!kVariants.includes(variant)) return `it does not exist (there are ${kVariants.join(', ')})`;
  if (variant.includes('threads') && !f.threads) return f.why.threads;
  if (variant.includes('relaxed') && !f.relaxed) return f.why.relaxed;
  if (variant !== 'scalar' && !f.simd) return f.why.simd;
  return '';
}

/** The variants to try, best first. A forced one stands alone; it throws when it cannot run here. */
export function candidates(forced) {
  if (!forced) return kVariants.filter((v) => !variantFault(v));
  const fault = variantFault(forced);
  if (fault) throw new TesseraError('unsupported', `the variant '${forced}' cannot be used: ${fault}`);
  return [forced];
}

async function compile(url) {
  const where = String(url);
  if (isNode && !/^https?:/.test(where)) {
    const [{ readFile }, { fileURLToPath }] = [await nodeModule('fs/promises'), await nodeModule('url')];
    return WebAssembly.compile(await readFile(where.startsWith('file:') ? fileURLToPath(where) : where));
  }
  const response = await fetch(where, { credentials: 'same-origin' });
  if (!response.ok) throw new TesseraError('not-found', `HTTP status ${response.status} for ${where}`);
  if (WebAssembly.compileStreaming && /^application\/wasm/.test(response.headers.get('content-type') ?? '')) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());  // a server that does not know .wasm files
}

/** Glue settings for a compiled module. */
const glueOptions = (module, extra = {}) => ({
  ...extra,
  instantiateWasm(imports, done) {
    const instance = new WebAssembly.Instance(module, imports);
    done(instance, module);
    return instance.exports;
  },
});

/** Fetches, compiles and instantiates. */
export async function loadVariant(variant) {
  const module = await compile(urlOf(variant));
  if (!variant.includes('threads')) return createModule(glueOptions(module));
  const { default: createThreaded } = await import('./tessera-threads.mjs');
  return createThreaded(glueOptions(module));
}

/** Instantiates a module whose bytes are at hand, without waiting. */
export function instantiate(wasmBytes) {
  return createModule(glueOptions(new WebAssembly.Module(wasmBytes)));
}
