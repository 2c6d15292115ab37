// The types of both entries of the package.
import type {
  DataType, ExplicitPadding, NamedTensorMap, NumericDataType, Rank, Scalar, ScalarLike, ShapeMap, Tensor, Tensor1D, Tensor2D, Tensor3D, Tensor4D, Tensor5D,
  Tensor6D, TensorBuffer, TensorContainer, TensorLike, TensorLike1D, TensorLike2D, TensorLike3D, TensorLike4D, TensorLike5D, TensorLike6D, TypedArray,
  Variable,
} from './types';

export * from '../generated/ops';
export * from './types';

type Operand = Tensor | TensorLike;
type Axes = number | number[] | null;
type Pad = 'valid' | 'same' | number | ExplicitPadding;
type Pair = [number, number] | number;
type Rounding = 'floor' | 'round' | 'ceil';

// ---- Creation
export declare function tensor<R extends Rank>(values: TensorLike | ScalarLike, shape?: ShapeMap[R] | null, dtype?: DataType): Tensor<R>;
export declare function scalar(value: ScalarLike, dtype?: DataType): Scalar;
export declare function tensor1d(values: TensorLike1D, dtype?: DataType): Tensor1D;
export declare function tensor2d(values: TensorLike2D, shape?: [number, number] | null, dtype?: DataType): Tensor2D;
export declare function tensor3d(values: TensorLike3D, shape?: [number, number, number] | null, dtype?: DataType): Tensor3D;
export declare function tensor4d(values: TensorLike4D, shape?: [number, number, number, number] | null, dtype?: DataType): Tensor4D;
export declare function tensor5d(values: TensorLike5D, shape?: [number, number, number, number, number] | null, dtype?: DataType): Tensor5D;
export declare function tensor6d(values: TensorLike6D, shape?: [number, number, number, number, number, number] | null, dtype?: DataType): Tensor6D;
export declare function zeros<R extends Rank>(shape: ShapeMap[R], dtype?: DataType): Tensor<R>;
export declare function ones<R extends Rank>(shape: ShapeMap[R], dtype?: DataType): Tensor<R>;
export declare function fill<R extends Rank>(shape: ShapeMap[R], value: number | string, dtype?: DataType): Tensor<R>;
export declare function range(start: number, stop: number, step?: number, dtype?: NumericDataType): Tensor1D;
export declare function eye(numRows: number, numColumns?: number, batchShape?: number[], dtype?: DataType): Tensor;
export declare function variable<R extends Rank>(initialValue: Tensor<R>, trainable?: boolean, name?: string, dtype?: DataType): Variable<R>;
export declare function buffer<R extends Rank, D extends DataType = 'float32'>(shape: ShapeMap[R], dtype?: D, values?: ArrayLike<any>): TensorBuffer<R, D>;
export declare function rand<R extends Rank>(shape: ShapeMap[R], randFunction: () => number, dtype?: DataType): Tensor<R>;
export declare function randomUniform<R extends Rank>(shape: ShapeMap[R], minval?: number, maxval?: number, dtype?: DataType, seed?: number | string): Tensor<R>;
export declare function randomUniformInt<R extends Rank>(shape: ShapeMap[R], minval: number, maxval: number, seed?: number | string): Tensor<R>;
export declare function randomNormal<R extends Rank>(shape: ShapeMap[R], mean?: number, stdDev?: number, dtype?: 'float32' | 'int32', seed?: number): Tensor<R>;
export declare function randomStandardNormal<R extends Rank>(shape: ShapeMap[R], dtype?: 'float32' | 'int32', seed?: number): Tensor<R>;
export declare function truncatedNormal<R extends Rank>(shape: ShapeMap[R], mean?: number, stdDev?: number, dtype?: 'float32' | 'int32', seed?: number): Tensor<R>;
export declare function multinomial(logits: Operand, numSamples: number, seed?: number, normalized?: boolean): Tensor1D | Tensor2D;
export declare function complex(real: Operand, imag: Operand): never;
export declare function meshgrid(x?: Operand, y?: Operand, options?: { indexing?: 'xy' | 'ij' }): Tensor[];

