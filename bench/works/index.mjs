// What is measured: name -> {prepare(peer) -> {step, read}, peers by place}. `step` is one run, `read` gives the outputs to compare.
import { modelWork } from './models.mjs';

const kPage = ['litert', 'tfjs-wasm', 'onnxruntime-web'], kNode = ['tfjs-wasm', 'onnxruntime-web'];

export const works = {
  mobilenet_v2: { prepare: modelWork('mobilenet_v2'), chromium: kPage, node: kNode, native: true, compat: true, threads: [1, 2] },
  resnet50: { prepare: modelWork('resnet50'), chromium: kPage, node: kNode, native: true, threads: [1, 2] },
  transformer: { prepare: modelWork('transformer'), chromium: kNode, node: kNode, native: true, threads: [1, 2] },
};
