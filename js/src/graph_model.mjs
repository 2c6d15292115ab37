// Graph models: loading, running, disposing.
import * as engine from './engine.mjs';
import { ready } from './backend.mjs';
import { dtypeNumber } from './dtypes.mjs';
import { TesseraError, abortReason } from './errors.mjs';
import { sourceOf } from './io/sources.mjs';
import { collectorTurn } from './schedule.mjs';
import { Tensor } from './tensor.mjs';
import { zeros } from './ops/array.mjs';

const freed = new FinalizationRegistry((handle) => engine.abi().x.tsr_model_dispose(handle));

/** An Error of the engine with the model's address in front. */
function about(url, e) {
  if (!(e instanceof TesseraError) || e.message.includes(url)) return e;
  return new TesseraError(e.code, `${url}: ${e.message}`, { cause: e });
}

/** Writes the next bytes of the shards where they belong; those that are stored otherwise than they are used go by way of the loader. */
function addWeights(abi, handle, bytes) {
  for (let at = 0; at < bytes.length;) {
    const p = abi.x.tsr_model_weight_room(handle, abi.info) >>> 0;
    const { u8, u32 } = abi.views();
    const room = u32[abi.info >>> 2];
    if (p === 0 || room === 0) {
      // everything that is left: the loader takes what is raw among it as well
      abi.check(abi.withBytes(at === 0 ? bytes : bytes.subarray(at), (q, n) => abi.x.tsr_model_add_weights(handle, q, n)));
      return;
    }
    const n = Math.min(room, bytes.length - at);
    u8.set(at === 0 && n === bytes.length ? bytes : bytes.subarray(at, at + n), p);
    abi.check(abi.x.tsr_model_weight_filled(handle, n));
    at += n;
  }
}

// Half a frame, as for slices of a model's run: long enough for an engine to see which loops are worth compiling well.
const kWarmMs = 8;

const bare = (name) => name.endsWith(':0') ? name.slice(0, -2) : name;

export class GraphModel {
  /**
   * @param {any} modelUrl see loadGraphModel
   * @param {object=} loadOptions
   */
  constructor(modelUrl, loadOptions = {}) {
    this.modelUrl = modelUrl;
    this.loadOptions = loadOptions;
    this.handle = 0;
    this.info = null;
  }

  /** Loads the model; resolves to true. */
  async load() {
    const options = this.loadOptions;
    const { signal, onProgress } = options;
    if (signal?.aborted) throw abortReason(signal);
    // The files come while the engine starts.
    const opening = sourceOf(this.modelUrl, options).open(options).then((source) => {
      const pieces = source.shards()[Symbol.asyncIterator]();
      const first = pieces.next();
      first.catch(() => {});  // reported when its turn comes
      return { ...source, pieces, first };
    });
    opening.catch(() => {});
    try {
      await ready();
    } catch (e) {
      opening.then(({ pieces }) => pieces.return?.(), () => {});
      throw e;
    }
    const { text, json, url, pieces, first } = await opening;
    const abi = engine.abi();
    let handle = 0;
    let step = null;
    try {
      if (signal?.aborted) throw abortReason(signal);
      handle = abi.withText(text, (p, n) => abi.x.tsr_model_new(p, n));
      if (handle <= 0) throw abi.error();
      const totalBytes = abi.check(abi.x.tsr_model_weight_bytes(handle));
      abi.x.tsr_model_warm(handle, kWarmMs);  // while the weights are on their way; a model loads without it, too
      let loadedBytes = 0;
      const report = (from) => onProgress?.(totalBytes > 0 ? Math.min(1, loadedBytes / totalBytes) : 1, { loadedBytes, totalBytes, url: from });
      report(url);
      for (step = await first; !step.done; step = await pieces.next()) {
        const { bytes, url: from } = step.value;
        if (signal?.aborted) throw abortReason(signal);
        try {
          addWeights(abi, handle, bytes);
        } catch (e) {
          throw about(from, e);
        }
        loadedBytes += bytes.length;
        report(from);
      }
      if (signal?.aborted) throw abortReason(signal);
      abi.check(abi.x.tsr_model_finish(handle));
      this.adopt(handle, json);
      handle = 0;
    } catch (e) {
      throw about(url, e);
    } finally {
      if (handle > 0) abi.x.tsr_model_dispose(handle);
      if (!step?.done) pieces.return?.().catch?.(() => {});  // ends the requests under way
    }
    return true;
  }

