// Writes a net as a TensorFlow.js graph model, with the ops that tensorflowjs_converter produces.
import { size } from '../nets/net.mjs';

const kFloat = { type: 'DT_FLOAT' }, kInt = { type: 'DT_INT32' };
const base64 = (s) => btoa(s);
const shapeAttribute = (shape) => ({ dim: shape.map((d) => ({ size: String(d) })) });
const integers = (values) => ({ list: { i: values.map(String) } });

/** @param {import('../nets/net.mjs').Net} net @returns {{json: object, weights: Uint8Array}} model.json's content and its one shard */
export function tfjs(net, shard = 'group1-shard1of1.bin') {
  const nodes = [], specs = [], data = [];
  const T = { T: kFloat };

  function constant(name, shape, values, reshaped = shape) {
    const int = values instanceof Int32Array;
    nodes.push({ name, op: 'Const', attr: { dtype: int ? kInt : kFloat, value: { tensor: { dtype: int ? 'DT_INT32' : 'DT_FLOAT', tensorShape: shapeAttribute(reshaped) } } } });
    specs.push({ name, shape: reshaped, dtype: int ? 'int32' : 'float32' });
    data.push(values);
    return name;
  }
  const given = (name, shape) => constant(name, net.weights.get(name).shape, net.weights.get(name).data, shape);
  const scalar = (name, v) => constant(name, [], Float32Array.of(v));
  const axes = (name, values) => constant(name, [values.length], Int32Array.from(values));
  const emit = (name, op, input, attr = T) => (nodes.push({ name, op, input, attr }), name);
  const fused = (act) => ({ num_args: { i: '1' }, epsilon: { f: 0 }, fused_ops: { list: { s: ['BiasAdd', ...(act ? [act === 'relu' ? 'Relu' : 'Relu6'] : [])].map(base64) } } });
  const strides = (s) => integers([1, s, s, 1]);

  nodes.push({ name: net.input.name, op: 'Placeholder', attr: { dtype: kFloat, shape: { shape: shapeAttribute(net.input.shape) } } });
  for (const n of net.nodes) {
    const [x, y] = n.inputs.map((v) => v.name);
    switch (n.op) {
      case 'conv':
      case 'depthwise': {
        const depthwise = n.op === 'depthwise', shape = net.weights.get(n.weights[0]).shape;
        emit(n.name, depthwise ? 'FusedDepthwiseConv2dNative' : '_FusedConv2D', [x, given(n.weights[0], depthwise ? [...shape, 1] : shape), given(n.weights[1])],
             { ...T, padding: { s: base64('SAME') }, strides: strides(n.stride), dilations: integers([1, 1, 1, 1]), explicit_paddings: { list: {} },
               data_format: { s: base64('NHWC') }, ...fused(n.act) });
        break;
      }
      case 'maxPool':
        emit(n.name, 'MaxPool', [x], { ...T, ksize: strides(n.kernel), strides: strides(n.stride), padding: { s: base64('SAME') }, data_format: { s: base64('NHWC') } });
        break;
      case 'globalMean':
        emit(n.name, 'Mean', [x, axes(`${n.name}_axes`, [1, 2])], { ...T, Tidx: kInt, keep_dims: { b: false } });
        break;
      case 'dense':
        emit(n.name, '_FusedMatMul', [x, ...n.weights.map((w) => given(w))], { ...T, transpose_a: { b: false }, transpose_b: { b: false }, ...fused(n.act) });
        break;
      case 'sum':
        if (n.act) emit(n.name, n.act === 'relu' ? 'Relu' : 'Relu6', [emit(`${n.name}_raw`, 'AddV2', [x, y])]);
        else emit(n.name, 'AddV2', [x, y]);
        break;
      case 'matmul':
        emit(n.name, 'BatchMatMulV2', [x, y], { ...T, adj_x: { b: false }, adj_y: { b: n.transposeB } });
        break;
      case 'reshape':
        emit(n.name, 'Reshape', [x, axes(`${n.name}_shape`, n.shape)], { ...T, Tshape: kInt });
        break;
      case 'transpose':
        emit(n.name, 'Transpose', [x, axes(`${n.name}_order`, n.order)], { ...T, Tperm: kInt });
        break;
      case 'softmax':
        emit(n.name, 'Softmax', [x]);
        break;
      case 'layerNorm': {  // as Keras computes it, after constant folding
        const mean = (to, of) => emit(to, 'Mean', [of, axes(`${to}_axes`, [n.shape.length - 1])], { ...T, Tidx: kInt, keep_dims: { b: true } });
        const middle = mean(`${n.name}_mean`, x);
        const variance = mean(`${n.name}_var`, emit(`${n.name}_square`, 'SquaredDifference', [x, middle]));
        const inverse = emit(`${n.name}_rsqrt`, 'Rsqrt', [emit(`${n.name}_eps`, 'AddV2', [variance, scalar(`${n.name}_epsilon`, n.epsilon)])]);
        const factor = emit(`${n.name}_factor`, 'Mul', [inverse, given(n.weights[0])]);
        const offset = emit(`${n.name}_offset`, 'Sub', [given(n.weights[1]), emit(`${n.name}_shift`, 'Mul', [middle, factor])]);
        emit(n.name, 'AddV2', [emit(`${n.name}_scaled`, 'Mul', [x, factor]), offset]);
        break;
      }
      case 'gelu': {
        const erf = emit(`${n.name}_erf`, 'Erf', [emit(`${n.name}_div`, 'Mul', [x, scalar(`${n.name}_root`, Math.SQRT1_2)])]);
        const half = emit(`${n.name}_half`, 'Mul', [x, scalar(`${n.name}_h`, 0.5)]);
        emit(n.name, 'Mul', [half, emit(`${n.name}_add`, 'AddV2', [erf, scalar(`${n.name}_one`, 1)])]);
        break;
      }
      case 'pointwise':
        emit(n.name, { add: 'AddV2', mul: 'Mul', relu: 'Relu' }[n.kind], [x, ...n.weights.map((w) => given(w))]);
        break;
      case 'corner':
        emit(n.name, 'Slice', [x, axes(`${n.name}_from`, n.shape.map(() => 0)), axes(`${n.name}_size`, n.shape)], { ...T, Index: kInt });
        break;
      default: throw new Error(`tfjs: no such op: ${n.op}`);
    }
  }

  const port = (v) => ({ name: `${v.name}:0`, dtype: 'DT_FLOAT', tensorShape: shapeAttribute(v.shape) });
  const weights = new Uint8Array(specs.reduce((bytes, s) => bytes + 4 * size(s.shape), 0));
  let at = 0;
  for (const d of data) {
    weights.set(new Uint8Array(d.buffer, d.byteOffset, d.byteLength), at);
    at += d.byteLength;
  }
  const json = {
    format: 'graph-model', generatedBy: 'tessera bench', convertedBy: 'bench/formats/tfjs.mjs',
    signature: { inputs: { [net.input.name]: port(net.input) }, outputs: { [net.output.name]: port(net.output) } },
    modelTopology: { node: nodes, library: {}, versions: { producer: 1 } },
    weightsManifest: [{ paths: [shard], weights: specs }],
  };
  return { json, weights };
}