// ---- Ops whose call style is TensorFlow.js's own
export declare function conv1d(x: Operand, filter: Operand, stride: number, pad: Pad, dataFormat?: 'NWC' | 'NCW', dilation?: number, dimRoundingMode?: Rounding): Tensor;
export declare function conv2d(x: Operand, filter: Operand, strides: Pair, pad: Pad, dataFormat?: 'NHWC' | 'NCHW', dilations?: Pair, dimRoundingMode?: Rounding): Tensor;
export declare function depthwiseConv2d(x: Operand, filter: Operand, strides: Pair, pad: Pad, dataFormat?: 'NHWC' | 'NCHW', dilations?: Pair, dimRoundingMode?: Rounding): Tensor;
export declare function separableConv2d(x: Operand, depthwiseFilter: Operand, pointwiseFilter: Operand, strides: Pair, pad: Pad, dilation?: Pair, dataFormat?: 'NHWC' | 'NCHW'): Tensor;
export declare function conv2dTranspose(x: Operand, filter: Operand, outputShape: number[], strides: Pair, pad: Pad, dimRoundingMode?: Rounding): Tensor;
export declare function maxPool(x: Operand, filterSize: Pair, strides: Pair, pad: Pad, dimRoundingMode?: Rounding): Tensor;
export declare function avgPool(x: Operand, filterSize: Pair, strides: Pair, pad: Pad, dimRoundingMode?: Rounding): Tensor;
export declare function pool(input: Operand, windowShape: Pair, poolingType: 'avg' | 'max', pad: Pad, dilations?: Pair, strides?: Pair, dimRoundingMode?: Rounding): Tensor;
export declare function maxPoolWithArgmax(x: Operand, filterSize: Pair, strides: Pair, pad: Pad, includeBatchInIndex?: boolean): { result: Tensor4D; indexes: Tensor4D };
export declare function addN(tensors: Operand[]): Tensor;
export declare function cast(x: Operand, dtype: DataType): Tensor;
export declare function clone<T extends Tensor>(x: T): T;
export declare function concat<T extends Tensor>(tensors: Array<T | TensorLike>, axis?: number): T;
export declare function concat1d(tensors: Operand[]): Tensor1D;
export declare function concat2d(tensors: Operand[], axis: number): Tensor2D;
export declare function concat3d(tensors: Operand[], axis: number): Tensor3D;
export declare function concat4d(tensors: Operand[], axis: number): Tensor4D;
export declare function stack(tensors: Operand[], axis?: number): Tensor;
export declare function split(x: Operand, numOrSizeSplits: number | number[], axis?: number): Tensor[];
export declare function unstack(x: Operand, axis?: number): Tensor[];
export declare function pad1d(x: Operand, paddings: [number, number], constantValue?: number): Tensor1D;
export declare function pad2d(x: Operand, paddings: Array<[number, number]>, constantValue?: number): Tensor2D;
export declare function pad3d(x: Operand, paddings: Array<[number, number]>, constantValue?: number): Tensor3D;
export declare function pad4d(x: Operand, paddings: Array<[number, number]>, constantValue?: number): Tensor4D;
export declare function slice(x: Operand, begin: number | number[], size?: number | number[]): Tensor;
export declare function slice1d(x: Operand, begin: number, size: number): Tensor1D;
export declare function slice2d(x: Operand, begin: [number, number], size: [number, number]): Tensor2D;
export declare function slice3d(x: Operand, begin: number[], size: number[]): Tensor3D;
export declare function slice4d(x: Operand, begin: number[], size: number[]): Tensor4D;
export declare function reverse(x: Operand, axis?: Axes): Tensor;
export declare function reverse1d(x: Operand): Tensor1D;
export declare function reverse2d(x: Operand, axis?: Axes): Tensor2D;
export declare function reverse3d(x: Operand, axis?: Axes): Tensor3D;
export declare function reverse4d(x: Operand, axis?: Axes): Tensor4D;
export declare function transpose(x: Operand, perm?: number[]): Tensor;
export declare function squeeze(x: Operand, axis?: Axes): Tensor;
export declare function stridedSlice(x: Operand, begin: number[], end: number[], strides?: number[], beginMask?: number, endMask?: number,
    ellipsisMask?: number, newAxisMask?: number, shrinkAxisMask?: number): Tensor;
