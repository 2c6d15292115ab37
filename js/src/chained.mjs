// Methods on tensors: each op whose first input is one tensor.
import * as G from '../generated/ops.mjs';
import * as array from './ops/array.mjs';
import * as math from './ops/math.mjs';
import * as window from './ops/window.mjs';
import { image } from './ops/image.mjs';
import { Tensor } from './tensor.mjs';

/** Functions that take no tensor first, or whose method means something else. */
const kNotChained = new Set([
  'fill', 'range', 'linspace', 'eye', 'zeros', 'ones', 'meshgrid', 'addN', 'randomNormal', 'randomUniform', 'randomUniformInt', 'randomStandardNormal',
  'truncatedNormal', 'scatterND', 'tensorScatterUpdate', 'concat', 'stack', 'where', 'print', 'rank', 'clone', 'complex', 'movingAverage', 'onHost',
  'cropAndResize', 'nonMaxSuppression', 'nonMaxSuppressionWithScore', 'nonMaxSuppressionPadded', 'size', 'shape', 'onesLike', 'zerosLike', 'parsePad',
  'concat1d', 'concat2d', 'concat3d', 'concat4d', 'fused', 'opNames', 'buffer', 'data', 'dispose', 'id', 'dtype',
]);

function define(name, fn) {
  if (Object.prototype.hasOwnProperty.call(Tensor.prototype, name)) return;
  Object.defineProperty(Tensor.prototype, name, {
    configurable: true, writable: true,
    value(...args) {
      this.throwIfDisposed();
      return fn(this, ...args);
    },
  });
}

export function installChainedMethods() {
  define('concat', (x, other, axis) => array.concat([x, ...(Array.isArray(other) ? other : [other])], axis));
  define('stack', (x, other, axis) => array.stack([x, ...(Array.isArray(other) ? other : [other])], axis));
  define('where', (x, condition, other) => array.where(condition, x, other));
  define('onesLike', (x) => G.onesLike(x));
  define('zerosLike', (x) => G.zerosLike(x));
  define('resizeBilinear', image.resizeBilinear);
  define('resizeNearestNeighbor', image.resizeNearestNeighbor);
  define('as2D', (x, ...shape) => G.reshape(x, shape));
  define('as3D', (x, ...shape) => G.reshape(x, shape));
  define('as4D', (x, ...shape) => G.reshape(x, shape));
  define('as5D', (x, ...shape) => G.reshape(x, shape));
  // hand-written ones first: they know TensorFlow.js's call style
  for (const table of [window, array, math]) {
    for (const [name, fn] of Object.entries(table)) if (typeof fn === 'function' && !kNotChained.has(name)) define(name, fn);
  }
  for (const name of G.opNames) if (!kNotChained.has(name) && typeof G[name] === 'function') define(name, G[name]);
}
