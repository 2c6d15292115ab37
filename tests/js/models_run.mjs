// Runs all models of tests/models on one module variant and prints a JSON line for each: {model, ms, worst, faults}.
//   node models_run.mjs VARIANT [MODEL...]
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load, root } from './package.mjs';
import { compare, inputValues } from './model_references.mjs';

const [variant, ...only] = process.argv.slice(2);
const tf = await load();
await tf.ready({ variant });

const folder = join(root, 'tests/models');
const models = readdirSync(folder, { withFileTypes: true }).filter((d) => d.isDirectory()).map((d) => d.name)
  .filter((n) => only.length === 0 || only.includes(n));
for (const name of models) {
  try {
    const meta = JSON.parse(readFileSync(join(folder, name, 'meta.json'), 'utf8'));
    const path = join(root, 'tests/node_modules', meta.package.replace(/(.)@.*/, '$1'), meta.path);
    const model = await tf.loadGraphModel(path);
    const inputs = Object.fromEntries(meta.inputs.map((v) => [v.name, tf.tensor(inputValues(v), v.shape, v.dtype)]));
    const names = meta.outputs.map((v) => v.name);
    const start = performance.now();
    const outputs = [].concat(await model.executeAsync(inputs, names));
    const got = new Map();
    for (let i = 0; i < names.length; ++i) got.set(names[i], { shape: outputs[i].shape, values: await outputs[i].data() });
    const ms = performance.now() - start;
    const want = new Map(meta.outputs.filter((v) => v.file).map((v) => {
      const bytes = gunzipSync(readFileSync(join(folder, name, v.file)));
      const Type = v.dtype === 'int32' ? Int32Array : Float32Array;
      return [v.name, new Type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))];
    }));
    console.log(JSON.stringify({ model: name, ms, ...compare(meta, got, want) }));
    tf.dispose([inputs, outputs]);
    model.dispose();
  } catch (e) {
    console.log(JSON.stringify({ model: name, faults: [e.stack] }));
  }
}
