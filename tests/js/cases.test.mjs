// The language-neutral case list (tests/cases, see README.md there) through WebAssembly: each case against what it expects, and the SIMD
// variants against the scalar one. The native runner compares the same code with the reference.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { load, root } from './package.mjs';
import { caseWords, difference, inputTensors, kUsable, loadCases, parseOps, wantedValues } from './case_list.mjs';

const engines = {};
for (const variant of ['scalar', 'simd', 'simd-threads']) {
  engines[variant] = await load('index.mjs', `?${variant}`);
  await engines[variant].ready({ variant });
}
const ops = parseOps(readFileSync(join(root, 'js/generated/ops.mjs'), 'utf8'));

function runCase(tf, op, c) {
  return tf.tidy(() => {
    const inputs = inputTensors(tf, c);
    const outputs = tf.engine().runOp(op.name, inputs, caseWords(op, c));
    return outputs.map((t) => ({ shape: t.shape, dtype: t.dtype, values: Array.from(t.dataSync()) }));
  });
}

for (const file of readdirSync(join(root, 'tests/cases')).filter((f) => f.endsWith('.json')).sort()) {
  const { op: name, cases } = loadCases(readFileSync(join(root, 'tests/cases', file), 'utf8'));
  const op = ops.get(name);
  if (!op) continue;  // internal: no public function, tested through the ops that use it
  test(name, () => {
    const faults = [];
    for (const c of cases) {
      if (c.exclude?.js) continue;
      if (c.inputs?.some((i) => i.dtype && !kUsable.includes(i.dtype))) continue;  // dtypes of stored weights cannot be made from JavaScript
      const say = (variant, what) => faults.push(`${variant} ${name} / ${c.name}: ${what}`);
      let first = null;
      for (const [variant, tf] of Object.entries(engines)) {
        const before = tf.memory().numTensors;
        let got;
        try {
          got = runCase(tf, op, c);
        } catch (e) {
          if (c.expect?.error === undefined || !e.message.includes(c.expect.error)) say(variant, `error: ${e.message}`);
          continue;
        } finally {
          if (tf.memory().numTensors !== before) say(variant, 'tensors are left behind');
        }
        if (c.expect?.error !== undefined) {
          say(variant, `no error, wanted '${c.expect.error}'`);
          continue;
        }
        const exact = (t) => t.dtype !== 'float32' && c.tolerance === undefined;
        got.forEach((t, i) => {
          const want = c.expect?.[i];
          if (want) {
            const d = difference(t, { ...want, values: wantedValues(want) }, exact(t) ? 0 : c.tolerance ?? 1e-4);
            if (d) say(variant, `output ${i}: ${d}`);
          }
          if (first) {
            const d = difference(t, first[i], exact(t) ? 0 : c.tolerance ?? 1e-4);
            if (d) say(variant, `output ${i} differs from the scalar variant's: ${d}`);
          }
        });
        first ??= got;
      }
    }
    assert.deepEqual(faults, []);
  });
}