  /** @private */
  adopt(handle, json) {
    const abi = engine.abi();
    const text = abi.text(abi.x.tsr_model_info(handle));
    if (text === null) throw abi.error();
    this.info = JSON.parse(text);
    this.handle = handle;
    freed.register(this, handle, this);
    const ports = (list) => list.map((p) => ({ name: bare(p.name), shape: p.shape ?? undefined, dtype: p.dtype }));
    /** {name, shape, dtype} of each input; a dimension of -1 may be anything. */
    this.inputs = ports(this.info.inputs);
    this.outputs = ports(this.info.outputs);
    /** The names to use in execute(): the signature's own where there is one. */
    this.inputNodes = this.info.inputs.map((p) => p.key || bare(p.name));
    this.outputNodes = this.info.outputs.map((p) => p.key || bare(p.name));
    this.signature = json.signature ?? json.userDefinedMetadata?.signature;
    this.metadata = json.userDefinedMetadata;
    this.modelSignature = this.signature;
    const versions = json.modelTopology?.versions;
    this.modelVersion = versions ? `${versions.producer}.${versions.minConsumer}` : 'n/a';
    this.modelStructuredOutputKeys = json.modelInitializer ? undefined : json.structuredOutputKeys;
  }

  /** True when shapes of results depend on data: such a model runs with executeAsync() only. */
  get isDynamic() {
    return this.loaded().info.dynamic;
  }

  /** @private */
  loaded() {
    if (this.handle === 0) throw new TesseraError('disposed', this.info ? 'The model is disposed.' : 'The model is not loaded: await load() first.');
    return this;
  }

  /** [[name, tensor], ...] of what a caller passes. @private */
  namedInputs(inputs) {
    const { inputs: ports } = this.loaded().info;
    if (inputs instanceof Tensor || Array.isArray(inputs)) {
      const list = Array.isArray(inputs) ? inputs : [inputs];
      if (list.length !== ports.length) {
        throw new Error(`Input tensor count mismatch, the graph model has ${ports.length} placeholders, while there are ${list.length} input tensors provided.`);
      }
      return list.map((t, i) => [ports[i].name, t]);
    }
    if (inputs == null || typeof inputs !== 'object') throw new Error('The inputs of a model must be a tensor, an array of tensors or {name: tensor}');
    const byKey = new Map(ports.filter((p) => p.key).map((p) => [p.key, p.name]));
    return Object.entries(inputs).map(([name, t]) => [byKey.get(name) ?? name, t]);
  }

  /** @private */
  outputNames(outputs) {
    const { outputs: ports } = this.loaded().info;
    if (outputs == null) return ports.map((p) => p.name);
    const byKey = new Map(ports.filter((p) => p.key).map((p) => [p.key, p.name]));
    return (Array.isArray(outputs) ? outputs : [outputs]).map((n) => byKey.get(n) ?? n);
  }

  /** Calls tsr_model_run: {ticket} or {outputs: handles}. @private */
  start(inputs, outputs, async) {
    const abi = engine.abi();
    const named = this.namedInputs(inputs);
    const names = this.outputNames(outputs);
    const handles = named.map(([name, t]) => {
      if (!(t instanceof Tensor)) throw new Error(`The model's input '${name}' must be a tensor, got ${t === null ? 'null' : typeof t}`);
      if (t._h === 0) throw new TesseraError('disposed', `The model's input '${name}': Tensor is disposed.`);
      return t._h;
    });
    return abi.withText(named.map(([n]) => n).join('\n'), (inNames) => abi.withText(names.join('\n'), (outNames) => abi.withHandles(handles, (p, n) => {
      const ticket = abi.x.tsr_model_run(this.handle, inNames, p, n, outNames, async ? 1 : 0, abi.out, abi.maxOutputs, abi.info);
      if (ticket < 0) throw abi.error();
      if (ticket > 0) return { ticket };
      return { outputs: abi.outputs(abi.views().i32[abi.info >>> 2]) };
    })));
  }

