// TensorFlow.js with its wasm backend ('tfjs-wasm') or its plain JavaScript one ('tfjs-cpu').
import { inNode, required, root, script } from '../lib/files.mjs';

const kFolder = 'bench/node_modules/@tensorflow';

/** The whole package: its parts alone have neither gradients nor methods of tensors. */
async function load() {
  if (inNode) return { tf: await required('@tensorflow/tfjs'), wasm: await required('@tensorflow/tfjs-backend-wasm') };
  await script(`${kFolder}/tfjs/dist/tf.min.js`);
  await script(`${kFolder}/tfjs-backend-wasm/dist/tf-backend-wasm.min.js`);
  return { tf: globalThis.tf, wasm: globalThis.tf.wasm };
}

/** @param {{threads: number, backend?: 'wasm' | 'cpu'}} options */
export async function start({ threads, backend = 'wasm' }) {
  const { tf, wasm } = await load();
  // It advertises its Node package, and advises execute() for models without control flow at every call.
  const warn = console.warn;
  console.warn = (...args) => { if (!/control flow|tfjs-node/.test(args[0])) warn(...args); };
  wasm.setWasmPaths(`${root}${kFolder}/tfjs-backend-wasm/dist/`);
  wasm.setThreadsCount(threads);
  // its build with threads is the slower one with a single thread
  if (threads === 1) tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  if (!await tf.setBackend(backend)) throw new Error(`tfjs: no backend '${backend}'`);
  await tf.ready();
  return { name: `tfjs-${backend}`, label: `tfjs-${backend} ${tf.version_core}`, tf, eager: true };
}
