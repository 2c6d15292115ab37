// MobileNetV2 in Chromium from navigation to the first output (CPU time of the whole renderer, and wall), each library in a browser and
// a profile of its own; and the renderer's peak memory after 20 more runs.
import { Browser } from './lib/browser.mjs';
import { difference } from './lib/contest.mjs';
import { median, pause } from './lib/measure.mjs';
import { toRows } from './lib/results.mjs';
import { serve } from './lib/server.mjs';

const kLabels = { tessera: 'tessera', litert: 'LiteRT.js 2.5.3', 'tfjs-wasm': 'tfjs-wasm 4.22.0', 'onnxruntime-web': 'onnxruntime-web 1.30.0' };

/** {cpu, wall, memory, output} of one visit, in a browser that no debugger watches: the page tells the server when it has its output. */
async function visit(url) {
  let go, done;
  const waiting = new Promise((resolve) => { go = resolve; });
  const told = new Promise((resolve, reject) => {
    done = resolve;
    setTimeout(() => reject(new Error(`no output of ${url} after a minute`)), 60_000).unref();
  });
  const routes = {
    '/go': (_, response) => go(response),
    '/done': async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      done(JSON.parse(text));
      response.end();
    },
  };
  const server = await serve({ isolated: false, routes });
  const browser = Browser.start(`${server.url}/bench/page/idle.html`);
  try {
    const response = await waiting;
    await pause(700);  // what a browser does after its start
    const before = browser.cpu(true);
    response.end(url);
    const { wall, phases, output, fault } = await told;
    const cpu = Math.max(...[...browser.cpu(true)].map(([pid, ms]) => ms - (before.get(pid) ?? 0)));
    return { cpu, wall, phases, output, fault, memory: browser.peakMemory() };
  } finally {
    await browser.close();
    server.close();
  }
}

/** Visits in turn: the contestants, their times, and `base`, the medians of a page without any library. */
async function compare(peers, runs, rounds) {
  const contestants = ['tessera', ...peers].map((name) => ({ name, label: kLabels[name] }));
  const empty = { name: 'none' };
  const times = new Map([...contestants, empty].map((c) => [c.name, { cpu: [], wall: [], memory: [], phases: [] }]));
  for (let i = 0; i < rounds; ++i) {
    for (const c of [...contestants, empty].filter((k) => !k.fault)) {
      const { output, fault, ...figures } = await visit(`/bench/page/cold.html?peer=${c.name}&runs=${runs}`);
      Object.assign(c, { output, fault });
      if (!fault) for (const [what, list] of Object.entries(times.get(c.name))) list.push(figures[what]);
    }
  }
  for (const c of contestants) if (c.output && contestants[0].output) c.difference = difference([contestants[0].output], [c.output]);
  const base = Object.fromEntries(['cpu', 'wall', 'memory'].map((what) => [what, median(times.get('none')[what])]));
  return { contestants, times, base };
}

/** Rows by CPU time and by wall time. */
export async function coldRows(rounds) {
  const { contestants, times, base } = await compare(['litert', 'tfjs-wasm', 'onnxruntime-web'], 0, rounds);
  // the phases of the quickest visit, by the wall clock
  const phases = Object.fromEntries(contestants.filter((c) => !c.fault).map((c) => {
    const { wall, phases: all } = times.get(c.name), quickest = wall.indexOf(Math.min(...wall));
    return [c.name, { ...all[quickest], output: wall[quickest] }];
  }));
  return ['cpu', 'wall'].flatMap((clock) => toRows(contestants, times, { where: 'chromium', work: 'mobilenet_v2 cold', threads: 1, clock, base: base[clock], phases }));
}

/** Megabytes of a renderer that ran the net. */
export async function memoryRows(rounds) {
  const { contestants, times, base } = await compare(['tfjs-wasm'], 20, rounds);
  return toRows(contestants, times, { where: 'chromium', work: 'mobilenet_v2 memory', threads: 1, clock: 'memory', base: base.memory })
      .map(({ peerMs, ourMs, peerMin, ourMin, ...row }) => ({ ...row, peerMB: peerMs, ourMB: ourMs }));
}