  /**
   * Runs the model. @param {Tensor|Tensor[]|Object<string, Tensor>} inputs
   * @param {string|string[]=} outputs names, intermediate values included ("name", "name:1"); default: the model's outputs
   */
  execute(inputs, outputs) {
    if (this.isDynamic) {
      throw new TesseraError('unsupported', 'Shapes in this model depend on its data (or it has control flow), so it cannot run synchronously: use model.executeAsync() instead');
    }
    const run = this.start(inputs, outputs, false);
    const list = run.outputs.map((h) => engine.wrap(h));
    return list.length === 1 ? list[0] : list;
  }

  /** The same for every model; the page stays responsive meanwhile. @param {{signal?: AbortSignal}=} options */
  async executeAsync(inputs, outputs, { signal } = {}) {
    const abi = engine.abi();
    const run = this.start(inputs, outputs, true);
    let handles = run.outputs;
    if (run.ticket) {
      try {
        await engine.finish(run.ticket, signal);
        handles = abi.outputs(abi.x.tsr_model_result(run.ticket, abi.out, abi.maxOutputs));
      } finally {
        abi.x.tsr_ticket_end(run.ticket);
      }
    }
    const list = handles.map((h) => engine.wrap(h));
    const turn = collectorTurn();
    if (turn) await turn;
    return list.length === 1 ? list[0] : list;
  }

  predict(inputs) {
    return this.structured(this.execute(inputs));
  }

  async predictAsync(inputs, config) {
    return this.structured(await this.executeAsync(inputs, undefined, config));
  }

  /** Outputs by name for models that were exported with such. @private */
  structured(result) {
    if (!this.modelStructuredOutputKeys) return result;
    const list = Array.isArray(result) ? result : [result];
    return Object.fromEntries(list.map((t, i) => [this.modelStructuredOutputKeys[i] ?? String(i), t]));
  }

  /** Runs once on zeros, so that the first real run is fast. Unknown dimensions are 1, or as `shapes` ({input name: shape}) says. */
  async warmUp(shapes = {}) {
    const inputs = Object.fromEntries(this.loaded().inputs.map((p, i) => {
      const shape = shapes[this.inputNodes[i]] ?? shapes[p.name] ?? (p.shape ?? []).map((d) => d < 0 ? 1 : d);
      return [this.inputNodes[i], zeros(shape, dtypeNumber(p.dtype) <= dtypeNumber('bool') ? p.dtype : 'float32')];
    }));
    try {
      const result = await this.executeAsync(inputs);
      for (const t of engine.getTensorsInContainer(result)) await engine.read(t);
      engine.dispose(result);
    } finally {
      engine.dispose(inputs);
    }
  }

  /** Frees the weights. Twice is harmless. */
  dispose() {
    if (this.handle === 0) return;
    freed.unregister(this);
    engine.abi().x.tsr_model_dispose(this.handle);
    this.handle = 0;
  }
}

/**
 * Loads a graph model.
 * @param {any} modelUrl a URL (in Node also a path), an IOHandler, {json, weights}, model artifacts, or a list of Files
 * @param {object=} options onProgress(fraction, {loadedBytes, totalBytes, url}), signal, fetchFunc, requestInit, weightPathPrefix,
 *     weightUrlConverter, fromTFHub
 */
export async function loadGraphModel(modelUrl, options = {}) {
  const model = new GraphModel(modelUrl, options);
  await model.load();
  return model;
}
