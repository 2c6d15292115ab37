// The ratios (peer's time / ours) that the project aims at; printed beside what was measured.
const kTargets = [
  // where, work, threads, peer, ratio
  ['chromium', /^mobilenet_v2$/, 1, /^LiteRT\.js \S+$/, 1.5],
  ['chromium', /^mobilenet_v2$/, 1, /compat/, 1.3],
  ['chromium', /^mobilenet_v2$/, 1, /^tfjs/, 1.9],
  ['chromium', /^mobilenet_v2$/, 1, /^onnx/, 2.4],
  ['chromium', /^mobilenet_v2$/, 2, /^LiteRT/, 1.5],
  ['chromium', /^mobilenet_v2 cold$/, 1, /./, 2.5],
  ['chromium', /^resnet50$/, 1, /^LiteRT/, 1.7],
  ['chromium', /^resnet50$/, 1, /^onnx/, 2.4],
  ['chromium', /^transformer$/, 1, /^onnx/, 2],
  ['chromium', /^transformer$/, 1, /^tfjs/, 2.5],
  ['native', /^mobilenet_v2$/, 0, /./, 1.15],
  ['native', /^resnet50$/, 0, /./, 1.2],
  ['native', /^transformer$/, 0, /./, 1.05],
  ['node', /^chain of 200 tiny ops$/, 1, /^tfjs/, 5],
  ['node', /^tiny eager ops$/, 1, /^tfjs/, 3],
  ['node', /^6 ops on 1 M$/, 1, /^tfjs/, 4],
  ['node', /^mlp step, /, 1, /^tfjs/, 5],
  ['node', /^cnn step/, 1, /^tfjs-cpu/, 100],
];

export function target({ where, work, threads, peer }) {
  return kTargets.find(([place, what, n, whom]) => place === where && what.test(work) && (!n || n === threads) && whom.test(peer))?.[4];
}
