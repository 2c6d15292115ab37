// Written by tessera_gen from the op registry; do not edit. The types of ops.mjs.
import type {DataType, Tensor, TensorLike} from '../src/types';

/** One number, or numbers nested to any depth (read in order). */
export type NumberList = number | ReadonlyArray<NumberList> | Int32Array | Float32Array;
type Operand = Tensor | TensorLike;

/** The names of all ops above, as the registry spells them. */
export declare const opNames: ReadonlyArray<string>;
