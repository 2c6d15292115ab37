// Emitted chains on every module variant: emitted_run.mjs says what is checked.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './package.mjs';
import { kVariants, switches } from './variants.mjs';

for (const variant of kVariants) {
  const { args, fault } = await switches(variant);
  test(`emitted chains on ${variant}`, { skip: fault }, async (t) => {
    const result = spawnSync(process.execPath, [...args, join(root, 'tests/js/emitted_run.mjs'), variant], { timeout: 5 * 60_000 });
    assert.equal(result.status, 0, result.stderr.toString());
    const lines = result.stdout.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line));
    assert.ok(lines.length > 0, 'nothing was checked');
    for (const { name, fault } of lines) await t.test(name, () => assert.equal(fault, ''));
  });
}
