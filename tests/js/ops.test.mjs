// Ops in TensorFlow.js's call style: what is written by hand in js/src/ops, chained methods, conversion of plain values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectTensor, load } from './package.mjs';

const tf = await load();
await tf.ready();

test('plain values become tensors and leave nothing behind', () => {
  const before = tf.memory().numTensors;
  const a = tf.add([1, 2], 3);
  expectTensor(a, [4, 5]);
  assert.equal(tf.memory().numTensors, before + 1);
  assert.throws(() => tf.add([1], null), /must be a Tensor or TensorLike/);
  a.dispose();
  assert.equal(tf.memory().numTensors, before);
});

test('chained methods', () => {
  const x = tf.tensor2d([[1, -2], [3, 4]]);
  expectTensor(x.relu().add(1).mul([2, 1]), [4, 1, 8, 5]);
  expectTensor(x.sum(1), [-1, 7]);
  expectTensor(x.matMul([[1], [1]]), [-1, 7], { shape: [2, 1] });
  expectTensor(x.transpose().reshape([4]), [1, 3, -2, 4]);
  expectTensor(x.flatten().slice(1, 2), [-2, 3]);
  expectTensor(x.toInt(), [1, -2, 3, 4], { dtype: 'int32' });
  expectTensor(x.concat(x, 1), [1, -2, 1, -2, 3, 4, 3, 4], { shape: [2, 4] });
  expectTensor(x.max(), [4], { shape: [] });
  expectTensor(x.argMax(1), [0, 1], { dtype: 'int32' });
  expectTensor(x.as3D(1, 2, 2).squeeze(), [1, -2, 3, 4], { shape: [2, 2] });
  expectTensor(x.softmax().sum(-1), [1, 1]);
  expectTensor(x.pad([[0, 0], [1, 0]]), [0, 1, -2, 0, 3, 4]);
  expectTensor(x.gather([1]), [3, 4], { shape: [1, 2] });
  for (const name of ['abs', 'sqrt', 'sigmoid', 'tanh', 'exp', 'log', 'clipByValue', 'mean', 'min', 'prod', 'any', 'all', 'tile', 'split', 'unstack', 'stack', 'topk',
    'expandDims', 'cast', 'greater', 'logicalNot', 'maxPool', 'avgPool', 'conv2d', 'depthwiseConv2d', 'resizeBilinear', 'norm', 'where', 'reverse']) {
    assert.equal(typeof x[name], 'function', name);
  }
});

test('convolution: pads, strides and layouts as TensorFlow.js takes them', () => {
  const x = tf.ones([1, 4, 4, 1]);
  const w = tf.ones([3, 3, 1, 1]);
  assert.deepEqual(tf.conv2d(x, w, 1, 'same').shape, [1, 4, 4, 1]);
  assert.deepEqual(tf.conv2d(x, w, [2, 1], 'valid').shape, [1, 1, 2, 1]);
  assert.deepEqual(tf.conv2d(x, w, 1, 1).shape, [1, 4, 4, 1]);
  assert.deepEqual(tf.conv2d(x, w, 1, [[0, 0], [1, 0], [2, 0], [0, 0]]).shape, [1, 3, 4, 1]);
  assert.deepEqual(tf.conv2d(x.squeeze([0]), w, 1, 'same').shape, [4, 4, 1]);
  assert.deepEqual(tf.conv2d(x.transpose([0, 3, 1, 2]), w, 1, 'same', 'NCHW').shape, [1, 1, 4, 4]);
  assert.deepEqual(tf.conv2d(x, w, 1, 'same', 'NHWC', 2).shape, [1, 4, 4, 1]);
  assert.throws(() => tf.conv2d(x, w, 2, 'same', 'NHWC', 2), /strides or dilations must be 1/);
  assert.throws(() => tf.conv2d(x, w, 1, 'wide'), /pad must be/);
  assert.throws(() => tf.conv2d(x, w, 1, 'same', 'NHWC', 1, 'floor'), /dimRoundingMode/);
  const y = tf.tensor2d([[1], [2], [3]]);
  const k = tf.tensor3d([[[1]], [[1]]]);
  expectTensor(tf.conv1d(y, k, 2, 0, 'NWC', 1, 'floor'), [3], { shape: [1, 1] });
  expectTensor(tf.conv1d(y, k, 2, 0, 'NWC', 1, 'ceil'), [3, 3], { shape: [2, 1] });
  expectTensor(tf.depthwiseConv2d(x, tf.ones([4, 4, 1, 2]), 1, 'valid'), [16, 16], { shape: [1, 1, 1, 2] });
  expectTensor(tf.maxPool(x, 2, 2, 'valid'), [1, 1, 1, 1], { shape: [1, 2, 2, 1] });
  expectTensor(tf.avgPool(x, [2, 2], [2, 2], 'same'), [1, 1, 1, 1]);
  expectTensor(tf.fused.conv2d({ x, filter: tf.ones([4, 4, 1, 1]), strides: 1, pad: 'valid', bias: [-20], activation: 'relu' }), [0]);
  expectTensor(tf.fused.matMul({ a: [[1, 2]], b: [[1], [1]], bias: [1] }), [4]);
});

