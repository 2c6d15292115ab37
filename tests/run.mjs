// Runs every test and ends with one line of totals: "N passed, N failed, N skipped".
//
//   node tests/run.mjs [--only TEXT] [--native] [--soak]       --only: suites whose name contains TEXT; --native: no WebAssembly
//
// Expects what `make build` and `cmake --build --preset release` leave under build/. Prints a suite's output only when something in it
// failed. Exit status 1 when anything failed, crashed, hung or could not run.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'build/release/bin');
const cores = availableParallelism?.() ?? cpus().length;
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : '';
const native = process.argv.includes('--native');
const soak = process.argv.includes('--soak');
const minutes = 60_000;

/** Files of a folder whose names end in `suffix`, sorted; none when the folder is missing. */
function files(folder, suffix) {
  const path = join(root, folder);
  return existsSync(path) ? readdirSync(path).filter((f) => f.endsWith(suffix)).sort().map((f) => join(path, f)) : [];
}

/** The suites in order. `parallel`: may run beside its neighbours (it neither times anything nor opens a browser). */
function suites() {
  const list = [];
  const add = (name, command, args, { count = 'exit', parallel = false, timeout = 15 * minutes, env = {} } = {}) =>
    list.push({ name, command, args, count, parallel, timeout, env });
  const nodeTests = (folder, options) => {
    for (const file of files(folder, '.test.mjs')) {
      add(relative(root, file), 'node', ['--test', '--test-reporter=tap', file], { count: 'tap', ...options });
    }
  };

  if (soak) {
    for (const file of files('tests/soak', '.mjs')) add(relative(root, file), 'node', [file], { timeout: 40 * minutes });
    return list;
  }
  add('structure', 'node', [join(root, 'tests/structure/check.mjs')], { count: 'totals', parallel: true });
  const unit = join(bin, 'tessera_tests');
  for (let i = 0; i < cores; ++i) {
    add(`unit ${i + 1}/${cores}`, unit, ['--gtest_brief=1'],
        { count: 'gtest', parallel: true, env: { GTEST_TOTAL_SHARDS: String(cores), GTEST_SHARD_INDEX: String(i) } });
  }
  const cases = join(bin, 'tessera_cases');
  add('cases on cpu', cases, ['cpu'], { count: 'totals', parallel: true });
  // the instruction sets that this machine has beside its best
  const targets = existsSync(cases) ? spawnSync(cases, ['--list-targets']).stdout.toString().split('\n').filter(Boolean) : [];
  for (const target of targets.slice(1)) add(`cases on cpu with ${target}`, cases, ['--target', target, 'cpu'], { count: 'totals', parallel: true });
  add('cases on gl', cases, ['gl'], { count: 'totals', parallel: true });
  if (existsSync(bin)) {
    for (const name of readdirSync(bin).filter((f) => f.startsWith('fuzz_')).sort()) add(name, join(bin, name), [], { parallel: true });
  }
  if (existsSync(join(bin, 'tessera_gen'))) add('generated files', join(bin, 'tessera_gen'), ['--check', root]);
  add('consumer', 'bash', [join(root, 'tests/consumer/run.sh'), join(root, 'build/release')]);
  for (const file of files('tests/scripts', '.sh')) add(relative(root, file), 'bash', [file]);
  if (native) return list;
  nodeTests('tests/js', {});
  nodeTests('tests/gpu', {});
  nodeTests('tests/packaging', {});
  nodeTests('tests/browser', {});
  return list;
}

/** Runs one suite; resolves to its output and how it ended. Kills it (and all it started) when it takes too long. */
function run(suite) {
  return new Promise((resolve) => {
    const start = Date.now();
    const chunks = [];
    let timedOut = false;
    const child = spawn(suite.command, suite.args, {
      cwd: root, env: { ...process.env, ...suite.env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true,
    });
    const timer = setTimeout(() => {
      timedOut = true;
      try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it has just ended */ }
    }, suite.timeout);
    child.stdout.on('data', (d) => chunks.push(d));
    child.stderr.on('data', (d) => chunks.push(d));
    const end = (code, why) => {
      clearTimeout(timer);
      resolve({ code, why: timedOut ? `took longer than ${suite.timeout / minutes} minutes` : why,
                output: Buffer.concat(chunks).toString(), seconds: (Date.now() - start) / 1000 });
    };
    child.on('error', (e) => end(-1, e.message));
    child.on('close', (code, signal) => end(code, signal ? `ended by ${signal}` : code ? `exit status ${code}` : ''));
  });
}

/** Reads {passed, failed, skipped} from a suite's output; anything odd counts as a failure. */
function totals(suite, result) {
  const number = (re) => Number(result.output.match(re)?.[1] ?? 0);
  let t;
  if (suite.count === 'gtest') {
    t = { passed: number(/\[  PASSED  \] (\d+) tests?/), failed: number(/\[  FAILED  \] (\d+) tests?/), skipped: number(/\[  SKIPPED \] (\d+) tests?/) };
  } else if (suite.count === 'tap') {
    t = { passed: number(/^# pass (\d+)/m), failed: number(/^# fail (\d+)/m) + number(/^# cancelled (\d+)/m), skipped: number(/^# skipped (\d+)/m) };
  } else if (suite.count === 'totals') {
    t = { passed: number(/^(\d+) passed, \d+ failed/m), failed: number(/^\d+ passed, (\d+) failed/m), skipped: 0 };
  } else {
    t = { passed: result.code === 0 ? 1 : 0, failed: 0, skipped: 0 };
  }
  if (result.code !== 0 && t.failed === 0) t.failed = 1;
  return t;
}

function report(suite, result, t) {
  const counts = [`${t.passed} passed`, t.failed && `${t.failed} failed`, t.skipped && `${t.skipped} skipped`].filter(Boolean).join(', ');
  console.log(`${t.failed ? 'FAIL' : 'ok  '} ${suite.name}: ${counts} (${result.seconds.toFixed(1)} s)${t.failed && result.why ? `, ${result.why}` : ''}`);
  if (t.failed) console.log(result.output.split('\n').slice(-200).map((line) => `     ${line}`).join('\n'));
}

const chosen = suites().filter((s) => s.name.includes(only));
const sum = { passed: 0, failed: 0, skipped: 0 };
const finish = async (suite) => {
  const result = await run(suite);
  const t = totals(suite, result);
  report(suite, result, t);
  for (const key of Object.keys(sum)) sum[key] += t[key];
};
const queue = chosen.filter((s) => s.parallel);
await Promise.all(Array.from({ length: cores }, async () => {
  while (queue.length) await finish(queue.shift());
}));
for (const suite of chosen.filter((s) => !s.parallel)) await finish(suite);
console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped ? `, ${sum.skipped} skipped` : ''}`);
process.exit(sum.failed || sum.passed === 0 ? 1 : 0);
