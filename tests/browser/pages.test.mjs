// The package in a real browser: as an ES module, as a script, in workers, with threads, under a strict policy, with pictures.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { kIsolated, kPolicy, launch, modulePage, open, serve } from './chromium.mjs';

const { browser, why } = await launch();
const skip = browser ? false : why;
after(() => browser?.close());

const kCompute = `
  const y = await tf.tidy(() => tf.ones([64, 64]).matMul(tf.ones([64, 64])).add(1).sum()).data();
  const info = tf.platformInfo();
  return { y: y[0], variant: info.variant, message: info.message, threads: tf.getThreadsCount(), isolated: globalThis.crossOriginIsolated };`;

/** Serves one page, opens it, returns what it found. */
async function visit(pages, headers, path) {
  const server = await serve(pages, headers);
  try {
    return await open(browser, server.url + path);
  } finally {
    server.close();
  }
}

test('an ES module under a strict policy', { skip }, async () => {
  const pages = modulePage('esm', `const tf = await import('/npm/index.mjs'); await tf.ready(); ${kCompute}`);
  const { result, errors } = await visit(pages, kPolicy, '/esm.html');
  assert.equal(result.y, 64 * 64 * 65, result.error);
  assert.deepEqual(errors, []);
  assert.ok(['relaxed', 'simd'].includes(result.variant), result.variant);
  assert.match(result.message, /threads are off: the page is not cross-origin isolated.*Cross-Origin-Opener-Policy/);
  assert.equal(result.threads, 1);
});

test('with threads where the page is isolated', { skip }, async () => {
  const pages = modulePage('threads', `const tf = await import('/npm/index.mjs'); await tf.ready(); tf.setThreadsCount(2); ${kCompute}`);
  const { result, errors } = await visit(pages, { ...kPolicy, ...kIsolated }, '/threads.html');
  assert.equal(result.y, 64 * 64 * 65, result.error);
  assert.equal(result.isolated, true);
  assert.match(result.variant, /threads/);
  assert.equal(result.threads, 2);
  assert.deepEqual(errors, []);
});

test('a script tag: works from the first line', { skip }, async () => {
  const pages = {
    '/script.html': { body: '<!doctype html><title>s</title><link rel="icon" href="data:,"><script src="/npm/tessera.min.js"></script><script src="/script.js"></script>' },
    '/script.js': { body: 'var t = tf.tensor([1, 2]).add(1); globalThis.result = { y: Array.from(t.dataSync()), variant: tf.platformInfo().variant };' },
  };
  const { result, errors } = await visit(pages, kPolicy, '/script.html');
  assert.deepEqual(result, { y: [2, 3], variant: 'simd' });
  assert.deepEqual(errors, []);
});

test('a script tag without a character set', { skip }, async () => {
  const pages = {
    '/latin.html': { type: 'text/html', body: '<title>s</title><link rel="icon" href="data:,"><script src="/npm/tessera.min.js"></script><script src="/latin.js"></script>' },
    '/latin.js': { body: 'globalThis.result = Array.from(tf.scalar(20).add(1).dataSync());' },
  };
  const { result } = await visit(pages, {}, '/latin.html');
  assert.deepEqual(result, [21]);
});

test('a script moves to a better variant when ready() comes first', { skip }, async () => {
  const pages = {
    '/later.html': { body: '<!doctype html><title>s</title><link rel="icon" href="data:,"><script src="/npm/tessera.min.js"></script><script src="/later.js"></script>' },
    '/later.js': { body: 'tf.ready().then(async () => { globalThis.result = { y: (await tf.scalar(1).add(1).data())[0], variant: tf.platformInfo().variant }; });' },
  };
  const { result, errors } = await visit(pages, { ...kPolicy, ...kIsolated }, '/later.html');
  assert.equal(result.y, 2);
  assert.match(result.variant, /relaxed|threads/);
  assert.deepEqual(errors, []);
});

test('inside a module worker, with threads', { skip }, async () => {
  const pages = {
    ...modulePage('worker', `
      const worker = new Worker('/inner.js', { type: 'module' });
      return new Promise((resolve) => { worker.onmessage = (e) => resolve(e.data); worker.onerror = (e) => resolve({ error: e.message }); });`),
    '/inner.js': { body: `import * as tf from '/npm/index.mjs'; (async () => { await tf.ready(); ${kCompute} })().then((r) => postMessage(r), (e) => postMessage({ error: e.stack }));` },
  };
  const { result } = await visit(pages, { ...kPolicy, ...kIsolated }, '/worker.html');
  assert.equal(result.y, 64 * 64 * 65, result.error);
  assert.match(result.variant, /threads/);
});

