// loadGraphModel: where models come from, and what happens when they do not come whole. A server on 127.0.0.1 misbehaves.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { expectTensor, load } from './package.mjs';
import { dynamicJson, expected, modelJson, weights } from './small_model.mjs';

const tf = await load();
await tf.ready();

const bytes = Buffer.from(weights.buffer);
const binary = { 'content-type': 'application/octet-stream' };
/** path -> (request, response) => void */
const routes = new Map();
const asked = [];
const server = createServer((request, response) => {
  asked.push(request.url);
  const route = routes.get(request.url.split('?')[0]);
  if (route) return route(request, response);
  response.writeHead(404, { 'content-type': 'text/plain' });
  response.end('no such thing');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${server.address().port}`;
const folder = mkdtempSync(join(tmpdir(), 'tessera-loader-'));
after(() => {
  server.closeAllConnections?.();
  server.close();
  rmSync(folder, { recursive: true });
});

const send = (body, headers = binary, status = 200) => (_, response) => {
  response.writeHead(status, headers);
  response.end(body);
};
const json = (value) => send(JSON.stringify(value), { 'content-type': 'application/json' });
const shards = (name, n) => Array.from({ length: n }, (_, i) => `${name}-shard${i + 1}of${n}.bin`);
const serve = (name, manifest, parts) => {
  routes.set(`/${name}/model.json`, json(manifest));
  for (const [file, handler] of Object.entries(parts)) routes.set(`/${name}/${file}`, typeof handler === 'function' ? handler : send(handler));
  return `${base}/${name}/model.json`;
};
const check = (model) => {
  const x = tf.tensor2d([[1, 2], [-1, 0]]);
  const y = model.predict(x);
  expectTensor(y, [...expected([1, 2]), ...expected([-1, 0])], { shape: [2, 3] });
  tf.dispose([x, y]);
};
const fails = async (promise, ...patterns) => {
  const before = tf.memory().numTensors;
  await assert.rejects(promise, (e) => {
    for (const p of patterns) assert.match(e.message, p);
    return true;
  });
  assert.ok(tf.memory().numTensors <= before, 'the load left tensors behind');  // fewer: the collector found those of earlier tests
};

test('over HTTP, with progress in bytes', async () => {
  const url = serve('ok', modelJson(shards('ok', 2)), { [shards('ok', 2)[0]]: bytes.subarray(0, 10), [shards('ok', 2)[1]]: bytes.subarray(10) });
  const seen = [];
  const model = await tf.loadGraphModel(url, { onProgress: (fraction, p) => seen.push([fraction, p]) });
  check(model);
  assert.equal(seen.at(-1)[0], 1);
  assert.equal(seen.at(-1)[1].loadedBytes, 36);
  assert.equal(seen.at(-1)[1].totalBytes, 36);
  assert.ok(seen.at(-1)[1].url.includes('shard2of2'));
  assert.ok(seen.every(([f], i) => i === 0 || f >= seen[i - 1][0]));
  model.dispose();
  model.dispose();
  assert.throws(() => model.predict(tf.zeros([1, 2])), /disposed/);
});

test('what a model says of itself', async () => {
  const model = await tf.loadGraphModel({ json: modelJson(), weights: weights.buffer });
  assert.deepEqual(model.inputs, [{ name: 'x', shape: [-1, 2], dtype: 'float32' }]);
  assert.equal(model.outputs[0].name, 'y');
  assert.deepEqual(model.inputNodes, ['features']);
  assert.deepEqual(model.outputNodes, ['scores']);
  assert.equal(model.modelSignature.inputs.features.name, 'x:0');
  assert.deepEqual(model.metadata, { author: 'nobody' });
  assert.equal(model.modelVersion, '808.12');
  assert.equal(model.isDynamic, false);
  model.dispose();
});

test('inputs and outputs by name', async () => {
  const model = await tf.loadGraphModel({ json: modelJson(), weights: weights.buffer });
  const x = tf.tensor2d([[1, 2]]);
  for (const name of ['features', 'x', 'x:0']) expectTensor(model.execute({ [name]: x }), expected([1, 2]));
  expectTensor(model.execute([x], 'scores'), expected([1, 2]));
  const [sum, y] = model.execute(x, ['sum', 'y:0']);
  expectTensor(sum, [9.5, -88, 16]);
  expectTensor(y, expected([1, 2]));
  expectTensor(await model.executeAsync(x), expected([1, 2]));
  expectTensor(await model.predictAsync({ features: x }), expected([1, 2]));
  assert.throws(() => model.execute({ nonsense: x }), /nonsense/);
  assert.throws(() => model.execute({}), /x|features/);
  assert.throws(() => model.execute([x, x]), /count mismatch/);
  assert.throws(() => model.execute(x, 'nonsense'), /nonsense/);
  assert.throws(() => model.execute(tf.zeros([1, 3])), /x/);
  assert.throws(() => model.execute(tf.zeros([1, 2], 'int32')), /int32/);
  assert.throws(() => model.execute({ x: 5 }), /must be a tensor/);
  const dead = tf.zeros([1, 2]);
  dead.dispose();
  assert.throws(() => model.predict(dead), /disposed/);
  await model.warmUp();
  model.dispose();
});

test('no tensor is left by a run', async () => {
  const model = await tf.loadGraphModel({ json: modelJson(), weights: weights.buffer });
  const x = tf.tensor2d([[1, 2]]);
  const run = () => tf.dispose(model.predict(x));
  run();
  const before = tf.memory();
  for (let i = 0; i < 5; ++i) run();
  tf.dispose(await model.executeAsync(x));
  await model.warmUp();
  assert.equal(tf.memory().numTensors, before.numTensors);
  assert.equal(tf.memory().numBytes, before.numBytes);
  model.dispose();
});

test('a model whose shapes depend on data', async () => {
  const model = await tf.loadGraphModel({ json: dynamicJson(), weights: new Float32Array([0]) });
  assert.equal(model.isDynamic, true);
  const x = tf.tensor1d([3, -1, 2]);
  assert.throws(() => model.execute(x), /executeAsync/);
  assert.throws(() => model.predict(x), /executeAsync/);
  expectTensor(await model.executeAsync(x), [0, 2], { shape: [2, 1] });
  model.dispose();
});

test('from files: a path, a file address', async () => {
  const path = join(folder, 'model.json');
  writeFileSync(path, JSON.stringify(modelJson(['a.bin', 'b.bin'])));
  writeFileSync(join(folder, 'a.bin'), bytes.subarray(0, 5));
  writeFileSync(join(folder, 'b.bin'), bytes.subarray(5));
  for (const where of [path, pathToFileURL(path).href, pathToFileURL(path), `file://${path}`]) check(await tf.loadGraphModel(where));
  writeFileSync(join(folder, 'b.bin'), bytes.subarray(6));
  await fails(tf.loadGraphModel(path), /b\.bin/, /35 bytes/, /36/);
  rmSync(join(folder, 'b.bin'));
  await fails(tf.loadGraphModel(path), /b\.bin/);
  await fails(tf.loadGraphModel(join(folder, 'nothing.json')), /nothing\.json/);
});

