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
import { start } from './peers/index.mjs';
import { works } from './works/index.mjs';

export const program = join(root, 'build/release/bin/bench_native_models');

/** Tessera's program as a contestant: run(n) adds what it reports to `spent`. */
async function native(folder, threads) {
  const { input } = await json(`${folder}/net.json`);
  const file = (name) => join(root, folder, name);
  const values = seeded(size(input.shape), 7);
  writeFileSync(file('input.bin'), new Uint8Array(values.buffer));
  const child = spawn(program, [file('model.json'), file('input.bin'), file('output.bin'), String(threads)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('bench_native_models ended');
    return value;
  };
  await next();
  const output = readFileSync(file('output.bin'));
  const spent = { cpu: 0, wall: 0 };
  const run = async (n) => {
    child.stdin.write(`run ${n}\n`);
    const { cpu, wall } = JSON.parse(await next());
    spent.cpu += cpu;
    spent.wall += wall;
  };
  const values32 = new Float32Array(output.buffer.slice(output.byteOffset, output.byteOffset + output.length));
  return { name: 'tessera', label: 'tessera native', run, outputs: [values32], clock: () => ({ ...spent }), close: () => child.stdin.end() };
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
    const ours = await native(`build/bench/models/${work}`, threads), peer = await onnxruntime(work, threads);
    peer.difference = difference(ours.outputs, peer.outputs);
    const times = await measure([ours, peer], how, (c) => c.clock());
    process.send({ rows: toRows([ours, peer], times, { where: 'native', work, threads, clock: threads > 1 ? 'wall' : 'cpu' }) });
    ours.close();
  } catch (e) {
    process.send({ fault: String(e?.stack ?? e) });
  }
  process.disconnect();
});
