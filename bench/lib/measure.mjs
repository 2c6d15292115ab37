// Contestants in turn: each warmed up, then rounds of batches of about the same length, A B C A B C ...

export const median = (values) => {
  const v = [...values].sort((a, b) => a - b);
  return v.length % 2 ? v[v.length >> 1] : (v[v.length / 2 - 1] + v[v.length / 2]) / 2;
};
export const geometricMean = (values) => Math.exp(values.reduce((s, v) => s + Math.log(v), 0) / values.length);
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What `promise` gives, or an error after five minutes: no work takes nearly as long. */
export function limited(promise) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no end after five minutes')), 300_000); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/**
 * @param {{name: string, run: (n: number) => Promise<void>}[]} contestants
 * @param {{rounds: number, batchMs: number, warmMs: number, gapMs?: number}} how
 * @param {(contestant: object) => {cpu: number, wall: number} | Promise<{cpu: number, wall: number}>} clock milliseconds so far
 * @returns {Promise<Map<string, {cpu: number[], wall: number[]}>>} milliseconds a run, one number a round
 */
export async function measure(contestants, { rounds, batchMs, warmMs, gapMs = 0 }, clock) {
  const counts = new Map(), results = new Map();
  for (const c of contestants) {
    // JavaScript engines compile hot code again on other threads: warm up, wait, and only then count runs a batch
    await c.run(1);
    for (let left = warmMs, n = 1; left > 0;) {
      const t = performance.now();
      await c.run(n);
      const ms = Math.max(performance.now() - t, 0.01);
      left -= ms;
      counts.set(c.name, Math.max(1, Math.round(batchMs / (ms / n))));
      n = Math.min(counts.get(c.name), n * 4);
    }
    results.set(c.name, { cpu: [], wall: [] });
  }
  await pause(300);
  for (let i = 0; i < rounds; ++i) {
    for (const c of contestants) {
      const n = counts.get(c.name), before = await clock(c);
      await c.run(n);
      const after = await clock(c), r = results.get(c.name);
      if (gapMs) await pause(gapMs);  // threads of the one before may still spin, waiting for work
      r.cpu.push((after.cpu - before.cpu) / n);
      r.wall.push((after.wall - before.wall) / n);
    }
  }
  return results;
}