test('from memory, handlers and File objects', async () => {
  const whole = modelJson();
  const artifacts = { modelTopology: whole.modelTopology, signature: whole.signature, weightSpecs: whole.weightsManifest[0].weights, weightData: weights.buffer };
  check(await tf.loadGraphModel(tf.io.fromMemory(artifacts)));
  check(await tf.loadGraphModel(artifacts));
  check(await tf.loadGraphModel({ load: async () => artifacts }));
  check(await tf.loadGraphModel({ json: JSON.stringify(whole), weights: [bytes.subarray(0, 20), bytes.subarray(20)] }));
  const url = serve('handler', whole, { 'group1-shard1of1.bin': bytes });
  check(await tf.loadGraphModel(tf.io.http(url)));
  assert.equal((await tf.io.http(url).load()).weightData.byteLength, 36);
  const { File } = await import('node:buffer');
  const files = [new File([bytes], 'group1-shard1of1.bin'), new File([JSON.stringify(whole)], 'model.json')];
  check(await tf.loadGraphModel(files));
  check(await tf.loadGraphModel(tf.io.browserFiles(files)));
  await fails(tf.loadGraphModel([files[1]]), /group1-shard1of1\.bin/);
  await fails(tf.loadGraphModel([...files, new File(['x'], 'more.bin')]), /Mismatch/);
});

test('signed addresses: the query goes to every shard; prefixes and converters', async () => {
  const url = serve('signed', modelJson(), { 'group1-shard1of1.bin': bytes });
  asked.length = 0;
  check(await tf.loadGraphModel(`${url}?sig=a%2Fb&x=1`));
  assert.deepEqual(asked, ['/signed/model.json?sig=a%2Fb&x=1', '/signed/group1-shard1of1.bin?sig=a%2Fb&x=1']);
  check(await tf.loadGraphModel(url, { weightPathPrefix: `${base}/signed/` }));
  check(await tf.loadGraphModel(url, { weightUrlConverter: async (f) => `${base}/signed/${f}` }));
  const inits = [];
  check(await tf.loadGraphModel(url, { requestInit: { headers: { a: 'b' } }, fetchFunc: (u, init) => { inits.push(init); return fetch(u, init); } }));
  assert.ok(inits.length === 2 && inits.every((i) => i.headers.a === 'b'));
});

