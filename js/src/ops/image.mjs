// tf.image: the ops of the engine under TensorFlow.js's names.
import * as G from '../../generated/ops.mjs';
import { asTensor, tidy } from '../engine.mjs';
import { onHost } from './array.mjs';

function single(op, images, fn) {
  return tidy(op, () => {
    const t = asTensor(images, 'images', op);
    if (t.rank === 4) return fn(t);
    if (t.rank !== 3) throw new Error(`Error in ${op}: x must be rank 3 or 4, but got rank ${t.rank}.`);
    return G.squeeze(fn(G.expandDims(t, 0)), [0]);
  });
}

export function resizeBilinear(images, size, alignCorners = false, halfPixelCenters = false) {
  return single('resizeBilinear', images, (t) => G.resizeBilinear(t, size, alignCorners, halfPixelCenters));
}
export function resizeNearestNeighbor(images, size, alignCorners = false, halfPixelCenters = false) {
  return single('resizeNearestNeighbor', images, (t) => G.resizeNearestNeighbor(t, size, alignCorners, halfPixelCenters));
}

const kNoScore = Number.NEGATIVE_INFINITY;

function nonMaxSuppression(boxes, scores, maxOutputSize, iouThreshold = 0.5, scoreThreshold = kNoScore) {
  return G.nonMaxSuppression(boxes, scores, maxOutputSize, iouThreshold, scoreThreshold);
}
function nonMaxSuppressionWithScore(boxes, scores, maxOutputSize, iouThreshold = 0.5, scoreThreshold = kNoScore, softNmsSigma = 0) {
  const [selectedIndices, selectedScores] = G.nonMaxSuppressionWithScore(boxes, scores, maxOutputSize, iouThreshold, scoreThreshold, softNmsSigma);
  return { selectedIndices, selectedScores };
}
function nonMaxSuppressionPadded(boxes, scores, maxOutputSize, iouThreshold = 0.5, scoreThreshold = kNoScore, padToMaxOutputSize = false) {
  const [selectedIndices, validOutputs] = G.nonMaxSuppressionPadded(boxes, scores, maxOutputSize, iouThreshold, scoreThreshold, padToMaxOutputSize);
  return { selectedIndices, validOutputs };
}
const later = (fn) => async (boxes, scores, ...rest) => {
  await onHost([boxes, scores]);
  return fn(boxes, scores, ...rest);
};

export const image = {
  resizeBilinear,
  resizeNearestNeighbor,
  nonMaxSuppression,
  nonMaxSuppressionAsync: later(nonMaxSuppression),
  nonMaxSuppressionWithScore,
  nonMaxSuppressionWithScoreAsync: later(nonMaxSuppressionWithScore),
  nonMaxSuppressionPadded,
  nonMaxSuppressionPaddedAsync: later(nonMaxSuppressionPadded),
  cropAndResize: (img, boxes, boxInd, cropSize, method = 'bilinear', extrapolationValue = 0) =>
    G.cropAndResize(img, boxes, boxInd, cropSize, method, extrapolationValue),
  flipLeftRight: (img) => G.flipLeftRight(img),
  grayscaleToRGB: (img) => G.grayscaleToRGB(img),
  rgbToGrayscale: (img) => G.rgbToGrayscale(img),
  rotateWithOffset: (img, radians, fillValue = 0, center = 0.5) => G.rotateWithOffset(img, radians, fillValue, center),
};
