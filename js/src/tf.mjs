// Everything that `tf` has, shared by the entries.
import * as engineModule from './engine.mjs';
import { backend, backendNames, findBackend, getBackend, ready, registerBackend, removeBackend, setBackend } from './backend.mjs';
import { installChainedMethods } from './chained.mjs';
import { ENV } from './env.mjs';
import * as browserModule from './browser.mjs';
import * as utilModule from './util.mjs';

installChainedMethods();

export * from '../generated/ops.mjs';
export {
  avgPool, conv1d, conv2d, conv2dTranspose, depthwiseConv2d, fused, maxPool, maxPoolWithArgmax, pool, separableConv2d,
} from './ops/window.mjs';
export {
  addN, booleanMaskAsync, cast, clone, complex, concat, concat1d, concat2d, concat3d, concat4d, eye, fill, meshgrid, moments, ones, pad1d, pad2d, pad3d,
  pad4d, print, range, reverse1d, reverse2d, reverse3d, reverse4d, setdiff1dAsync, slice1d, slice2d, slice3d, slice4d, split, stack, topk, unique, unstack,
  where, whereAsync, zeros,
} from './ops/array.mjs';
export {
  batchNorm, batchNorm2d, batchNorm3d, batchNorm4d, clipByValue, dropout, euclideanNorm, gather, logSigmoid, matMul, movingAverage, multinomial, norm, oneHot,
  randomNormal, randomStandardNormal, randomUniform, randomUniformInt, reverse, slice, softmax, squeeze, stridedSlice, transpose, truncatedNormal,
} from './ops/math.mjs';
export { image } from './ops/image.mjs';
export { losses, mathNamespace as math, Reduction } from './ops/losses.mjs';
export {
  AdagradOptimizer, AdamOptimizer, MomentumOptimizer, Optimizer, RMSPropOptimizer, SGDOptimizer, train,
} from './ops/train.mjs';
export { buffer, rand, scalar, tensor, tensor1d, tensor2d, tensor3d, tensor4d, tensor5d, tensor6d, variable } from './create.mjs';
export { Tensor, Variable } from './tensor.mjs';
export { TensorBuffer } from './buffer.mjs';
export { TesseraError } from './errors.mjs';
export { dispose, disposeVariables, keep, memory, profile, setMemoryCap, tidy, time } from './engine.mjs';
export { customGrad, grad, grads, valueAndGrad, valueAndGrads, variableGrads } from './gradients.mjs';
export { env, ENV, Environment } from './env.mjs';
export { nextFrame } from './schedule.mjs';
export { GraphModel, loadGraphModel } from './graph_model.mjs';
export { io } from './io/index.mjs';
export { version, version_core } from './version.mjs';
export {
  backend, backendFault, findBackend, getBackend, getThreadsCount, onDeviceLost, platformInfo, ready, registerBackend, removeBackend, setBackend,
  setThreadsCount, setWasmPath, setWasmPaths,
} from './backend.mjs';

export const browser = { ...browserModule };
export const util = { ...utilModule };
export const Rank = { R0: 'R0', R1: 'R1', R2: 'R2', R3: 'R3', R4: 'R4', R5: 'R5', R6: 'R6' };
export const tensor_util = {
  getTensorsInContainer: engineModule.getTensorsInContainer,
  isTensorInList: (t, list) => list.some((x) => x.id === t.id),
  assertTypesMatch: (a, b) => utilModule.assert(a.dtype === b.dtype, () => `The dtypes of the first(${a.dtype}) and second(${b.dtype}) input must match`),
};

/** The object behind the global functions, as far as applications use it. */
const theEngine = {
  startScope: engineModule.startScope,
  endScope: engineModule.endScope,
  tidy: engineModule.tidy,
  keep: engineModule.keep,
  memory: engineModule.memory,
  profile: engineModule.profile,
  time: engineModule.time,
  disposeVariables: engineModule.disposeVariables,
  disposeTensor: (t) => t.dispose(),
  registeredVariables: engineModule.registeredVariables,
  /** Calls an op by its name, attributes as the words of tessera.h: for tests and tools. */
  runOp: (name, inputs, words = []) => engineModule.callOp(name, inputs, words),
  ready,
  setBackend,
  backendNames,
  registerBackend,
  findBackend,
  removeBackend,
  get state() {
    const { numTensors, numBytes, numDataBuffers } = engineModule.memory();
    return { numTensors, numBytes, numDataBuffers, registeredVariables: engineModule.registeredVariables };
  },
  get backendName() {
    return getBackend();
  },
  get backend() {
    return backend();
  },
  get registry() {
    return Object.fromEntries(backendNames().map((n) => [n, {}]));
  },
  get registryFactory() {
    return Object.fromEntries(backendNames().map((n) => [n, {}]));
  },
  reset: () => engineModule.disposeVariables(),
};
export const engine = () => theEngine;

export function enableProdMode() {
  ENV.set('PROD', true);
}
export function enableDebugMode() {
  ENV.set('DEBUG', true);
}
export function disableDeprecationWarnings() {
  ENV.set('DEPRECATION_WARNINGS_ENABLED', false);
}
export function setPlatform(name, platform) {
  ENV.setPlatform(name, platform);
}
/** The dtype that holds both. */
export function upcastType(a, b) {
  const order = ['bool', 'int32', 'float32', 'complex64'];
  if (a === 'string' || b === 'string') {
    if (a === 'string' && b === 'string') return 'string';
    throw new Error(`Can not upcast ${a} with ${b}`);
  }
  return order[Math.max(order.indexOf(a), order.indexOf(b))];
}
export const sumOutType = (type) => upcastType(type, 'int32');