test('HTTP status', async () => {
  await fails(tf.loadGraphModel(`${base}/missing/model.json`), /404/, /missing\/model\.json/);
  const url = serve('status', modelJson(), { 'group1-shard1of1.bin': send('x'.repeat(36), binary, 500) });
  await fails(tf.loadGraphModel(url), /500/, /group1-shard1of1\.bin/);
  await assert.rejects(tf.loadGraphModel(`${base}/missing/model.json`), (e) => e.code === 'not-found');
});

test('an error page of fitting length', async () => {
  const page = '<html>'.padEnd(36, ' ');
  const url = serve('page', modelJson(), { 'group1-shard1of1.bin': send(page, { 'content-type': 'text/html; charset=utf-8' }) });
  await fails(tf.loadGraphModel(url), /HTML/, /group1-shard1of1\.bin/);
  routes.set('/page/model.json', send('<html></html>', { 'content-type': 'text/html' }));
  await fails(tf.loadGraphModel(url), /HTML/, /model\.json/);
});

test('truncated, too long and missing shards', async () => {
  const name = 'group1-shard1of1.bin';
  await fails(tf.loadGraphModel(serve('short', modelJson(), { [name]: bytes.subarray(0, 35) })), /short\/group1/, /35/, /36/);
  await fails(tf.loadGraphModel(serve('long', modelJson(), { [name]: Buffer.concat([bytes, bytes]) })), /long\/group1/, /36/);
  await fails(tf.loadGraphModel(serve('empty', modelJson(), { [name]: Buffer.alloc(0) })), /empty\/group1/, /36/);
  const two = shards('two', 2);
  await fails(tf.loadGraphModel(serve('half', modelJson(two), { [two[0]]: bytes.subarray(0, 20) })), /404/, /shard2of2/);
  await fails(tf.loadGraphModel(serve('sum', modelJson(two), { [two[0]]: bytes.subarray(0, 20), [two[1]]: bytes.subarray(0, 12) })), /32 bytes/, /36/, /shard2of2/);
});

test('a connection that breaks off', async () => {
  const url = serve('broken', modelJson(), {
    'group1-shard1of1.bin': (_, response) => {
      response.writeHead(200, { ...binary, 'content-length': '36' });
      response.write(bytes.subarray(0, 8));
      setTimeout(() => response.destroy(), 20);
    },
  });
  await fails(tf.loadGraphModel(url), /broken\/group1-shard1of1\.bin/);
  await fails(tf.loadGraphModel('http://127.0.0.1:1/model.json'), /127\.0\.0\.1:1\/model\.json/);
});

test('abort', async () => {
  const url = serve('slow', modelJson(), {
    'group1-shard1of1.bin': (_, response) => {
      response.writeHead(200, { ...binary, 'content-length': '36' });
      response.write(bytes.subarray(0, 8));  // and then nothing more
    },
  });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(tf.loadGraphModel(url, { signal: controller.signal }), (e) => e.name === 'AbortError');
  await assert.rejects(tf.loadGraphModel(url, { signal: AbortSignal.abort(new Error('mine')) }), /mine/);
});

test('malformed JSON and unknown ops', async () => {
  routes.set('/bad/model.json', send('{"modelTopology": ', { 'content-type': 'application/json' }));
  await fails(tf.loadGraphModel(`${base}/bad/model.json`), /bad\/model\.json/, /not valid JSON/);
  routes.set('/bad/model.json', json([1]));
  await fails(tf.loadGraphModel(`${base}/bad/model.json`), /bad\/model\.json/);
  routes.set('/bad/model.json', json({}));
  await fails(tf.loadGraphModel(`${base}/bad/model.json`), /bad\/model\.json/);
  const unknown = modelJson(undefined, (m) => {
    m.modelTopology.node[3].op = 'Frobnicate';
    m.modelTopology.node[5].op = 'Transmogrify';
    return m;
  });
  await fails(tf.loadGraphModel(serve('unknown', unknown, {})), /Frobnicate/, /Transmogrify/);
  await assert.rejects(tf.loadGraphModel(null), /cannot be null/);
  await assert.rejects(tf.loadGraphModel({}), /takes a URL/);
});

test('missing weights in memory', async () => {
  await fails(tf.loadGraphModel({ json: modelJson(), weights: bytes.subarray(0, 20) }), /20|16/);
  await fails(tf.loadGraphModel({ json: modelJson(), weights: Buffer.concat([bytes, bytes]) }), /36|more/);
});
