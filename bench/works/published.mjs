// The seven published models of tests/models, against the references there: each side has its own error.
import { gunzipped, json } from '../lib/files.mjs';
import { compare, inputValues } from '../../tests/js/model_references.mjs';
import { kTolerance } from '../lib/results.mjs';
import { artifacts } from './models.mjs';

export const publishedModels = ['blazeface-back', 'centernet', 'facemesh', 'handtrack', 'mobilefacenet', 'movenet-lightning', 'selfie'];

/** Models whose shapes depend on data, or with control flow, need executeAsync(); both sides then use it. */
const kDynamic = new Set(['handtrack', 'centernet']);

async function references(folder, meta) {
  const want = new Map();
  for (const v of meta.outputs.filter((o) => o.file)) {
    const buffer = await gunzipped(`${folder}/${v.file}`);
    want.set(v.name, v.dtype === 'int32' ? new Int32Array(buffer) : new Float32Array(buffer));
  }
  return want;
}

export const publishedWork = (name) => async ({ tf }) => {
  const folder = `tests/models/${name}`;
  const meta = await json(`${folder}/meta.json`), want = await references(folder, meta);
  const file = `bench/node_modules/${meta.package.replace(/(.)@.*/, '$1')}/${meta.path}`;
  const parts = await artifacts(file.slice(0, file.lastIndexOf('/')), file.slice(file.lastIndexOf('/') + 1));
  const model = await tf.loadGraphModel({ load: async () => parts });
  const inputs = Object.fromEntries(meta.inputs.map((v) => [v.name, tf.tensor(inputValues(v), v.shape, v.dtype)]));
  const names = meta.outputs.map((v) => v.name);

  const values = (outputs) => {
    const all = [].concat(outputs).map((t) => ({ shape: t.shape, values: t.dataSync() }));
    tf.dispose(outputs);
    return all;
  };
  const step = kDynamic.has(name) ? async () => values(await model.executeAsync(inputs, names)) : () => values(model.execute(inputs, names));
  let error;
  const read = async () => {
    const got = await step();
    const { faults, worst } = compare(meta, new Map(names.map((n, i) => [n, got[i]])), want, kTolerance);
    error = faults.length ? Infinity : worst;
    return got.map((o) => o.values);
  };
  return { step, read, error: () => error };
};
