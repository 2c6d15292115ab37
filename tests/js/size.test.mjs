// What a page downloads: the script and one module, as a server sends them (brotli).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { file } from './package.mjs';

const kBudget = 400 * 1024;
const size = (name) => brotliCompressSync(readFileSync(file(name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

for (const [variant, scripts] of [['simd', ['index.mjs']], ['relaxed', ['index.mjs']], ['relaxed-threads', ['index.mjs', 'tessera-threads.mjs']]]) {
  test(`the script and the module ${variant} stay in their budget`, () => {
    const parts = [...scripts, `tessera-${variant}.wasm`].map((name) => [name, size(name)]);
    const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
    assert.ok(total <= kBudget, `${total} bytes of ${kBudget}: ${parts.map(([name, bytes]) => `${name} ${bytes}`).join(', ')}`);
  });
}
