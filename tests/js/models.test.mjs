// Seven published models on every module variant, in Node, against reference outputs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { load, root } from './package.mjs';

const tf = await load();
await tf.ready({ variant: 'simd' });
const { variants } = tf.platformInfo();
// Older versions of Node have relaxed SIMD behind a switch.
const kSwitch = '--experimental-wasm-relaxed-simd';
const switchWorks = spawnSync(process.execPath, [kSwitch, '-e', '0']).status === 0;

for (const variant of ['scalar', 'simd', 'relaxed', 'simd-threads', 'relaxed-threads']) {
  const needsSwitch = variants[variant] !== 'can run' && variant.includes('relaxed');
  const skip = needsSwitch && !switchWorks ? variants[variant] : false;
  test(`models on ${variant}`, { skip }, async (t) => {
    const args = [...(needsSwitch ? [kSwitch] : []), join(root, 'tests/js/models_run.mjs'), variant];
    const result = spawnSync(process.execPath, args, { timeout: 10 * 60_000, maxBuffer: 1 << 26 });
    const lines = result.stdout.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line));
    assert.equal(lines.length, 7, `${lines.length} models ran; status ${result.status}\n${result.stderr}`);
    for (const { model, faults, ms, worst } of lines) {
      await t.test(`${model} (${ms?.toFixed(0)} ms, error ${worst?.toExponential(1)})`, () => assert.deepEqual(faults, []));
    }
  });
}
