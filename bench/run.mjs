// The benchmarks: node bench/run.mjs [--where chromium|node|native] [--only TEXT] [--rounds N] [--threads N]
//
// Tessera beside other libraries: same net, same input, same process or page; outputs compared first; then runs in turn. A ratio is
// the peer's time over Tessera's, of medians. Writes build/bench/results.json. `--only` takes works whose names contain TEXT.
import { execFile, fork } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { chromiumPeaks, runChromium } from './chromium_side.mjs';
import { coldRows, memoryRows } from './cold_start.mjs';
import { frameRows } from './frames.mjs';
import { chromiumPath } from './lib/browser.mjs';
import { root } from './lib/files.mjs';
import { geometricMean, limited } from './lib/measure.mjs';
import { header, line } from './lib/results.mjs';
import { printSizes, sizes } from './lib/sizes.mjs';
import { copiedProgram, snapshot } from './lib/snapshot.mjs';
import { target } from './lib/targets.mjs';
import { writeModels } from './nets/files.mjs';
import { works } from './works/index.mjs';

const { values: options } = parseArgs({ options: {
  where: { type: 'string' }, only: { type: 'string', default: '' }, rounds: { type: 'string' }, threads: { type: 'string' }, out: { type: 'string' },
} });
const wanted = (where, work, threads = 1) => (!options.where || options.where.split(',').includes(where)) && work.includes(options.only)
    && (!options.threads || Number(options.threads) === threads);
const how = (threads) => threads > 1 ? { rounds: Number(options.rounds ?? 21), batchMs: 80, warmMs: 700, gapMs: 20 } : { rounds: Number(options.rounds ?? 11), batchMs: 120, warmMs: 700 };

/** The newest Node of bench/node_modules, whose wasm has relaxed SIMD; else this one. */
const kNode24 = join(root, 'bench/node_modules/node24/bin/node');
const newerNode = existsSync(kNode24) ? kNode24 : process.execPath;

/** Rows of a work from a process of its own. */
function runChild(file, spec) {
  const old = newerNode === process.execPath && Number(process.versions.node.split('.')[0]) < 22;
  const execArgv = old ? ['--experimental-wasm-relaxed-simd'] : [];
  const child = fork(join(root, 'bench', file), { execPath: newerNode, execArgv, serialization: 'advanced' });
  return limited(new Promise((resolve, reject) => {
    child.once('message', ({ rows, fault }) => fault ? reject(new Error(fault)) : resolve(rows));
    child.once('exit', (code) => reject(new Error(`the process ended with code ${code}`)));
    child.send({ spec, how: how(spec.threads) });
  })).finally(() => child.kill());
}

const newerNodeVersion = async () => (await promisify(execFile)(newerNode, ['--version'])).stdout.trim();

/** What the machine can do at best, in each place that is measured: GFLOP/s and GB/s of one thread. */
async function measuredPeaks() {
  const places = {
    native: async () => JSON.parse((await promisify(execFile)(copiedProgram(), ['peaks'])).stdout),
    node: async () => runChild('node_side.mjs', { peaks: true, threads: 1 }),
    chromium: async () => chromiumPeaks(),
  };
  const found = {};
  for (const [where, run] of Object.entries(places)) {
    if (options.where && !options.where.split(',').includes(where)) continue;
    const p = found[where] = await run().catch(() => null);
    if (!p) continue;
    const gbs = Object.entries(p.gbs).map(([size, v]) => `${size} ${v.toFixed(0)}`).join(', ');
    console.log(`peak, ${where}, one thread: ${p.gflops.toFixed(0)} GFLOP/s; y = a x of so many floats, GB/s: ${gbs}`);
  }
  return found;
}

const rows = [];
function add(list) {
  for (const row of list) {
    row.target = target(row);
    rows.push(row);
    console.log(line(row));
    if (row.fault) console.log(`    ${row.fault.split('\n').slice(0, 3).join('\n    ')}`);
  }
}
/** A benchmark that fails is a row, not the end. */
async function attempt(about, run) {
  try {
    add(await run());
  } catch (e) {
    add([{ ...about, peer: '', fault: String(e?.stack ?? e) }]);
  }
}

/** The geometric mean and the least ratio of the published models, for each place. */
function summaries() {
  return ['node', 'chromium'].flatMap((where) => {
    const ratios = rows.filter((r) => r.where === where && works[r.work]?.published && r.ratio && !r.wrong).map((r) => r.ratio);
    if (ratios.length < 2) return [];
    const peer = 'tfjs-wasm 4.22.0', about = { where, threads: 1, peer };
    return [{ ...about, work: 'published, geo. mean', ratio: geometricMean(ratios) }, { ...about, work: 'published, least', ratio: Math.min(...ratios) }];
  });
}

await snapshot();
writeModels();
const inChromium = (work, n) => chromiumPath() && wanted('chromium', work, n);
const machine = { cpu: cpus()[0].model, cores: cpus().length, node: await newerNodeVersion(), load: loadavg()[0], peaks: await measuredPeaks() };
if (machine.load > 0.5) console.log(`the machine is busy: load ${machine.load.toFixed(1)}`);
console.log(header());
for (const [work, { node, chromium, native, compat, threads = [1] }] of Object.entries(works)) {
  for (const n of native ? threads : []) {
    if (wanted('native', work, n)) await attempt({ where: 'native', work, threads: n }, () => runChild('native_side.mjs', { work, threads: n }));
  }
  if (node && wanted('node', work)) {
    await attempt({ where: 'node', work, threads: 1 }, () => runChild('node_side.mjs', { work, peers: node, threads: 1, relaxed: true }));
  }
  for (const n of chromium ? threads : []) {
    if (inChromium(work, n)) await attempt({ where: 'chromium', work, threads: n }, () => runChromium({ work, peers: chromium, threads: n, relaxed: true }, how(n)));
  }
  if (compat && inChromium(work)) {
    await attempt({ where: 'chromium', work, threads: 1 }, () => runChromium({ work, peers: ['litert'], threads: 1, relaxed: false }, how(1)));
  }
}
for (const [work, run] of [['mobilenet_v2 cold', coldRows], ['mobilenet_v2 memory', memoryRows]]) {
  if (inChromium(work)) await attempt({ where: 'chromium', work, threads: 1 }, () => run(Number(options.rounds ?? 5)));
}
if (inChromium('frames')) {
  rows.push(...await frameRows().catch((e) => [{ where: 'chromium', work: 'frames', threads: 1, peer: '', fault: String(e?.stack ?? e) }]));
}
add(summaries());

const fileSizes = options.only || options.where ? undefined : sizes();
if (fileSizes) printSizes(fileSizes);
const out = options.out ?? join(root, 'build/bench/results.json');
writeFileSync(out, JSON.stringify({ date: new Date().toISOString(), machine, rows, sizes: fileSizes }, null, 1));
console.log(`\n${rows.length} rows in ${out}`);
