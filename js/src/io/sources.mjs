// Where models come from. A source is {open(options) -> {text, json, url, shards}}: the model's JSON and an iterator over its weights.
// The same objects are TensorFlow.js's IOHandlers: load() gives everything at once.
import { TesseraError } from '../errors.mjs';
import { isNode, nodeModule } from '../platform.mjs';
import { ENV } from '../env.mjs';
import { blobShards, fetchText, fileShards, groupBytes, httpShards } from './shards.mjs';

function parse(text, url) {
  try {
    const json = JSON.parse(text);
    if (json === null || typeof json !== 'object' || Array.isArray(json)) throw new Error('it is not an object');
    return json;
  } catch (e) {
    throw new TesseraError('bad-file', `the model ${url} is not valid JSON: ${e.message}`, { cause: e });
  }
}

const manifestOf = (json) => Array.isArray(json.weightsManifest) ? json.weightsManifest : [];

/** A source as an IOHandler. */
class Source {
  /** Everything at once, in TensorFlow.js's form. */
  async load(options = {}) {
    const { json, shards } = await this.open(options);
    const parts = [];
    for await (const { bytes } of shards()) parts.push(bytes.slice());
    const { weightsManifest, modelTopology, ...rest } = json;
    const weightSpecs = json.weightSpecs ?? manifestOf(json).flatMap((g) => g.weights);
    return { modelTopology, weightSpecs, weightData: concatenate(parts), ...rest, ...(weightsManifest && { weightsManifest }) };
  }
}

export function concatenate(parts) {
  const list = parts.map((p) => p instanceof Uint8Array ? p : ArrayBuffer.isView(p) ? new Uint8Array(p.buffer, p.byteOffset, p.byteLength) : new Uint8Array(p));
  const out = new Uint8Array(list.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of list) {
    out.set(p, at);
    at += p.length;
  }
  return out.buffer;
}

export const isHTTPScheme = (url) => /^https?:\/\//.test(url);

export class HttpSource extends Source {
  /** @param {string} path @param {object} options fetchFunc, requestInit, weightPathPrefix, weightUrlConverter */
  constructor(path, options = {}) {
    super();
    if (path == null || path.length === 0) throw new Error('URL path for http must not be null, undefined or empty.');
    if (Array.isArray(path) && path.length !== 2) throw new Error(`URL paths for http must have a length of 2, (actual length is ${path.length}).`);
    this.path = Array.isArray(path) ? path[0] : path;
    this.options = options;
    this.requestInit = options.requestInit ?? {};
    if (this.requestInit.body != null) throw new Error('requestInit is expected to have no pre-existing body, but has one.');
    if (options.fetchFunc && typeof options.fetchFunc !== 'function') {
      throw new Error('Must pass a function that matches the signature of `fetch` (see https://developer.mozilla.org/en-US/docs/Web/API/Fetch_API)');
    }
  }

  async open(options = {}) {
    const o = { ...this.options, ...options };
    const network = { fetchFunc: o.fetchFunc ?? ((...args) => ENV.platform.fetch(...args)), requestInit: this.requestInit, signal: o.signal, watched: !!o.onProgress };
    const text = await fetchText(this.path, network, 'model');
    const json = parse(text, this.path);
    return { text, json, url: this.path, shards: () => this.shards(json, o, network) };
  }

