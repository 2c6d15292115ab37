// Command lists and shaders written by hand, in the form that the engine's C++ records (src/backends/gpu/command_list.h), to test
// the JavaScript drivers by themselves. Run with WebGPU in Node and with WebGPU and WebGL in a browser.

/** runs: [{program, output, inputs, uniforms, grid: [x, y, z]}] */
export function commandList(runs) {
  const words = [];
  for (const r of runs) {
    const uniforms = r.uniforms ?? [];
    words.push(8 + r.inputs.length + uniforms.length, r.program, r.output, r.inputs.length, ...r.inputs, uniforms.length, ...uniforms,
               ...r.grid);
  }
  return new Uint32Array(words);
}

export const floatBits = (x) => new Uint32Array(new Float32Array([x]).buffer)[0];

/** y = a * s + b, n elements; uniforms: n, bits of s */
export const WGSL_AXPY = `
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> u: array<vec4<u32>, 1>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < u[0].x) { y[id.x] = a[id.x] * bitcast<f32>(u[0].y) + b[id.x]; }
}`;

export const GLSL_AXPY = `#version 300 es
precision highp float; precision highp int;
uniform highp sampler2D x0; uniform highp sampler2D x1;
uniform ivec4 u[1];
out vec4 y;
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  y = texelFetch(x0, p, 0) * intBitsToFloat(u[0].y) + texelFetch(x1, p, 0);
}`;

/** y = a + 1 on int32 */
export const WGSL_INCREMENT = `
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> y: array<i32>;
@group(0) @binding(2) var<uniform> u: array<vec4<u32>, 1>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < u[0].x) { y[id.x] = a[id.x] + 1; }
}`;

export const GLSL_INCREMENT = `#version 300 es
precision highp float; precision highp int;
uniform highp isampler2D x0;
uniform ivec4 u[1];
out ivec4 y;
void main() { y = texelFetch(x0, ivec2(gl_FragCoord.xy), 0) + 1; }`;

/**
 * Drives one driver through memory, programs, a chain of runs, readbacks, a broken shader and a loss. `kind`: 'webgpu' or 'webgl';
 * `lose(driver)`: makes the device go away; `events`: what the driver was given as options. Throws on the first wrong answer.
 */
export async function exercise(driver, kind, events, lose) {
  const gl = kind === 'webgl';
  const n = 100;  // 25 texels: 3 rows of 8 and one texel
  const shape = gl ? [8 * 4 * 16, 8, 4] : [512, 0, 0];
  const grid = gl ? [8, 0, 4] : [2, 1, 1];
  const eq = (got, want, what) => {
    if (got !== want) throw new Error(`${kind}: ${what}: got ${got}, wanted ${want}`);
  };
  const read = async (request, id, words) => {
    const done = new Promise((resolve) => events.waiting.set(request, resolve));
    driver.beginRead(request, id, words);
    const status = await done;
    if (status !== 0) throw Object.assign(new Error('lost'), { lost: true });
    eq(driver.pollRead(request), 1, 'state of a finished read');
    const out = new Uint32Array(words);
    driver.takeRead(request, out);
    return out;
  };
  const round = async (base) => {
    const a = Float32Array.from({ length: n }, (_, i) => i * 0.5);
    const b = Float32Array.from({ length: n }, (_, i) => -i);
    for (const id of [1, 2, 3, 4]) driver.createMemory(base + id, ...shape, 0);
    for (const id of [5, 6]) driver.createMemory(base + id, ...shape, 1);
    driver.upload(base + 1, new Uint32Array(a.buffer));
    driver.upload(base + 2, new Uint32Array(b.buffer));
    driver.upload(base + 5, new Uint32Array(Int32Array.from({ length: n }, (_, i) => i - 50).buffer));
    driver.createProgram(base + 1, gl ? GLSL_AXPY : WGSL_AXPY, 4, 2);
    driver.createProgram(base + 2, gl ? GLSL_INCREMENT : WGSL_INCREMENT, 4, 1);
    driver.encode(commandList([
      { program: base + 1, output: base + 3, inputs: [base + 1, base + 2], uniforms: [n, floatBits(3), 0, 0], grid },
      { program: base + 1, output: base + 4, inputs: [base + 3, base + 3], uniforms: [n, floatBits(-1.5), 0, 0], grid },
      { program: base + 2, output: base + 6, inputs: [base + 5], uniforms: [n, 0, 0, 0], grid },
    ]));
    const y = new Float32Array((await read(base + 1, base + 4, n)).buffer);
    const z = new Int32Array((await read(base + 2, base + 6, n)).buffer);
    for (let i = 0; i < n; ++i) {
      const c = a[i] * 3 + b[i];
      eq(y[i], c * -1.5 + c, `float element ${i}`);
      eq(z[i], i - 49, `int element ${i}`);
    }
    eq(driver.takeError(), '', 'error after good work');
  };

  await round(0);
  for (const id of [1, 2, 3, 4, 5, 6]) driver.destroyMemory(id);

  // A shader that does not compile is reported, and the driver goes on.
  driver.createProgram(50, 'not a shader', 4, 1);
  driver.createMemory(51, ...shape, 0);
  driver.encode(commandList([{ program: 50, output: 51, inputs: [51], uniforms: [1, 0, 0, 0], grid }]));
  await read(50, 51, 4);
  if (!/does not compile/.test(driver.takeError())) throw new Error(`${kind}: a broken shader was not reported`);
  driver.takeError();
  await round(100);

  // A loss: the read under way fails, events come, and after the device is back everything works under new ids.
  const before = driver.epoch;
  const failed = read(90, 101, n).then(() => 'read', (e) => (e.lost ? 'failed' : e.message));
  const back = new Promise((resolve) => { events.whenBack = resolve; });
  lose(driver);
  eq(driver.encode(commandList([])), undefined, 'encode while lost');
  const outcome = await failed;
  if (outcome !== 'failed' && outcome !== 'read') throw new Error(`${kind}: read across a loss: ${outcome}`);
  await back;
  eq(driver.epoch, before + 1, 'epoch after a loss');
  eq(driver.checkLost(), false, 'lost after it came back');
  await round(200);
  return outcome;
}

/** Options for a driver, and the promises that `exercise` waits on. */
export function listen() {
  const events = {
    waiting: new Map(), whenBack: () => {},
    onReadDone(request, status) {
      events.waiting.get(request)?.(status);
      events.waiting.delete(request);
    },
    onLost(lost) {
      if (!lost) events.whenBack();
    },
  };
  return events;
}
