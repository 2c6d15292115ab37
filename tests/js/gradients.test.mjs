// grad and its kin, customGrad, optimisers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectTensor, load } from './package.mjs';

const tf = await load();
await tf.ready();
const numTensors = () => tf.memory().numTensors;

test('grad', () => {
  expectTensor(tf.grad((x) => x.square().sum())(tf.tensor1d([1, -3])), [2, -6]);
  expectTensor(tf.grad((x) => x.mul(2))(tf.tensor1d([1, 2]), tf.tensor1d([10, 100])), [20, 200]);
  expectTensor(tf.grad((x) => tf.where(tf.greater(x, 0), tf.square(x), tf.zerosLike(x)).sum())(tf.tensor1d([-1, 4])), [0, 8]);
  expectTensor(tf.grad((x) => tf.max(x))(tf.tensor1d([1, 3, 3])), [0, 0.5, 0.5]);
  assert.throws(() => tf.grad(() => tf.scalar(1))(tf.scalar(2)), /Cannot compute gradient/);
  assert.throws(() => tf.grad((x) => x)(tf.tensor1d([1, 2]), tf.tensor1d([1])), /shape of dy/);
});

test('of the second order', () => {
  expectTensor(tf.grad((x) => tf.grad((y) => y.pow(3).sum())(x).sum())(tf.tensor1d([2])), [12]);
});

test('grads, valueAndGrad, valueAndGrads', () => {
  const f = (a, b) => a.mul(b).sum();
  const [da, db] = tf.grads(f)([tf.tensor1d([1, 2]), tf.tensor1d([3, 4])]);
  expectTensor(da, [3, 4]);
  expectTensor(db, [1, 2]);
  const one = tf.valueAndGrad((x) => x.square().sum())(tf.tensor1d([3]));
  expectTensor(one.value, [9]);
  expectTensor(one.grad, [6]);
  const two = tf.valueAndGrads(f)([tf.tensor1d([1]), tf.tensor1d([5])]);
  expectTensor(two.value, [5]);
  expectTensor(two.grads[0], [5]);
});

test('nothing is left behind', () => {
  const x = tf.tensor1d([1, 2]);
  const before = numTensors();
  const g = tf.grad((v) => v.exp().mul(v).sum())(x);
  assert.equal(numTensors(), before + 1);
  g.dispose();
  assert.throws(() => tf.grad(() => { throw new Error('stop'); })(x), /stop/);
  assert.equal(numTensors(), before);
});

test('variableGrads', () => {
  const a = tf.variable(tf.scalar(2), true, 'vg/a');
  const b = tf.variable(tf.scalar(3), true, 'vg/b');
  const frozen = tf.variable(tf.scalar(4), false, 'vg/frozen');
  const { value, grads } = tf.variableGrads(() => a.mul(b).add(frozen), [a, b]);
  expectTensor(value, [10]);
  expectTensor(grads['vg/a'], [3]);
  expectTensor(grads['vg/b'], [2]);
  assert.throws(() => tf.variableGrads(() => frozen.square(), [frozen]), /trainable/);
  assert.throws(() => tf.variableGrads(() => tf.scalar(1), [a]), /connection/);
  tf.dispose([a, b, frozen, value, grads]);
});

test('customGrad', () => {
  const before = numTensors();
  tf.tidy(() => {
    const f = tf.customGrad((x, save) => {
      save([x]);
      return { value: x.square(), gradFunc: (dy, [saved]) => dy.mul(saved.mul(100)) };
    });
    expectTensor(f(tf.tensor1d([3])), [9]);
    expectTensor(tf.grad((x) => f(x).sum())(tf.tensor1d([2, 3])), [200, 300]);
    const two = tf.customGrad((a, b) => ({ value: a.add(b), gradFunc: (dy) => [dy.mul(2), dy.mul(3)] }));
    const [da, db] = tf.grads((a, b) => two(a, b).sum())([tf.tensor1d([1]), tf.tensor1d([1])]);
    expectTensor(da, [2]);
    expectTensor(db, [3]);
  });
  assert.equal(numTensors(), before);
});

test('what a gradient function throws comes out', () => {
  const f = tf.customGrad((x) => ({ value: x.square(), gradFunc: () => { throw new RangeError('mine'); } }));
  assert.throws(() => tf.grad((x) => f(x).sum())(tf.scalar(1)), (e) => e instanceof RangeError && e.message === 'mine');
  const short = tf.customGrad((a, b) => ({ value: a.add(b), gradFunc: (dy) => [dy] }));
  assert.throws(() => tf.grads((a, b) => short(a, b).sum())([tf.scalar(1), tf.scalar(1)]), /one gradient for each/);
  expectTensor(tf.grad((x) => x.square())(tf.scalar(3)), [6]);
});

for (const name of ['sgd', 'momentum', 'adagrad', 'rmsprop', 'adam']) {
  test(`a line is fitted by ${name}`, () => {
    const w = tf.variable(tf.scalar(0), true, `${name}/w`);
    const b = tf.variable(tf.scalar(0), true, `${name}/b`);
    const optimizer = { sgd: () => tf.train.sgd(0.1), momentum: () => tf.train.momentum(0.05, 0.9), adagrad: () => tf.train.adagrad(0.8),
      rmsprop: () => tf.train.rmsprop(0.05), adam: () => tf.train.adam(0.1) }[name]();
    const x = tf.linspace(-1, 1, 16);
    const y = x.mul(3).add(1);
    const before = numTensors();
    let slots = 0;
    let loss = 0;
    for (let i = 0; i < 150; ++i) {
      const cost = optimizer.minimize(() => tf.losses.meanSquaredError(y, w.mul(x).add(b)), true);
      loss = cost.dataSync()[0];
      cost.dispose();
      if (i === 0) slots = numTensors() - before;
    }
    assert.equal(numTensors() - before, slots);
    assert.ok(loss < 0.02, `loss ${loss}`);
    optimizer.dispose();
    tf.dispose([w, b, x, y]);
  });
}

test('where only steps lead from x to y, the gradient is 0', () => {
  for (const op of ['floor', 'ceil', 'round', 'sign', 'step']) {
    expectTensor(tf.grad((x) => x[op]().sum())(tf.tensor1d([1.5, -2])), [0, 0]);
  }
  expectTensor(tf.grad((x) => tf.grad((v) => v.relu().sum())(x).sum())(tf.tensor1d([1, -2])), [0, 0]);
  assert.throws(() => tf.grad(() => tf.scalar(1))(tf.tensor1d([1])), /gradient/);
});
