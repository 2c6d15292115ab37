// The published models in Node, beside TensorFlow.js's wasm backend: same process, same inputs, outputs compared first, then timed in
// turn. Prints a table of medians and ratios (theirs / ours) and writes build/bench/node_models.json.
//   node bench/node_models.mjs [--variant simd|relaxed|...] [--rounds N] [MODEL...]
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gunzipSync } from 'node:zlib';
import { compare, inputValues } from '../tests/js/model_references.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const args = process.argv.slice(2);
const option = (name, otherwise) => {
  const i = args.indexOf(name);
  return i < 0 ? otherwise : args.splice(i, 2)[1];
};
const variant = option('--variant', 'simd');
const rounds = Number(option('--rounds', 15));
const only = args;

const peer = require('@tensorflow/tfjs-core');
const { loadGraphModel } = require('@tensorflow/tfjs-converter');
const { setWasmPaths, setThreadsCount } = require('@tensorflow/tfjs-backend-wasm');
const peerWasm = dirname(require.resolve('@tensorflow/tfjs-backend-wasm/package.json')) + '/dist/';
setWasmPaths(peerWasm);
setThreadsCount(1);
await peer.setBackend('wasm');
await peer.ready();

const ours = await import(pathToFileURL(join(root, 'build/npm/index.mjs')).href);
await ours.ready({ variant });
ours.setThreadsCount?.(1);

/** Reads model.json and its shards for the peer, which cannot load from a path in Node. */
function handler(path) {
  return { load: async () => {
    const model = JSON.parse(readFileSync(path, 'utf8'));
    const specs = model.weightsManifest.flatMap((g) => g.weights);
    const data = Buffer.concat(model.weightsManifest.flatMap((g) => g.paths).map((p) => readFileSync(join(dirname(path), p))));
    return { modelTopology: model.modelTopology, weightSpecs: specs, weightData: data.buffer.slice(data.byteOffset, data.byteOffset + data.length),
             signature: model.signature, format: model.format, generatedBy: model.generatedBy, convertedBy: model.convertedBy };
  } };
}

// The peer advises execute() for models without control flow; executeAsync() is what both sides are timed with.
const warn = console.warn;
console.warn = (...args) => { if (!/control flow/.test(args[0])) warn(...args); };

const median = (v) => [...v].sort((a, b) => a - b)[v.length >> 1];

async function run(tf, model, inputs, names) {
  const t0 = performance.now();
  const out = [].concat(await model.executeAsync(inputs, names));
  const values = [], shapes = [];
  for (const t of out) {
    values.push(await t.data());
    shapes.push(t.shape);
  }
  const ms = performance.now() - t0;
  tf.dispose(out);
  return { ms, values, shapes };
}

/** The largest error against the reference outputs, in parts of their range; NaN when an output is wrong beyond 1e-4 of it. */
function error(meta, folder, out) {
  const got = new Map(meta.outputs.map((v, i) => [v.name, { shape: out.shapes[i], values: out.values[i] }]));
  const want = new Map(meta.outputs.filter((v) => v.file).map((v) => {
    const bytes = gunzipSync(readFileSync(join(folder, v.file)));
    const Type = v.dtype === 'int32' ? Int32Array : Float32Array;
    return [v.name, new Type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))];
  }));
  const { faults, worst } = compare(meta, got, want);
  return faults.length ? NaN : worst;
}
const errorText = (e) => Number.isNaN(e) ? 'wrong' : e.toExponential(1);

const rows = [];
console.log(`${'model'.padEnd(20)} ${'tfjs-wasm'.padStart(10)} ${'tessera'.padStart(10)} ${'ratio'.padStart(7)}  ${'error theirs'.padStart(12)} ${'ours'.padStart(8)}   (${variant}, 1 thread, Node ${process.version})`);
for (const name of readdirSync(join(root, 'tests/models'), { withFileTypes: true }).filter((d) => d.isDirectory()).map((d) => d.name)) {
  if (only.length && !only.includes(name)) continue;
  const meta = JSON.parse(readFileSync(join(root, 'tests/models', name, 'meta.json'), 'utf8'));
  const path = join(root, 'bench/node_modules', meta.package.replace(/(.)@.*/, '$1'), meta.path);
  const names = meta.outputs.map((v) => v.name);
  const make = (tf) => Object.fromEntries(meta.inputs.map((v) => [v.name, tf.tensor(inputValues(v), v.shape, v.dtype)]));
  const theirModel = await loadGraphModel(handler(path));
  const ourModel = await ours.loadGraphModel(path);
  const theirInputs = make(peer), ourInputs = make(ours);
  const theirs = await run(peer, theirModel, theirInputs, names);
  const mine = await run(ours, ourModel, ourInputs, names);
  const folder = join(root, 'tests/models', name);
  const theirError = error(meta, folder, theirs), ourError = error(meta, folder, mine);
  const a = [], b = [];
  for (let i = 0; i < rounds; ++i) {
    a.push((await run(peer, theirModel, theirInputs, names)).ms);
    b.push((await run(ours, ourModel, ourInputs, names)).ms);
  }
  const row = { where: `node ${process.version}`, work: name, threads: 1, variant, peer: 'tfjs-wasm 4.22.0', peerMs: median(a), ourMs: median(b),
                ratio: median(a) / median(b), peerError: theirError, ourError };
  rows.push(row);
  console.log(`${name.padEnd(20)} ${row.peerMs.toFixed(2).padStart(10)} ${row.ourMs.toFixed(2).padStart(10)} ${row.ratio.toFixed(2).padStart(7)}  ${errorText(theirError).padStart(12)} ${errorText(ourError).padStart(8)}`);
  peer.dispose(Object.values(theirInputs));
  ours.dispose(Object.values(ourInputs));
  theirModel.dispose();
  ourModel.dispose();
}
const mean = Math.exp(rows.reduce((s, r) => s + Math.log(r.ratio), 0) / rows.length);
console.log(`geometric mean of the ratios: ${mean.toFixed(2)}`);

const brotli = (file) => {
  const bytes = readFileSync(file);
  return [bytes.length, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length];
};
const sizes = [];
console.log(`\n${'file'.padEnd(44)} ${'bytes'.padStart(9)} ${'brotli'.padStart(9)}`);
const show = (label, file) => {
  const [raw, packed] = brotli(file);
  sizes.push({ file: label, raw, brotli: packed });
  console.log(`${label.padEnd(44)} ${String(raw).padStart(9)} ${String(packed).padStart(9)}`);
};
for (const f of readdirSync(join(root, 'build/npm')).sort()) {
  if (/\.(wasm|mjs|js|cjs)$/.test(f) && statSync(join(root, 'build/npm', f)).isFile()) show(`tessera ${f}`, join(root, 'build/npm', f));
}
for (const f of ['tfjs-backend-wasm-simd.wasm']) show(`tfjs ${f}`, join(peerWasm, f));
for (const p of ['core', 'converter', 'backend-wasm']) {
  const dist = dirname(require.resolve(`@tensorflow/tfjs-${p}/package.json`)) + '/dist';
  show(`tfjs tf-${p}.min.js`, join(dist, `tf-${p}.min.js`));
}
mkdirSync(join(root, 'build/bench'), { recursive: true });
writeFileSync(join(root, 'build/bench/node_models.json'), JSON.stringify({ rows, sizes, geometricMean: mean }, null, 1));
