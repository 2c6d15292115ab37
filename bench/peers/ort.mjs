// onnxruntime: its web build ('onnxruntime-web', the wasm provider) and its native one ('onnxruntime-node').
import { inNode, required, root } from '../lib/files.mjs';

const kDist = 'bench/node_modules/onnxruntime-web/dist/';

/** @param {{threads: number, native?: boolean}} options */
export async function start({ threads, native = false }) {
  const ort = native ? await required('onnxruntime-node') : inNode ? await required('onnxruntime-web') : await import(`${root}${kDist}ort.wasm.min.mjs`);
  const name = native ? 'onnxruntime-node' : 'onnxruntime-web';
  if (!native) {
    ort.env.wasm.numThreads = threads;
    ort.env.wasm.wasmPaths = root + kDist;
  }
  const options = native ? { intraOpNumThreads: threads, interOpNumThreads: 1 } : { executionProviders: ['wasm'] };
  options.graphOptimizationLevel = 'all';
  return { name, label: `${name} ${ort.env.versions.common}`, ort, session: (file) => ort.InferenceSession.create(new Uint8Array(file), options) };
}