export declare function gather(x: Operand, indices: Operand, axis?: number, batchDims?: number): Tensor;
export declare function where(condition: Operand, a: Operand, b: Operand): Tensor;
export declare function whereAsync(condition: Operand): Promise<Tensor2D>;
export declare function booleanMaskAsync(tensor: Operand, mask: Operand, axis?: number): Promise<Tensor>;
export declare function setdiff1dAsync(x: Operand, y: Operand): Promise<[Tensor, Tensor]>;
export declare function topk(x: Operand, k?: number, sorted?: boolean): { values: Tensor; indices: Tensor };
export declare function unique(x: Operand, axis?: number): { values: Tensor; indices: Tensor1D };
export declare function moments(x: Operand, axis?: Axes, keepDims?: boolean): { mean: Tensor; variance: Tensor };
export declare function matMul(a: Operand, b: Operand, transposeA?: boolean, transposeB?: boolean): Tensor;
export declare function batchNorm(x: Operand, mean: Operand, variance: Operand, offset?: Operand | null, scale?: Operand | null, varianceEpsilon?: number): Tensor;
export declare const batchNorm2d: typeof batchNorm;
export declare const batchNorm3d: typeof batchNorm;
export declare const batchNorm4d: typeof batchNorm;
export declare function clipByValue(x: Operand, clipValueMin: number, clipValueMax: number): Tensor;
export declare function norm(x: Operand, ord?: number | 'euclidean' | 'fro', axis?: Axes, keepDims?: boolean): Tensor;
export declare function euclideanNorm(x: Operand, axis?: Axes, keepDims?: boolean): Tensor;
export declare function oneHot(indices: Operand, depth: number, onValue?: number, offValue?: number, dtype?: DataType): Tensor;
export declare function softmax(logits: Operand, dim?: number): Tensor;
export declare function logSigmoid(x: Operand): Tensor;
export declare function dropout(x: Operand, rate: number, noiseShape?: number[], seed?: number | string): Tensor;
export declare function movingAverage(v: Operand, x: Operand, decay: number | Scalar, step?: number | Scalar, zeroDebias?: boolean): Tensor;
export declare function print(x: Tensor, verbose?: boolean): void;

type Activation = 'linear' | 'relu' | 'relu6' | 'elu' | 'prelu' | 'leakyrelu' | 'sigmoid';
interface FusedExtras { bias?: Operand; activation?: Activation; preluActivationWeights?: Operand; leakyreluAlpha?: number; }
interface FusedConv extends FusedExtras {
  x: Operand; filter: Operand; strides: Pair; pad: Pad; dataFormat?: 'NHWC' | 'NCHW'; dilations?: Pair; dimRoundingMode?: Rounding;
}
export declare const fused: {
  conv2d(options: FusedConv): Tensor;
  depthwiseConv2d(options: FusedConv): Tensor;
  matMul(options: FusedExtras & { a: Operand; b: Operand; transposeA?: boolean; transposeB?: boolean }): Tensor;
};

