// The case list on one backend against the WebAssembly one, outputs and gradients; for pages and for Node.
import { caseWords, difference, inputTensors, kUsable, loadCases, parseOps, wantedValues } from '../js/case_list.mjs';

const read = (tensors) => Promise.all(tensors.map(async (t) => ({ shape: t.shape, dtype: t.dtype, values: Array.from(await t.data()) })));

/** Outputs of a case on the backend in use. */
async function outputsOf(tf, op, c) {
  const tensors = tf.tidy(() => tf.engine().runOp(op.name, inputTensors(tf, c), caseWords(op, c)));
  const out = await read(tensors);
  tf.dispose(tensors);
  return out;
}

/** Gradients of the sum of a case's float outputs in its float inputs; null when it has none. */
async function gradientsOf(tf, op, c) {
  const inputs = inputTensors(tf, c);
  const floats = inputs.filter((t) => t.dtype === 'float32');
  let grads = null;
  try {
    if (floats.length) {
      grads = tf.grads((...xs) => {
        let next = 0;
        const outputs = tf.engine().runOp(op.name, inputs.map((t) => (t.dtype === 'float32' ? xs[next++] : t)), caseWords(op, c));
        return outputs.filter((t) => t.dtype === 'float32').map((t) => tf.sum(t)).reduce((a, b) => tf.add(a, b));
      })(floats);
    }
  } catch {
    grads = null;  // not differentiable, or not in every input: the native tests say which are
  }
  const out = grads && await read(grads);
  tf.dispose([inputs, grads ?? []]);
  return out;
}

/**
 * Runs the files of `texts` (the case files' contents) on `backend`. opsText: js/generated/ops.mjs. Returns {passed, faults, skipped}.
 */
export async function runCases(tf, backend, texts, opsText) {
  const ops = parseOps(opsText);
  const todo = [];
  let skipped = 0;
  for (const text of texts) {
    const { op: name, cases } = loadCases(text);
    const op = ops.get(name);
    for (const c of cases) {
      const odd = !op || c.exclude?.js || c.exclude?.[backend] || c.expect?.error !== undefined ||
        c.inputs?.some((i) => i.dtype && !kUsable.includes(i.dtype));
      if (odd) ++skipped;
      else todo.push({ op, c });
    }
  }
  if (!await tf.setBackend('wasm')) throw new Error(tf.backendFault('wasm'));
  for (const t of todo) {
    t.want = await outputsOf(tf, t.op, t.c);
    t.grads = await gradientsOf(tf, t.op, t.c);
  }
  if (!await tf.setBackend(backend)) throw new Error(tf.backendFault(backend));
  const faults = [];
  let passed = 0;
  for (const { op, c, want, grads } of todo) {
    const tolerance = c.tolerance ?? 1e-4;
    const exact = (t) => (t.dtype !== 'float32' && c.tolerance === undefined ? 0 : tolerance);
    const before = faults.length;
    const say = (what) => faults.push(`${op.name} / ${c.name}: ${what}`);
    try {
      const got = await outputsOf(tf, op, c);
      got.forEach((t, i) => {
        const d = difference(t, want[i], exact(t)) ||
          (c.expect?.[i] ? difference(t, { ...c.expect[i], values: wantedValues(c.expect[i]) }, exact(t)) : '');
        if (d) say(`output ${i}: ${d}`);
      });
      if (grads) {
        const g = await gradientsOf(tf, op, c);
        if (!g) say('no gradient');
        g?.forEach((t, i) => {
          const d = difference(t, grads[i], 10 * tolerance);
          if (d) say(`gradient ${i}: ${d}`);
        });
      }
    } catch (e) {
      say(e.message);
    }
    if (faults.length === before) ++passed;
  }
  return { passed, faults, skipped };
}
