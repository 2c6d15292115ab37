// Training steps: forward, gradients, update, the loss read. Outputs compared: the variables after three steps.
import { seeded, size } from '../nets/net.mjs';

const scaled = (values, factor) => values.map((v) => v * factor);

/**
 * @param {object} tf @param {number[][]} shapes of the variables @param {(variables: object[]) => object} loss
 * @param {() => object} optimizer
 */
function training(tf, shapes, loss, optimizer) {
  const start = () => shapes.map((shape, i) => tf.variable(tf.tensor(scaled(seeded(size(shape), 10 + i), shape.length > 1 ? Math.sqrt(3 * shape.at(-1) / size(shape)) : 0.1), shape)));
  const stepper = () => {
    const variables = start(), chosen = optimizer();
    const step = () => {
      const cost = chosen.minimize(() => loss(variables), true, variables);
      const value = cost.dataSync()[0];
      cost.dispose();
      return value;
    };
    return { variables, step };
  };
  const { step } = stepper();
  const read = () => {
    const { variables, step: once } = stepper();
    for (let i = 0; i < 3; ++i) once();
    return variables.map((v) => v.dataSync());
  };
  return { step, read };
}

const labels = (tf, n) => tf.oneHot(tf.tensor1d(Array.from({ length: n }, (_, i) => i % 10), 'int32'), 10).cast('float32');
const kOptimizers = { sgd: (tf) => tf.train.sgd(0.01), adam: (tf) => tf.train.adam(0.001) };

/** 784-128-10, batch 32. */
export const mlp = (optimizer) => async ({ tf }) => {
  const x = tf.tensor(seeded(32 * 784, 1), [32, 784]), y = labels(tf, 32);
  const loss = ([w1, b1, w2, b2]) => tf.losses.softmaxCrossEntropy(y, tf.add(tf.matMul(tf.relu(tf.add(tf.matMul(x, w1), b1)), w2), b2));
  return training(tf, [[784, 128], [128], [128, 10], [10]], loss, () => kOptimizers[optimizer](tf));
};

/** Two 3x3 convolutions with max pooling and a dense layer on pictures of 28x28, batch 16. */
export async function cnn({ tf }) {
  const x = tf.tensor(seeded(16 * 784, 1), [16, 28, 28, 1]), y = labels(tf, 16);
  const block = (v, filter, bias) => tf.maxPool(tf.relu(tf.add(tf.conv2d(v, filter, 1, 'same'), bias)), 2, 2, 'same');
  const loss = ([f1, b1, f2, b2, w, b3]) => {
    const features = tf.reshape(block(block(x, f1, b1), f2, b2), [16, 7 * 7 * 16]);
    return tf.losses.softmaxCrossEntropy(y, tf.add(tf.matMul(features, w), b3));
  };
  return training(tf, [[3, 3, 1, 8], [8], [3, 3, 8, 16], [16], [784, 10], [10]], loss, () => kOptimizers.sgd(tf));
}