export declare const image: {
  resizeBilinear(images: Operand, size: [number, number], alignCorners?: boolean, halfPixelCenters?: boolean): Tensor;
  resizeNearestNeighbor(images: Operand, size: [number, number], alignCorners?: boolean, halfPixelCenters?: boolean): Tensor;
  nonMaxSuppression(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number): Tensor1D;
  nonMaxSuppressionAsync(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number): Promise<Tensor1D>;
  nonMaxSuppressionWithScore(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number, softNmsSigma?: number):
      { selectedIndices: Tensor1D; selectedScores: Tensor1D };
  nonMaxSuppressionWithScoreAsync(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number,
      softNmsSigma?: number): Promise<{ selectedIndices: Tensor1D; selectedScores: Tensor1D }>;
  nonMaxSuppressionPadded(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number,
      padToMaxOutputSize?: boolean): { selectedIndices: Tensor1D; validOutputs: Scalar };
  nonMaxSuppressionPaddedAsync(boxes: Operand, scores: Operand, maxOutputSize: number, iouThreshold?: number, scoreThreshold?: number,
      padToMaxOutputSize?: boolean): Promise<{ selectedIndices: Tensor1D; validOutputs: Scalar }>;
  cropAndResize(image: Operand, boxes: Operand, boxInd: Operand, cropSize: [number, number], method?: 'bilinear' | 'nearest', extrapolationValue?: number): Tensor4D;
  flipLeftRight(image: Operand): Tensor4D;
  grayscaleToRGB(image: Operand): Tensor;
  rgbToGrayscale(image: Operand): Tensor;
  rotateWithOffset(image: Operand, radians: number, fillValue?: number | [number, number, number], center?: number | [number, number]): Tensor4D;
};

export declare enum Reduction { NONE = 0, MEAN = 1, SUM = 2, SUM_BY_NONZERO_WEIGHTS = 3 }
type Loss = (labels: Operand, predictions: Operand, weights?: Operand, reduction?: Reduction) => Tensor;
export declare const losses: {
  computeWeightedLoss(losses: Operand, weights?: Operand, reduction?: Reduction): Tensor;
  absoluteDifference: Loss; meanSquaredError: Loss; hingeLoss: Loss;
  cosineDistance(labels: Operand, predictions: Operand, axis: number, weights?: Operand, reduction?: Reduction): Tensor;
  huberLoss(labels: Operand, predictions: Operand, weights?: Operand, delta?: number, reduction?: Reduction): Tensor;
  logLoss(labels: Operand, predictions: Operand, weights?: Operand, epsilon?: number, reduction?: Reduction): Tensor;
  sigmoidCrossEntropy(labels: Operand, logits: Operand, weights?: Operand, labelSmoothing?: number, reduction?: Reduction): Tensor;
  softmaxCrossEntropy(labels: Operand, logits: Operand, weights?: Operand, labelSmoothing?: number, reduction?: Reduction): Tensor;
};
export declare const math: { confusionMatrix(labels: Operand, predictions: Operand, numClasses: number): Tensor2D };

// ---- Scopes, memory, time
export declare function tidy<T extends TensorContainer>(fn: () => T): T;
export declare function tidy<T extends TensorContainer>(name: string, fn: () => T): T;
export declare function keep<T extends Tensor>(tensor: T): T;
export declare function dispose(container: TensorContainer): void;
export declare function disposeVariables(): void;
export interface MemoryInfo {
  numTensors: number; numDataBuffers: number; numBytes: number; unreliable: false;
  /** Bytes really held on the host and on the GPU, plans cached, the most host bytes ever held, and the cap. */
  hostBytes: number; deviceBytes: number; numPlans: number; peakHostBytes: number; capBytes: number;
}
export declare function memory(): MemoryInfo;
/** The most bytes of host memory that tensors may take; an error that names tidy() beyond. */
export declare function setMemoryCap(bytes: number): void;
export interface KernelInfo { name: string; device: string; kernelTimeMs: number; bytes: number; bytesAdded: number; extraInfo: string; }
export interface ProfileInfo {
  newBytes: number; newTensors: number; peakBytes: number; kernels: KernelInfo[]; result: TensorContainer; readonly kernelNames: string[];
}
export declare function profile(fn: () => TensorContainer | Promise<TensorContainer>): Promise<ProfileInfo>;
export interface TimeInfo { kernelMs: number; wallMs: number; getExtraProfileInfo(): string; }
export declare function time(fn: () => TensorContainer | Promise<TensorContainer>): Promise<TimeInfo>;
export declare function nextFrame(): Promise<void>;

