// What is measured: name -> {prepare(peer) -> {step, read, error?}, and the peers by place}. `step` is one run, `read` gives the outputs
// to compare, `error` the error against references where there are any.
import { singleOps, tinyLayers, tinyOps } from '../nets/parts.mjs';
import { elementwise, tinyEager } from './eager.mjs';
import { modelWork } from './models.mjs';
import { publishedModels, publishedWork } from './published.mjs';
import { cnn, mlp } from './training.mjs';

const kAll = ['litert', 'tfjs-wasm', 'onnxruntime-web'], kTwo = ['tfjs-wasm', 'onnxruntime-web'], kTfjs = ['tfjs-wasm'];

/** Elements of the elementwise chains, which read and write each once at best. */
export const chains = { '6 ops on 4 K': 4096, '6 ops on 64 K': 65536, '6 ops on 1 M': 1 << 20 };

export const works = {
  mobilenet_v2: { prepare: modelWork('mobilenet_v2'), chromium: kAll, node: kTwo, native: true, compat: true, threads: [1, 2] },
  resnet50: { prepare: modelWork('resnet50'), chromium: kAll, node: kTwo, native: true, threads: [1, 2] },
  transformer: { prepare: modelWork('transformer'), chromium: kTwo, node: kTwo, native: true, threads: [1, 2] },
};
for (const name of publishedModels) works[name] = { prepare: publishedWork(name), chromium: kTfjs, node: kTfjs, published: true };
for (const name of Object.keys(singleOps)) {
  works[name] = { prepare: modelWork(name), chromium: name.startsWith('matmul') ? kTwo : kAll, node: kTwo, native: true };
}
for (const name of [tinyOps.title, tinyLayers.title]) works[name] = { prepare: modelWork(name), node: kTwo };
works['tiny eager ops'] = { prepare: tinyEager, node: kTfjs };
for (const [name, n] of Object.entries(chains)) works[name] = { prepare: elementwise(n), node: kTfjs };
for (const name of ['sgd', 'adam']) works[`mlp step, ${name}`] = { prepare: mlp(name), node: kTfjs };
works['cnn step, sgd'] = { prepare: cnn, node: ['tfjs-cpu'] };
