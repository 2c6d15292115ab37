// MobileNetV2 as a page would use it, one library (?peer=...): from nothing to the first output, then ?runs= more. Tells the server.
const kModules = '/bench/node_modules/', kModel = '/build/bench/models/mobilenet_v2/';
const query = new URLSearchParams(location.search);
/** Milliseconds since the navigation when the library was ready and when the model was loaded. */
const phases = {};
const mark = (name) => { phases[name] = performance.now(); };

/** A run of a loaded model, in the API that Tessera and TensorFlow.js share. */
function predictor(tf, model, x) {
  const input = tf.tensor(x, [1, 224, 224, 3]);
  return async () => {
    const y = model.predict(input), values = await y.data();
    y.dispose();
    return values;
  };
}

const kStarts = {
  /** What the page costs without any library. */
  none: async () => async () => [0],
  tessera: async (x) => {
    const tf = await import('/tessera/index.mjs');
    await tf.ready();
    mark('ready');
    const model = await tf.loadGraphModel(`${kModel}model.json`);
    mark('loaded');
    return predictor(tf, model, x);
  },
  'tfjs-wasm': async (x) => {
    const scripts = ['core', 'converter', 'backend-cpu', 'backend-wasm'].map((part) => new Promise((resolve, reject) => {
      const s = document.createElement('script');
      Object.assign(s, { src: `${kModules}@tensorflow/tfjs-${part}/dist/tf-${part}.min.js`, async: false, onload: resolve, onerror: reject });
      document.head.append(s);
    }));
    await Promise.all(scripts);
    const tf = globalThis.tf;
    tf.wasm.setWasmPaths(`${kModules}@tensorflow/tfjs-backend-wasm/dist/`);
    await tf.setBackend('wasm');
    mark('ready');
    const model = await tf.loadGraphModel(`${kModel}model.json`);
    mark('loaded');
    return predictor(tf, model, x);
  },
  'onnxruntime-web': async (x) => {
    const ort = await import(`${kModules}onnxruntime-web/dist/ort.wasm.min.mjs`);
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmPaths = `${kModules}onnxruntime-web/dist/`;
    mark('ready');
    const session = await ort.InferenceSession.create(`${kModel}model.onnx`, { executionProviders: ['wasm'] });
    mark('loaded');
    const turned = new Float32Array(x.length);
    for (let p = 0; p < 224 * 224; ++p) for (let c = 0; c < 3; ++c) turned[c * 224 * 224 + p] = x[p * 3 + c];
    const input = new ort.Tensor('float32', turned, [1, 3, 224, 224]);
    return async () => Object.values(await session.run({ x: input }))[0].data;
  },
  litert: async (x) => {
    const { Tensor, loadAndCompile, loadLiteRt } = await import(`${kModules}@litertjs/core/dist/index.js`);
    await loadLiteRt(`${kModules}@litertjs/core/wasm/`);
    mark('ready');
    const model = await loadAndCompile(`${kModel}model.tflite`, { accelerator: 'wasm' });
    mark('loaded');
    const input = new Tensor(x, [1, 224, 224, 3]);
    return async () => {
      const outputs = await model.run([input]), values = (await outputs[0].data()).slice();
      for (const t of outputs) t.delete();
      return values;
    };
  },
};

const tell = (what) => fetch('/done', { method: 'POST', body: JSON.stringify(what) });

try {
  let seed = 7;
  const x = Float32Array.from({ length: 224 * 224 * 3 }, () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2147483648 - 1);
  const run = await kStarts[query.get('peer')](x);
  const output = await run();
  const wall = performance.now();  // since the navigation began
  for (let i = 0; i < Number(query.get('runs') ?? 0); ++i) await run();
  tell({ wall, phases, output: [...output] });
} catch (e) {
  tell({ fault: String(e?.stack ?? e) });
}
