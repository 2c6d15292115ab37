// Reading tests/cases/*.json in JavaScript, in Node and in pages.

/** The file's object. */
export const loadCases = (text) => JSON.parse(text);

const kWords = { NaN, Infinity, '-Infinity': -Infinity };
const value = (v) => typeof v === 'string' && v in kWords ? kWords[v] : v === true ? 1 : v === false ? 0 : v;

function mulberry32(a) {
  return () => {
    a |= 0;
    a = a + 0x6D2B79F5 | 0;
    let t = Math.imul(a ^ a >>> 15, 1 | a);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return (t ^ t >>> 14) >>> 0;
  };
}

const kSpecialFloats = [0, -0, 1, -1, 0.5, -0.5, 2, -2, NaN, Infinity, -Infinity, 1e-30, 1e30, 3.25, 100, -100];
const kSpecialInts = [0, 1, -1, 2, -2, 7, -7, 127, 46341, -46341, 2147483647, -2147483648];

/** The values of input number k of a case. */
export function inputValues(input, k) {
  const dtype = input.dtype ?? 'float32';
  if (input.values) return input.values.map((v) => dtype === 'string' ? v : value(v));
  const n = input.shape.reduce((a, b) => a * b, 1);
  const next = mulberry32(input.seed ?? 1234 + k);
  const unit = () => (next() >>> 8) / 16777216;
  const gen = input.gen ?? { float32: 'normal', int32: 'ints', bool: 'bools' }[dtype] ?? 'normal';
  const make = (fn) => Array.from({ length: n }, (_, i) => fn(i));
  switch (gen) {
    case 'normal': return make(() => (unit() + unit() + unit() + unit() - 2) * Math.sqrt(3));
    case 'uniform': {
      const [lo, hi] = [value(input.lo ?? -2), value(input.hi ?? 2)];
      return make(() => lo + (hi - lo) * unit());
    }
    case 'ints': {
      const [lo, hi] = [input.lo ?? -10, input.hi ?? 10];
      return make(() => lo + next() % (hi - lo));
    }
    case 'bools': return make(() => next() >>> 31);
    case 'distinct': {
      const p = make((i) => i);
      for (let i = n - 1; i > 0; --i) {
        const j = next() % (i + 1);
        [p[i], p[j]] = [p[j], p[i]];
      }
      return p.map((i) => (i - Math.floor(n / 2)) * 0.125);
    }
    case 'range': {
      const [lo, step] = [input.lo ?? 0, input.hi ?? 1];
      return make((i) => lo + i * step);
    }
    case 'special': return make((i) => dtype === 'int32' ? kSpecialInts[i % 12] : kSpecialFloats[i % 16]);
    default: throw new Error(`the generator '${gen}' does not exist`);
  }
}

/** The input tensors of a case. */
export function inputTensors(tf, c) {
  return (c.inputs ?? []).map((input, k) => {
    const values = inputValues(input, k);
    return tf.tensor(values, input.shape ?? [values.length], input.dtype ?? 'float32');
  });
}

export const wantedValues = (want) => want.values?.map((v) => want.dtype === 'string' ? v : value(v));

/**
 * The attributes of every public op, from the text of js/generated/ops.mjs: name -> {name, fields: [{kind, attr, choices, otherwise}]}.
 */
export function parseOps(text) {
  const ops = new Map();
  for (const block of text.split(/^export function /m).slice(1)) {
    const name = /(?:return|const outputs =)[\s\S]*?callOp\('([^']+)'/.exec(block)?.[1];
    if (!name) continue;
    const fields = [];
    for (const m of block.matchAll(/(put(?:Int|Float|List|String|Enum|DType))\(words, '[^']+', '([^']+)', \w+(?:, (\[[^\]]*\]|[-\w.]+))?\)/g)) {
      fields.push({ kind: m[1].slice(3), attr: m[2], choices: m[1] === 'putEnum' ? JSON.parse(m[3].replaceAll("'", '"')) : null, otherwise: m[1] === 'putFloat' ? Number(m[3]) : NaN });
    }
    ops.set(name, { name, fields });
  }
  return ops;
}

const kDTypes = ['float32', 'int32', 'bool', 'complex64', 'string', 'float16', 'int8', 'uint8', 'uint16'];

/** A case's attributes as the words of the C ABI (tessera.h). */
export function caseWords(op, c) {
  const attrs = c.attrs ?? {};
  for (const name of Object.keys(attrs)) if (!op.fields.some((f) => f.attr === name)) throw new Error(`[${op.name}] has no attribute '${name}'`);
  const words = [];
  // What is missing at the end is left out: the engine takes its defaults, or says what is missing.
  const given = op.fields.findLastIndex((f) => attrs[f.attr] !== undefined) + 1;
  for (const f of op.fields.slice(0, given)) {
    const v = attrs[f.attr];
    if (v === undefined) words.push(f.otherwise);
    else if (f.kind === 'List') {
      const list = [].concat(v).flat(3).map(value);
      words.push(list.length, ...list);
    } else if (f.kind === 'String') {
      const bytes = new TextEncoder().encode(String(v));
      words.push(bytes.length, ...bytes);
    } else if (f.kind === 'Enum') {
      words.push(f.choices.indexOf(v));
    } else if (f.kind === 'DType') {
      words.push(kDTypes.indexOf(v));
    } else {
      words.push(value(v));
    }
  }
  return words;
}

/** Dtypes that tensors of the JavaScript API can have. */
export const kUsable = ['float32', 'int32', 'bool', 'string'];

function same(a, b, tolerance) {
  if (typeof b === 'string') return a === b;
  if (Number.isNaN(b)) return Number.isNaN(a);
  if (!Number.isFinite(b)) return a === b;
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b));
}

/** A sentence about the first difference; '' when there is none. */
export function difference(got, want, tolerance) {
  if (want.shape && got.shape.join() !== want.shape.join()) return `shape [${got.shape}], want [${want.shape}]`;
  if (want.dtype && got.dtype !== want.dtype) return `dtype ${got.dtype}, want ${want.dtype}`;
  if (!want.values) return '';
  if (got.values.length !== want.values.length) return `${got.values.length} values, want ${want.values.length}`;
  const i = want.values.findIndex((w, k) => !same(got.values[k], w, tolerance));
  return i < 0 ? '' : `element ${i}: ${got.values[i]}, want ${want.values[i]}`;
}
