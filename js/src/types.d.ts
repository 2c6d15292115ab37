// The types that every part of the package shares. Names and forms follow TensorFlow.js.

export type DataType = 'float32' | 'int32' | 'bool' | 'complex64' | 'string';
export interface DataTypeMap { float32: Float32Array; int32: Int32Array; bool: Uint8Array; complex64: Float32Array; string: string[]; }
export interface SingleValueMap { bool: boolean; int32: number; float32: number; complex64: number; string: string; }
export type NumericDataType = 'float32' | 'int32' | 'bool' | 'complex64';
export type TypedArray = Float32Array | Int32Array | Uint8Array;
export type BackendValues = Float32Array | Int32Array | Uint8Array | Uint8Array[];
type AnyTypedArray = Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | Uint8Array | Uint16Array | Uint32Array | Uint8ClampedArray;

export type ScalarLike = number | boolean | string | Uint8Array;
export interface RecursiveArray<T> { [index: number]: T | RecursiveArray<T>; readonly length: number; }
export type TensorLike = AnyTypedArray | number | boolean | string | RecursiveArray<number | number[] | AnyTypedArray> | RecursiveArray<boolean> |
    RecursiveArray<string> | Uint8Array[];
export type TensorLike1D = AnyTypedArray | number[] | boolean[] | string[] | Uint8Array[];
export type TensorLike2D = AnyTypedArray | number[] | number[][] | boolean[] | boolean[][] | string[] | string[][] | Uint8Array[] | Uint8Array[][];
export type TensorLike3D = AnyTypedArray | number[] | number[][][] | boolean[] | boolean[][][] | string[] | string[][][] | Uint8Array[];
export type TensorLike4D = AnyTypedArray | number[] | number[][][][] | boolean[] | boolean[][][][] | string[] | string[][][][] | Uint8Array[];
export type TensorLike5D = AnyTypedArray | number[] | number[][][][][] | boolean[] | boolean[][][][][] | string[] | string[][][][][] | Uint8Array[];
export type TensorLike6D = AnyTypedArray | number[] | number[][][][][][] | boolean[] | boolean[][][][][][] | string[] | string[][][][][][] | Uint8Array[];

export enum Rank { R0 = 'R0', R1 = 'R1', R2 = 'R2', R3 = 'R3', R4 = 'R4', R5 = 'R5', R6 = 'R6' }
export interface ShapeMap {
  R0: number[]; R1: [number]; R2: [number, number]; R3: [number, number, number]; R4: [number, number, number, number];
  R5: [number, number, number, number, number]; R6: [number, number, number, number, number, number];
}
export interface ArrayMap {
  R0: number; R1: number[]; R2: number[][]; R3: number[][][]; R4: number[][][][]; R5: number[][][][][]; R6: number[][][][][][];
}
export type NamedTensorMap = { [name: string]: Tensor };
export type NamedTensor = { name: string; tensor: Tensor };
export type NamedVariableMap = { [name: string]: Variable };
export type TensorContainer = void | Tensor | string | number | boolean | TensorContainerObject | TensorContainerArray | Float32Array | Int32Array | Uint8Array;
export interface TensorContainerObject { [x: string]: TensorContainer; }
export interface TensorContainerArray extends Array<TensorContainer> {}

type Operand = Tensor | TensorLike;
type Axes = number | number[] | null;
type Pad = 'valid' | 'same' | number | ExplicitPadding;
export type ExplicitPadding = [[number, number], [number, number], [number, number], [number, number]];
type Pair = [number, number] | number;
type Rounding = 'floor' | 'round' | 'ceil';

/** An immutable n-dimensional array. */
export declare class Tensor<R extends Rank = Rank> {
  readonly id: number;
  readonly shape: ShapeMap[R];
  readonly size: number;
  readonly dtype: DataType;
  readonly rankType: R;
  /** True when tf.keep() was called on it: no scope disposes of it. */
  kept: boolean;
  readonly rank: number;
  /** Elements to skip to reach the next index of each axis but the last. */
  readonly strides: number[];
  /** An object that tensors with the same memory (reshape, clone) have in common. */
  readonly dataId: object;
  readonly isDisposed: boolean;

