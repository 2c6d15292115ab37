// Every case of tests/cases on WebGPU in Node (Dawn), outputs and gradients, against WebAssembly.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { load, root } from '../js/package.mjs';
import { runCases } from './case_page.mjs';
import { dawn } from './dawn.mjs';

const { gpu, why } = await dawn();

test('cases on webgpu in Node', { skip: gpu ? false : why }, async (t) => {
  const tf = await load();
  await tf.ready();
  Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });
  const folder = join(root, 'tests/cases');
  const texts = readdirSync(folder).filter((f) => f.endsWith('.json')).sort().map((f) => readFileSync(join(folder, f), 'utf8'));
  const result = await runCases(tf, 'webgpu', texts, readFileSync(join(root, 'js/generated/ops.mjs'), 'utf8'));
  t.diagnostic(`${result.passed} passed, ${result.skipped} not for JavaScript`);
  assert.deepEqual(result.faults, []);
});
