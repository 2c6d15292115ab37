// A net as data: nodes in order over named values, with seeded weights, from which each peer's file is written (../formats).
//
// Values are channels-last, as in TensorFlow; weights are [k,k,in,out] (convolution), [k,k,channels] (depthwise), [in,out] (dense).
// Padding is TensorFlow's SAME. Batch norms are folded: a convolution has a bias and an activation ('', 'relu', 'relu6').

/** Numbers in [0, 1), the same on every machine. */
export function random(seed) {
  let s = seed >>> 0;
  return () => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 4294967296;
}

/** Values in [-1, 1). */
export function seeded(n, seed) {
  const next = random(seed);
  return Float32Array.from({ length: n }, () => next() * 2 - 1);
}

export const size = (shape) => shape.reduce((a, b) => a * b, 1);

/** Rows (or columns) that SAME padding adds before and after. */
export function samePadding(length, kernel, stride) {
  const total = Math.max(0, (Math.ceil(length / stride) - 1) * stride + kernel - length);
  return [total >> 1, total - (total >> 1)];
}

export class Net {
  /** @param {string} name @param {number[]} inputShape */
  constructor(name, inputShape, seed = 42) {
    this.name = name;
    this.nodes = [];
    this.weights = new Map();  // name -> {shape, data}
    this.next = random(seed);
    this.input = { name: 'x', shape: inputShape };
    this.output = this.input;
  }

  /** Uniform weights that keep the variance of their input: `gain` 2 before an activation that halves it. */
  weight(name, shape, fan, gain = 1) {
    const scale = Math.sqrt(3 * gain / fan);
    return this.constant(name, shape, Float32Array.from({ length: size(shape) }, () => (this.next() * 2 - 1) * scale));
  }
  constant(name, shape, data) {
    this.weights.set(name, { shape, data });
    return name;
  }
  bias(name, n) {
    return this.constant(name, [n], Float32Array.from({ length: n }, () => (this.next() - 0.5) * 0.1));
  }

  /** Appends a node and makes its result the net's output. */
  add(op, inputs, shape, attributes = {}) {
    const node = { op, name: `${op}${this.nodes.length}`, inputs, shape, ...attributes };
    this.nodes.push(node);
    return this.output = node;
  }

  conv(x, channels, { kernel = 1, stride = 1, act = '', gain = act ? 2 : 1 } = {}) {
    const [n, h, w, c] = x.shape, id = this.nodes.length;
    const weights = [this.weight(`w${id}`, [kernel, kernel, c, channels], kernel * kernel * c, gain), this.bias(`b${id}`, channels)];
    return this.add('conv', [x], [n, Math.ceil(h / stride), Math.ceil(w / stride), channels], { weights, kernel, stride, act });
  }
  depthwise(x, { kernel = 3, stride = 1, act = '' } = {}) {
    const [n, h, w, c] = x.shape, id = this.nodes.length;
    const weights = [this.weight(`w${id}`, [kernel, kernel, c], kernel * kernel, act ? 2 : 1), this.bias(`b${id}`, c)];
    return this.add('depthwise', [x], [n, Math.ceil(h / stride), Math.ceil(w / stride), c], { weights, kernel, stride, act });
  }
  maxPool(x, { kernel, stride }) {
    const [n, h, w, c] = x.shape;
    return this.add('maxPool', [x], [n, Math.ceil(h / stride), Math.ceil(w / stride), c], { kernel, stride });
  }
  /** The mean of each channel: [n, c]. */
  globalMean(x) { return this.add('globalMean', [x], [x.shape[0], x.shape[3]]); }
  /** A matrix times weights. */
  dense(x, channels, { act = '', gain = 1 } = {}) {
    const id = this.nodes.length, c = x.shape.at(-1);
    const weights = [this.weight(`w${id}`, [c, channels], c, gain), this.bias(`b${id}`, channels)];
    return this.add('dense', [x], [...x.shape.slice(0, -1), channels], { weights, act });
  }
  sum(a, b, act = '') { return this.add('sum', [a, b], a.shape, { act }); }
  matmul(a, b, transposeB = false) {
    return this.add('matmul', [a, b], [...a.shape.slice(0, -1), b.shape.at(transposeB ? -2 : -1)], { transposeB });
  }
  reshape(x, shape) { return this.add('reshape', [x], shape); }
  transpose(x, order) { return this.add('transpose', [x], order.map((i) => x.shape[i]), { order }); }
  softmax(x) { return this.add('softmax', [x], x.shape); }
  layerNorm(x) {
    const id = this.nodes.length, c = x.shape.at(-1);
    const scale = this.constant(`w${id}`, [c], Float32Array.from({ length: c }, () => 0.9 + 0.2 * this.next()));
    return this.add('layerNorm', [x], x.shape, { weights: [scale, this.bias(`b${id}`, c)], epsilon: 1e-5 });
  }
  /** The first element alone: what a benchmark of one op reads, so that copying its result out is not measured. */
  corner(x) { return this.add('corner', [x], x.shape.map(() => 1)); }
  gelu(x) { return this.add('gelu', [x], x.shape); }
  /** 'relu', or 'add' or 'mul' with a constant of the input's shape, whose values lie around `middle`. */
  pointwise(kind, x, middle) {
    const weights = kind === 'relu' ? [] : [this.constant(`w${this.nodes.length}`, x.shape, Float32Array.from({ length: size(x.shape) }, () => middle + 0.2 * (this.next() - 0.5)))];
    return this.add('pointwise', [x], x.shape, { kind, weights });
  }

  /** Multiply-adds of one run. */
  macs() {
    let n = 0;
    for (const node of this.nodes) {
      const x = node.inputs[0].shape;
      if (node.op === 'conv') n += size(node.shape) * node.kernel ** 2 * x[3];
      else if (node.op === 'depthwise') n += size(node.shape) * node.kernel ** 2;
      else if (node.op === 'dense' || node.op === 'matmul') n += size(node.shape) * x.at(-1);
    }
    return n;
  }
}
