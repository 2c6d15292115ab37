// WebGL 2's side of the GPU seam: replays the command lists that the engine records, as draws into float32 and int32 textures of
// four elements a texel. It decides nothing (src/backends/gpu/driver.h states the contract of each method).
//
// Works on a context of its own, or on an application's, whose state is then as it was when a call returns.
import { saveState } from './webgl_state.mjs';

const READ_PENDING = 0, READ_DONE = 1, READ_FAILED = -1;

// A triangle that covers the viewport, without any vertex buffer.
const VERTEX_SHADER = `#version 300 es
void main() {
  vec2 p = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
  gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);
}
`;

/** A context of Tessera's own. Throws an Error that says why there is none. */
export function createContext() {
  const canvas = typeof OffscreenCanvas !== 'undefined' ? new OffscreenCanvas(1, 1)
    : typeof document !== 'undefined' ? document.createElement('canvas') : null;
  if (!canvas) throw new Error('this host has no canvas, so no WebGL');
  const gl = canvas.getContext('webgl2', {
    alpha: false, antialias: false, depth: false, stencil: false, premultipliedAlpha: false, preserveDrawingBuffer: false,
    powerPreference: 'high-performance', failIfMajorPerformanceCaveat: false });
  if (!gl) throw new Error('the browser gives no WebGL 2 context');
  return gl;
}

export class WebGlDriver {
  /**
   * gl: an application's WebGL2RenderingContext, or null for one of the driver's own. Throws an Error when it cannot compute in
   * float32. options.onReadDone(request, status) and options.onLost(1 | 0) tell the engine.
   */
  constructor(gl, options = {}) {
    this.options = options;
    this.adopted = Boolean(gl);
    this.epoch = 0;
    this.closed = false;
    this.reads = new Map();  // request -> {state, buffer, fence, bytes}; survives a loss, to be answered with READ_FAILED
    this.channel = new MessageChannel();
    this.channel.port1.onmessage = () => this.pollFences();
    this.channel.port1.unref?.();
    this.polling = false;
    this.onContextLost = (event) => {
      event.preventDefault();  // else the browser never restores it
      this.checkLost();
    };
    this.onContextRestored = () => this.reopen(this.gl);
    this.open(gl ?? createContext());
  }

