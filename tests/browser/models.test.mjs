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
  const { runModels } = await import('/tests/browser/model_page.mjs');
  await tf.ready();
  const lines = await runModels(tf, ${JSON.stringify(names)});
  return { lines, variant: tf.platformInfo().variant };`;

for (const [kind, headers] of [['plain', kPolicy], ['isolated', { ...kPolicy, ...kIsolated }]]) {
  test(`models on a page, ${kind}`, { skip }, async (t) => {
    const server = await serve({ ...modulePage('models', kScript), ...references() }, headers);
    try {
      const { result } = await open(browser, `${server.url}/models.html`, { timeout: 300_000 });
      assert.equal(result.lines?.length, names.length, result.error);
      assert.equal(result.variant.includes('threads'), kind === 'isolated', result.variant);
      for (const { model, faults, ms, worst } of result.lines) {
        await t.test(`${model} on ${result.variant} (${ms?.toFixed(0)} ms, error ${worst?.toExponential(1)})`, () => assert.deepEqual(faults, []));
      }
    } finally {
      server.close();
    }
  });
}
