// Gradients of JavaScript functions over tensors.
import * as engine from './engine.mjs';
import { Tensor, Variable } from './tensor.mjs';

// ---- customGrad: the engine calls back into JavaScript -------------------------------------------------------------------

/** Gradient functions by the number that the engine knows them by; they live until the outermost gradient call ends. */
const customs = new Map();
let nextCustom = 1;
let tapes = 0;
/** What a gradient function threw, to be thrown on from where the gradient was asked for. */
let pendingError = null;

engine.whenInstalled((a) => {
  const fn = a.module.addFunction((id, dys, numDys, dxs, numDxs) => {
    try {
      const { i32 } = a.views();
      const handles = Array.from(i32.subarray(dys >>> 2, (dys >>> 2) + numDys));
      const { gradFunc, saved, inputs, outputs } = customs.get(id);
      engine.startScope('customGrad');
      let result;
      try {
        // Where no gradient flows into an output, it is zero.
        const grads = handles.map((h, i) => h === 0 ? engine.callOp('zerosLike', [outputs[i]], [])[0] : engine.wrap(a.x.tsr_clone(h)));
        result = gradFunc(grads.length === 1 ? grads[0] : grads, saved);
        result = Array.isArray(result) ? result : [result];
        if (result.length !== numDxs) {
          throw new Error('[customGrad] the gradient function should return one gradient for each of the ' +
            `${numDxs} inputs, but returned ${result.length}`);
        }
        result.forEach((dx, i) => {
          if (!(dx instanceof Tensor)) throw new Error(`[customGrad] gradient ${i} is not a tensor`);
          if (dx.shape.join() !== inputs[i].shape.join()) {
            throw new Error(`[customGrad] gradient ${i} has shape [${dx.shape}], but the input has [${inputs[i].shape}]`);
          }
        });
        const out = a.views().i32;
        result.forEach((dx, i) => { out[(dxs >>> 2) + i] = dx._h; });
      } finally {
        engine.endScope(result);
      }
      return 0;
    } catch (e) {
      pendingError = e;
      return -1;
    }
  }, 'iiiiii');
  a.x.tsr_set_custom_grad_callback(fn);
});

function beginTape() {
  const a = engine.abi();
  a.check(a.x.tsr_tape_begin());
  ++tapes;
}

function endTape() {
  const a = engine.abi();
  --tapes;
  a.x.tsr_tape_end();
  if (tapes === 0) {
    for (const { saved, inputs, outputs } of customs.values()) for (const t of [...saved, ...inputs, ...outputs]) t.dispose();
    customs.clear();
  }
}

/** A copy that lives until the outermost gradient call ends. */
const retain = (t) => engine.keep(t.clone());

/**
 * A function with a gradient of its own: f(...inputs, save) gives {value, gradFunc(dy, saved) -> gradients of the inputs}.
 * @param {Function} f
 */
export function customGrad(f) {
  if (typeof f !== 'function') throw new Error('The f passed in customGrad(f) must be a function.');
  return (...inputs) => {
    if (!inputs.every((x) => x instanceof Tensor)) {
      throw new Error('The args passed in customGrad(f)(x1, x2,...) must all be tensors');
    }
    const saved = [];
    let custom = null;
    const value = engine.tidy('customGrad', () => {
      const { value, gradFunc } = f(...inputs, (tensors) => {
        if (tapes > 0) for (const t of tensors) saved.push(retain(t));
      });
      if (!(value instanceof Tensor)) throw new Error('The function f passed in customGrad(f) must return an object where `obj.value` is a tensor');
      if (typeof gradFunc !== 'function') throw new Error('The function f passed in customGrad(f) must return an object where `obj.gradFunc` is a function.');
      if (tapes === 0) return value;
      custom = { gradFunc, saved, inputs: inputs.map(retain), outputs: [retain(value)] };
      const id = nextCustom++;
      customs.set(id, custom);
      const a = engine.abi();
      const made = a.withHandles(inputs.map((t) => t._h), (p, n) => {
        const q = a.alloc(8);
        a.views().i32[q >>> 2] = value._h;
        try {
          a.check(a.x.tsr_custom_grad(id, p, n, q, 1, q + 4));
          return a.views().i32[(q >>> 2) + 1];
        } finally {
          a.free(q);
        }
      });
      return engine.wrap(made);
    });
    return value;
  };
}

// ---- Gradients -----------------------------------------------------------------------------------------------------------

/** d y / d x for each of xs by the innermost tape; null where y does not depend on it. */
function differentiate(y, xs, dy) {
  const a = engine.abi();
  const out = a.alloc(xs.length * 4 + 4);
  try {
    const n = a.withHandles(xs.map((t) => t._h), (p, count) => a.x.tsr_grad(y._h, dy ? dy._h : 0, p, count, out));
    if (n < 0) {
      const error = pendingError ?? a.error();
      pendingError = null;
      throw error;
    }
    return Array.from(a.views().i32.subarray(out >>> 2, (out >>> 2) + n)).map((h) => h === 0 ? null : engine.wrap(h));
  } finally {
    a.free(out);
  }
}

