// Writes a net as an ONNX file (opset 17). Pictures are NCHW there: 4-D inputs of convolutional nets are fed transposed.
import { samePadding, size } from '../nets/net.mjs';

// --- protobuf -------------------------------------------------------------------------------------------------------------
const text = new TextEncoder();

function varint(value) {
  const out = [];
  for (let v = BigInt.asUintN(64, BigInt(value));;) {
    const low = Number(v & 127n);
    v >>= 7n;
    if (!v) return out.push(low), Uint8Array.from(out);
    out.push(low | 128);
  }
}
function joined(parts) {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}
const integer = (field, value) => joined([varint(field << 3), varint(value)]);
const bytes = (field, data) => joined([varint(field << 3 | 2), varint(data.length), data]);
const string = (field, s) => bytes(field, text.encode(s));
const message = (field, ...parts) => bytes(field, joined(parts.flat()));
const float = (field, value) => joined([varint(field << 3 | 5), new Uint8Array(Float32Array.of(value).buffer)]);

// --- ONNX messages (numbers of fields from onnx.proto) --------------------------------------------------------------------
function attribute(name, value) {
  if (Array.isArray(value)) return message(5, string(1, name), value.map((v) => integer(8, v)), integer(20, 7));
  if (typeof value === 'object') return message(5, string(1, name), float(2, value.float), integer(20, 1));
  return message(5, string(1, name), integer(3, value), integer(20, 2));
}
const node = (op, inputs, outputs, attributes = {}) => message(1, inputs.map((i) => string(1, i)), outputs.map((o) => string(2, o)),
                                                               string(4, op), Object.entries(attributes).map(([k, v]) => attribute(k, v)));
function tensor(name, shape, data) {
  const type = data instanceof BigInt64Array ? 7 : 1;
  return message(5, shape.map((d) => integer(1, d)), integer(2, type), string(8, name), bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)));
}
const port = (field, name, shape) => message(field, string(1, name), message(2, message(1, integer(1, 1), message(2, shape.map((d) => message(1, integer(1, d)))))));

/** The shape that the ONNX file has for a value. */
export const onnxShape = (shape, pictures) => pictures && shape.length === 4 ? [shape[0], shape[3], shape[1], shape[2]] : shape;

/** Values of a channels-last array in ONNX's order. */
export function toChannelsFirst(data, [n, h, w, c]) {
  const out = new Float32Array(data.length);
  for (let i = 0; i < n; ++i) {
    for (let p = 0; p < h * w; ++p) {
      for (let k = 0; k < c; ++k) out[(i * c + k) * h * w + p] = data[(i * h * w + p) * c + k];
    }
  }
  return out;
}

export function toChannelsLast(data, [n, h, w, c]) {
  const out = new Float32Array(data.length);
  for (let i = 0; i < n; ++i) {
    for (let k = 0; k < c; ++k) {
      for (let p = 0; p < h * w; ++p) out[(i * h * w + p) * c + k] = data[(i * c + k) * h * w + p];
    }
  }
  return out;
}

/** True for nets over pictures, whose layout differs here. */
export const isPicture = (net) => net.nodes.some((n) => n.op === 'conv' || n.op === 'depthwise');

/** [kernel rows * in, out] turned into [out, in, k, k] (groups: [channels, 1, k, k]). */
function kernelFirst({ shape: [k, , c, o = 1], data }, depthwise) {
  const [inner, outer] = depthwise ? [1, c] : [c, o];
  const out = new Float32Array(data.length);
  for (let p = 0; p < k * k; ++p) {
    for (let i = 0; i < inner; ++i) {
      for (let j = 0; j < outer; ++j) out[(j * inner + i) * k * k + p] = data[(p * inner + i) * outer + j];
    }
  }
  return { shape: [outer, inner, k, k], data: out };
}

