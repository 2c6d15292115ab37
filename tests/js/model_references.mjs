// Comparing a model's outputs with the references in tests/models (README.md there says what the files hold). Plain JavaScript, for
// Node and for pages: whoever calls gives the metadata and the outputs' values.

/** Largest error of an output, in parts of the reference's range. */
export const kTolerance = 1e-4;

function mulberry32(a) {
  return () => {
    a |= 0;
    a = a + 0x6D2B79F5 | 0;
    let t = Math.imul(a ^ a >>> 15, 1 | a);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return (t ^ t >>> 14) >>> 0;
  };
}

/** The values of an input, as its dtype's typed array. */
export function inputValues({ shape, dtype, seed }) {
  const n = shape.reduce((a, b) => a * b, 1);
  const next = mulberry32(seed);
  return dtype === 'int32' ? Int32Array.from({ length: n }, () => next() % 256) : Float32Array.from({ length: n }, () => (next() >>> 8) / 16777216);
}

const allowed = (v, tolerance) => {
  const range = v.max - v.min;
  return tolerance * (range > 0 ? range : Math.max(Math.abs(v.max), 1e-30));
};
const fits = (a, b, limit) => (Number.isNaN(a) && Number.isNaN(b)) || a === b || Math.abs(a - b) <= limit;

/**
 * Faults, one sentence each, and the largest error.
 * @param {object} meta meta.json @param {Map<string, {shape: number[], values: ArrayLike<number>}>} got
 * @param {Map<string, ArrayLike<number>>} want values of the outputs that are kept in full
 */
export function compare(meta, got, want, tolerance = kTolerance) {
  const faults = [];
  let worst = 0;
  const byName = new Map(meta.outputs.map((v) => [v.name, v]));
  const limit = (name, column) => meta.exact?.[name]?.includes(column) ? 0 : allowed(byName.get(name), tolerance);
  for (const v of meta.outputs) {
    const g = got.get(v.name);
    if (!g) {
      faults.push(`output '${v.name}' is missing`);
    } else if (g.shape.join() !== v.shape.join()) {
      faults.push(`output '${v.name}' has shape [${g.shape}], wanted [${v.shape}]`);
    } else if (!v.file) {
      let [low, high, sum] = [Infinity, -Infinity, 0];
      for (const x of g.values) {
        low = Math.min(low, x);
        high = Math.max(high, x);
        sum += x;
      }
      const mean = sum / g.values.length;
      const a = allowed(v, tolerance);
      if (!fits(low, v.min, a) || !fits(high, v.max, a) || !fits(mean, v.mean, a)) {
        faults.push(`output '${v.name}' has min ${low}, max ${high}, mean ${mean}, wanted ${v.min}, ${v.max}, ${v.mean}`);
      }
    }
  }
  if (faults.length) return { faults, worst };
  const inSets = new Set((meta.sets ?? []).flat());
  for (const set of meta.sets ?? []) {
    const rows = byName.get(set[0]).shape[1];
    const used = new Array(rows).fill(false);
    const same = (i, j) => set.every((name) => {
      const g = got.get(name).values;
      const w = want.get(name);
      const columns = w.length / rows;
      for (let c = 0; c < columns; ++c) if (!fits(w[i * columns + c], g[j * columns + c], limit(name, c))) return false;
      return true;
    });
    for (let i = 0; i < rows && faults.length < 5; ++i) {
      let found = !used[i] && same(i, i) ? i : -1;
      for (let j = 0; found < 0 && j < rows; ++j) if (!used[j] && same(i, j)) found = j;
      if (found < 0) faults.push(`no row of the set with '${set[0]}' is the reference's row ${i}`);
      else used[found] = true;
    }
  }
  for (const v of meta.outputs) {
    if (!v.file || inSets.has(v.name)) continue;
    const a = want.get(v.name);
    const b = got.get(v.name).values;
    const columns = v.shape.length ? v.shape[v.shape.length - 1] : 1;
    const unit = allowed(v, 1);
    for (let i = 0; i < a.length; ++i) {
      if (Number.isFinite(a[i]) && Number.isFinite(b[i])) worst = Math.max(worst, Math.abs(a[i] - b[i]) / unit);
      if (fits(a[i], b[i], limit(v.name, i % columns))) continue;
      faults.push(`output '${v.name}' differs at element ${i}: ${b[i]}, wanted ${a[i]} (range ${v.min} to ${v.max})`);
      break;
    }
  }
  return { faults, worst };
}