/** {value, grads} of f() with respect to xs. */
function gradients(f, xs, dy, allowNone) {
  if (xs.length === 0) throw new Error('gradients() received an empty list of xs.');
  if (dy != null && dy.dtype !== 'float32') throw new Error(`dy must have 'float32' dtype, but has '${dy.dtype}'`);
  return engine.tidy('gradients', () => {
    beginTape();
    try {
      const y = engine.tidy('forward', f);
      if (!(y instanceof Tensor)) throw new Error('The result y returned by f() must be a tensor.');
      const grads = differentiate(y, xs, dy);
      if (!allowNone && grads.some((g) => g === null)) {
        throw new Error('Cannot compute gradient of y=f(x) with respect to x. Make sure that the f you passed encloses all operations that lead from x to y.');
      }
      return { value: y, grads };
    } finally {
      endTape();
    }
  });
}

function checkDy(dy, y) {
  if (dy != null && dy.shape.join() !== y.shape.join()) {
    throw new Error(`The shape of dy passed in grad(f)(x, dy) must match the shape returned by f(x): [${dy.shape}] and [${y.shape}]`);
  }
}

const likeTensor = (x, i, what) => engine.asTensor(x, Array.isArray(i) ? 'x' : `x${i}`, what);

/** x -> f'(x); with dy: the vector-Jacobian product. */
export function grad(f) {
  if (typeof f !== 'function') throw new Error('The f passed in grad(f) must be a function');
  return (x, dy) => {
    if (Array.isArray(x) && x.some((v) => v instanceof Tensor)) throw new Error('The x passed in grad(f)(x) must be a tensor');
    return engine.tidy('grad', () => {
      const $x = likeTensor(x, 0, 'tf.grad');
      const $dy = dy != null ? likeTensor(dy, 1, 'tf.grad') : null;
      const { grads } = gradients(() => {
        const y = f($x);
        checkDy($dy, y);
        return y;
      }, [$x], $dy);
      return grads[0];
    });
  };
}

/** [x1, x2, ...] -> the gradients of f(x1, x2, ...) with respect to each. */
export function grads(f) {
  if (typeof f !== 'function') throw new Error('The f passed in grads(f) must be a function');
  return (args, dy) => {
    if (!Array.isArray(args)) throw new Error('The args passed in grads(f)(args) must be an array of `Tensor`s or `TensorLike`s');
    return engine.tidy('grads', () => {
      const $args = args.map((x, i) => likeTensor(x, i, 'tf.grads'));
      const $dy = dy != null ? likeTensor(dy, 'dy', 'tf.grads') : null;
      return gradients(() => {
        const y = f(...$args);
        checkDy($dy, y);
        return y;
      }, $args, $dy).grads;
    });
  };
}

/** x -> {grad, value}. */
export function valueAndGrad(f) {
  if (typeof f !== 'function') throw new Error('The f passed in valueAndGrad(f) must be a function');
  return (x, dy) => {
    if (!(x instanceof Tensor)) throw new Error('The x passed in valueAndGrad(f)(x) must be a tensor');
    if (dy != null && !(dy instanceof Tensor)) throw new Error('The dy passed in valueAndGrad(f)(x, dy) must be a tensor');
    const { grads, value } = gradients(() => {
      const y = f(x);
      checkDy(dy, y);
      return y;
    }, [x], dy);
    return { grad: grads[0], value };
  };
}

/** [x1, x2, ...] -> {grads, value}. */
export function valueAndGrads(f) {
  if (typeof f !== 'function') throw new Error('The f passed in valueAndGrads(f) must be a function');
  return (args, dy) => {
    if (!Array.isArray(args) || !args.every((x) => x instanceof Tensor)) throw new Error('The args passed in valueAndGrads(f)(args) must be array of tensors');
    if (dy != null && !(dy instanceof Tensor)) throw new Error('The dy passed in valueAndGrads(f)(args, dy) must be a tensor');
    return gradients(() => {
      const y = f(...args);
      checkDy(dy, y);
      return y;
    }, args, dy);
  };
}

/** {value, grads: {[variable name]: gradient}} of the scalar f() with respect to variables (default: all trainable ones). */
export function variableGrads(f, varList) {
  if (typeof f !== 'function') throw new Error('The f passed in variableGrads(f) must be a function');
  if (varList != null && !(Array.isArray(varList) && varList.every((v) => v instanceof Variable))) {
    throw new Error('The varList passed in variableGrads(f, varList) must be an array of variables');
  }
  const specified = varList != null;
  let list = specified ? varList : Object.values(engine.registeredVariables);
  const others = specified ? list.filter((v) => !v.trainable) : [];
  const all = list.length;
  list = list.filter((v) => v.trainable);
  if (list.length === 0) {
    throw new Error(`variableGrads() expects at least one of the input variables to be trainable, but none of the ${all} variables is trainable.`);
  }
  const { value, grads } = gradients(f, list, null, true);
  if (!grads.some((g) => g != null)) {
    throw new Error('Cannot find a connection between any variable and the result of the loss function y=f(x). Please make sure the operations that use variables are inside the function f passed to minimize().');
  }
  if (value.rank !== 0) {
    throw new Error(`The f passed in variableGrads(f) must return a scalar, but it returned a rank-${value.rank} tensor`);
  }
  const named = {};
  list.forEach((v, i) => { if (grads[i] != null) named[v.name] = grads[i]; });
  for (const v of others) named[v.name] = null;
  return { value, grads: named };
}
