// Chains of elementwise ops become WebAssembly of their own once they are hot. The results must not change by a bit.
// Checks that on one module variant and prints a JSON line for each check: {name, fault}.
//   node emitted_run.mjs VARIANT
import assert from 'node:assert/strict';
import { load } from './package.mjs';

const [variant] = process.argv.slice(2);
const tf = await load();
await tf.ready({ variant });

async function test(name, body) {
  const fault = await body().then(() => '', (e) => e.stack);
  console.log(JSON.stringify({ name, fault }));
}

const special = [0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -3, 6, 7, -7, 1e-40, -1e-40, 1e30, -1e30, 3.4e38, -3.4e38, NaN, Infinity, -Infinity, 0.1];
const values = (n, seed) => Float32Array.from({ length: n }, (_, i) => i % 3 === 0 ? special[(i * 7 + seed) % special.length] : Math.sin(i * 12.9898 + seed) * 4);

/** Bits, with all NaNs alike. */
const bits = (a) => Array.from(new Uint32Array(a.buffer, a.byteOffset, a.length), (b, i) => Number.isNaN(a[i]) ? 0x7fc00000 : b);

async function check(name, rows, cols, chain, { emits = true } = {}) {
  const a = tf.tensor2d(values(rows * cols, 1), [rows, cols]);
  const b = tf.tensor2d(values(rows * cols, 2), [rows, cols]);
  const column = tf.tensor1d(values(cols, 3));
  const single = tf.scalar(0.75);
  const run = () => tf.tidy(() => chain({ a, b, column, single }));
  const once = async () => {
    const y = run();
    const v = await y.data();
    y.dispose();
    return v;
  };
  const cold = bits(await once());
  // enough work for the heat that it takes
  const turns = Math.ceil(1.1e7 / (rows * cols));
  for (let i = 0; i < turns; ++i) tf.tidy(() => run().dataSync());
  assert.deepEqual(bits(await once()), cold, name);
  const { kernels } = await tf.profile(() => run());
  const emitted = kernels.some((k) => k.name.includes('[emitted]'));
  assert.equal(emitted, emits && variant !== 'scalar', `${name}: ${kernels.map((k) => k.name)} (${variant})`);
  tf.dispose([a, b, column, single]);
}

await test('arithmetic with whole tensors, columns and single elements', async () => {
  await check('arithmetic', 37, 111, ({ a, b, column, single }) => tf.add(tf.mul(tf.sub(tf.div(tf.add(a, b), single), column), b), tf.neg(tf.abs(a))));
});

await test('minima, maxima and clipping keep NaN', async () => {
  await check('extremes', 64, 64, ({ a, b, column }) => tf.minimum(tf.maximum(tf.relu(a), tf.relu6(b)), tf.maximum(column, tf.clipByValue(a, -1, 2))));
});

await test('rounding and roots', async () => {
  await check('rounding', 30, 100, ({ a, b }) => tf.add(tf.add(tf.floor(a), tf.ceil(b)), tf.sqrt(tf.abs(tf.mul(a, b)))));
});

await test('comparisons choose', async () => {
  await check('choices', 50, 50, ({ a, b, single }) => tf.where(tf.logicalOr(tf.greater(a, b), tf.lessEqual(a, single)), tf.leakyRelu(a, 0.3), tf.square(b)));
});

await test('rows of one, and lengths that are no multiple of a vector', async () => {
  await check('odd', 1, 1027, ({ a, b, column }) => tf.mul(tf.add(a, column), tf.sub(b, a)));
  await check('narrow', 2049, 3, ({ a, b, column }) => tf.mul(tf.add(a, column), tf.sub(b, a)));
});

await test('exponentials stay with their own code', async () => {
  await check('exp', 40, 50, ({ a, b }) => tf.add(tf.exp(tf.minimum(a, 1)), b), { emits: false });
});

await test('a tail after a matrix product', async () => {
  await check('tail', 48, 48, ({ a, b, column }) => tf.mul(tf.add(tf.matMul(tf.clipByValue(a, -2, 2).where(tf.isFinite(a), tf.zerosLike(a)), tf.zerosLike(b)), column), tf.add(b, 1)));
});

await test('runtime attributes change what emitted code computes', async () => {
  const x = tf.tensor1d(values(5000, 4));
  const f = (lo, hi) => tf.tidy(() => tf.add(tf.clipByValue(x, lo, hi), tf.mul(x, 2)).dataSync());
  const cold = bits(f(-1, 1));
  for (let i = 0; i < 2500; ++i) f(-1, 1);
  assert.deepEqual(bits(f(-1, 1)), cold);
  const other = f(-3, 0.5);
  const xs = values(5000, 4);
  for (let i = 0; i < xs.length; ++i) {
    const want = Math.fround(Math.min(Math.max(xs[i], -3), 0.5) + Math.fround(xs[i] * 2));
    assert.ok(Object.is(other[i], want) || other[i] === want || (Number.isNaN(other[i]) && Number.isNaN(want)), `${i}: ${xs[i]} gave ${other[i]}, want ${want}`);
  }
  x.dispose();
});
