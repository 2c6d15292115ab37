// ResNet-50 v1.5 (the stride of a bottleneck lies in its 3x3): 25.6 million parameters, 4.1 billion multiply-adds.
import { Net } from './net.mjs';

const kStages = [[64, 3, 1], [128, 4, 2], [256, 6, 2], [512, 3, 2]];  // width, blocks, stride of the first

export function resnet() {
  const net = new Net('resnet50', [1, 224, 224, 3], 50);
  let x = net.conv(net.input, 64, { kernel: 7, stride: 2, act: 'relu' });
  x = net.maxPool(x, { kernel: 3, stride: 2 });
  for (const [width, blocks, firstStride] of kStages) {
    for (let i = 0; i < blocks; ++i) {
      const stride = i ? 1 : firstStride;
      const shortcut = i ? x : net.conv(x, 4 * width, { stride });
      let y = net.conv(x, width, { act: 'relu' });
      y = net.conv(y, width, { kernel: 3, stride, act: 'relu' });
      // small, so that sixteen sums leave the numbers where they were
      y = net.conv(y, 4 * width, { gain: 0.1 });
      x = net.sum(y, shortcut, 'relu');
    }
  }
  net.dense(net.globalMean(x), 1000);
  return net;
}
