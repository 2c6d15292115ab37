// Tensors as text, in TensorFlow.js's form.
import { sizeFromShape } from './dtypes.mjs';

const kLimit = 20;  // a longer axis shows its ends only
const kEnds = 3;
const kDigits = 7;

function text(v, dtype) {
  if (dtype === 'complex64') return `${number(v[0])} + ${number(v[1])}j`;
  if (dtype === 'string') return `'${v}'`;
  if (dtype === 'bool') return v ? 'true' : 'false';
  return number(v);
}

const number = (v) => parseFloat(Number(v).toFixed(kDigits)).toString();

/** Indices of an axis that are shown; -1 stands for what is left out. */
function shown(n) {
  if (n <= kLimit) return Array.from({ length: n }, (_, i) => i);
  return [...Array.from({ length: kEnds }, (_, i) => i), -1, ...Array.from({ length: kEnds }, (_, i) => n - kEnds + i)];
}

export function tensorToString(values, shape, dtype, verbose) {
  const at = dtype === 'complex64' ? (i) => [values[2 * i], values[2 * i + 1]] : (i) => values[i];
  const lines = body(at, shape, dtype);
  const head = ['Tensor'];
  if (verbose) head.push(`  dtype: ${dtype}`, `  rank: ${shape.length}`, `  shape: [${shape}]`, '  values:');
  return [...head, ...lines.map((l) => `    ${l}`)].join('\n');
}

function body(at, shape, dtype) {
  if (shape.length === 0) return [text(at(0), dtype)];
  if (sizeFromShape(shape) === 0) return ['[]'];
  const columns = shape[shape.length - 1];
  const widths = new Map();
  const rows = [];  // pairs of base index and depth are walked twice: for the widths, then for the text
  const walk = (depth, base) => {
    if (depth === shape.length - 1) {
      rows.push(base);
      for (const c of shown(columns)) if (c >= 0) widths.set(c, Math.max(widths.get(c) ?? 0, text(at(base + c), dtype).length));
      return;
    }
    const step = sizeFromShape(shape.slice(depth + 1));
    for (const i of shown(shape[depth])) if (i >= 0) walk(depth + 1, base + i * step);
  };
  walk(0, 0);
  const build = (depth, base) => {
    if (depth === shape.length - 1) {
      return [`[${shown(columns).map((c) => c < 0 ? '...' : text(at(base + c), dtype).padEnd(shape.length > 1 ? widths.get(c) : 0)).join(', ')}]`];
    }
    const step = sizeFromShape(shape.slice(depth + 1));
    const lines = [];
    const gap = new Array(Math.max(0, shape.length - depth - 2)).fill('');
    const all = shown(shape[depth]);
    all.forEach((i, k) => {
      const part = i < 0 ? ['...'] : build(depth + 1, base + i * step);
      part[part.length - 1] += k < all.length - 1 ? ',' : '';
      lines.push(...part.map((l, j) => (k === 0 && j === 0 ? '[' : ' ') + l));
      if (k < all.length - 1) lines.push(...gap);
    });
    lines[lines.length - 1] += ']';
    return lines;
  };
  return build(0, 0);
}
