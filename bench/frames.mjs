// How long a page stands still while a model of some 200 ms runs: the largest gaps between animation frames, on pages with a compute
// thread of their own (isolated) and in slices on the main thread (not isolated). A frame takes 16.7 ms when nothing happens.
import { Browser } from './lib/browser.mjs';
import { serve } from './lib/server.mjs';

const kModel = '/build/bench/models/resnet50/model.json';
/** Runs that are watched; the page draws on between them. */
const kRuns = 12;

// Runs in the page.
async function watch({ model, runs }) {
  const tf = await import('/tessera/index.mjs');
  await tf.ready();
  tf.setThreadsCount(1);
  const net = await tf.loadGraphModel(model);
  const inputs = net.inputs.map((v) => tf.randomUniform(v.shape.map((d) => Math.max(1, d)), -1, 1));
  const once = async () => {
    const y = net.execute(inputs);
    await y.data();
    y.dispose();
  };
  for (let i = 0; i < 4; ++i) await once();
  const gaps = [];
  let last = 0, on = true;
  requestAnimationFrame(function frame(now) {
    if (last) gaps.push(now - last);
    last = now;
    if (on) requestAnimationFrame(frame);
  });
  const ms = [];
  for (let i = 0; i < runs; ++i) {
    const start = performance.now();
    await once();
    ms.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  on = false;
  ms.sort((a, b) => a - b);
  return { variant: tf.platformInfo().variant, largestGapMs: Math.max(...gaps), frames: gaps.length, modelMs: ms[ms.length >> 1] };
}

/** Rows of the largest gaps. */
export async function frameRows() {
  const rows = [];
  for (const isolated of [true, false]) {
    const server = await serve({ isolated });
    const browser = await Browser.launch();
    try {
      const page = await browser.open(`${server.url}/bench/page/contest.html`);
      const found = await page.evaluate(watch, { model: kModel, runs: kRuns });
      rows.push({ where: 'chromium', work: `frames, ${isolated ? 'isolated' : 'not isolated'}`, threads: 1, peer: '', ...found });
      console.log(`chromium  largest gap between frames, resnet50 (${found.modelMs.toFixed(0)} ms), ${found.variant}, ${isolated ? '' : 'not '}isolated: `
        + `${found.largestGapMs.toFixed(1)} ms of ${found.frames} frames (goal 25)`);
    } finally {
      await browser.close();
      server.close();
    }
  }
  return rows;
}