test('results by name', () => {
  const { values, indices } = tf.topk([1, 5, 3], 2);
  expectTensor(values, [5, 3]);
  expectTensor(indices, [1, 2], { dtype: 'int32' });
  const u = tf.unique([2, 2, 7]);
  expectTensor(u.values, [2, 7]);
  expectTensor(u.indices, [0, 0, 1]);
  const m = tf.moments([1, 3]);
  expectTensor(m.mean, [2]);
  expectTensor(m.variance, [1]);
  assert.equal(tf.split([1, 2, 3, 4], 2).length, 2);
  assert.deepEqual(tf.split(tf.range(0, 5), [2, 3]).map((t) => t.size), [2, 3]);
});

test('shapes that depend on data', async () => {
  expectTensor(await tf.whereAsync([[true, false], [false, true]]), [0, 0, 1, 1], { shape: [2, 2], dtype: 'int32' });
  expectTensor(await tf.booleanMaskAsync([1, 2, 3], [true, false, true]), [1, 3]);
  const kept = await tf.image.nonMaxSuppressionAsync([[0, 0, 1, 1], [0, 0, 1, 1.1], [5, 5, 6, 6]], [0.9, 0.8, 0.7], 3);
  expectTensor(kept, [0, 2], { dtype: 'int32' });
});

test('int32 is exact, NaN propagates, dtypes are promoted', () => {
  expectTensor(tf.add(tf.tensor1d([16777217], 'int32'), tf.tensor1d([1], 'int32')), [16777218], { dtype: 'int32', tolerance: 0 });
  expectTensor(tf.maximum([NaN, 1], [0, 2]), [NaN, 2]);
  expectTensor(tf.relu([NaN, -1]), [NaN, 0]);
  expectTensor(tf.add(tf.scalar(1, 'int32'), 0.5), [1.5], { dtype: 'float32' });
  expectTensor(tf.clipByValue(tf.tensor1d([1, 2, 3]), 2, 2), [2, 2, 2]);
});

test('random numbers follow their seed', () => {
  const a = Array.from(tf.randomUniform([4], 0, 1, 'float32', 0).dataSync());
  assert.deepEqual(Array.from(tf.randomUniform([4], 0, 1, 'float32', 0).dataSync()), a);
  assert.notDeepEqual(Array.from(tf.randomUniform([4]).dataSync()), Array.from(tf.randomUniform([4]).dataSync()));
  assert.deepEqual(tf.randomNormal([3], 0, 1, 'float32', 7).arraySync(), tf.randomNormal([3], 0, 1, 'float32', 7).arraySync());
  assert.ok(tf.randomUniform([100], 2, 3).arraySync().every((v) => v >= 2 && v < 3));
});

