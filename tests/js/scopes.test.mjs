// tidy, keep, dispose and memory(): exact.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectTensor, load } from './package.mjs';

const tf = await load();
await tf.ready();
const numbers = () => {
  const { numTensors, numDataBuffers, numBytes } = tf.memory();
  return [numTensors, numDataBuffers, numBytes];
};

test('tidy disposes of all but results', () => {
  const before = numbers();
  const y = tf.tidy(() => {
    const a = tf.ones([10]);
    return { deep: [a.add(1), { b: a.mul(3) }] };
  });
  assert.deepEqual(numbers(), [before[0] + 2, before[1] + 2, before[2] + 80]);
  expectTensor(y.deep[1].b, Array(10).fill(3));
  tf.dispose(y);
  assert.deepEqual(numbers(), before);
});

test('nested scopes, keep, variables, names', () => {
  const before = numbers();
  let kept;
  let v;
  const inner = tf.tidy('outer', () => {
    const x = tf.tidy(() => tf.scalar(2).square());
    kept = tf.keep(tf.scalar(5));
    v = tf.variable(tf.scalar(1));
    return x.add(0);
  });
  assert.equal(kept.kept, true);
  expectTensor(inner, [4]);
  expectTensor(kept, [5]);
  expectTensor(v, [1]);
  tf.dispose([inner, kept, v]);
  assert.deepEqual(numbers(), before);
});

test('a throw inside tidy leaks nothing', () => {
  const before = numbers();
  assert.throws(() => tf.tidy(() => {
    tf.ones([8]).add(1);
    throw new Error('stop');
  }), /stop/);
  assert.throws(() => tf.tidy(() => tf.ones([2]).add(tf.ones([3]))), /\[add\]/);
  assert.deepEqual(numbers(), before);
});

test('async functions are refused', () => {
  const before = numbers();
  assert.throws(() => tf.tidy(async () => tf.ones([2])), /Promise inside of tidy/);
  assert.throws(() => tf.tidy(1), /function/);
  assert.throws(() => tf.tidy('name', 1), /function/);
  assert.deepEqual(numbers(), before);
});

test('memory counts logical bytes and shared buffers', () => {
  const before = numbers();
  const a = tf.ones([5], 'bool');
  const b = a.clone();
  const c = a.reshape([5, 1]);
  assert.deepEqual(numbers(), [before[0] + 3, before[1] + 1, before[2] + 5]);
  assert.equal(a.dataId, b.dataId);
  assert.equal(a.dataId, c.dataId);
  a.dispose();
  assert.deepEqual(numbers(), [before[0] + 2, before[1] + 1, before[2] + 5]);
  expectTensor(c, [1, 1, 1, 1, 1]);
  tf.dispose([b, c]);
  assert.deepEqual(numbers(), before);
  assert.equal(tf.memory().unreliable, false);
});

test('tensors of an outer scope survive an inner one', () => {
  const before = numbers();
  tf.tidy(() => {
    const a = tf.scalar(1);
    tf.tidy(() => {
      a.add(1);
      return a;
    });
    expectTensor(a, [1]);
  });
  assert.deepEqual(numbers(), before);
});

test('startScope and endScope around awaits', async () => {
  const before = numbers();
  tf.engine().startScope();
  const x = tf.ones([3]).add(1);
  await x.data();
  x.mul(2);
  tf.engine().endScope();
  assert.ok(x.isDisposed);
  assert.deepEqual(numbers(), before);
});

test('profile and time', async () => {
  const before = numbers();
  const info = await tf.profile(() => tf.ones([100]).exp().sum());
  assert.ok(info.kernels.length > 0);
  assert.ok(info.kernels.every((k) => k.name && k.kernelTimeMs >= 0));
  tf.dispose(info.result);
  const t = await tf.time(() => tf.tidy(() => { tf.ones([100]).exp(); }));
  assert.ok(t.wallMs >= 0 && t.kernelMs >= 0);
});

test('the memory cap: an error that names tidy, and the engine lives', () => {
  const { capBytes, hostBytes } = tf.memory();
  tf.setMemoryCap(hostBytes + (4 << 20));
  const list = [];
  assert.throws(() => {
    for (let i = 0; i < 100; ++i) {
      const t = tf.ones([64 << 10]).add(i);
      t.dataSync();
      list.push(t);
    }
  }, (e) => /tidy/.test(e.message) && e.code === 'out-of-memory');
  tf.dispose(list);
  tf.setMemoryCap(capBytes);
  expectTensor(tf.ones([2]).add(1), [2, 2]);
});