// ---- Gradients and training
export declare function grad(f: (x: Tensor) => Tensor): (x: Operand, dy?: Operand) => Tensor;
export declare function grads(f: (...args: Tensor[]) => Tensor): (args: Operand[], dy?: Operand) => Tensor[];
export declare function valueAndGrad<I extends Tensor, O extends Tensor>(f: (x: I) => O): (x: I, dy?: O) => { value: O; grad: I };
export declare function valueAndGrads<O extends Tensor>(f: (...args: Tensor[]) => O): (args: Tensor[], dy?: O) => { grads: Tensor[]; value: O };
export declare function variableGrads(f: () => Scalar, varList?: Variable[]): { value: Scalar; grads: NamedTensorMap };
export type GradSaveFunc = (save: Tensor[]) => void;
export type CustomGradientFunc<T extends Tensor> = (...inputs: Array<Tensor | GradSaveFunc>) => { value: T; gradFunc: (dy: T, saved: Tensor[]) => Tensor | Tensor[] };
export declare function customGrad<T extends Tensor>(f: CustomGradientFunc<T>): (...args: Tensor[]) => T;
export declare abstract class Optimizer {
  readonly iterations: number;
  minimize(f: () => Scalar, returnCost?: boolean, varList?: Variable[]): Scalar | null;
  computeGradients(f: () => Scalar, varList?: Variable[]): { value: Scalar; grads: NamedTensorMap };
  applyGradients(gradients: NamedTensorMap | Array<{ name: string; tensor: Tensor }>): void;
  setLearningRate(rate: number): void;
  dispose(): void;
}
export declare class SGDOptimizer extends Optimizer { constructor(learningRate: number); }
export declare class MomentumOptimizer extends Optimizer { constructor(learningRate: number, momentum: number, useNesterov?: boolean); }
export declare class AdagradOptimizer extends Optimizer { constructor(learningRate: number, initialAccumulatorValue?: number); }
export declare class RMSPropOptimizer extends Optimizer {
  constructor(learningRate: number, decay?: number, momentum?: number, epsilon?: number, centered?: boolean);
}
export declare class AdamOptimizer extends Optimizer { constructor(learningRate: number, beta1?: number, beta2?: number, epsilon?: number); }
export declare const train: {
  sgd(learningRate: number): SGDOptimizer;
  momentum(learningRate: number, momentum: number, useNesterov?: boolean): MomentumOptimizer;
  adagrad(learningRate: number, initialAccumulatorValue?: number): AdagradOptimizer;
  rmsprop(learningRate: number, decay?: number, momentum?: number, epsilon?: number, centered?: boolean): RMSPropOptimizer;
  adam(learningRate?: number, beta1?: number, beta2?: number, epsilon?: number): AdamOptimizer;
};

