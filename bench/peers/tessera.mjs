// Tessera's package, from the copy of build/npm that lib/snapshot.mjs makes and lib/server.mjs serves at /tessera/.
import { inNode } from '../lib/files.mjs';

/** @param {{threads: number, relaxed: boolean, backend?: string}} options */
export async function start({ threads, relaxed }) {
  const tf = await import(inNode ? `${(await import('../lib/snapshot.mjs')).copiedPackage()}/index.mjs` : '/tessera/index.mjs');
  const variant = (relaxed ? 'relaxed' : 'simd') + (threads > 1 ? '-threads' : '');
  await tf.ready({ variant });
  tf.setThreadsCount(threads);
  const { variant: chosen } = tf.platformInfo();
  if (chosen !== variant) throw new Error(`wanted the variant ${variant}, got ${chosen}${inNode ? '; is this Node too old?' : ''}`);
  return { name: 'tessera', label: `tessera ${variant}`, tf };
}
