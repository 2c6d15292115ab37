// A small graph model made by hand: y = relu(x . w + b), with w [2, 3] and b [3], in one shard or several.
const T = { type: 'DT_FLOAT' };
const node = (name, op, input = [], attr = {}) => ({ name, op, input, attr });
const dim = (...d) => ({ dim: d.map((n) => ({ size: String(n) })) });

export const weights = new Float32Array([1, 2, 3, 4, 5, 6, 0.5, -100, 1]);

/** @param {string[]=} paths the shards that the manifest names */
export function modelJson(paths = ['group1-shard1of1.bin'], change = (json) => json) {
  return change({
    format: 'graph-model',
    generatedBy: 'by hand',
    convertedBy: null,
    signature: {
      inputs: { features: { name: 'x:0', dtype: 'DT_FLOAT', tensorShape: dim(-1, 2) } },
      outputs: { scores: { name: 'y:0', dtype: 'DT_FLOAT', tensorShape: dim(-1, 3) } },
    },
    userDefinedMetadata: { author: 'nobody' },
    modelTopology: {
      node: [
        node('x', 'Placeholder', [], { dtype: T, shape: { shape: dim(-1, 2) } }),
        node('w', 'Const', [], { dtype: T, value: { tensor: { dtype: 'DT_FLOAT', tensorShape: dim(2, 3) } } }),
        node('b', 'Const', [], { dtype: T, value: { tensor: { dtype: 'DT_FLOAT', tensorShape: dim(3) } } }),
        node('dot', 'MatMul', ['x', 'w'], { T, transpose_a: { b: false }, transpose_b: { b: false } }),
        node('sum', 'BiasAdd', ['dot', 'b'], { T }),
        node('y', 'Relu', ['sum'], { T }),
      ],
      library: {},
      versions: { producer: 808, minConsumer: 12 },
    },
    weightsManifest: [{ paths, weights: [{ name: 'w', shape: [2, 3], dtype: 'float32' }, { name: 'b', shape: [3], dtype: 'float32' }] }],
  });
}

/** What the model gives for one row. */
export function expected([p, q]) {
  return [0, 1, 2].map((c) => Math.max(0, p * weights[c] + q * weights[3 + c] + weights[6 + c]));
}

/** A model whose output's shape depends on its data: the indices of true elements. */
export function dynamicJson() {
  return {
    format: 'graph-model',
    modelTopology: {
      node: [
        node('x', 'Placeholder', [], { dtype: T, shape: { shape: dim(-1) } }),
        node('zero', 'Const', [], { dtype: T, value: { tensor: { dtype: 'DT_FLOAT', tensorShape: dim() } } }),
        node('positive', 'Greater', ['x', 'zero'], { T }),
        node('y', 'Where', ['positive'], { T: { type: 'DT_BOOL' } }),
      ],
      library: {},
      versions: {},
    },
    weightsManifest: [{ paths: ['zero.bin'], weights: [{ name: 'zero', shape: [], dtype: 'float32' }] }],
  };
}
