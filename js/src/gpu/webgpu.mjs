// WebGPU's side of the GPU seam: replays the command lists that the engine records. It decides nothing; which buffers exist,
// what a shader says and when work is sent is decided in C++ (src/backends/gpu/driver.h states the contract of each method).
//
// Works with a page's GPUDevice, with one it asks for itself, and with Dawn in Node.

const READ_PENDING = 0, READ_DONE = 1, READ_FAILED = -1;
const UNIFORM_ALIGNMENT = 256;  // WebGPU's default minUniformBufferOffsetAlignment

/** Limits worth having above WebGPU's defaults, where the adapter offers them. */
const WANTED_LIMITS = ['maxStorageBuffersPerShaderStage', 'maxStorageBufferBindingSize', 'maxBufferSize',
                       'maxComputeWorkgroupStorageSize', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX'];
const WANTED_FEATURES = ['shader-f16', 'subgroups', 'timestamp-query'];

/** Asks `gpu` (navigator.gpu, or what the npm package `webgpu` creates) for a device; throws an Error that says why there is none. */
export async function requestDevice(gpu, options = {}) {
  if (!gpu) throw new Error('this host has no WebGPU (navigator.gpu is missing)');
  const adapter = await gpu.requestAdapter({ powerPreference: options.powerPreference ?? 'high-performance' });
  if (!adapter) throw new Error('WebGPU has no adapter for this machine');
  const requiredLimits = {};
  for (const name of WANTED_LIMITS) if (adapter.limits[name] !== undefined) requiredLimits[name] = adapter.limits[name];
  const requiredFeatures = WANTED_FEATURES.filter((f) => adapter.features.has(f));
  return adapter.requestDevice({ requiredLimits, requiredFeatures });
}

export class WebGpuDriver {
  /**
   * device: a GPUDevice. options.reopen: async () => GPUDevice, called after a loss (absent: the loss is final).
   * options.onReadDone(request, status) and options.onLost(1 | 0) tell the engine.
   */
  constructor(device, options = {}) {
    this.options = { ...options };
    this.epoch = 0;
    this.closed = false;
    this.reads = new Map();  // request -> {state, staging, bytes}; survives a loss, to be answered with READ_FAILED
    this.open(device);
  }

  open(device) {
    this.device = device;
    this.lost = false;
    this.error = '';
    this.memory = new Map();      // id -> {buffer, groups: Set of bind group keys}
    this.programs = new Map();    // id -> {pipeline, layout, inputs, uniformBytes}
    this.layouts = new Map();     // inputs -> {group, pipeline}
    this.groups = new Map();      // key -> GPUBindGroup
    this.staging = [];            // free readback buffers, smallest first
    this.uniforms = null;
    this.uniformWords = new Uint32Array(0);
    this.growUniforms(64 * 1024);
    const limits = device.limits;
    this.limits = {
      // One storage buffer is the output.
      maxInputs: limits.maxStorageBuffersPerShaderStage - 1,
      maxMemoryBytes: Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize, 0xfffffff0),
      maxTextureSize: 0,
      maxGroups: limits.maxComputeWorkgroupsPerDimension,
      maxUniformWords: Math.min(limits.maxUniformBufferBindingSize / 4, 4096),
      canReadSync: 0,
    };
    this.explained = false;
    this.onError = (event) => {
      // Consequences of an invalid shader, which come late and say nothing, once the shader itself has been reported.
      if (this.explained && /\[Invalid /.test(event.error.message)) return;
      this.fail(event.error.message);
    };
    device.addEventListener?.('uncapturederror', this.onError);
    device.lost.then((info) => this.handleLoss(device, info));
  }

  fail(message) {
    // The first message explains; those that follow are its consequences.
    if (!this.error) this.error = message;
  }

  /** The device is gone, or given up. */
  lose() {
    this.lost = true;
    this.epoch += 1;
    for (const [request, read] of this.reads) {
      if (read.state !== READ_PENDING) continue;
      read.state = READ_FAILED;
      this.options.onReadDone?.(request, -1);
    }
    this.options.onLost?.(1);
  }

  async handleLoss(device, info) {
    if (device !== this.device || this.closed || this.lost) return;
    this.lossReason = info?.message || info?.reason || 'unknown';
    this.lose();
    if (!this.options.reopen) return;
    try {
      const again = await this.options.reopen();
      if (this.closed || !this.lost) return again.destroy();
      this.open(again);
      this.options.onLost?.(0);
    } catch (e) {
      this.lossReason = `${this.lossReason}; no new device: ${e.message}`;
    }
  }

  /** Goes on with another device, as if the one before had been lost. `settings`: ownsDevice and reopen, for the new one. */
  replace(device, settings) {
    if (!this.lost) {
      this.clear();
      this.uniforms.destroy();
      if (this.options.ownsDevice) this.device.destroy();
      this.lose();
    }
    Object.assign(this.options, settings);
    this.open(device);
    this.options.onLost?.(0);
  }

  checkLost() {
    return this.lost;
  }

  /** Frees everything that was made on the device. */
  clear() {
    for (const request of [...this.reads.keys()]) this.takeRead(request, null);
    for (const id of [...this.memory.keys()]) this.destroyMemory(id);
    this.programs.clear();
    for (const buffer of this.staging.splice(0)) buffer.destroy();
  }

  close() {
    this.closed = true;
    this.device.removeEventListener?.('uncapturederror', this.onError);
    this.clear();
    this.uniforms.destroy();
    if (this.options.ownsDevice) this.device.destroy();
  }

  takeError() {
    const e = this.error;
    this.error = '';
    return e;
  }

  // ---- Memory

  createMemory(id, bytes) {
    const buffer = this.device.createBuffer({
      size: bytes, usage: GPU_BUFFER_USAGE.STORAGE | GPU_BUFFER_USAGE.COPY_SRC | GPU_BUFFER_USAGE.COPY_DST });
    this.memory.set(id, { buffer, groups: new Set() });
  }

  destroyMemory(id) {
    const m = this.memory.get(id);
    if (!m) return;
    for (const key of m.groups) this.groups.delete(key);
    m.buffer.destroy();  // WebGPU frees it when the work already submitted has run
    this.memory.delete(id);
  }

  /** words: Uint32Array, possibly over the WebAssembly memory. */
  upload(id, words) {
    const m = this.memory.get(id);
    if (!m || this.lost) return;
    // Not every implementation (Dawn in Node) takes memory shared between threads.
    const own = words.buffer instanceof ArrayBuffer ? words : words.slice();
    this.device.queue.writeBuffer(m.buffer, 0, own.buffer, own.byteOffset, own.byteLength);
  }

  // ---- Programs

  layout(inputs) {
    let l = this.layouts.get(inputs);
    if (l) return l;
    const entries = [];
    for (let k = 0; k <= inputs; ++k) {
      entries.push({ binding: k, visibility: GPU_STAGE_COMPUTE, buffer: { type: k < inputs ? 'read-only-storage' : 'storage' } });
    }
    entries.push({ binding: inputs + 1, visibility: GPU_STAGE_COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } });
    const group = this.device.createBindGroupLayout({ entries });
    l = { group, pipeline: this.device.createPipelineLayout({ bindGroupLayouts: [group] }) };
    this.layouts.set(inputs, l);
    return l;
  }

  createProgram(id, text, uniformWords, inputs) {
    const { device } = this;
    if (this.lost) return;
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: text });
    const layout = this.layout(inputs);
    const pipeline = device.createComputePipeline({ layout: layout.pipeline, compute: { module, entryPoint: 'main' } });
    device.popErrorScope().then((error) => {
      if (!error) return;
      this.programs.delete(id);  // not used again; what was already encoded with it fails as a whole
      this.explained = true;
      this.error = `a shader does not compile: ${error.message}\n${text}`;  // explains better than what came before
    }, () => {});
    // At least one vector: a uniform binding cannot be empty.
    this.programs.set(id, { pipeline, group: layout.group, inputs, uniformBytes: Math.max(16, Math.ceil(uniformWords / 4) * 16) });
  }

  destroyProgram(id) {
    this.programs.delete(id);
  }

  growUniforms(bytes) {
    this.uniforms?.destroy();
    this.groups.clear();
    this.uniforms = this.device.createBuffer({ size: bytes, usage: GPU_BUFFER_USAGE.UNIFORM | GPU_BUFFER_USAGE.COPY_DST });
    this.uniformWords = new Uint32Array(bytes / 4);
  }

  // ---- Command lists: [length, program, output, n, inputs..., m, uniforms..., x, y, z]

  encode(words) {
    if (this.lost) return;
    const { device } = this;
    const end = words.length;
    let need = 0;
    for (let p = 0; p < end; p += words[p]) {
      const program = this.programs.get(words[p + 1]);
      if (program) need += Math.ceil(program.uniformBytes / UNIFORM_ALIGNMENT) * UNIFORM_ALIGNMENT;
    }
    if (need > this.uniformWords.byteLength) this.growUniforms(2 ** Math.ceil(Math.log2(need)));

    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const values = this.uniformWords;
    let offset = 0, current = null;
    for (let p = 0; p < end; p += words[p]) {
      const program = this.programs.get(words[p + 1]);
      if (!program) continue;  // never made: takeError() has said why
      const inputs = words[p + 3];
      const at = p + 4 + inputs;  // of the number of uniforms
      const count = words[at];
      values.set(words.subarray(at + 1, at + 1 + count), offset / 4);
      if (program !== current) {
        pass.setPipeline(program.pipeline);
        current = program;
      }
      const group = this.bindGroup(program, words, p);
      if (!group) continue;
      pass.setBindGroup(0, group, [offset]);
      pass.dispatchWorkgroups(words[at + 1 + count], words[at + 2 + count], words[at + 3 + count]);
      offset += Math.ceil(program.uniformBytes / UNIFORM_ALIGNMENT) * UNIFORM_ALIGNMENT;
    }
    pass.end();
    if (offset > 0) device.queue.writeBuffer(this.uniforms, 0, values.buffer, 0, offset);
    device.queue.submit([encoder.finish()]);
  }

  bindGroup(program, words, p) {
    let key = `${program.uniformBytes}:${words[p + 2]}`;
    const inputs = program.inputs;
    for (let k = 0; k < inputs; ++k) key += `,${words[p + 4 + k]}`;
    const known = this.groups.get(key);
    if (known) return known;
    const entries = [];
    const users = [];
    for (let k = 0; k <= inputs; ++k) {
      const m = this.memory.get(k < inputs ? words[p + 4 + k] : words[p + 2]);
      if (!m) return null;
      entries.push({ binding: k, resource: { buffer: m.buffer } });
      users.push(m);
    }
    entries.push({ binding: inputs + 1, resource: { buffer: this.uniforms, size: program.uniformBytes } });
    // Plans run again with the same buffers; what is not from a plan would fill the cache without end.
    if (this.groups.size > 8192) this.groups.clear();
    const group = this.device.createBindGroup({ layout: program.group, entries });
    this.groups.set(key, group);
    for (const m of users) m.groups.add(key);
    return group;
  }

  // ---- Readback

  beginRead(request, id, words) {
    const m = this.memory.get(id);
    const read = { state: READ_PENDING, staging: null, settled: false, mapped: false, bytes: words * 4, epoch: this.epoch };
    this.reads.set(request, read);
    if (!m || this.lost) {
      read.state = READ_FAILED;
      read.settled = true;
      queueMicrotask(() => this.options.onReadDone?.(request, -1));
      return;
    }
    const staging = this.takeStaging(read.bytes);
    read.staging = staging;
    const { device } = this;
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(m.buffer, 0, staging, 0, Math.ceil(read.bytes / 4) * 4);
    device.queue.submit([encoder.finish()]);
    // A device on its way out rejects its maps first; its loss comes some turns later, and is what there is to report.
    const lossOrNot = () => Promise.race([device.lost, new Promise((resolve) => setTimeout(resolve, kLossDelayMs))]);
    staging.mapAsync(GPU_MAP_READ, 0, read.bytes).then(
        () => this.mapDone(request, read, true), () => lossOrNot().then(() => this.mapDone(request, read, false)));
  }

  mapDone(request, read, mapped) {
    read.settled = true;
    read.mapped = mapped;
    if (read.forgotten) return this.dropStaging(read);
    if (read.state !== READ_PENDING) return;  // answered already, by a loss
    if (!mapped && !this.lost) this.fail('a GPU readback failed');
    read.state = mapped ? READ_DONE : READ_FAILED;
    this.options.onReadDone?.(request, mapped ? 0 : -1);
  }

  pollRead(request) {
    return this.reads.get(request)?.state ?? READ_FAILED;
  }

  /** WebGPU has no synchronous reads (limits.canReadSync is 0). */
  readWait() {}

  /** out: Uint32Array to fill, or null to forget the request. */
  takeRead(request, out) {
    const read = this.reads.get(request);
    if (!read) return;
    this.reads.delete(request);
    if (out && read.state === READ_DONE) {
      out.set(new Uint32Array(read.staging.getMappedRange(0, read.bytes)).subarray(0, out.length));
    }
    if (read.settled) this.dropStaging(read);
    else read.forgotten = true;  // mapAsync still runs
  }

  dropStaging(read) {
    if (!read.mapped) return;
    read.staging.unmap();
    if (this.staging.length < 8 && read.epoch === this.epoch && !this.lost) this.staging.push(read.staging);
    else read.staging.destroy();
  }

  takeStaging(bytes) {
    let best = -1;
    for (let i = 0; i < this.staging.length; ++i) {
      const { size } = this.staging[i];
      if (size >= bytes && size <= 4 * bytes + 4096 && (best < 0 || size < this.staging[best].size)) best = i;
    }
    if (best >= 0) return this.staging.splice(best, 1)[0];
    return this.device.createBuffer({ size: Math.max(256, 2 ** Math.ceil(Math.log2(bytes))), usage: GPU_BUFFER_USAGE.MAP_READ | GPU_BUFFER_USAGE.COPY_DST });
  }
}

// The numbers of GPUBufferUsage, GPUMapMode and GPUShaderStage are fixed by the specification; Node has no such globals.
const GPU_BUFFER_USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128 };
const GPU_MAP_READ = 1;
const GPU_STAGE_COMPUTE = 4;
// A loss that follows a failed read follows within a few turns of the event loop; this bounds the wait for one that never comes.
const kLossDelayMs = 200;
