// tf.io: the ways to load models.
import { BlobSource, FileSource, HttpSource, MemorySource, concatenate, isHTTPScheme, registerLoadRouter, sourceOf } from './sources.mjs';

const http = (path, options) => new HttpSource(path, options);
const browserFiles = (files) => new BlobSource(files);
const fileSystem = (path) => new FileSource(path);

/** fromMemory(artifacts), or fromMemory(modelTopology, weightSpecs, weightData). */
function fromMemory(model, weightSpecs, weightData) {
  if (model?.modelTopology !== undefined) return new MemorySource(model);
  return new MemorySource({ modelTopology: model, ...(weightSpecs && { weightSpecs }), ...(weightData && { weightData }) });
}

export const io = {
  http, browserHTTPRequest: http, browserFiles, fileSystem, fromMemory, isHTTPScheme, registerLoadRouter,
  concatenateArrayBuffers: (buffers) => concatenate(Array.isArray(buffers) ? buffers : [buffers]),
  getLoadHandlers: (url, options = {}) => [sourceOf(url, options)],
  getWeightSpecs: (manifest) => manifest.flatMap((g) => g.weights),
};
