// Where the built package is, and what tests of it share.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** TESSERA_NPM: another build of the package, for development. */
export const npm = process.env.TESSERA_NPM ?? join(root, 'build/npm');

/** A file of the package, by its path. */
export const file = (name) => join(npm, name);

/** Imports an entry of the package; each query string gives an engine of its own. */
export async function load(entry = 'index.mjs', query = '') {
  if (!existsSync(file(entry))) throw new Error(`${file(entry)} is not there: make npm`);
  return import(pathToFileURL(file(entry)).href + query);
}

/** NaN equals NaN, infinities must match, else absolute and relative tolerance. */
export function near(got, want, tolerance = 1e-5) {
  return got.length === want.length && Array.prototype.every.call(want, (w, i) => {
    const g = got[i];
    if (typeof w === 'string') return g === w;
    if (Number.isNaN(w)) return Number.isNaN(g);
    if (!Number.isFinite(w)) return g === w;
    return Math.abs(g - w) <= tolerance * Math.max(1, Math.abs(w));
  });
}

/** Asserts a tensor's values (and shape, dtype). */
export function expectTensor(t, values, { shape, dtype, tolerance } = {}) {
  const got = Array.from(t.dataSync());
  const want = Array.from(values, (v) => typeof v === 'boolean' ? Number(v) : v);
  if (!near(got, want, tolerance)) throw new Error(`got [${got}], want [${want}]`);
  if (shape && t.shape.join() !== shape.join()) throw new Error(`shape [${t.shape}], want [${shape}]`);
  if (dtype && t.dtype !== dtype) throw new Error(`dtype ${t.dtype}, want ${dtype}`);
}

export function mulberry32(a) {
  return () => {
    a |= 0;
    a = a + 0x6D2B79F5 | 0;
    let t = Math.imul(a ^ a >>> 15, 1 | a);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return (t ^ t >>> 14) >>> 0;
  };
}