// ---- The engine
export type Variant = 'scalar' | 'simd' | 'relaxed' | 'simd-threads' | 'relaxed-threads';
/** Resolves when the engine can be used. `variant` forces a WebAssembly variant. */
export declare function ready(options?: { variant?: Variant }): Promise<void>;
export interface BackendOptions {
  /** WebGPU: the application's own device, to compute on. */
  device?: any;
  /** WebGPU: the GPU object, where navigator.gpu is missing. */
  gpu?: any;
  /** WebGL: the application's own context, to share. */
  context?: any;
  /** No warning in the console when it fails. */
  quiet?: boolean;
}
/** Chooses what computes: 'wasm' (also 'cpu'), 'webgpu' or 'webgl'. Resolves to false when that cannot be used (see backendFault). */
export declare function setBackend(name: string, options?: BackendOptions): Promise<boolean>;
export declare function backendFault(name: string): string;
export declare function getBackend(): string;
export declare function backend(): { floatPrecision(): 16 | 32; epsilon(): number; numDataIds(): number; memory(): MemoryInfo; dispose(): void };
export declare function findBackend(name: string): ReturnType<typeof backend> | null;
export declare function registerBackend(name: string, factory?: () => unknown, priority?: number): boolean;
export declare function removeBackend(name: string): void;
export declare function onDeviceLost(fn: (event: { backend: string; lost: boolean }) => void): () => boolean;
export declare function setThreadsCount(threads: number): void;
export declare function getThreadsCount(): number;
export declare function setWasmPaths(prefixOrFiles: string | { [file: string]: string }): void;
export declare function setWasmPath(path: string): void;
export interface PlatformInfo {
  variant: Variant | ''; backend: string; threads: number; features: { simd: boolean; relaxed: boolean; threads: boolean };
  variants: { [variant: string]: string };
  /** What is off and why, in one sentence; '' when nothing is. */
  message: string;
  notes: string[];
}
export declare function platformInfo(): PlatformInfo;
export declare class Environment {
  get(name: string): any;
  getBool(name: string): boolean;
  getNumber(name: string): number;
  getString(name: string): string;
  getAsync(name: string): Promise<any>;
  set(name: string, value: any): void;
  getFlags(): { [name: string]: any };
  setFlags(flags: { [name: string]: any }): void;
  setPlatform(name: string, platform: any): void;
  reset(): void;
  platformName: string;
  platform: any;
}
export declare function env(): Environment;
export declare const ENV: Environment;
export declare function engine(): {
  startScope(name?: string): void;
  endScope(result?: TensorContainer): void;
  tidy: typeof tidy; keep: typeof keep; memory: typeof memory; profile: typeof profile; time: typeof time;
  disposeVariables(): void;
  registeredVariables: { [name: string]: Variable };
  readonly state: { numTensors: number; numBytes: number; numDataBuffers: number };
  readonly backendName: string;
  reset(): void;
};
export declare function enableProdMode(): void;
export declare function enableDebugMode(): void;
export declare function disableDeprecationWarnings(): void;
export declare function setPlatform(name: string, platform: any): void;
export declare function upcastType(a: DataType, b: DataType): DataType;
export declare function sumOutType(type: DataType): DataType;
export declare const version: { tessera: string; 'tfjs-core': string; 'tfjs-converter': string; readonly engine: string };
export declare const version_core: string;
export declare class TesseraError extends Error {
  code: 'invalid-argument' | 'disposed' | 'not-found' | 'bad-file' | 'unsupported' | 'out-of-memory' | 'device-lost' | 'cancelled' | 'internal';
}

