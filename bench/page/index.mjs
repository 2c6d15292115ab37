// The table of `make bench` on whatever device opens the page. Each work runs in a frame of its own (contest.html), which is then removed.
import { measure, pause } from '/bench/lib/measure.mjs';
import { peaks } from '/bench/lib/peaks.mjs';
import { columns, toRows } from '/bench/lib/results.mjs';
import { works } from '/bench/works/index.mjs';

const $ = (selector) => document.querySelector(selector);
const form = $('#form'), status = $('#status');

const cores = globalThis.crossOriginIsolated ? navigator.hardwareConcurrency : 1;
for (const n of new Set([1, Math.min(2, cores), Math.min(4, cores), cores])) form.elements.threads.add(new Option(n, n));

const cell = (tag, text, right) => Object.assign(document.createElement(tag), { textContent: text, className: right ? 'number' : '' });
const shown = columns.filter((c) => !['where', 'target'].includes(c.title));
function tableRow(tag, texts) {
  const row = document.createElement('tr');
  row.append(...texts.map((t, i) => cell(tag, t, shown[i].right)));
  return row;
}
$('thead').append(tableRow('th', shown.map((c) => c.title)));

async function frame() {
  const element = Object.assign(document.createElement('iframe'), { src: '/bench/page/contest.html' });
  document.body.append(element);
  while (!element.contentWindow?.contest) await pause(20);
  return element;
}

async function runWork(work, threads, relaxed, rounds) {
  const { chromium, node } = works[work];
  const element = await frame(), { contest } = element.contentWindow;
  try {
    const contestants = await contest.prepare({ work, peers: chromium ?? node, threads, relaxed });
    for (const c of contestants) c.run = (n) => contest.run(c.name, n);
    const how = { rounds, batchMs: 120, warmMs: 700, gapMs: threads > 1 ? 20 : 0 };
    const times = await measure(contestants.filter((c) => !c.fault), how, () => ({ cpu: 0, wall: performance.now() }));
    return toRows(contestants, times, { where: 'page', work, threads, clock: 'wall' });
  } finally {
    element.remove();
  }
}

let results;
async function run() {
  const threads = Number(form.elements.threads.value), rounds = Number(form.elements.rounds.value), only = form.elements.only.value;
  const machine = { userAgent: navigator.userAgent, cores: navigator.hardwareConcurrency, peaks: peaks() };
  const gbs = Object.entries(machine.peaks.gbs).map(([size, v]) => `${size} ${v.toFixed(0)}`).join(', ');
  $('#machine').textContent = `Peak of one thread here: ${machine.peaks.gflops.toFixed(0)} GFLOP/s; y = a x of so many floats, GB/s: ${gbs}; `
      + `relaxed SIMD: ${machine.peaks.relaxed ? 'yes' : 'no'}`;
  results = { date: new Date().toISOString(), machine, rows: [] };
  $('tbody').replaceChildren();
  for (const work of Object.keys(works).filter((name) => name.includes(only))) {
    status.textContent = `${work} ...`;
    const rows = await runWork(work, threads, machine.peaks.relaxed, rounds).catch((e) => [{ where: 'page', work, threads, fault: String(e?.stack ?? e) }]);
    results.rows.push(...rows);
    for (const r of rows) {
      const line = tableRow('td', shown.map((c) => c.get(r)));
      line.title = r.fault ?? '';
      $('tbody').append(line);
    }
  }
  status.textContent = 'done';
  globalThis.results = results;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const buttons = form.querySelectorAll('button');
  for (const b of buttons) b.disabled = true;
  await run().catch((e) => { status.textContent = String(e); });
  for (const b of buttons) b.disabled = false;
});
$('#save').addEventListener('click', () => {
  const url = URL.createObjectURL(new Blob([JSON.stringify(results, null, 1)], { type: 'application/json' }));
  Object.assign(document.createElement('a'), { href: url, download: 'results.json' }).click();
  URL.revokeObjectURL(url);
});
