// Parts of nets: single ops at shapes of real nets, and chains of many small ones, where the time goes between the kernels.
import { Net } from './net.mjs';

/** `whole`: with the op's full result as output, for comparing. */
const single = (shape, op) => ({ whole = false } = {}) => {
  const net = new Net('op', shape, 3);
  const result = op(net);
  if (!whole) net.corner(result);
  return net;
};
const picture = (side, channels, op) => single([1, side, side, channels], op);

export const singleOps = {
  'conv 1x1 56x56 24-144': picture(56, 24, (net) => net.conv(net.input, 144, { act: 'relu6' })),
  'conv 1x1 7x7 320-1280': picture(7, 320, (net) => net.conv(net.input, 1280, { act: 'relu6' })),
  'conv 3x3 56x56 64-64': picture(56, 64, (net) => net.conv(net.input, 64, { kernel: 3, act: 'relu' })),
  'depthwise 3x3 56x56x144': picture(56, 144, (net) => net.depthwise(net.input, { act: 'relu6' })),
  'matmul 512': single([512, 512], (net) => net.dense(net.input, 512)),
};

/** 200 elementwise ops on 64 numbers: a mul, an add, a relu, a mul, ... */
export function tinyOps() {
  const net = new Net('tiny', [1, 64], 4);
  for (let i = 0, x = net.input; i < 200; ++i) x = net.pointwise(['mul', 'add', 'relu'][i % 3], x, i % 3 ? 0.05 : 0.95);
  return net;
}
tinyOps.title = 'chain of 200 tiny ops';

/** 100 dense layers of 64 by 64. */
export function tinyLayers() {
  const net = new Net('tiny', [1, 64], 5);
  for (let i = 0, x = net.input; i < 100; ++i) x = net.dense(x, 64, { act: 'relu', gain: 2 });
  return net;
}
tinyLayers.title = 'chain of 100 tiny layers';
