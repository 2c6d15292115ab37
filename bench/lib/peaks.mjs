// What the machine gives a WebAssembly loop on one thread: GFLOP/s of multiply-adds, GB/s of y = a * x at several sizes. The module is
// put together here byte by byte, so that nothing stands between the loop and the engine. Works in Node and on pages.

const leb = (n) => {
  const out = [];
  for (let v = n;;) {
    const low = v & 127;
    v >>= 7;
    const done = (v === 0 && !(low & 64)) || (v === -1 && (low & 64));
    out.push(done ? low : low | 128);
    if (done) return out;
  }
};
const unsigned = (n) => n < 128 ? [n] : [n & 127 | 128, ...unsigned(n >>> 7)];
const vector = (items) => [...unsigned(items.length), ...items.flat()];
const section = (id, content) => [id, ...unsigned(content.length), ...content];
const name = (s) => vector([...s].map((c) => [c.charCodeAt(0)]));

const I32 = 0x7f, V128 = 0x7b, kEmpty = 0x40;
const get = (i) => [0x20, ...unsigned(i)], set = (i) => [0x21, ...unsigned(i)];
const i32 = (n) => [0x41, ...leb(n)], add = [0x6a], sub = [0x6b], less = [0x49];
const f32 = (x) => [0x43, ...new Uint8Array(Float32Array.of(x).buffer)];
const simd = (op, ...more) => [0xfd, ...unsigned(op), ...more];
const load = (offset) => simd(0x00, 4, ...unsigned(offset)), store = (offset) => simd(0x0b, 4, ...unsigned(offset));
const splat = simd(0x13), fadd = simd(0xe4), fmul = simd(0xe6), madd = simd(0x105);
const loop = (body) => [0x03, kEmpty, ...body, 0x0b];
/** `body`, then again while --counter != 0. */
const countdown = (counter, body) => loop([...body, ...get(counter), ...i32(1), ...sub, 0x22, counter, 0x0d, 0]);

const kChains = 12, kSteps = 16;  // independent sums, multiply-adds of each a turn

/** scale(from, to, bytes, times): to = 1.5 * from, 64 bytes a turn; flops(turns). */
function moduleBytes(relaxed) {
  const turn = [0, 16, 32, 48].map((o) => [...get(1), ...get(4), ...add, ...get(0), ...get(4), ...add, ...load(o), ...get(5), ...fmul, ...store(o)]);
  const scale = [...f32(1.5), ...splat, ...set(5),
                 ...countdown(3, [...i32(0), ...set(4), ...loop([...turn.flat(), ...get(4), ...i32(64), ...add, 0x22, 4, ...get(2), ...less, 0x0d, 0])])];
  const a = 1 + kChains, b = a + 1;
  const step = (acc) => relaxed ? [...get(acc), ...get(a), ...get(b), ...madd, ...set(acc)] : [...get(acc), ...get(a), ...fmul, ...get(b), ...fadd, ...set(acc)];
  const chains = Array.from({ length: kChains }, (_, i) => 1 + i);
  const flops = [...f32(0.999), ...splat, ...set(a), ...f32(0.001), ...splat, ...set(b),
                 ...countdown(0, Array.from({ length: kSteps }, () => chains.map(step)).flat(2)),
                 ...i32(0), ...chains.map((c, i) => [...get(c), ...(i ? fadd : [])]).flat(), ...store(0)];
  const body = (locals, code) => { const all = [...vector(locals), ...code, 0x0b]; return [...unsigned(all.length), ...all]; };
  return new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, vector([[0x60, ...vector([[I32], [I32], [I32], [I32]]), 0], [0x60, ...vector([[I32]]), 0]])),
    ...section(3, vector([[0], [1]])),
    ...section(5, vector([[0, ...unsigned(2100)]])),  // pages of 64 KB
    ...section(7, vector([[...name('memory'), 2, 0], [...name('scale'), 0, 0], [...name('flops'), 0, 1]])),
    ...section(10, vector([body([[1, I32], [1, V128]], scale), body([[kChains + 2, V128]], flops)])),
  ]);
}

/** The shortest of several timings, in seconds a call. */
function shortest(run, seconds = 0.25) {
  let calls = 1, best = Infinity;
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    const start = performance.now();
    run(calls);
    const ms = performance.now() - start;
    if (ms < 4) calls *= 2;  // pages see tenths of a millisecond
    else best = Math.min(best, ms / calls / 1000);
  }
  return best;
}

let instance;
function exportsOf() {
  if (!instance) {
    const relaxed = WebAssembly.validate(moduleBytes(true));
    instance = { ...new WebAssembly.Instance(new WebAssembly.Module(moduleBytes(relaxed))).exports, relaxed };
    new Uint8Array(instance.memory.buffer).fill(0);  // touches every page
  }
  return instance;
}

/** Milliseconds that y = a * x of n float32 takes here. */
export function scaleMs(n) {
  const { scale } = exportsOf(), bytes = n * 4;
  return shortest((times) => scale(0, 64 << 20, bytes, times)) * 1000;
}

export function peaks() {
  const { flops, relaxed } = exportsOf();
  const turns = 20000;
  const seconds = shortest((times) => { for (let i = 0; i < times; ++i) flops(turns); });
  const gigabytes = (n) => 8 * n / scaleMs(n) * 1e-6;
  return { gflops: 2 * 4 * kChains * kSteps * turns / seconds * 1e-9, relaxed,
           gbs: { '4 K': gigabytes(4096), '64 K': gigabytes(65536), '1 M': gigabytes(1 << 20), '16 M': gigabytes(1 << 24) } };
}
