// Tensors that nobody disposes of are freed when they are collected, without --expose-gc.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './package.mjs';

const tf = await load();
await tf.ready();

test('a loop that awaits data() and never disposes stays small', async () => {
  const n = 150_000;  // 600 KB
  let most = 0;
  for (let i = 0; i < 1500; ++i) {
    const x = tf.fill([n], i);
    const y = x.add(1);
    const values = await y.data();
    if (i % 500 === 0) assert.equal(values[n - 1], i + 1);
    most = Math.max(most, process.memoryUsage.rss());
  }
  assert.ok(most < 512e6, `${Math.round(most / 1e6)} MB`);
  assert.ok(tf.memory().numTensors < 1000, `${tf.memory().numTensors} tensors`);
});

test('tensors held are not freed', async () => {
  const kept = [];
  for (let i = 0; i < 50; ++i) {
    kept.push(tf.fill([1000], i));
    await tf.ones([200_000]).add(i).data();
  }
  kept.forEach((t, i) => assert.equal(t.dataSync()[999], i));
  tf.dispose(kept);
});

test('a loop without awaits meets the cap, and the engine goes on', () => {
  const { capBytes } = tf.memory();
  tf.setMemoryCap(200e6);
  assert.throws(() => {
    for (let i = 0; i < 2000; ++i) tf.ones([150_000]).add(i).dataSync();
  }, /tidy/);
  tf.setMemoryCap(capBytes);
  assert.equal(tf.scalar(2).square().dataSync()[0], 4);
});
