// tf.train: optimisers as plain ops over variables.
import * as G from '../../generated/ops.mjs';
import { dispose, keep, registeredVariables, tidy } from '../engine.mjs';
import { variableGrads } from '../gradients.mjs';

/** Minimises losses by changing variables; subclasses say how one variable follows its gradient. */
export class Optimizer {
  constructor() {
    this.slots = new Map();  // variable -> kept tensors of this optimiser
    this.iterations_ = 0;
  }

  get iterations() {
    return this.iterations_;
  }

  /** One step on f(), a scalar loss. Returns the loss when asked to. */
  minimize(f, returnCost = false, varList) {
    const { value, grads } = variableGrads(f, varList);
    this.applyGradients(grads, varList);
    dispose(grads);
    if (returnCost) return value;
    value.dispose();
    return null;
  }

  computeGradients(f, varList) {
    return variableGrads(f, varList);
  }

  /** @param {object|object[]} gradients {name: tensor} or [{name, tensor}] */
  applyGradients(gradients) {
    const list = Array.isArray(gradients) ? gradients : Object.keys(gradients).map((name) => ({ name, tensor: gradients[name] }));
    ++this.iterations_;
    for (const { name, tensor } of list) {
      const v = registeredVariables[name];
      if (tensor == null || !v) continue;
      const old = this.slots.get(v) ?? [];
      let slots = [];
      tidy('optimizer', () => {
        const state = old.length ? old : this.initial(v);
        const [next, ...rest] = this.step(v, tensor, state);
        v.assign(next);
        slots = rest.map((t) => keep(t));
      });
      dispose(old);
      this.slots.set(v, slots);
    }
  }

  initial() {
    return [];
  }

  dispose() {
    for (const slots of this.slots.values()) dispose(slots);
    this.slots.clear();
  }

  setLearningRate(rate) {
    this.learningRate = rate;
  }
}

export class SGDOptimizer extends Optimizer {
  constructor(learningRate) {
    super();
    this.learningRate = learningRate;
  }

  step(v, g) {
    return [G.sub(v, G.mul(g, this.learningRate))];
  }
}

export class MomentumOptimizer extends Optimizer {
  constructor(learningRate, momentum, useNesterov = false) {
    super();
    Object.assign(this, { learningRate, momentum, useNesterov });
  }

  initial(v) {
    return [G.zerosLike(v)];
  }

  step(v, g, [speed]) {
    const next = G.add(G.mul(speed, this.momentum), g);
    const change = this.useNesterov ? G.add(g, G.mul(next, this.momentum)) : next;
    return [G.sub(v, G.mul(change, this.learningRate)), next];
  }
}

export class AdagradOptimizer extends Optimizer {
  constructor(learningRate, initialAccumulatorValue = 0.1) {
    super();
    Object.assign(this, { learningRate, initialAccumulatorValue });
  }

  initial(v) {
    return [G.fill(v.shape, this.initialAccumulatorValue)];
  }

  step(v, g, [sum]) {
    const next = G.add(sum, G.square(g));
    return [G.sub(v, G.mul(G.div(g, G.sqrt(G.add(next, 1e-7))), this.learningRate)), next];
  }
}

export class RMSPropOptimizer extends Optimizer {
  constructor(learningRate, decay = 0.9, momentum = 0, epsilon = 1e-7, centered = false) {
    super();
    Object.assign(this, { learningRate, decay, momentum, epsilon, centered });
  }

  initial(v) {
    return [G.zerosLike(v), G.zerosLike(v), G.zerosLike(v)];
  }

  step(v, g, [square, mean, moved]) {
    const nextSquare = G.add(G.mul(square, this.decay), G.mul(G.square(g), 1 - this.decay));
    const nextMean = this.centered ? G.add(G.mul(mean, this.decay), G.mul(g, 1 - this.decay)) : mean.clone();
    const spread = this.centered ? G.sub(nextSquare, G.square(nextMean)) : nextSquare;
    const move = G.add(G.mul(moved, this.momentum), G.div(G.mul(g, this.learningRate), G.sqrt(G.add(spread, this.epsilon))));
    return [G.sub(v, move), nextSquare, nextMean, move];
  }
}

export class AdamOptimizer extends Optimizer {
  constructor(learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7) {
    super();
    Object.assign(this, { learningRate, beta1, beta2, epsilon });
  }

  initial(v) {
    return [G.zerosLike(v), G.zerosLike(v)];
  }

  step(v, g, [mean, square]) {
    const m = G.add(G.mul(mean, this.beta1), G.mul(g, 1 - this.beta1));
    const s = G.add(G.mul(square, this.beta2), G.mul(G.square(g), 1 - this.beta2));
    const t = this.iterations_;
    const mHat = G.div(m, 1 - this.beta1 ** t);
    const sHat = G.div(s, 1 - this.beta2 ** t);
    return [G.sub(v, G.mul(G.div(mHat, G.add(G.sqrt(sHat), this.epsilon)), this.learningRate)), m, s];
  }
}

export const train = {
  sgd: (learningRate) => new SGDOptimizer(learningRate),
  momentum: (learningRate, momentum, useNesterov) => new MomentumOptimizer(learningRate, momentum, useNesterov),
  adagrad: (learningRate, initial) => new AdagradOptimizer(learningRate, initial),
  rmsprop: (learningRate, decay, momentum, epsilon, centered) => new RMSPropOptimizer(learningRate, decay, momentum, epsilon, centered),
  adam: (learningRate = 0.001, beta1, beta2, epsilon) => new AdamOptimizer(learningRate, beta1, beta2, epsilon),
};
