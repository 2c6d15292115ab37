// LiteRT.js, which exists for pages only. Where the page has an import map for @litertjs/wasm-utils.
import { root } from '../lib/files.mjs';

const kFolder = 'bench/node_modules/@litertjs/core/';

/** @param {{threads: number, relaxed: boolean}} options */
export async function start({ threads, relaxed }) {
  const litert = await import(`${root}${kFolder}dist/index.js`);
  const wasm = `${root}${kFolder}wasm/`;
  await litert.loadLiteRt(relaxed ? wasm : `${wasm}litert_wasm_compat_internal.js`, { threads: threads > 1 });
  const compile = (file) => litert.loadAndCompile(file, { accelerator: 'wasm', cpuOptions: { numThreads: threads } });
  return { name: 'litert', label: `LiteRT.js 2.5.3${relaxed ? '' : ' compat'}`, litert, compile };
}
