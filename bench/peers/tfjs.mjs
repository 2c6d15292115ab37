// TensorFlow.js with its wasm backend ('tfjs-wasm') or its plain JavaScript one ('tfjs-cpu').
import { inNode, required, root, script } from '../lib/files.mjs';

const kFolder = 'bench/node_modules/@tensorflow';

async function load() {
  if (inNode) {
    const tf = { ...await required('@tensorflow/tfjs-core'), ...await required('@tensorflow/tfjs-converter') };
    await required('@tensorflow/tfjs-backend-cpu');
    return { tf, wasm: await required('@tensorflow/tfjs-backend-wasm') };
  }
  for (const part of ['core', 'converter', 'backend-cpu', 'backend-wasm']) await script(`${kFolder}/tfjs-${part}/dist/tf-${part}.min.js`);
  return { tf: globalThis.tf, wasm: globalThis.tf.wasm };
}

/** @param {{threads: number, backend?: 'wasm' | 'cpu'}} options */
export async function start({ threads, backend = 'wasm' }) {
  const { tf, wasm } = await load();
  wasm.setWasmPaths(`${root}${kFolder}/tfjs-backend-wasm/dist/`);
  wasm.setThreadsCount(threads);
  if (!await tf.setBackend(backend)) throw new Error(`tfjs: no backend '${backend}'`);
  await tf.ready();
  // It advises execute() for models without control flow, at every call.
  const warn = console.warn;
  console.warn = (...args) => { if (!/control flow/.test(args[0])) warn(...args); };
  return { name: `tfjs-${backend}`, label: `tfjs-${backend} ${tf.version_core}`, tf };
}
