// Rows: {where, work, threads, peer, peerMs, ourMs, ratio, difference, ...}, one for each pair of Tessera and a peer.
import { median } from './measure.mjs';

/** Relative to the range of the output; beyond it a result is wrong, and its time says nothing. */
export const kTolerance = 1e-3;

/**
 * @param {object[]} contestants from prepare() (Tessera first) @param {Map} times from measure()
 * @param {{where: string, work: string, threads: number, clock: 'cpu' | 'wall' | 'memory'}} about
 */
export function toRows(contestants, times, { clock, ...about }) {
  const [ours, ...peers] = contestants;
  const list = (c) => times.get(c.name)?.[clock];
  return peers.map((peer) => {
    const row = { ...about, ours: ours.label, peer: peer.label, clock, difference: peer.difference ?? null };
    const fault = ours.fault ?? peer.fault;
    if (fault) return { ...row, fault: `${ours.fault ? 'tessera' : peer.name}: ${fault}` };
    const a = list(peer), b = list(ours);
    Object.assign(row, { peerMs: median(a), ourMs: median(b), peerMin: Math.min(...a), ourMin: Math.min(...b), rounds: a.length });
    // where references exist each side has its own error; elsewhere all that is known is that the two differ
    const wrong = ours.error !== undefined ? !(ours.error <= kTolerance) : !(peer.difference <= kTolerance);
    if (ours.error !== undefined) Object.assign(row, { ourError: ours.error, peerError: peer.error });
    return { ...row, ratio: wrong ? null : row.peerMs / row.ourMs, wrong };
  });
}

const number = (v) => v === undefined || v === null ? '' : v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v >= 0.1 ? v.toFixed(2) : v.toPrecision(2);
const small = (v) => v === null || v === undefined ? '' : v === 0 ? '0' : Number.isFinite(v) ? v.toExponential(0) : 'inf';

/** What an empty column title holds. */
function notes(r) {
  const said = [];
  // each element read and written once, beside y = a x over 64 MB, and over as many elements
  if (r.share) said.push(`share of memory bandwidth ${r.share.toFixed(2)} (of the same size's ${r.shareOfLoop.toFixed(2)})`);
  if (r.base) said.push(`a page without a library: ${number(r.base)}`);
  if (r.peerError > kTolerance) said.push('the peer is wrong');
  return said.join(', ');
}

const kColumns = [
  ['where', -9, (r) => r.where], ['work', -24, (r) => r.work], ['thr', 3, (r) => String(r.threads ?? '')], ['peer', -24, (r) => r.peer ?? ''], ['unit', -7, (r) => r.clock === 'memory' ? 'MB' : r.clock ? `${r.clock} ms` : ''],
  ['peer', 9, (r) => number(r.peerMs ?? r.peerMB)], ['ours', 9, (r) => number(r.ourMs ?? r.ourMB)],
  ['ratio', 7, (r) => r.wrong ? 'wrong' : r.fault ? 'failed' : r.ratio == null ? '' : r.ratio.toFixed(2)],
  ['of mins', 7, (r) => r.wrong || r.fault || !r.peerMin ? '' : (r.peerMin / r.ourMin).toFixed(2)],
  ['target', 6, (r) => r.target ? String(r.target) : ''],
  ['diff', 6, (r) => small(r.difference)], ['', -1, notes],
];

const padded = (text, width) => width < 0 ? text.padEnd(-width) : text.padStart(width);
export const header = () => kColumns.map(([title, width]) => padded(title, width)).join(' ');
export const line = (row) => kColumns.map(([, width, get]) => padded(get(row), width)).join(' ').trimEnd();
export const columns = kColumns.map(([title, width, get]) => ({ title, right: width > 0, get }));
