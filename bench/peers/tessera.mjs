// Tessera's package, from the copy of build/npm that bench/lib/snapshot.mjs makes.
import { inNode, root } from '../lib/files.mjs';

/** @param {{threads: number, relaxed: boolean, backend?: string}} options */
export async function start({ threads, relaxed }) {
  const tf = await import(`${root}build/bench/tessera/index.mjs`);
  const variant = (relaxed ? 'relaxed' : 'simd') + (threads > 1 ? '-threads' : '');
  await tf.ready({ variant });
  tf.setThreadsCount(threads);
  const { variant: chosen } = tf.platformInfo();
  if (chosen !== variant) throw new Error(`wanted the variant ${variant}, got ${chosen}${inNode ? '; is this Node too old?' : ''}`);
  return { name: 'tessera', label: `tessera ${variant}`, tf };
}