/** @param {import('../nets/net.mjs').Net} net @returns {Uint8Array} */
export function onnx(net) {
  const pictures = isPicture(net);
  const nodes = [], tensors = [];
  const constant = (name, shape, data) => (tensors.push(tensor(name, shape, data)), name);
  const given = (name) => constant(name, net.weights.get(name).shape, net.weights.get(name).data);
  const zero = 'zero', six = 'six';
  if (net.nodes.some((n) => n.act === 'relu6')) {
    constant(zero, [], Float32Array.of(0));
    constant(six, [], Float32Array.of(6));
  }
  const emit = (name, op, inputs, attributes) => (nodes.push(node(op, inputs, [name], attributes)), name);
  const activated = (n, from) => {
    if (n.act === 'relu') emit(n.name, 'Relu', [from]);
    if (n.act === 'relu6') emit(n.name, 'Clip', [from, zero, six]);
  };

  for (const n of net.nodes) {
    const [x, y] = n.inputs.map((v) => v.name);
    const raw = n.act ? `${n.name}_raw` : n.name;
    switch (n.op) {
      case 'conv':
      case 'depthwise': {
        const [, h, w, c] = n.inputs[0].shape;
        const [[top, bottom], [left, right]] = [samePadding(h, n.kernel, n.stride), samePadding(w, n.kernel, n.stride)];
        const { shape, data } = kernelFirst(net.weights.get(n.weights[0]), n.op === 'depthwise');
        emit(raw, 'Conv', [x, constant(n.weights[0], shape, data), given(n.weights[1])],
             { kernel_shape: [n.kernel, n.kernel], strides: [n.stride, n.stride], pads: [top, left, bottom, right], group: n.op === 'depthwise' ? c : 1 });
        activated(n, raw);
        break;
      }
      case 'maxPool': {
        const [, h, w] = n.inputs[0].shape;
        const [[top, bottom], [left, right]] = [samePadding(h, n.kernel, n.stride), samePadding(w, n.kernel, n.stride)];
        emit(n.name, 'MaxPool', [x], { kernel_shape: [n.kernel, n.kernel], strides: [n.stride, n.stride], pads: [top, left, bottom, right] });
        break;
      }
      case 'globalMean':
        emit(n.name, 'Flatten', [emit(`${n.name}_pool`, 'GlobalAveragePool', [x])], { axis: 1 });
        break;
      case 'dense':
        emit(raw, 'Gemm', [x, ...n.weights.map(given)]);
        activated(n, raw);
        break;
      case 'sum':
        emit(raw, 'Add', [x, y]);
        activated(n, raw);
        break;
      case 'matmul': {
        const rank = n.shape.length, order = [...Array(rank).keys()];
        const b = n.transposeB ? emit(`${n.name}_t`, 'Transpose', [y], { perm: [...order.slice(0, -2), rank - 1, rank - 2] }) : y;
        emit(n.name, 'MatMul', [x, b]);
        break;
      }
      case 'reshape':
        emit(n.name, 'Reshape', [x, constant(`${n.name}_shape`, [n.shape.length], BigInt64Array.from(n.shape, BigInt))]);
        break;
      case 'transpose':
        emit(n.name, 'Transpose', [x], { perm: n.order });
        break;
      case 'softmax':
        emit(n.name, 'Softmax', [x], { axis: -1 });
        break;
      case 'layerNorm':
        emit(n.name, 'LayerNormalization', [x, ...n.weights.map(given)], { axis: -1, epsilon: { float: n.epsilon } });
        break;
      case 'gelu': {  // the pattern that exporters write and onnxruntime fuses
        const c = (name, v) => constant(`${n.name}_${name}`, [], Float32Array.of(v));
        const erf = emit(`${n.name}_erf`, 'Erf', [emit(`${n.name}_div`, 'Div', [x, c('root', Math.SQRT2)])]);
        const factor = emit(`${n.name}_mul`, 'Mul', [x, emit(`${n.name}_add`, 'Add', [erf, c('one', 1)])]);
        emit(n.name, 'Mul', [factor, c('half', 0.5)]);
        break;
      }
      case 'pointwise':
        emit(n.name, { add: 'Add', mul: 'Mul', relu: 'Relu' }[n.kind], [x, ...n.weights.map(given)]);
        break;
      case 'corner': {
        const c = (name, v) => constant(`${n.name}_${name}`, [n.shape.length], BigInt64Array.from(n.shape, () => v));
        emit(n.name, 'Slice', [x, c('from', 0n), c('to', 1n)]);
        break;
      }
      default: throw new Error(`onnx: no such op: ${n.op}`);
    }
  }
  const shapeOf = (v) => onnxShape(v.shape, pictures);
  const graph = message(7, nodes, string(2, net.name), tensors, port(11, net.input.name, shapeOf(net.input)), port(12, net.output.name, shapeOf(net.output)));
  return joined([integer(1, 8), graph, message(8, integer(2, 17))]);
}

export const weightBytes = (net) => [...net.weights.values()].reduce((n, w) => n + 4 * size(w.shape), 0);
