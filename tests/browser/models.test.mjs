// The seven published models in headless Chromium against reference outputs: plain (relaxed SIMD, one thread) and isolated (threads).
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { kIsolated, kPolicy, launch, modulePage, open, root, serve } from './chromium.mjs';

const { browser, why } = await launch();
const skip = browser ? false : why;
after(() => browser?.close());

const folder = join(root, 'tests/models');
const names = readdirSync(folder, { withFileTypes: true }).filter((d) => d.isDirectory()).map((d) => d.name);

/** The outputs' values, unpacked here: pages fetch them as they are. */
function references() {
  const pages = {};
  for (const name of names) {
    const meta = JSON.parse(readFileSync(join(folder, name, 'meta.json'), 'utf8'));
    for (const v of meta.outputs) {
      if (v.file) pages[`/reference/${name}/${v.file}`] = { body: gunzipSync(readFileSync(join(folder, name, v.file))), type: 'application/octet-stream' };
    }
  }
  return pages;
}

const kScript = `
  const tf = await import('/npm/index.mjs');
  const { compare, inputValues } = await import('/tests/js/model_references.mjs');
  await tf.ready();
  const lines = [];
  for (const name of ${JSON.stringify(names)}) {
    try {
      const meta = await (await fetch('/tests/models/' + name + '/meta.json')).json();
      const model = await tf.loadGraphModel('/tests/node_modules/' + meta.package.replace(/(.)@.*/, '$1') + '/' + meta.path);
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
        const bytes = await (await fetch('/reference/' + name + '/' + v.file)).arrayBuffer();
        want.set(v.name, v.dtype === 'int32' ? new Int32Array(bytes) : new Float32Array(bytes));
      }
      lines.push({ model: name, ms, ...compare(meta, got, want) });
      tf.dispose([inputs, outputs]);
      model.dispose();
    } catch (e) {
      lines.push({ model: name, faults: [e.stack] });
    }
  }
  return { lines, variant: tf.platformInfo().variant };`;

for (const [kind, headers] of [['plain', kPolicy], ['isolated', { ...kPolicy, ...kIsolated }]]) {
  test(`models on a page, ${kind}`, { skip }, async (t) => {
    const server = await serve({ ...modulePage('models', kScript), ...references() }, headers);
    try {
      const { result } = await open(browser, `${server.url}/models.html`, { timeout: 300_000 });
      assert.ok(result.lines, result.error);
      assert.equal(result.variant.includes('threads'), kind === 'isolated', result.variant);
      for (const { model, faults, ms, worst } of result.lines) {
        await t.test(`${model} on ${result.variant} (${ms?.toFixed(0)} ms, error ${worst?.toExponential(1)})`, () => assert.deepEqual(faults, []));
      }
    } finally {
      server.close();
    }
  });
}
