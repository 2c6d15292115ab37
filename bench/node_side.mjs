// One work in Node, in a process of its own: forked by run.mjs, which sends the specification and gets the rows.
import { prepare } from './lib/contest.mjs';
import { measure } from './lib/measure.mjs';
import { toRows } from './lib/results.mjs';

/** Where Node knows a thread's CPU time (from version 23.9), other programs on the machine disturb less. */
const clock = process.threadCpuUsage ? 'cpu' : 'wall';
function now() {
  const cpu = process.threadCpuUsage?.() ?? { user: 0, system: 0 };
  return { cpu: (cpu.user + cpu.system) / 1000, wall: performance.now() };
}

process.on('message', async ({ spec, how }) => {
  try {
    const contestants = await prepare(spec);
    const times = await measure(contestants.filter((c) => !c.fault), how, now);
    process.send({ rows: toRows(contestants, times, { where: 'node', work: spec.work, threads: spec.threads, clock: spec.threads > 1 ? 'wall' : clock }) });
  } catch (e) {
    process.send({ fault: String(e?.stack ?? e) });
  }
  process.disconnect();
});
