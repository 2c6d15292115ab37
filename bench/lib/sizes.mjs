// What a page downloads: bytes as they are and as brotli (quality 11) makes them.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './files.mjs';
import { copiedPackage } from './snapshot.mjs';

const kPackages = 'bench/node_modules';
const kPeers = [
  ...['core', 'converter', 'backend-wasm'].map((p) => [`tfjs tf-${p}.min.js`, `${kPackages}/@tensorflow/tfjs-${p}/dist/tf-${p}.min.js`]),
  ['tfjs-backend-wasm-simd.wasm', `${kPackages}/@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm`],
  ['onnxruntime-web ort.wasm.min.mjs', `${kPackages}/onnxruntime-web/dist/ort.wasm.min.mjs`],
  ['onnxruntime-web ort-wasm-simd-threaded.wasm', `${kPackages}/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm`],
  ['LiteRT.js litert_wasm_internal.js', `${kPackages}/@litertjs/core/wasm/litert_wasm_internal.js`],
  ['LiteRT.js litert_wasm_internal.wasm', `${kPackages}/@litertjs/core/wasm/litert_wasm_internal.wasm`],
];

/** @returns {{file: string, bytes: number, brotli: number}[]} */
export function sizes() {
  const folder = copiedPackage();
  const ours = readdirSync(folder).sort().map((f) => [`tessera ${f}`, join(folder, f)])
      .filter(([, path]) => /\.(wasm|mjs|js|cjs)$/.test(path) && statSync(path).isFile());
  return [...ours, ...kPeers.map(([file, path]) => [file, join(root, path)])].map(([file, path]) => {
    const bytes = readFileSync(path);
    return { file, bytes: bytes.length, brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 } }).length };
  });
}

export function printSizes(list) {
  console.log(`\n${'file'.padEnd(46)} ${'bytes'.padStart(10)} ${'brotli'.padStart(10)}`);
  for (const { file, bytes, brotli } of list) console.log(`${file.padEnd(46)} ${String(bytes).padStart(10)} ${String(brotli).padStart(10)}`);
}
