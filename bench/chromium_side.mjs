// One work on a page of a fresh headless Chromium. With one thread the clock is the CPU time of the renderer's main thread, with more the wall.
import { Browser } from './lib/browser.mjs';
import { limited, measure } from './lib/measure.mjs';
import { toRows } from './lib/results.mjs';
import { serve } from './lib/server.mjs';

/** @param {{work: string, peers: string[], threads: number, relaxed: boolean}} spec @param {object} how see measure() */
export async function runChromium(spec, how) {
  // Isolation is needed for threads; without them pages are as most pages are.
  const server = await serve({ isolated: spec.threads > 1 });
  const browser = await Browser.launch();
  try {
    return await limited(contestOnPage(browser, `${server.url}/bench/page/contest.html`, spec, how));
  } finally {
    await browser.close();
    server.close();
  }
}

async function contestOnPage(browser, url, spec, how) {
  const page = await browser.open(url);
  await page.waitForFunction(() => globalThis.contest);
  const contestants = await page.evaluate((s) => globalThis.contest.prepare(s), spec);
  for (const c of contestants) c.run = (n) => page.evaluate(([name, count]) => globalThis.contest.run(name, count), [c.name, n]);
  // the page's renderer is the one that works
  const before = browser.cpu(false);
  const ready = contestants.filter((c) => !c.fault);
  await ready[0]?.run(2);
  const pid = [...browser.cpu(false)].sort((a, b) => (b[1] - (before.get(b[0]) ?? 0)) - (a[1] - (before.get(a[0]) ?? 0)))[0][0];
  const times = await measure(ready, how, () => ({ cpu: browser.cpu(false).get(pid), wall: performance.now() }));
  return toRows(contestants, times, { where: 'chromium', work: spec.work, threads: spec.threads, clock: spec.threads > 1 ? 'wall' : 'cpu' });
}

export async function chromiumPeaks() {
  const server = await serve({ isolated: false });
  const browser = await Browser.launch();
  try {
    const page = await browser.open(`${server.url}/bench/page/contest.html`);
    return await page.evaluate(async () => (await import('/bench/lib/peaks.mjs')).peaks());
  } finally {
    await browser.close();
    server.close();
  }
}
