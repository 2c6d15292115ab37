// The libraries that can be measured. Each start() gives {name, label, and what the library offers}; works (../works) use that.
const kPeers = {
  tessera: ['./tessera.mjs'],
  'tfjs-wasm': ['./tfjs.mjs'],
  'tfjs-cpu': ['./tfjs.mjs', { backend: 'cpu' }],
  'onnxruntime-web': ['./ort.mjs'],
  'onnxruntime-node': ['./ort.mjs', { native: true }],
  litert: ['./litert.mjs'],
};

/** @param {string} name @param {{threads: number, relaxed: boolean}} options */
export async function start(name, options) {
  const [file, more] = kPeers[name];
  return (await import(file)).start({ ...options, ...more });
}