test('inside a classic worker', { skip }, async () => {
  const pages = {
    ...modulePage('classic', `
      const worker = new Worker('/classic_inner.js');
      return new Promise((resolve) => { worker.onmessage = (e) => resolve(e.data); worker.onerror = (e) => resolve({ error: e.message }); });`),
    '/classic_inner.js': { body: `importScripts('/npm/tessera.min.js'); tf.tensor([3]).square().data().then((v) => postMessage(v[0]), (e) => postMessage({ error: e.stack }));` },
  };
  const { result } = await visit(pages, kPolicy, '/classic.html');
  assert.equal(result, 9, result?.error);
});

test('pictures: canvas, image, bitmap, frames; out to a canvas', { skip }, async () => {
  const pages = modulePage('pixels', `
    const tf = await import('/npm/index.mjs');
    await tf.ready();
    const canvas = document.createElement('canvas');
    canvas.width = 3; canvas.height = 2;
    const c = canvas.getContext('2d');
    c.fillStyle = 'rgb(255, 0, 0)'; c.fillRect(0, 0, 3, 2);
    c.fillStyle = 'rgb(0, 0, 255)'; c.fillRect(1, 0, 1, 1);
    const want = [255,0,0, 0,0,255, 255,0,0, 255,0,0, 255,0,0, 255,0,0].join();
    const image = new Image();
    image.src = canvas.toDataURL();
    await image.decode();
    const sources = { canvas, image, bitmap: await createImageBitmap(canvas), data: c.getImageData(0, 0, 3, 2), frame: new VideoFrame(canvas, { timestamp: 0 }) };
    const out = {};
    for (const [name, s] of Object.entries(sources)) {
      out[name] = tf.browser.fromPixels(s).dataSync().join() === want && (await (await tf.browser.fromPixelsAsync(s)).data()).join() === want;
    }
    sources.frame.close();
    const target = document.createElement('canvas');
    await tf.browser.toPixels(tf.browser.fromPixels(canvas), target);
    out.toPixels = target.getContext('2d').getImageData(0, 0, 3, 2).data.join() === c.getImageData(0, 0, 3, 2).data.join();
    await tf.browser.draw(tf.tensor3d([[[0, 1, 0]]]), target);
    out.draw = target.width === 1 && target.getContext('2d').getImageData(0, 0, 1, 1).data[1] === 255;
    return out;`);
  const { result } = await visit(pages, kPolicy, '/pixels.html');
  assert.deepEqual(result, { canvas: true, image: true, bitmap: true, data: true, frame: true, toPixels: true, draw: true });
});

test('garbage: a loop that awaits data() and never disposes', { skip }, async () => {
  const pages = modulePage('garbage', `
    const tf = await import('/npm/index.mjs');
    await tf.ready();
    let most = 0;
    for (let i = 0; i < 1000; ++i) {
      await tf.fill([150000], i).add(1).data();
      most = Math.max(most, tf.memory().hostBytes);
    }
    return { most, numTensors: tf.memory().numTensors };`);
  const { result } = await visit(pages, kPolicy, '/garbage.html');
  assert.ok(result.most < 400e6, JSON.stringify(result));
  assert.ok(result.numTensors < 1000, JSON.stringify(result));
});

test('a long computation leaves the page its turns', { skip }, async () => {
  const pages = modulePage('slices', `
    const tf = await import('/npm/index.mjs');
    await tf.ready();
    const x = tf.randomUniform([512, 512]);
    let gap = 0, last = performance.now(), turns = 0, running = true;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { const now = performance.now(); gap = Math.max(gap, now - last); last = now; ++turns; if (running) channel.port2.postMessage(0); };
    channel.port2.postMessage(0);
    const start = performance.now();
    const y = tf.tidy(() => { let t = x; for (let i = 0; i < 40; ++i) t = t.matMul(x).div(256); return t; });
    const values = await y.data();
    running = false;
    return { ms: performance.now() - start, gap, turns, finite: Number.isFinite(values[0]) };`);
  const { result } = await visit(pages, kPolicy, '/slices.html');
  assert.ok(result.finite, JSON.stringify(result));
  assert.ok(result.turns > 3, JSON.stringify(result));
  assert.ok(result.gap < Math.max(250, result.ms / 4), JSON.stringify(result));
});
