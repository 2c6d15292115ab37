// The synchronous entry (CommonJS, <script>, tessera-ml/sync): carries the plain SIMD module and works from its first line. When
// ready() is awaited before anything was created, it moves to a better variant where the machine has one.
import { wasmBytes } from 'tessera:embedded';
import { provideEmbedded } from './backend.mjs';

provideEmbedded(wasmBytes);

export * from './tf.mjs';
