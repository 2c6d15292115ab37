// A transformer encoder: 6 layers, 384 wide, 6 heads, 1536 in the feed-forward part, 128 tokens; norms after the sums, as in BERT.
import { Net } from './net.mjs';

export function transformer({ layers = 6, width = 384, heads = 6, inner = 1536, tokens = 128 } = {}) {
  const net = new Net('transformer', [tokens, width], 6);
  const head = width / heads;
  const split = (x) => net.transpose(net.reshape(x, [1, tokens, heads, head]), [0, 2, 1, 3]);
  let x = net.layerNorm(net.input);
  for (let i = 0; i < layers; ++i) {
    // the scale 1 / sqrt(head) is folded into the weights of the queries
    const q = split(net.dense(x, width, { gain: 1 / head }));
    const k = split(net.dense(x, width));
    const v = split(net.dense(x, width));
    const mixed = net.matmul(net.softmax(net.matmul(q, k, true)), v);
    const joined = net.reshape(net.transpose(mixed, [0, 2, 1, 3]), [tokens, width]);
    x = net.layerNorm(net.sum(net.dense(joined, width), x));
    const inside = net.gelu(net.dense(x, inner, { gain: 2 }));
    x = net.layerNorm(net.sum(net.dense(inside, width), x));
  }
  return net;
}
