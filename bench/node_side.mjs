// One work (or the machine's peaks) in Node, in a process of its own: forked by run.mjs, which sends the specification and gets the rows.
import { prepare } from './lib/contest.mjs';
import { measure } from './lib/measure.mjs';
import { peaks, scaleMs } from './lib/peaks.mjs';
import { toRows } from './lib/results.mjs';
import { chains } from './works/index.mjs';

/** Where Node knows a thread's CPU time (from version 23.9), other programs on the machine disturb less. */
const clock = process.threadCpuUsage ? 'cpu' : 'wall';
function now() {
  const cpu = process.threadCpuUsage?.() ?? { user: 0, system: 0 };
  return { cpu: (cpu.user + cpu.system) / 1000, wall: performance.now() };
}

process.on('message', async ({ spec, how }) => {
  try {
    if (spec.peaks) return void process.send({ rows: peaks() });
    const contestants = await prepare(spec);
    const times = await measure(contestants.filter((c) => !c.fault), how, now);
    const rows = toRows(contestants, times, { where: 'node', work: spec.work, threads: spec.threads, clock: spec.threads > 1 ? 'wall' : clock });
    const n = chains[spec.work];
    if (n) for (const r of rows) if (!r.fault) Object.assign(r, { share: scaleMs(1 << 24) * n / 2 ** 24 / r.ourMin, shareOfLoop: scaleMs(n) / r.ourMin });
    process.send({ rows });
  } catch (e) {
    process.send({ fault: String(e?.stack ?? e) });
  } finally {
    process.disconnect();
  }
});
