// The module variants, and what Node wants to be told to run them: a test of each needs a process of its own.
import { spawnSync } from 'node:child_process';
import { load } from './package.mjs';

export const kVariants = ['scalar', 'simd', 'relaxed', 'simd-threads', 'relaxed-threads'];

// Older versions of Node have relaxed SIMD behind a switch.
const kSwitch = '--experimental-wasm-relaxed-simd';

let known;
/** Node's arguments for a variant; `fault` says why it cannot run here, or is false. */
export async function switches(variant) {
  known ??= await load().then(async (tf) => {
    await tf.ready({ variant: 'simd' });
    return tf.platformInfo().variants;
  });
  if (known[variant] === 'can run') return { args: [], fault: false };
  const works = variant.includes('relaxed') && spawnSync(process.execPath, [kSwitch, '-e', '0']).status === 0;
  return works ? { args: [kSwitch], fault: false } : { args: [], fault: known[variant] };
}
