// Seven published models on every module variant, in Node, against reference outputs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './package.mjs';
import { kVariants, switches } from './variants.mjs';

for (const variant of kVariants) {
  const { args, fault } = await switches(variant);
  test(`models on ${variant}`, { skip: fault }, async (t) => {
    const result = spawnSync(process.execPath, [...args, join(root, 'tests/js/models_run.mjs'), variant], { timeout: 10 * 60_000, maxBuffer: 1 << 26 });
    const lines = result.stdout.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line));
    assert.equal(lines.length, 7, `${lines.length} models ran; status ${result.status}\n${result.stderr}`);
    for (const { model, faults, ms, worst } of lines) {
      await t.test(`${model} (${ms?.toFixed(0)} ms, error ${worst?.toExponential(1)})`, () => assert.deepEqual(faults, []));
    }
  });
}
