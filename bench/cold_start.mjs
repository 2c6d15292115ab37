// MobileNetV2 in Chromium from navigation to the first output (CPU time of the whole renderer, and wall), each library in a browser and
// a profile of its own; and the renderer's peak memory after 20 runs.
import { Browser } from './lib/browser.mjs';
import { difference } from './lib/contest.mjs';
import { pause } from './lib/measure.mjs';
import { toRows } from './lib/results.mjs';
import { serve } from './lib/server.mjs';

const kLabels = { tessera: 'tessera', litert: 'LiteRT.js 2.5.3', 'tfjs-wasm': 'tfjs-wasm 4.22.0', 'onnxruntime-web': 'onnxruntime-web 1.30.0' };

/** {cpu, wall, memory, output} of one visit. */
async function visit(url, runs) {
  const browser = await Browser.launch();
  try {
    await pause(400);  // what a browser does after its start
    const before = browser.cpu(true);
    const page = await browser.open(url);
    await page.waitForFunction(() => globalThis.cold, null, { polling: 20, timeout: 60_000 });
    const cpu = Math.max(...[...browser.cpu(true)].map(([pid, ms]) => ms - (before.get(pid) ?? 0)));
    const { wall, output, fault } = await page.evaluate(() => globalThis.cold);
    return { cpu, wall, output, fault, memory: browser.peakMemory(), runs };
  } finally {
    await browser.close();
  }
}

async function compare(peers, runs, rounds) {
  const server = await serve({ isolated: false });
  const contestants = ['tessera', ...peers].map((name) => ({ name, label: kLabels[name] }));
  const times = new Map(contestants.map((c) => [c.name, { cpu: [], wall: [], memory: [] }]));
  try {
    for (let i = 0; i < rounds; ++i) {
      for (const c of contestants.filter((k) => !k.fault)) {
        const { cpu, wall, memory, output, fault } = await visit(`${server.url}/bench/page/cold.html?peer=${c.name}&runs=${runs}`, runs);
        if (fault) {
          c.fault = fault;
          continue;
        }
        c.output = output;
        const t = times.get(c.name);
        t.cpu.push(cpu);
        t.wall.push(wall);
        t.memory.push(memory);
      }
    }
  } finally {
    server.close();
  }
  for (const c of contestants) if (c.output && contestants[0].output) c.difference = difference([contestants[0].output], [c.output]);
  return { contestants, times };
}

/** Rows by CPU time and by wall time. */
export async function coldRows(rounds) {
  const { contestants, times } = await compare(['litert', 'tfjs-wasm', 'onnxruntime-web'], 0, rounds);
  return ['cpu', 'wall'].flatMap((clock) => toRows(contestants, times, { where: 'chromium', work: 'mobilenet_v2 cold', threads: 1, clock }));
}

/** Megabytes of a renderer that ran the net; the same for a page that does nothing is `baseMB`. */
export async function memoryRows(rounds) {
  const { contestants, times } = await compare(['tfjs-wasm'], 20, rounds);
  return toRows(contestants, times, { where: 'chromium', work: 'mobilenet_v2 memory', threads: 1, clock: 'memory' })
      .map(({ peerMs, ourMs, peerMin, ourMin, ...row }) => ({ ...row, peerMB: peerMs, ourMB: ourMs }));
}