  open(gl) {
    if (!gl.getExtension('EXT_color_buffer_float')) {
      throw new Error('WebGL on this machine cannot render to float32 textures (EXT_color_buffer_float)');
    }
    this.gl = gl;
    this.lost = false;
    this.error = '';
    this.memory = new Map();    // id -> {texture, framebuffer, width, height, element}
    this.programs = new Map();  // id -> {program, fragment, uniforms, inputs, ready, text}
    gl.getExtension('KHR_parallel_shader_compile');  // compiles start together; each is waited for at its first use
    this.limits = {
      maxInputs: gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS),
      maxMemoryBytes: 0,
      maxTextureSize: gl.getParameter(gl.MAX_TEXTURE_SIZE),
      maxGroups: 0,
      maxUniformWords: (gl.getParameter(gl.MAX_FRAGMENT_UNIFORM_VECTORS) - 8) * 4,  // some compilers keep a few for themselves
      canReadSync: 1,
    };
    this.guard(() => {
      this.vertexArray = gl.createVertexArray();
      this.vertexShader = gl.createShader(gl.VERTEX_SHADER);
      gl.shaderSource(this.vertexShader, VERTEX_SHADER);
      gl.compileShader(this.vertexShader);
    });
    gl.canvas.addEventListener?.('webglcontextlost', this.onContextLost);
    gl.canvas.addEventListener?.('webglcontextrestored', this.onContextRestored);
  }

  /** Runs f with the state that this driver relies on; puts an application's own back afterwards. */
  guard(f) {
    if (!this.adopted) return f();
    const restore = saveState(this.gl, this.limits.maxInputs);
    try {
      return f();
    } finally {
      restore();
    }
  }

  fail(message) {
    if (!this.error) this.error = message;
  }

  /** True while there is no usable context. Notices a loss at once, not when its event comes. */
  checkLost() {
    if (this.lost || this.closed) return true;
    if (!this.gl.isContextLost()) return false;
    this.lost = true;
    this.epoch += 1;
    for (const [request, read] of this.reads) {
      if (read.state !== READ_PENDING) continue;
      read.state = READ_FAILED;
      this.options.onReadDone?.(request, -1);
    }
    this.options.onLost?.(1);
    // A context of our own need not wait for the browser: a new one takes its place as soon as there is one.
    if (!this.adopted) setTimeout(() => this.replace(0), 0);
    return true;
  }

  replace(attempt) {
    if (this.closed || !this.lost) return;
    try {
      this.forget();
      this.reopen(createContext());
    } catch (e) {
      this.lossReason = e.message;
      // After a crash of the GPU process the browser refuses contexts for a while.
      if (attempt < 10) setTimeout(() => this.replace(attempt + 1), 100 * 2 ** Math.min(attempt, 5));
    }
  }

  reopen(gl) {
    if (this.closed || !this.lost) return;
    this.forget();
    this.open(gl);
    this.options.onLost?.(0);
  }

  forget() {
    this.gl.canvas.removeEventListener?.('webglcontextlost', this.onContextLost);
    this.gl.canvas.removeEventListener?.('webglcontextrestored', this.onContextRestored);
  }

  close() {
    if (this.closed) return;
    this.forget();
    if (!this.checkLost()) {
      const { gl } = this;
      for (const id of [...this.memory.keys()]) this.destroyMemory(id);
      for (const id of [...this.programs.keys()]) this.destroyProgram(id);
      for (const request of [...this.reads.keys()]) this.takeRead(request, null);
      gl.deleteVertexArray(this.vertexArray);
      gl.deleteShader(this.vertexShader);
      if (!this.adopted) gl.getExtension('WEBGL_lose_context')?.loseContext();
    }
    this.closed = true;
    this.channel.port1.close();
  }

  takeError() {
    const e = this.error;
    this.error = '';
    return e;
  }

  // ---- Memory

  createMemory(id, bytes, width, height, element) {
    if (this.checkLost()) return;
    const { gl } = this;
    this.guard(() => {
      const texture = gl.createTexture();
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, element === 0 ? gl.RGBA32F : gl.RGBA32I, width, height);
      for (const p of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, p, gl.NEAREST);
      for (const p of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, p, gl.CLAMP_TO_EDGE);
      this.memory.set(id, { texture, framebuffer: null, width, height, element });
    });
  }

  destroyMemory(id) {
    const m = this.memory.get(id);
    if (!m) return;
    this.memory.delete(id);
    if (this.checkLost()) return;
    if (m.framebuffer) this.gl.deleteFramebuffer(m.framebuffer);
    this.gl.deleteTexture(m.texture);
  }

  /** words: Uint32Array of a multiple of four words, possibly over the WebAssembly memory. */
  upload(id, words) {
    const m = this.memory.get(id);
    if (!m || this.checkLost()) return;
    const { gl } = this;
    this.guard(() => {
      const View = m.element === 0 ? Float32Array : Int32Array;
      const data = new View(words.buffer, words.byteOffset, words.length);
      const format = m.element === 0 ? gl.RGBA : gl.RGBA_INTEGER;
      const type = m.element === 0 ? gl.FLOAT : gl.INT;
      const texels = words.length / 4, rows = Math.floor(texels / m.width), rest = texels % m.width;
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, m.texture);
      if (rows > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, m.width, rows, format, type, data, 0);
      if (rest > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, rows, rest, 1, format, type, data, rows * m.width * 4);
    });
  }

  // ---- Programs

  createProgram(id, text, uniformWords, inputs) {
    if (this.checkLost()) return;
    const { gl } = this;
    const fragment = gl.createShader(gl.FRAGMENT_SHADER);
    gl.shaderSource(fragment, text);
    gl.compileShader(fragment);
    const program = gl.createProgram();
    gl.attachShader(program, this.vertexShader);
    gl.attachShader(program, fragment);
    gl.linkProgram(program);
    this.programs.set(id, { program, fragment, uniforms: null, inputs, ready: false, text });
  }

  /** At its first use: waits for the compiler. False when the program is of no use. */
  finishProgram(p) {
    const { gl } = this;
    p.ready = true;
    if (!gl.getProgramParameter(p.program, gl.LINK_STATUS)) {
      if (gl.isContextLost()) return;
      this.fail(`a shader does not compile: ${gl.getShaderInfoLog(p.fragment) || gl.getProgramInfoLog(p.program)}\n${p.text}`);
      gl.deleteProgram(p.program);
      p.program = null;
      return;
    }
    gl.deleteShader(p.fragment);  // the program keeps it
    p.text = '';
    gl.useProgram(p.program);
    for (let k = 0; k < p.inputs; ++k) {
      const sampler = gl.getUniformLocation(p.program, `x${k}`);
      if (sampler) gl.uniform1i(sampler, k);
    }
    p.uniforms = gl.getUniformLocation(p.program, 'u');
  }

  destroyProgram(id) {
    const p = this.programs.get(id);
    if (!p) return;
    this.programs.delete(id);
    if (p.program && !this.checkLost()) this.gl.deleteProgram(p.program);
  }

  // ---- Command lists: [length, program, output, n, inputs..., m, uniforms..., width, row, rows]

  encode(words) {
    if (this.checkLost()) return;
    this.guard(() => this.draw(words));
    this.gl.flush();
  }

  draw(words) {
    const { gl } = this;
    const ints = new Int32Array(words.buffer, words.byteOffset, words.length);
    gl.bindVertexArray(this.vertexArray);
    gl.enable(gl.SCISSOR_TEST);
    let current = null;
    for (let p = 0; p < words.length; p += words[p]) {
      const program = this.programs.get(words[p + 1]);
      const output = this.memory.get(words[p + 2]);
      if (!program || !output) continue;
      if (!program.ready) {
        this.finishProgram(program);
        current = program.program ? program : null;
      }
      if (!program.program) continue;  // takeError() has said why
      if (output.framebuffer) {
        gl.bindFramebuffer(gl.FRAMEBUFFER, output.framebuffer);
      } else {
        output.framebuffer = gl.createFramebuffer();
        gl.bindFramebuffer(gl.FRAMEBUFFER, output.framebuffer);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, output.texture, 0);
      }
      if (program !== current) gl.useProgram(program.program);
      current = program;
      const inputs = words[p + 3];
      for (let k = 0; k < inputs; ++k) {
        gl.activeTexture(gl.TEXTURE0 + k);
        gl.bindTexture(gl.TEXTURE_2D, this.memory.get(words[p + 4 + k])?.texture ?? null);
      }
      const at = p + 4 + inputs;  // of the number of uniforms
      const count = words[at];
      if (count > 0 && program.uniforms) gl.uniform4iv(program.uniforms, ints, at + 1, count);
      // The viewport spans the texture, so that gl_FragCoord is the texel; the scissor cuts out this run's rows.
      gl.viewport(0, 0, output.width, output.height);
      gl.scissor(0, words[at + 2 + count], words[at + 1 + count], words[at + 3 + count]);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
  }

  // ---- Readback

  beginRead(request, id, count) {
    const m = this.memory.get(id);
    const read = { state: READ_PENDING, buffer: null, fence: null, words: 0, element: 0 };
    this.reads.set(request, read);
    if (this.checkLost() || !m) {
      read.state = READ_FAILED;
      queueMicrotask(() => this.options.onReadDone?.(request, -1));
      return;
    }
    const { gl } = this;
    this.guard(() => {
      const rows = Math.ceil(Math.ceil(count / 4) / m.width);
      read.words = rows * m.width * 4;
      read.buffer = gl.createBuffer();
      const framebuffer = m.framebuffer ?? gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
      if (!m.framebuffer) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, m.texture, 0);
      gl.bindBuffer(gl.PIXEL_PACK_BUFFER, read.buffer);
      gl.bufferData(gl.PIXEL_PACK_BUFFER, read.words * 4, gl.STREAM_READ);
      gl.readPixels(0, 0, m.width, rows, m.element === 0 ? gl.RGBA : gl.RGBA_INTEGER, m.element === 0 ? gl.FLOAT : gl.INT, 0);
      gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
      if (!m.framebuffer) gl.deleteFramebuffer(framebuffer);
      read.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    });
    gl.flush();
    this.pollLater();
  }

  pollLater() {
    if (this.polling || this.closed) return;
    this.polling = true;
    this.channel.port2.postMessage(0);  // setTimeout would wait 4 ms
  }

  pollFences() {
    this.polling = false;
    if (this.closed) return;
    this.checkLost();
    let pending = false;
    for (const [request, read] of this.reads) {
      if (read.state !== READ_PENDING) continue;
      if (this.signalled(read)) this.options.onReadDone?.(request, 0);
      else pending = true;
    }
    if (pending) this.pollLater();
  }

  signalled(read) {
    const { gl } = this;
    const status = gl.clientWaitSync(read.fence, 0, 0);
    if (status === gl.TIMEOUT_EXPIRED) return false;
    if (status === gl.WAIT_FAILED) return false;  // a lost context: checkLost() will answer
    read.state = READ_DONE;
    return true;
  }

  pollRead(request) {
    const read = this.reads.get(request);
    if (!read) return READ_FAILED;
    if (read.state === READ_PENDING && !this.checkLost()) this.signalled(read);
    return read.state;
  }

  /** getBufferSubData waits for the GPU by itself. */
  readWait(request) {
    const read = this.reads.get(request);
    if (read?.state === READ_PENDING && !this.checkLost()) read.state = READ_DONE;
  }

  /** out: Uint32Array to fill, or null to forget the request. */
  takeRead(request, out) {
    const read = this.reads.get(request);
    if (!read) return;
    this.reads.delete(request);
    if (!read.buffer || read.state === READ_FAILED || this.checkLost()) return;
    const { gl } = this;
    this.guard(() => {
      if (out) {
        gl.bindBuffer(gl.PIXEL_PACK_BUFFER, read.buffer);
        gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, out, 0, Math.min(out.length, read.words));
        gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
      }
      gl.deleteBuffer(read.buffer);
      gl.deleteSync(read.fence);
    });
  }
}
