// The package's entries: synchronous, CommonJS, in a worker, each module variant, types.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { file, load, npm, root } from './package.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tessera-entries-'));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(npm, join(folder, 'node_modules/tessera-ml'));
after(() => rmSync(folder, { recursive: true }));

/** Runs a script in a process of its own and returns what it printed as JSON. */
function run(name, code, env = {}) {
  writeFileSync(join(folder, name), code);
  return JSON.parse(execFileSync(process.execPath, [join(folder, name)], { cwd: folder, env: { ...process.env, ...env } }).toString());
}

test('the ESM entry says what to do before it is ready', async () => {
  const tf = await load('index.mjs', '?unready');
  assert.throws(() => tf.tensor([1]), /await tf\.ready\(\)/);
  await tf.ready();
  await tf.ready();
  assert.equal(tf.tensor([1]).size, 1);
  assert.equal(tf.getBackend(), 'wasm');
  assert.equal(await tf.setBackend('cpu'), true);
  await assert.rejects(tf.setBackend('abacus'), /not found in registry/);
  const info = tf.platformInfo();
  assert.ok(info.variant);
  assert.ok(info.message === '' || /is off|are off/.test(info.message), info.message);
});

test('CommonJS works from its first line', () => {
  const out = run('a.cjs', `
    const tf = require('tessera-ml');
    const y = tf.tidy(() => tf.tensor2d([[1, 2]]).matMul([[3], [4]]));
    console.log(JSON.stringify({ y: y.arraySync(), variant: tf.platformInfo().variant, backend: tf.getBackend() }));`);
  assert.deepEqual(out, { y: [[11]], variant: 'simd', backend: 'wasm' });
});

test('the synchronous entry moves to a better variant at ready()', () => {
  const out = run('b.mjs', `
    import * as tf from 'tessera-ml/sync';
    await tf.ready();
    console.log(JSON.stringify({ y: tf.add([1], 2).arraySync(), variant: tf.platformInfo().variant }));`);
  assert.deepEqual(out.y, [3]);
  assert.ok(['simd-threads', 'relaxed-threads', 'relaxed', 'simd'].includes(out.variant), out.variant);
});

test('it stays where something was created before', () => {
  const out = run('c.mjs', `
    import * as tf from 'tessera-ml/sync';
    const x = tf.scalar(1);
    await tf.ready();
    console.log(JSON.stringify({ y: x.add(2).arraySync(), variant: tf.platformInfo().variant }));`);
  assert.deepEqual(out, { y: 3, variant: 'simd' });
});

for (const variant of ['scalar', 'simd', 'relaxed', 'simd-threads', 'relaxed-threads']) {
  test(`the variant ${variant}`, () => {
    const out = run('v.mjs', `
      import * as tf from 'tessera-ml';
      try {
        await tf.ready({ variant: '${variant}' });
        const x = tf.ones([100, 100]);
        const y = await x.matMul(x).sum().data();
        console.log(JSON.stringify({ y: y[0], variant: tf.platformInfo().variant, threads: tf.getThreadsCount() }));
      } catch (e) {
        console.log(JSON.stringify({ error: e.message }));
      }`);
    if (out.error) {
      assert.match(out.error, /cannot be used: .*(relaxed|SIMD|threads)/);
      return;
    }
    assert.equal(out.variant, variant);
    assert.equal(out.y, 1e6);
    if (!variant.includes('threads')) assert.equal(out.threads, 1);
  });
}

test('a variant forced by the environment', () => {
  const out = run('e.mjs', `import * as tf from 'tessera-ml'; await tf.ready(); console.log(JSON.stringify(tf.platformInfo().variant));`, { TESSERA_VARIANT: 'scalar' });
  assert.equal(out, 'scalar');
});

test('an unknown variant is an error that lists those there are', () => {
  const out = run('u.mjs', `import * as tf from 'tessera-ml'; console.log(JSON.stringify(await tf.ready({ variant: 'turbo' }).catch((e) => e.message)));`);
  assert.match(out, /turbo.*relaxed-threads/);
});

test('in a worker', async () => {
  const worker = new Worker(`
    const { parentPort, workerData } = require('node:worker_threads');
    (async () => {
      const tf = await import(workerData);
      await tf.ready();
      const y = await tf.tidy(() => tf.linspace(0, 1, 3).mul(2)).data();
      parentPort.postMessage(Array.from(y));
    })().catch((e) => parentPort.postMessage(String(e.stack)));`, { eval: true, workerData: `file://${file('index.mjs')}` });
  const message = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  assert.deepEqual(message, [0, 1, 2]);
});

test('a process that is done ends by itself', () => {
  writeFileSync(join(folder, 'end.mjs'), `import * as tf from 'tessera-ml'; await tf.ready(); const x = tf.ones([512, 512]); await x.matMul(x).data();`);
  const result = spawnSync(process.execPath, [join(folder, 'end.mjs')], { cwd: folder, timeout: 60_000 });
  assert.equal(result.status, 0, result.stderr.toString());
});

test('both entries export the same names', async () => {
  const esm = Object.keys(await load('index.mjs', '?names')).sort();
  const cjs = Object.keys(createRequire(import.meta.url)(file('index.cjs'))).filter((n) => n !== '__esModule' && n !== 'default').sort();
  assert.deepEqual(cjs, esm);
});

test('types, strictly', () => {
  writeFileSync(join(folder, 'types.ts'), `
    import * as tf from 'tessera-ml';
    export async function f(): Promise<number> {
      await tf.ready({ variant: 'simd' });
      const a = tf.tensor2d([[1, 2], [3, 4]]);
      const b: tf.Tensor2D = a.add(1);
      const s: tf.Scalar = tf.tidy(() => b.sum());
      const d: Float32Array = await s.data<'float32'>();
      const m: tf.GraphModel = await tf.loadGraphModel('x', { onProgress: (f, p) => { f + p.loadedBytes; } });
      const { values } = tf.topk(a, 1);
      const v = tf.variable(tf.zeros([2, 3]));
      v.assign(tf.ones([2, 3]));
      const x: tf.Tensor3D = tf.browser.fromPixels({ data: new Uint8Array(4), width: 1, height: 1 });
      tf.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), 1, 'same').relu();
      const names: string[] = m.inputNodes;
      // @ts-expect-error no object is a value
      tf.tensor1d({});
      // @ts-expect-error padding is one of two words
      tf.conv2d(x, x, 1, 'wide');
      return d[0]! + values.size + names.length + tf.memory().numBytes;
    }`);
  const tsc = join(root, 'tests/node_modules/typescript/bin/tsc');
  const result = spawnSync(process.execPath, [tsc, '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext',
    '--lib', 'es2022,dom', join(folder, 'types.ts')], { cwd: folder });
  assert.equal(result.status, 0, result.stdout.toString());
});
