// One model natively: bench_native_models beside onnxruntime-node, each in its own process, in turn. The clock is the CPU time of the
// process with one thread, the wall with more.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { difference } from './lib/contest.mjs';
import { json, root } from './lib/files.mjs';
import { measure } from './lib/measure.mjs';
import { toRows } from './lib/results.mjs';
import { seeded, size } from './nets/net.mjs';
import { copiedProgram } from './lib/snapshot.mjs';
import { start } from './peers/index.mjs';
import { works } from './works/index.mjs';

/** The program with a model of nets/files.mjs, the seeded input given: {lines, child, output} after its first run. */
async function begin(folder, threads) {
  const { input } = await json(`${folder}/net.json`);
  const file = (name) => join(root, folder, name);
  writeFileSync(file('input.bin'), new Uint8Array(seeded(size(input.shape), 7).buffer));
  const child = spawn(copiedProgram(), [file('model.json'), file('input.bin'), file('output.bin'), String(threads)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('bench_native_models ended');
    return value;
  };
  await next();
  return { child, next, output: new Float32Array(new Uint8Array(readFileSync(file('output.bin'))).buffer) };
}

/** Tessera as a contestant with its own clock. A single op is compared by its whole result, as in works/models.mjs. */
async function native(work, threads) {
  const folder = `build/bench/models/${work}`;
  const { child, next, output } = await begin(folder, threads);
  const whole = (await json(`${folder}/net.json`)).whole ? await begin(`${folder}/whole`, threads) : undefined;
  whole?.child.stdin.end();
  const spent = { cpu: 0, wall: 0 };
  const run = async (n) => {
    child.stdin.write(`run ${n}\n`);
    const { cpu, wall } = JSON.parse(await next());
    spent.cpu += cpu;
    spent.wall += wall;
  };
  return { name: 'tessera', label: 'tessera native', run, outputs: [whole?.output ?? output], clock: () => ({ ...spent }), close: () => child.stdin.end() };
}

async function onnxruntime(work, threads) {
  const peer = await start('onnxruntime-node', { threads });
  const { step, read } = await works[work].prepare(peer);
  const run = async (n) => { for (let i = 0; i < n; ++i) await step(); };
  const clock = () => {
    const { user, system } = process.cpuUsage();
    return { cpu: (user + system) / 1000, wall: performance.now() };
  };
  return { name: peer.name, label: peer.label, run, outputs: await read(), clock };
}

process.on('message', async ({ spec: { work, threads }, how }) => {
  try {
    const ours = await native(work, threads), peer = await onnxruntime(work, threads);
    peer.difference = difference(ours.outputs, peer.outputs);
    const times = await measure([ours, peer], how, (c) => c.clock());
    process.send({ rows: toRows([ours, peer], times, { where: 'native', work, threads, clock: threads > 1 ? 'wall' : 'cpu' }) });
    ours.close();
  } catch (e) {
    process.send({ fault: String(e?.stack ?? e) });
  }
  process.disconnect();
});
