// Making tensors and reading them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectTensor, load } from './package.mjs';

const tf = await load();
await tf.ready();

test('tensor of nested values', () => {
  const t = tf.tensor([[1, 2, 3], [4, 5, 6]]);
  assert.deepEqual(t.shape, [2, 3]);
  assert.equal(t.dtype, 'float32');
  assert.equal(t.rank, 2);
  assert.equal(t.size, 6);
  assert.deepEqual(t.strides, [3]);
  assert.equal(t.rankType, '2');
  assert.deepEqual(t.arraySync(), [[1, 2, 3], [4, 5, 6]]);
});

test('flat values with a shape', () => {
  expectTensor(tf.tensor([1, 2, 3, 4], [2, 2], 'int32'), [1, 2, 3, 4], { shape: [2, 2], dtype: 'int32' });
  assert.throws(() => tf.tensor([1, 2, 3], [2, 2]), /should have 4 values but has 3/);
  assert.throws(() => tf.tensor2d([1, 2, 3, 4]), /requires shape to be provided/);
  assert.throws(() => tf.tensor([[1, 2], [3, 4]], [4, 1]), /Inferred shape/);
  assert.throws(() => tf.tensor([1], [-1]), /positive integers/);
});

test('dtypes are inferred', () => {
  expectTensor(tf.tensor([true, false]), [1, 0], { dtype: 'bool' });
  expectTensor(tf.tensor(new Int32Array([1, 2])), [1, 2], { dtype: 'int32' });
  expectTensor(tf.tensor(new Float64Array([1.5, 2])), [1.5, 2], { dtype: 'float32' });
  expectTensor(tf.tensor(new Int16Array([1, -2])), [1, -2], { dtype: 'int32' });
  expectTensor(tf.tensor(new Uint8ClampedArray([1, 255])), [1, 255], { dtype: 'int32' });
  assert.deepEqual(Array.from(tf.tensor(['a', 'bc', '']).dataSync()), ['a', 'bc', '']);
  assert.equal(tf.scalar('höhe').dataSync()[0], 'höhe');
});

test('conversion to the dtype asked for', () => {
  expectTensor(tf.tensor1d([1.9, -1.9], 'int32'), [1, -1], { dtype: 'int32' });
  expectTensor(tf.tensor1d([0, 254, -1], 'bool'), [0, 1, 1], { dtype: 'bool' });
  assert.throws(() => tf.tensor([1], [1], 'float64'), /dtype must be one of/);
  assert.throws(() => tf.tensor([1, 2], [1], 'complex64'));
  assert.throws(() => tf.complex([1], [2]), /not supported/);
});

test('ragged and wrong values', () => {
  assert.throws(() => tf.tensor([[1, 2], [3]]), /ragged/);
  assert.throws(() => tf.tensor([[1, 2], 3]), /ragged/);
  assert.throws(() => tf.tensor([1, [2]]), /ragged/);
  assert.throws(() => tf.tensor(null), /non-null/);
  assert.throws(() => tf.tensor({}), /values must be/);
});

test('constants and sequences', () => {
  expectTensor(tf.zeros([2, 2]), [0, 0, 0, 0], { shape: [2, 2], dtype: 'float32' });
  expectTensor(tf.ones([3], 'int32'), [1, 1, 1], { dtype: 'int32' });
  expectTensor(tf.fill([2], 7), [7, 7]);
  expectTensor(tf.range(0, 3), [0, 1, 2]);
  expectTensor(tf.range(3, 0, -1, 'int32'), [3, 2, 1], { dtype: 'int32' });
  expectTensor(tf.linspace(0, 1, 3), [0, 0.5, 1]);
  expectTensor(tf.eye(2), [1, 0, 0, 1], { shape: [2, 2] });
  expectTensor(tf.onesLike(tf.zeros([2])), [1, 1]);
  expectTensor(tf.zerosLike(tf.ones([2], 'int32')), [0, 0], { dtype: 'int32' });
});

test('empty tensors', () => {
  const t = tf.zeros([0, 3]);
  assert.deepEqual(t.shape, [0, 3]);
  assert.equal(t.dataSync().length, 0);
  assert.deepEqual(t.arraySync(), []);
});

test('reading gives copies', async () => {
  const t = tf.tensor1d([1, 2]);
  const a = await t.data();
  a[0] = 9;
  assert.deepEqual(Array.from(t.dataSync()), [1, 2]);
  assert.ok((await t.data()) instanceof Float32Array);
  assert.deepEqual(await tf.tensor2d([[1], [2]]).array(), [[1], [2]]);
  assert.deepEqual(Array.from(await tf.tensor1d([1], 'int32').bytes()), [1, 0, 0, 0]);
});

test('buffers', () => {
  const b = tf.buffer([2, 2]);
  b.set(5, 1, 0);
  assert.equal(b.get(1, 0), 5);
  assert.deepEqual(b.indexToLoc(3), [1, 1]);
  assert.equal(b.locToIndex([1, 1]), 3);
  expectTensor(b.toTensor(), [0, 0, 5, 0], { shape: [2, 2] });
  assert.throws(() => b.get(2, 0), /out of range/);
  assert.throws(() => b.set(1, 0), /coordinates/);
});

test('variables', () => {
  const v = tf.variable(tf.tensor1d([1, 2]), true, 'creation/v');
  const doubled = v.mul(2);
  v.assign(tf.tensor1d([3, 4]));
  expectTensor(doubled, [2, 4]);
  expectTensor(v, [3, 4]);
  assert.throws(() => v.assign(tf.tensor1d([1])), /shape/);
  assert.throws(() => v.assign(tf.tensor1d([1, 2], 'int32')), /dtype/);
  assert.throws(() => tf.variable(tf.scalar(1), true, 'creation/v'), /already registered/);
  assert.ok(v instanceof tf.Variable && v instanceof tf.Tensor);
  v.dispose();
});

test('text', () => {
  assert.equal(tf.tensor2d([[1, 2], [3, 4]]).toString(), 'Tensor\n    [[1, 2],\n     [3, 4]]');
  assert.equal(tf.scalar(3).toString(), 'Tensor\n    3');
  assert.match(tf.tensor1d([true, false]).toString(true), /dtype: bool[\s\S]*\[true, false\]/);
  assert.match(tf.range(0, 100).toString(), /\[0, 1, 2, \.\.\., 97, 98, 99\]/);
});

test('pictures', async () => {
  const pixels = { data: new Uint8ClampedArray([1, 2, 3, 4, 5, 6, 7, 8]), width: 2, height: 1 };
  expectTensor(tf.browser.fromPixels(pixels), [1, 2, 3, 5, 6, 7], { shape: [1, 2, 3], dtype: 'int32' });
  expectTensor(tf.browser.fromPixels(pixels, 4), [1, 2, 3, 4, 5, 6, 7, 8], { shape: [1, 2, 4] });
  expectTensor(tf.browser.fromPixels(pixels, 1), [1, 5], { shape: [1, 2, 1] });
  assert.throws(() => tf.browser.fromPixels(pixels, 5), /4 channels/);
  assert.throws(() => tf.browser.fromPixels({}), /empty|pixels passed/);
  const bytes = await tf.browser.toPixels(tf.tensor3d([[[0, 0.5, 1]]]));
  assert.deepEqual(Array.from(bytes), [0, 128, 255, 255]);
  await assert.rejects(tf.browser.toPixels(tf.tensor2d([[2]])), /range/);
});
