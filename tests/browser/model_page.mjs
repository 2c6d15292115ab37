// In a page: models of tests/models on the engine and backend in use, against their references, which the server offers unpacked at
// /reference/<model>/<file>.
import { compare, inputValues } from '/tests/js/model_references.mjs';

/** A line for each model: {model, ms, worst, faults}. */
export async function runModels(tf, names, tolerance) {
  const lines = [];
  for (const name of names) {
    try {
      const meta = await (await fetch(`/tests/models/${name}/meta.json`)).json();
      const model = await tf.loadGraphModel(`/tests/node_modules/${meta.package.replace(/(.)@.*/, '$1')}/${meta.path}`);
      const inputs = Object.fromEntries(meta.inputs.map((v) => [v.name, tf.tensor(inputValues(v), v.shape, v.dtype)]));
      const outputNames = meta.outputs.map((v) => v.name);
      const start = performance.now();
      const outputs = [].concat(await model.executeAsync(inputs, outputNames));
      const got = new Map();
      for (let i = 0; i < outputNames.length; ++i) got.set(outputNames[i], { shape: outputs[i].shape, values: await outputs[i].data() });
      const ms = performance.now() - start;
      const want = new Map();
      for (const v of meta.outputs) {
        if (!v.file) continue;
        const bytes = await (await fetch(`/reference/${name}/${v.file}`)).arrayBuffer();
        want.set(v.name, v.dtype === 'int32' ? new Int32Array(bytes) : new Float32Array(bytes));
      }
      lines.push({ model: name, ms, ...compare(meta, got, want, tolerance) });
      tf.dispose([inputs, outputs]);
      model.dispose();
    } catch (e) {
      lines.push({ model: name, faults: [e.stack] });
    }
  }
  return lines;
}