  async* shards(json, o, network) {
    // What follows the path (a signature, say) belongs to every file beside it as well.
    const [, prefix, suffix] = /^([^?#]*\/)?[^?#/]*(\?[^#]*)?/.exec(this.path);
    const base = o.weightPathPrefix ?? prefix ?? '';
    const groups = [];
    for (const g of manifestOf(json)) {
      const urls = [];
      for (const path of g.paths ?? []) urls.push(o.weightUrlConverter ? await o.weightUrlConverter(path) : base + path + (suffix ?? ''));
      groups.push({ urls, bytes: groupBytes(g) });
    }
    yield* httpShards(groups, network);
  }
}

/** model.json and its shards on disk: a path or a file: address. Node only. */
export class FileSource extends Source {
  constructor(path) {
    super();
    this.path = path;
  }

  async open(options = {}) {
    const [fs, path, url] = [await nodeModule('fs'), await nodeModule('path'), await nodeModule('url')];
    let file = this.path;
    const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(file)?.[1];
    if (scheme && scheme.toLowerCase() !== 'file') {
      throw new TesseraError('unsupported', `models cannot be loaded from '${file}': the scheme '${scheme}:' is none of http, https, file and blob`);
    }
    if (file.startsWith('file:')) {
      try {
        file = url.fileURLToPath(file);
      } catch {
        file = file.slice('file://'.length);  // file://relative/path, as tfjs-node takes it
      }
    }
    let text;
    try {
      text = await fs.promises.readFile(file, 'utf8');
    } catch (e) {
      throw new TesseraError('not-found', `the model ${file} cannot be read: ${e.message}`, { cause: e });
    }
    const json = parse(text, file);
    const folder = options.weightPathPrefix ?? path.dirname(file);
    const groups = manifestOf(json).map((g) => ({ paths: (g.paths ?? []).map((p) => path.join(folder, p)), bytes: groupBytes(g) }));
    return { text, json, url: file, shards: () => fileShards(groups, options) };
  }
}

/** Files that a user chose or dropped: model.json and the shards it names. */
export class BlobSource extends Source {
  constructor(files) {
    super();
    this.files = Array.from(files ?? []);
    if (this.files.length === 0) throw new Error('When calling browserFiles, at least 1 file is required, but received []');
  }

  async open(options = {}) {
    const model = this.files.find((f) => f.name.endsWith('.json')) ?? this.files[0];
    const json = parse(await model.text(), model.name);
    const base = (p) => p.slice(p.lastIndexOf('/') + 1);
    const rest = this.files.filter((f) => f !== model);
    const used = new Set();
    const groups = manifestOf(json).map((g) => {
      const files = (g.paths ?? []).map((p) => {
        const file = rest.find((f) => f.name === p) ?? rest.find((f) => f.name === base(p));
        if (!file) throw new TesseraError('not-found', `Weight file with basename '${base(p)}' is not provided.`);
        used.add(file);
        return file;
      });
      return { files, names: g.paths, bytes: groupBytes(g) };
    });
    if (used.size !== rest.length) {
      throw new TesseraError('bad-file', `Mismatch in the number of files in weights manifest (${used.size}) and the number of weight files provided (${rest.length}).`);
    }
    return { text: JSON.stringify(json), json, url: model.name, shards: () => blobShards(groups, options) };
  }
}

/** A model whose parts are in memory: {modelTopology, weightSpecs | weightsManifest, weightData, ...}. */
export class MemorySource extends Source {
  constructor(artifacts) {
    super();
    this.artifacts = artifacts;
  }

  async open() {
    const { weightData, getWeightStream, ...json } = this.artifacts;
    const parts = weightData == null ? [] : Array.isArray(weightData) ? weightData : [weightData];
    async function* shards() {
      if (parts.length === 0 && getWeightStream) {
        const reader = getWeightStream().getReader();
        for (let step; !(step = await reader.read()).done;) yield { bytes: new Uint8Array(step.value), url: 'memory' };
        return;
      }
      for (const p of parts) yield { bytes: ArrayBuffer.isView(p) ? new Uint8Array(p.buffer, p.byteOffset, p.byteLength) : new Uint8Array(p), url: 'memory' };
    }
    return { text: JSON.stringify(json), json, url: 'memory', shards };
  }
}

const loadRouters = [];
/** fn(url, options) -> an IOHandler for addresses it knows, else null. */
export function registerLoadRouter(fn) {
  loadRouters.push(fn);
}

/** Any of the things that a model can be loaded from, as a source. */
export function sourceOf(model, options) {
  if (model == null) throw new Error('modelUrl in loadGraphModel() cannot be null. Please provide a url or an IOHandler that loads the model');
  if (typeof URL === 'function' && model instanceof URL) model = model.href;
  if (typeof model === 'string') {
    for (const router of loadRouters) {
      const handler = router(model, options);
      if (handler) return sourceOf(handler, options);
    }
    if (options.fromTFHub) model = `${model.endsWith('/') ? model : `${model}/`}model.json?tfjs-format=file`;
    if (isNode && !isHTTPScheme(model) && !options.fetchFunc) return new FileSource(model);
    return new HttpSource(model, options);
  }
  if (typeof model.open === 'function') return model;
  if (typeof model.load === 'function') {
    return { open: async (o) => new MemorySource(await model.load(o)).open() };
  }
  if (model.json !== undefined) {
    const json = typeof model.json === 'string' ? parse(model.json, 'given as text') : model.json;
    return new MemorySource({ ...json, weightData: model.weights ?? model.weightData });
  }
  if (model.modelTopology !== undefined) return new MemorySource(model);
  if (typeof model.length === 'number' && model.length > 0 && typeof model[0]?.text === 'function') return new BlobSource(model);
  throw new Error('loadGraphModel() takes a URL, an IOHandler, {json, weights}, model artifacts or a list of Files');
}
