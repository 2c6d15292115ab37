// Ops called one by one through the tf.* API.
import { seeded } from '../nets/net.mjs';

/** Fifty ops on 64 numbers, the last result read. */
export async function tinyEager({ tf }) {
  const x = tf.tensor(seeded(64, 1), [1, 64]), a = tf.tensor(seeded(64, 2), [1, 64]), w = tf.tensor(seeded(64 * 64, 3), [64, 64]).div(8);
  const step = () => {
    const y = tf.tidy(() => {
      let v = x;
      for (let i = 0; i < 10; ++i) {
        v = tf.relu(tf.add(tf.matMul(v, w), a));
        v = tf.sub(v, tf.mean(v, -1, true));
      }
      return v;
    });
    const values = y.dataSync();
    y.dispose();
    return values;
  };
  return { step, read: () => [step()] };
}

/**
 * Six elementwise ops on n numbers. The result is made in full and held, but only its first element is read; TensorFlow.js, which
 * computes when called and would copy the whole tensor for that, reads nothing.
 */
export const elementwise = (n) => async ({ tf, eager }) => {
  const x = tf.tensor(seeded(n, 1), [n]), scale = tf.scalar(1.5), shift = tf.scalar(0.25), low = tf.scalar(-0.5);
  const chain = () => tf.tidy(() => tf.relu(tf.add(tf.mul(tf.maximum(tf.sub(tf.mul(x, scale), shift), low), scale), shift)));
  const step = () => {
    const y = chain();
    if (!eager) {
      const first = y.slice([0], [1]);
      first.dataSync();
      first.dispose();
    }
    y.dispose();
  };
  const read = () => {
    const y = chain(), values = y.dataSync();
    y.dispose();
    return [values];
  };
  return { step, read };
};
