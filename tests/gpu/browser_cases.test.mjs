// Every case of tests/cases on WebGPU and WebGL 2 in headless Chromium, outputs and gradients, against WebAssembly.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { kPolicy, launch, modulePage, open, root, serve } from '../browser/chromium.mjs';
import { kGpuFlags } from './browser.mjs';

const { browser, why } = await launch(kGpuFlags);
const skip = browser ? false : why;
after(() => browser?.close());

const files = readdirSync(join(root, 'tests/cases')).filter((f) => f.endsWith('.json')).sort();

for (const backend of ['webgpu', 'webgl']) {
  test(`cases on ${backend}`, { skip }, async (t) => {
    const script = `
      const tf = await import('/npm/index.mjs');
      const { runCases } = await import('/tests/gpu/case_page.mjs');
      await tf.ready();
      const text = async (path) => (await fetch(path)).text();
      const texts = await Promise.all(${JSON.stringify(files)}.map((f) => text('/tests/cases/' + f)));
      return runCases(tf, '${backend}', texts, await text('/js/generated/ops.mjs'));`;
    const server = await serve(modulePage('cases', script), kPolicy);
    try {
      const { result } = await open(browser, `${server.url}/cases.html`, { timeout: 600_000 });
      assert.ok(result.faults, result.error);
      t.diagnostic(`${result.passed} passed, ${result.skipped} not for JavaScript`);
      assert.deepEqual(result.faults, []);
      assert.ok(result.passed > 500);
    } finally {
      server.close();
    }
  });
}
