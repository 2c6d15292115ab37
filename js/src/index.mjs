// The ESM entry: ready after `await tf.ready()`, which fetches the module variant that suits the machine best.
export * from './tf.mjs';
