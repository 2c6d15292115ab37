// tf.losses, as compositions.
import * as G from '../../generated/ops.mjs';
import { asTensor, tidy } from '../engine.mjs';
import { oneHot } from './math.mjs';

export const Reduction = { 0: 'NONE', 1: 'MEAN', 2: 'SUM', 3: 'SUM_BY_NONZERO_WEIGHTS', NONE: 0, MEAN: 1, SUM: 2, SUM_BY_NONZERO_WEIGHTS: 3 };

function sameShape(op, a, b) {
  if (a.shape.join() !== b.shape.join()) throw new Error(`Error in ${op}: Shapes ${a.shape} and ${b.shape} must match`);
}

function computeWeightedLoss(losses, weights, reduction = Reduction.SUM_BY_NONZERO_WEIGHTS) {
  return tidy('computeWeightedLoss', () => {
    const $losses = asTensor(losses, 'losses', 'computeWeightedLoss');
    const $weights = weights == null ? null : asTensor(weights, 'weights', 'computeWeightedLoss');
    const weighted = $weights ? G.mul($losses, $weights) : $losses;
    if (reduction === Reduction.NONE) return weighted;
    if (reduction === Reduction.SUM) return G.sum(weighted);
    if (reduction === Reduction.MEAN) {
      if (!$weights) return G.mean(weighted);
      const factor = $losses.size / $weights.size;
      const result = G.div(G.sum(weighted), G.sum($weights));
      return factor > 1 ? G.div(result, factor) : result;
    }
    if (reduction === Reduction.SUM_BY_NONZERO_WEIGHTS) {
      if (!$weights) return G.div(G.sum(weighted), $losses.size);
      const nonZeros = G.cast(G.sum(G.cast(G.notEqual(G.mul($weights, G.onesLike($losses)), 0), 'float32')), 'float32');
      return G.div(G.sum(weighted), nonZeros);
    }
    throw new Error(`Unknown reduction: ${reduction}`);
  });
}

/** fn(labels, predictions) -> losses, then weights and reduction. */
const loss = (op, fn) => (labels, predictions, weights, reduction = Reduction.SUM_BY_NONZERO_WEIGHTS, ...rest) => tidy(op, () => {
  const l = asTensor(labels, 'labels', op);
  const p = asTensor(predictions, 'predictions', op);
  sameShape(op, l, p);
  return computeWeightedLoss(fn(l, p, ...rest), weights, reduction);
});

export const losses = {
  computeWeightedLoss,
  absoluteDifference: loss('absoluteDifference', (l, p) => G.abs(G.sub(l, p))),
  meanSquaredError: loss('meanSquaredError', (l, p) => G.squaredDifference(l, p)),
  hingeLoss: loss('hingeLoss', (l, p) => G.relu(G.sub(1, G.mul(G.sub(G.mul(2, l), 1), p)))),
  cosineDistance: (labels, predictions, axis, weights, reduction) =>
    loss('cosineDistance', (l, p) => G.sub(1, G.sum(G.mul(l, p), axis, true)))(labels, predictions, weights, reduction),
  huberLoss: (labels, predictions, weights, delta = 1, reduction) => loss('huberLoss', (l, p) => {
    const error = G.abs(G.sub(p, l));
    const quadratic = G.minimum(error, delta);
    return G.add(G.mul(0.5, G.square(quadratic)), G.mul(delta, G.sub(error, quadratic)));
  })(labels, predictions, weights, reduction),
  logLoss: (labels, predictions, weights, epsilon = 1e-7, reduction) => loss('logLoss', (l, p) =>
    G.sub(G.neg(G.mul(l, G.log(G.add(p, epsilon)))), G.mul(G.sub(1, l), G.log(G.add(G.sub(1, p), epsilon)))),
  )(labels, predictions, weights, reduction),
  sigmoidCrossEntropy: (labels, logits, weights, labelSmoothing = 0, reduction) => loss('sigmoidCrossEntropy', (l, x) => {
    const target = labelSmoothing > 0 ? G.add(G.mul(l, 1 - labelSmoothing), 0.5 * labelSmoothing) : l;
    // max(x, 0) - x * z + log(1 + exp(-|x|)): no exponential overflows
    return G.add(G.sub(G.relu(x), G.mul(x, target)), G.log1p(G.exp(G.neg(G.abs(x)))));
  })(labels, logits, weights, reduction),
  softmaxCrossEntropy: (labels, logits, weights, labelSmoothing = 0, reduction) => loss('softmaxCrossEntropy', (l, x) => {
    const classes = x.shape[x.rank - 1];
    const target = labelSmoothing > 0 ? G.add(G.mul(l, 1 - labelSmoothing), labelSmoothing / classes) : l;
    return G.neg(G.sum(G.mul(target, G.logSoftmax(x, -1)), [-1]));
  })(labels, logits, weights, reduction),
};

export const mathNamespace = {
  confusionMatrix: (labels, predictions, numClasses) => tidy('confusionMatrix', () => {
    const l = asTensor(labels, 'labels', 'confusionMatrix', 'int32');
    const p = asTensor(predictions, 'predictions', 'confusionMatrix', 'int32');
    sameShape('confusionMatrix', l, p);
    const a = G.cast(oneHot(G.cast(l, 'int32'), numClasses), 'float32');
    const b = G.cast(oneHot(G.cast(p, 'int32'), numClasses), 'float32');
    return G.cast(G.matMul(a, b, true), 'int32');
  }),
};