// ---- Models
export interface ModelTensorInfo { name: string; shape?: number[]; dtype: DataType; }
export interface LoadProgress { loadedBytes: number; totalBytes: number; url: string; }
export interface LoadOptions {
  onProgress?: (fraction: number, progress: LoadProgress) => void;
  signal?: AbortSignal;
  fetchFunc?: (input: string, init?: RequestInit) => Promise<Response>;
  requestInit?: RequestInit;
  weightPathPrefix?: string;
  weightUrlConverter?: (fileName: string) => Promise<string> | string;
  fromTFHub?: boolean;
  strict?: boolean;
}
export interface ModelArtifacts {
  modelTopology?: any; weightSpecs?: any[]; weightData?: ArrayBuffer | ArrayBuffer[]; format?: string; generatedBy?: string; convertedBy?: string | null;
  signature?: any; userDefinedMetadata?: any; modelInitializer?: any;
}
export interface IOHandler { load?(options?: LoadOptions): Promise<ModelArtifacts>; }
export type ModelInput = Tensor | Tensor[] | NamedTensorMap;
export declare class GraphModel {
  readonly inputs: ModelTensorInfo[];
  readonly outputs: ModelTensorInfo[];
  readonly inputNodes: string[];
  readonly outputNodes: string[];
  readonly modelSignature: any;
  readonly metadata: any;
  readonly modelVersion: string;
  /** True when shapes of results depend on data: such a model runs with executeAsync() only. */
  readonly isDynamic: boolean;
  execute(inputs: ModelInput, outputs?: string | string[]): Tensor | Tensor[];
  executeAsync(inputs: ModelInput, outputs?: string | string[], options?: { signal?: AbortSignal }): Promise<Tensor | Tensor[]>;
  predict(inputs: ModelInput, config?: unknown): Tensor | Tensor[] | NamedTensorMap;
  predictAsync(inputs: ModelInput, config?: { signal?: AbortSignal }): Promise<Tensor | Tensor[] | NamedTensorMap>;
  warmUp(shapes?: { [input: string]: number[] }): Promise<void>;
  dispose(): void;
}
export type ModelLike = string | URL | IOHandler | ModelArtifacts | ArrayLike<File> | { json: string | object; weights: ArrayBuffer | Uint8Array | Array<ArrayBuffer | Uint8Array> };
export declare function loadGraphModel(model: ModelLike, options?: LoadOptions): Promise<GraphModel>;
export declare const io: {
  http(path: string, options?: LoadOptions): IOHandler;
  browserHTTPRequest(path: string, options?: LoadOptions): IOHandler;
  browserFiles(files: ArrayLike<File>): IOHandler;
  fileSystem(path: string): IOHandler;
  fromMemory(modelArtifacts: ModelArtifacts | object, weightSpecs?: any[], weightData?: ArrayBuffer | ArrayBuffer[]): IOHandler;
  isHTTPScheme(url: string): boolean;
  registerLoadRouter(router: (url: string, options?: LoadOptions) => IOHandler | null): void;
  concatenateArrayBuffers(buffers: ArrayBuffer[] | ArrayBuffer): ArrayBuffer;
  getLoadHandlers(url: string, options?: LoadOptions): IOHandler[];
  getWeightSpecs(manifest: any[]): any[];
};

// ---- Pictures
export interface PixelData { width: number; height: number; data: Uint8Array | Uint8ClampedArray; }
export type PixelSource = PixelData | ImageData | HTMLImageElement | HTMLCanvasElement | HTMLVideoElement | OffscreenCanvas | ImageBitmap | VideoFrame;
export declare const browser: {
  fromPixels(pixels: PixelSource, numChannels?: number): Tensor3D;
  fromPixelsAsync(pixels: PixelSource, numChannels?: number): Promise<Tensor3D>;
  toPixels(img: Tensor2D | Tensor3D | TensorLike, canvas?: HTMLCanvasElement | OffscreenCanvas): Promise<Uint8ClampedArray>;
  draw(image: Tensor2D | Tensor3D | TensorLike, canvas: HTMLCanvasElement | OffscreenCanvas): Promise<void>;
};

export declare const util: {
  assert(ok: boolean, message: string | (() => string)): void;
  shuffle(array: any[] | Uint32Array | Int32Array | Float32Array): void;
  shuffleCombo(a: any[], b: any[]): void;
  createShuffledIndices(n: number): Uint32Array;
  sizeFromShape(shape: number[]): number;
  computeStrides(shape: number[]): number[];
  arraysEqual(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean;
  flatten(value: TensorLike, result?: any[], skipTypedArray?: boolean): any[];
  toNestedArray(shape: number[], values: TypedArray, isComplex?: boolean): any;
  inferDtype(values: TensorLike): DataType;
  isTypedArray(value: unknown): value is TypedArray;
  bytesPerElement(dtype: DataType): number;
  getTypedArrayFromDType(dtype: DataType, size: number): TypedArray;
  inferFromImplicitShape(shape: number[], size: number): number[];
  parseAxisParam(axis: number | number[], shape: number[]): number[];
  squeezeShape(shape: number[], axis?: number[]): { newShape: number[]; keptDims: number[] };
  encodeString(s: string, encoding?: string): Uint8Array;
  decodeString(bytes: Uint8Array, encoding?: string): string;
  now(): number;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  [name: string]: any;
};
export declare const tensor_util: {
  getTensorsInContainer(container: TensorContainer): Tensor[];
  isTensorInList(tensor: Tensor, list: Tensor[]): boolean;
};

export {};
