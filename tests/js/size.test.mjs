// What a page downloads: the script and one module, as a server sends them (brotli).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { file } from './package.mjs';

const kBudget = 400 * 1024;
const size = (name) => brotliCompressSync(readFileSync(file(name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

function check(variant, scripts, budget) {
  const parts = [...scripts, `tessera-${variant}.wasm`].map((name) => [name, size(name)]);
  const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  assert.ok(total <= budget, `${total} bytes of ${budget}: ${parts.map(([name, bytes]) => `${name} ${bytes}`).join(', ')}`);
}

for (const variant of ['simd', 'relaxed']) {
  test(`the script and the module ${variant} stay in their budget`, () => check(variant, ['index.mjs'], kBudget));
}
test('the scripts and the module with threads stay in their budget', () => check('relaxed-threads', ['index.mjs', 'tessera-threads.mjs'], kBudget));
