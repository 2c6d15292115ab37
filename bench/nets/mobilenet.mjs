// MobileNetV2 1.0/224: 3.4 million parameters, 301 million multiply-adds.
import { Net } from './net.mjs';

/** expansion, channels, blocks, stride of the first */
const kBlocks = [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1]];

export function mobilenet() {
  const net = new Net('mobilenet_v2', [1, 224, 224, 3]);
  let x = net.conv(net.input, 32, { kernel: 3, stride: 2, act: 'relu6' });
  for (const [expansion, channels, blocks, firstStride] of kBlocks) {
    for (let i = 0; i < blocks; ++i) {
      const stride = i ? 1 : firstStride, start = x, c = x.shape[3];
      if (expansion > 1) x = net.conv(x, c * expansion, { act: 'relu6' });
      x = net.depthwise(x, { stride, act: 'relu6' });
      x = net.conv(x, channels);
      if (stride === 1 && c === channels) x = net.sum(x, start);
    }
  }
  x = net.conv(x, 1280, { act: 'relu6' });
  net.dense(net.globalMean(x), 1000);
  return net;
}
