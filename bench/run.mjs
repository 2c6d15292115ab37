// The benchmarks: node bench/run.mjs [--where chromium|node|native] [--only TEXT] [--rounds N] [--threads N]
//
// Tessera beside other libraries: same net, same input, same process or page; outputs compared first; then runs in turn. A ratio is
// the peer's time over Tessera's, of medians. Writes build/bench/results.json. `--only` takes works (and peers) that contain TEXT.
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChromium } from './chromium_side.mjs';
import { chromiumPath } from './lib/browser.mjs';
import { root } from './lib/files.mjs';
import { header, line } from './lib/results.mjs';
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
  return new Promise((resolve, reject) => {
    const execArgv = newerNode === process.execPath ? ['--experimental-wasm-relaxed-simd'] : [];
    const child = fork(join(root, 'bench', file), { execPath: newerNode, execArgv });
    child.once('message', ({ rows, fault }) => fault ? reject(new Error(fault)) : resolve(rows));
    child.once('exit', (code) => reject(new Error(`the process ended with code ${code}`)));
    child.send({ spec, how: how(spec.threads) });
  });
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

writeModels();
console.log(header());
for (const [work, { node, chromium, native, compat, threads = [1] }] of Object.entries(works)) {
  for (const n of native ? threads : []) {
    if (wanted('native', work, n)) await attempt({ where: 'native', work, threads: n }, () => runChild('native_side.mjs', { work, threads: n }));
  }
  if (node && wanted('node', work)) {
    await attempt({ where: 'node', work, threads: 1 }, () => runChild('node_side.mjs', { work, peers: node, threads: 1, relaxed: true }));
  }
  if (!chromium || !chromiumPath()) continue;
  for (const n of threads) {
    if (wanted('chromium', work, n)) await attempt({ where: 'chromium', work, threads: n }, () => runChromium({ work, peers: chromium, threads: n, relaxed: true }, how(n)));
  }
  if (compat && wanted('chromium', work)) {
    await attempt({ where: 'chromium', work, threads: 1 }, () => runChromium({ work, peers: ['litert'], threads: 1, relaxed: false }, how(1)));
  }
}

mkdirSync(join(root, 'build/bench'), { recursive: true });
const out = options.out ?? join(root, 'build/bench/results.json');
writeFileSync(out, JSON.stringify({ date: new Date().toISOString(), rows }, null, 1));
console.log(`\n${rows.length} rows in ${out}`);
