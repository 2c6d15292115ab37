// Writes a convolutional net as a TFLite file (schema version 3), batch 1, float32.
import { createRequire } from 'node:module';
import { size } from '../nets/net.mjs';
import { weightBytes } from './onnx.mjs';

const { Builder } = createRequire(import.meta.url)('flatbuffers');

/** op -> its operator code (BuiltinOperator) and the type of its options (BuiltinOptions) */
const kOps = {
  sum: { code: 0, options: 11 }, conv: { code: 3, options: 1 }, depthwise: { code: 4, options: 2 },
  dense: { code: 9, options: 8 }, maxPool: { code: 17, options: 5 }, globalMean: { code: 40, options: 27 },
  corner: { code: 65, options: 48 },
};
const kActivations = { '': 0, relu: 1, relu6: 3 };

/** [rows, columns] -> [columns, rows] */
function transposed(data, rows, columns) {
  const out = new Float32Array(data.length);
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) out[j * rows + i] = data[i * columns + j];
  }
  return out;
}

/** @param {import('../nets/net.mjs').Net} net @returns {Uint8Array} */
export function tflite(net) {
  const tensors = [], buffers = [null], index = new Map();
  function tensor(name, shape, data) {
    if (data) buffers.push(data);
    tensors.push({ name, shape, buffer: data ? buffers.length - 1 : 0, type: data instanceof Int32Array ? 2 : 0 });
    index.set(name, tensors.length - 1);
    return tensors.length - 1;
  }
  function weights(n) {
    if (n.op === 'globalMean') return [tensor(`${n.name}_axes`, [2], Int32Array.of(1, 2))];
    if (n.op === 'corner') return [tensor(`${n.name}_from`, [n.shape.length], Int32Array.from(n.shape, () => 0)), tensor(`${n.name}_size`, [n.shape.length], Int32Array.from(n.shape))];
    if (!n.weights) return [];
    const { shape, data } = net.weights.get(n.weights[0]), bias = net.weights.get(n.weights[1]);
    const last = shape.at(-1);
    const kernel = n.op === 'depthwise' ? tensor(n.weights[0], [1, ...shape], data)
        : tensor(n.weights[0], [last, ...shape.slice(0, -1)], transposed(data, size(shape) / last, last));
    return [kernel, tensor(n.weights[1], bias.shape, bias.data)];
  }
  tensor(net.input.name, net.input.shape);
  const operators = net.nodes.map((n) => {
    const inputs = [...n.inputs.map((v) => index.get(v.name)), ...weights(n)];
    return { node: n, inputs, output: tensor(n.name, n.shape) };
  });

  const b = new Builder(weightBytes(net) + (1 << 20));
  const integers = (values) => {
    b.startVector(4, values.length, 4);
    for (const v of [...values].reverse()) b.addInt32(v);
    return b.endVector();
  };
  const offsets = (values) => {
    b.startVector(4, values.length, 4);
    for (const v of [...values].reverse()) b.addOffset(v);
    return b.endVector();
  };
  /** A table from [field, kind, value]; zero is every field's default here. */
  const table = (fields, ...values) => {
    b.startObject(fields);
    for (const [field, kind, value] of values) b[`addField${kind}`](field, value, 0);
    return b.endObject();
  };
  function options(n) {
    const act = kActivations[n.act ?? ''];
    switch (n.op) {  // padding SAME is 0
      case 'conv': return table(6, [1, 'Int32', n.stride], [2, 'Int32', n.stride], [3, 'Int8', act], [4, 'Int32', 1], [5, 'Int32', 1]);
      case 'depthwise': return table(7, [1, 'Int32', n.stride], [2, 'Int32', n.stride], [3, 'Int32', 1], [4, 'Int8', act], [5, 'Int32', 1], [6, 'Int32', 1]);
      case 'maxPool': return table(6, [1, 'Int32', n.stride], [2, 'Int32', n.stride], [3, 'Int32', n.kernel], [4, 'Int32', n.kernel]);
      default: return table(1, ...(n.op === 'sum' || n.op === 'dense' ? [[0, 'Int8', act]] : []));
    }
  }
  const bufferTables = buffers.map((data) => {
    if (!data) return table(1);
    return table(1, [0, 'Offset', aligned(b, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))]);
  });
  const bufferVector = offsets(bufferTables);
  const tensorVector = offsets(tensors.map((t) => {
    const shape = integers(t.shape), name = b.createString(t.name);
    return table(4, [0, 'Offset', shape], [1, 'Int8', t.type], [2, 'Int32', t.buffer], [3, 'Offset', name]);
  }));
  const codes = Object.keys(kOps).filter((op) => net.nodes.some((n) => n.op === op));
  const operatorVector = offsets(operators.map(({ node, inputs, output }) => {
    const ins = integers(inputs), outs = integers([output]), how = options(node);
    return table(5, [0, 'Int32', codes.indexOf(node.op)], [1, 'Offset', ins], [2, 'Offset', outs], [3, 'Int8', kOps[node.op].options], [4, 'Offset', how]);
  }));
  const ins = integers([0]), outs = integers([index.get(net.output.name)]), main = b.createString('main');
  const subgraphs = offsets([table(5, [0, 'Offset', tensorVector], [1, 'Offset', ins], [2, 'Offset', outs], [3, 'Offset', operatorVector], [4, 'Offset', main])]);
  const codeVector = offsets(codes.map((op) => table(4, [0, 'Int8', kOps[op].code], [2, 'Int32', 1], [3, 'Int32', kOps[op].code])));
  const description = b.createString(net.name);
  b.finish(table(5, [0, 'Int32', 3], [1, 'Offset', codeVector], [2, 'Offset', subgraphs], [3, 'Offset', description], [4, 'Offset', bufferVector]), 'TFL3');
  return b.asUint8Array();
}

/** A vector of bytes whose data lies at a multiple of 16, copied in one piece. */
function aligned(b, bytes) {
  b.startVector(1, bytes.length, 16);
  b.space -= bytes.length;
  b.bb.bytes().set(bytes, b.space);
  return b.endVector();
}