test('images, losses, little helpers', () => {
  expectTensor(tf.image.resizeBilinear(tf.tensor3d([[[0], [2]]]), [1, 4]), [0, 1, 2, 2], { shape: [1, 4, 1] });
  expectTensor(tf.image.flipLeftRight(tf.tensor4d([1, 2], [1, 1, 2, 1])), [2, 1]);
  expectTensor(tf.losses.meanSquaredError([1, 2], [1, 4]), [2]);
  expectTensor(tf.losses.softmaxCrossEntropy([[0, 1]], [[0, 0]]), [Math.log(2)]);
  expectTensor(tf.addN([[1], [2], [3]].map((v) => tf.tensor1d(v))), [6]);
  expectTensor(tf.logSigmoid([0]), [-Math.log(2)]);
  const [gx, gy] = tf.meshgrid([1, 2], [3, 4, 5]);
  assert.deepEqual(gx.arraySync(), [[1, 2], [1, 2], [1, 2]]);
  assert.deepEqual(gy.arraySync(), [[3, 3], [4, 4], [5, 5]]);
  assert.deepEqual(tf.math.confusionMatrix([0, 1, 1], [0, 1, 0], 2).arraySync(), [[1, 0], [1, 1]]);
});

test('errors name the op and leave the engine usable', () => {
  assert.throws(() => tf.add(tf.ones([2]), tf.ones([3])), /\[add\]/);
  assert.throws(() => tf.matMul(tf.ones([2, 2]), tf.ones([3, 2])), /\[matMul\]/);
  assert.throws(() => tf.reshape(tf.ones([4]), [3]), /\[reshape\]/);
  assert.throws(() => tf.concat([]), /non-empty/);
  assert.throws(() => tf.sum(tf.ones([2]), 4), (e) => e instanceof tf.TesseraError && e.code === 'invalid-argument');
  expectTensor(tf.add(1, 1), [2]);
});

test('use after dispose', async () => {
  const dead = () => {
    const t = tf.tensor1d([1, 2]);
    t.dispose();
    t.dispose();
    return t;
  };
  assert.ok(dead().isDisposed);
  assert.throws(() => tf.add(dead(), 1), /disposed/);
  assert.throws(() => dead().relu(), /disposed/);
  assert.throws(() => dead().dataSync(), /disposed/);
  assert.throws(() => dead().clone(), /disposed/);
  await assert.rejects(dead().data(), /disposed/);
});

test('results that cannot exist are refused, and the engine goes on', () => {
  const refused = (fn) => assert.throws(() => fn().dataSync(), (e) => e.code === 'out-of-memory' && /bytes/.test(e.message), String(fn));
  refused(() => tf.ones([2 ** 30, 1]).add(1));
  refused(() => tf.matMul(tf.ones([40000, 1]), tf.ones([1, 40000])));
  refused(() => tf.add(tf.ones([40000, 1]), tf.ones([1, 40000])));
  refused(() => tf.oneHot(tf.zeros([40000], 'int32'), 40000));
  refused(() => tf.image.resizeBilinear(tf.ones([1, 2, 2, 1]), [40000, 40000]));
  refused(() => tf.scatterND(tf.tensor2d([[0]], [1, 1], 'int32'), tf.tensor1d([1]), [2 ** 30]));
  refused(() => tf.pad(tf.ones([1]), [[0, 2 ** 30]]));
  assert.throws(() => tf.ones([2 ** 30, 1]), /\[ones\]|\[fill\]|4294967296 bytes/);
  expectTensor(tf.add(1, 1), [2]);
});

test('more results than any usual call gives', () => {
  const parts = tf.unstack(tf.range(0, 1000));
  assert.equal(parts.length, 1000);
  expectTensor(parts[999], [999]);
  assert.equal(tf.split(tf.ones([600]), 600).length, 600);
});

test('maxPoolWithArgmax', () => {
  const { result, indexes } = tf.maxPoolWithArgmax(tf.tensor4d([1, 5, 2, 3, 4, 0, 7, 1], [1, 2, 4, 1]), 2, 2, 'valid');
  expectTensor(result, [5, 7], { shape: [1, 1, 2, 1] });
  expectTensor(indexes, [1, 6]);
});

test('setThreadsCount wants a whole number', () => {
  for (const n of [1.5, NaN, '2', null, -1]) assert.throws(() => tf.setThreadsCount(n), /whole number|0 \(all cores\)|0 \(automatic\)/, String(n));
});
