// One work on several libraries in one process or page: prepared, outputs compared, ready to be run in turn.
import { start } from '../peers/index.mjs';
import { works } from '../works/index.mjs';

/** Largest difference between two lists of outputs, in parts of the range of `b`; infinite when their lengths differ or there are NaNs. */
export function difference(a, b) {
  let worst = 0;
  if (a.length !== b.length) return Infinity;
  for (const [i, x] of a.entries()) {
    const y = b[i];
    if (x.length !== y.length) return Infinity;
    let low = Infinity, high = -Infinity, largest = 0;
    for (let k = 0; k < x.length; ++k) {
      low = Math.min(low, y[k]);
      high = Math.max(high, y[k]);
      if (x[k] !== y[k]) largest = Math.max(largest, Math.abs(x[k] - y[k])) || Infinity;
    }
    const range = high > low ? high - low : Math.max(Math.abs(high), 1e-30);
    worst = Math.max(worst, largest ? largest / range : 0);
  }
  return worst;
}

/**
 * @param {{work: string, peers: string[], threads: number, relaxed: boolean}} spec Tessera is always the first contestant
 * @returns {Promise<object[]>} {name, label, run(n), difference (to Tessera), fault}; one that cannot start has only a fault
 */
export async function prepare({ work, peers, threads, relaxed }) {
  const contestants = [];
  for (const name of ['tessera', ...peers]) {
    try {
      const peer = await start(name, { threads, relaxed });
      const { step, read, error } = await works[work].prepare(peer, { threads });
      const outputs = await read();
      const run = async (n) => {
        for (let i = 0; i < n; ++i) {
          const r = step();
          if (r instanceof Promise) await r;
        }
      };
      contestants.push({ name, label: peer.label, run, outputs, error: error?.() });
    } catch (e) {
      contestants.push({ name, label: name, fault: String(e?.stack ?? e) });
    }
  }
  const ours = contestants[0];
  for (const c of contestants) {
    if (c.outputs && ours.outputs) c.difference = difference(ours.outputs, c.outputs);
  }
  for (const c of contestants) delete c.outputs;
  return contestants;
}