  /** The values, as a copy. The page stays responsive meanwhile. */
  data<D extends DataType = NumericDataType>(): Promise<DataTypeMap[D]>;
  /** The values at once, waiting for them here. */
  dataSync<D extends DataType = NumericDataType>(): DataTypeMap[D];
  bytes(): Promise<Uint8Array[] | Uint8Array>;
  array(): Promise<ArrayMap[R]>;
  arraySync(): ArrayMap[R];
  buffer<D extends DataType = 'float32'>(): Promise<TensorBuffer<R, D>>;
  bufferSync<D extends DataType = 'float32'>(): TensorBuffer<R, D>;
  /** Frees the memory. Twice is harmless. */
  dispose(): void;
  throwIfDisposed(): void;
  clone<T extends Tensor<R>>(this: T): T;
  variable(trainable?: boolean, name?: string, dtype?: DataType): Variable<R>;
  print(verbose?: boolean): void;
  toString(verbose?: boolean): string;

  abs<T extends Tensor>(): T;
  acos<T extends Tensor>(): T;
  acosh<T extends Tensor>(): T;
  asin<T extends Tensor>(): T;
  asinh<T extends Tensor>(): T;
  atan<T extends Tensor>(): T;
  atanh<T extends Tensor>(): T;
  ceil<T extends Tensor>(): T;
  cos<T extends Tensor>(): T;
  cosh<T extends Tensor>(): T;
  erf<T extends Tensor>(): T;
  exp<T extends Tensor>(): T;
  expm1<T extends Tensor>(): T;
  floor<T extends Tensor>(): T;
  isFinite<T extends Tensor>(): T;
  isInf<T extends Tensor>(): T;
  isNaN<T extends Tensor>(): T;
  log<T extends Tensor>(): T;
  log1p<T extends Tensor>(): T;
  logSigmoid<T extends Tensor>(): T;
  logicalNot<T extends Tensor>(): T;
  neg<T extends Tensor>(): T;
  onesLike<T extends Tensor>(): T;
  reciprocal<T extends Tensor>(): T;
  relu<T extends Tensor>(): T;
  relu6<T extends Tensor>(): T;
  round<T extends Tensor>(): T;
  rsqrt<T extends Tensor>(): T;
  selu<T extends Tensor>(): T;
  elu<T extends Tensor>(): T;
  sigmoid<T extends Tensor>(): T;
  sign<T extends Tensor>(): T;
  sin<T extends Tensor>(): T;
  sinh<T extends Tensor>(): T;
  softplus<T extends Tensor>(): T;
  sqrt<T extends Tensor>(): T;
  square<T extends Tensor>(): T;
  tan<T extends Tensor>(): T;
  tanh<T extends Tensor>(): T;
  zerosLike<T extends Tensor>(): T;
  flatten<T extends Tensor>(): T;
  asScalar<T extends Tensor>(): T;
  as1D<T extends Tensor>(): T;
  toFloat<T extends Tensor>(): T;
  toInt<T extends Tensor>(): T;
  toBool<T extends Tensor>(): T;
  add<T extends Tensor>(b: Operand): T;
  sub<T extends Tensor>(b: Operand): T;
  mul<T extends Tensor>(b: Operand): T;
  div<T extends Tensor>(b: Operand): T;
  divNoNan<T extends Tensor>(b: Operand): T;
  floorDiv<T extends Tensor>(b: Operand): T;
  mod<T extends Tensor>(b: Operand): T;
  pow<T extends Tensor>(b: Operand): T;
  maximum<T extends Tensor>(b: Operand): T;
  minimum<T extends Tensor>(b: Operand): T;
  squaredDifference<T extends Tensor>(b: Operand): T;
  atan2<T extends Tensor>(b: Operand): T;
  equal<T extends Tensor>(b: Operand): T;
  notEqual<T extends Tensor>(b: Operand): T;
  greater<T extends Tensor>(b: Operand): T;
  greaterEqual<T extends Tensor>(b: Operand): T;
  less<T extends Tensor>(b: Operand): T;
  lessEqual<T extends Tensor>(b: Operand): T;
  logicalAnd<T extends Tensor>(b: Operand): T;
  logicalOr<T extends Tensor>(b: Operand): T;
  logicalXor<T extends Tensor>(b: Operand): T;
  prelu<T extends Tensor>(b: Operand): T;
  dot<T extends Tensor>(b: Operand): T;
  sum<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  mean<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  prod<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  max<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  min<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  any<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  all<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  logSumExp<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  argMax<T extends Tensor>(axis?: number): T;
  argMin<T extends Tensor>(axis?: number): T;
  as2D(rows: number, columns: number): Tensor2D;
  as3D(rows: number, columns: number, depth: number): Tensor3D;
  as4D(rows: number, columns: number, depth: number, depth2: number): Tensor4D;
  as5D(rows: number, columns: number, depth: number, depth2: number, depth3: number): Tensor5D;
  asType<T extends Tensor>(dtype: DataType): T;
  avgPool<T extends Tensor>(filterSize: Pair, strides: Pair, pad: Pad, dimRoundingMode?: Rounding): T;
  batchNorm<T extends Tensor>(mean: Operand, variance: Operand, offset?: Operand, scale?: Operand, varianceEpsilon?: number): T;
  batchToSpaceND<T extends Tensor>(blockShape: number[], crops: number[][]): T;
  broadcastTo<T extends Tensor>(shape: number[]): T;
  cast<T extends Tensor>(dtype: DataType): T;
  clipByValue<T extends Tensor>(min: number, max: number): T;
  concat<T extends Tensor>(tensors: Tensor | Tensor[], axis?: number): T;
  conv1d<T extends Tensor>(filter: Operand, stride: number, pad: Pad, dataFormat?: 'NWC' | 'NCW', dilation?: number, dimRoundingMode?: Rounding): T;
  conv2d<T extends Tensor>(filter: Operand, strides: Pair, pad: Pad, dataFormat?: 'NHWC' | 'NCHW', dilations?: Pair, dimRoundingMode?: Rounding): T;
  conv2dTranspose<T extends Tensor>(filter: Operand, outputShape: number[], strides: Pair, pad: Pad, dimRoundingMode?: Rounding): T;
  cumprod<T extends Tensor>(axis?: number, exclusive?: boolean, reverse?: boolean): T;
  cumsum<T extends Tensor>(axis?: number, exclusive?: boolean, reverse?: boolean): T;
  depthToSpace<T extends Tensor>(blockSize: number, dataFormat?: 'NHWC' | 'NCHW'): T;
  depthwiseConv2d<T extends Tensor>(filter: Operand, strides: Pair, pad: Pad, dataFormat?: 'NHWC' | 'NCHW', dilations?: Pair, dimRoundingMode?: Rounding): T;
  euclideanNorm<T extends Tensor>(axis?: Axes, keepDims?: boolean): T;
  expandDims<T extends Tensor>(axis?: number): T;
  gather<T extends Tensor>(indices: Operand, axis?: number, batchDims?: number): T;
  leakyRelu<T extends Tensor>(alpha?: number): T;
  logSoftmax<T extends Tensor>(axis?: number): T;
  matMul<T extends Tensor>(b: Operand, transposeA?: boolean, transposeB?: boolean): T;
  maxPool<T extends Tensor>(filterSize: Pair, strides: Pair, pad: Pad, dimRoundingMode?: Rounding): T;
  mirrorPad<T extends Tensor>(paddings: Array<[number, number]>, mode: 'reflect' | 'symmetric'): T;
  norm<T extends Tensor>(ord?: number | 'euclidean' | 'fro', axis?: Axes, keepDims?: boolean): T;
  oneHot<T extends Tensor>(depth: number, onValue?: number, offValue?: number, dtype?: DataType): T;
  pad<T extends Tensor>(paddings: Array<[number, number]>, constantValue?: number): T;
  pool<T extends Tensor>(windowShape: Pair, poolingType: 'avg' | 'max', pad: Pad, dilations?: Pair, strides?: Pair, dimRoundingMode?: Rounding): T;
  reshape<T extends Tensor>(shape: number[]): T;
  reshapeAs<T extends Tensor>(x: T): T;
  resizeBilinear<T extends Tensor>(size: [number, number], alignCorners?: boolean, halfPixelCenters?: boolean): T;
  resizeNearestNeighbor<T extends Tensor>(size: [number, number], alignCorners?: boolean, halfPixelCenters?: boolean): T;
  reverse<T extends Tensor>(axis?: Axes): T;
  separableConv2d<T extends Tensor>(depthwiseFilter: Operand, pointwiseFilter: Operand, strides: Pair, pad: Pad, dilation?: Pair, dataFormat?: 'NHWC' | 'NCHW'): T;
  slice<T extends Tensor>(begin: number | number[], size?: number | number[]): T;
  softmax<T extends Tensor>(dim?: number): T;
  spaceToBatchND<T extends Tensor>(blockShape: number[], paddings: number[][]): T;
  split<T extends Tensor>(numOrSizeSplits: number | number[], axis?: number): T[];
  squeeze<T extends Tensor>(axis?: Axes): T;
  stack<T extends Tensor>(x: Tensor | Tensor[], axis?: number): T;
  step<T extends Tensor>(alpha?: number): T;
  stridedSlice<T extends Tensor>(begin: number[], end: number[], strides?: number[], beginMask?: number, endMask?: number, ellipsisMask?: number,
      newAxisMask?: number, shrinkAxisMask?: number): T;
  tile<T extends Tensor>(reps: number[]): T;
  topk<T extends Tensor>(k?: number, sorted?: boolean): { values: T; indices: T };
  transpose<T extends Tensor>(perm?: number[]): T;
  unique<T extends Tensor>(axis?: number): { values: T; indices: T };
  unsortedSegmentSum<T extends Tensor>(segmentIds: Operand, numSegments: number): T;
  unstack<T extends Tensor>(axis?: number): T[];
  where<T extends Tensor>(condition: Operand, x: Operand): T;
}

export type Scalar = Tensor<Rank.R0>;
export type Tensor1D = Tensor<Rank.R1>;
export type Tensor2D = Tensor<Rank.R2>;
export type Tensor3D = Tensor<Rank.R3>;
export type Tensor4D = Tensor<Rank.R4>;
export type Tensor5D = Tensor<Rank.R5>;
export type Tensor6D = Tensor<Rank.R6>;

/** A tensor whose value can be replaced; no scope disposes of it. */
export declare class Variable<R extends Rank = Rank> extends Tensor<R> {
  trainable: boolean;
  readonly name: string;
  assign(newValue: Tensor<R>): void;
}

/** Values to be set one by one before they become a tensor. */
export declare class TensorBuffer<R extends Rank = Rank, D extends DataType = 'float32'> {
  readonly size: number;
  readonly shape: ShapeMap[R];
  readonly strides: number[];
  readonly dtype: D;
  readonly rank: number;
  values: DataTypeMap[D];
  set(value: SingleValueMap[D], ...locs: number[]): void;
  get(...locs: number[]): SingleValueMap[D];
  locToIndex(locs: number[]): number;
  indexToLoc(index: number): number[];
  toTensor(): Tensor<R>;
}

export {};  // what is not marked export above stays inside
