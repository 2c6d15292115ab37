// GPU devices of one engine: what the WebAssembly module's imports (js/library/gpu.js) find as Module.gpu.
import { WebGlDriver } from './webgl.mjs';
import { WebGpuDriver, requestDevice } from './webgpu.mjs';

const WEBGPU = 0, WEBGL = 1;

/**
 * Attaches GPU support to an instantiated module. `events.onReadDone(request, status)` and `events.onLost(lost)` are passed on
 * from the drivers: hand them to tsr_gpu_read_done and tsr_gpu_lost, and wake whoever waits.
 */
export function attachGpu(module, events = {}) {
  const gpu = new GpuHost(events);
  module.gpu = gpu;
  return gpu;
}

export class GpuHost {
  constructor(events) {
    // Reports can arise inside a call from WebAssembly, which must not be entered again from there.
    const later = (f) => (...args) => queueMicrotask(() => f?.(...args));
    this.events = { onReadDone: later(events.onReadDone), onLost: later(events.onLost) };
    this.drivers = [null, null];
    this.why = ['WebGPU has not been set up: await prepareWebGpu() first', ''];
    this.context = null;
  }

  /**
   * Gets a WebGPU device, which only goes asynchronously; after this, the device "webgpu" can be made. Resolves to true, or to
   * false when there is none (whyNot(0) says why). options.device: an application's GPUDevice; it is then never destroyed here,
   * and a loss is final until another one is given. options.gpu: the GPU object where navigator.gpu is missing (Node).
   */
  async prepareWebGpu(options = {}) {
    const driver = this.drivers[WEBGPU];
    if (driver && !driver.lost && (!options.device || options.device === driver.device)) return true;
    try {
      const gpu = options.gpu ?? globalThis.navigator?.gpu;
      const device = options.device ?? await requestDevice(gpu, options);
      const settings = { ownsDevice: !options.device, reopen: options.device ? null : () => requestDevice(gpu, options) };
      // The engine may hold the driver already: it then sees a loss, and goes on with the new device.
      if (driver) driver.replace(device, settings);
      else this.drivers[WEBGPU] = new WebGpuDriver(device, { ...this.events, ...settings });
      this.why[WEBGPU] = '';
      return true;
    } catch (e) {
      this.why[WEBGPU] = e.message;
      return false;
    }
  }

  /** An application's WebGL 2 context for the device "webgl" to share. Call before that device is first used. */
  adoptContext(gl) {
    const driver = this.drivers[WEBGL];
    if (driver && driver.gl !== gl) throw new Error('the device webgl is in use already: give it a context before that');
    this.context = gl;
  }

  /** Whether WebGL can be used, without making more than a context; whyNot(1) says why not. */
  probeWebGl() {
    if (this.drivers[WEBGL]) return true;
    try {
      this.drivers[WEBGL] = new WebGlDriver(this.context, this.events);
      return true;
    } catch (e) {
      this.why[WEBGL] = e.message;
      return false;
    }
  }

  whyNot(kind) {
    return this.why[kind];
  }

  /** For the module's imports: the driver, or an Error that says why there is none. */
  open(kind) {
    if (kind === WEBGL) this.probeWebGl();
    if (!this.drivers[kind]) throw new Error(this.why[kind]);
    return this.drivers[kind];
  }

  close(kind) {
    const driver = this.drivers[kind];
    if (kind === WEBGPU) {
      driver.clear();  // the device stays, for the next open()
    } else {
      this.drivers[kind] = null;
      driver.close();
    }
  }
}
