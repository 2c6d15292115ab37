// Copies of what is measured, so that a build which runs meanwhile changes nothing halfway.
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.mjs';
import { pause } from './measure.mjs';

const folder = join(root, 'build/bench');
export const nativeProgram = join(folder, 'bench_native_models');

/** build/npm to build/bench/tessera, and the native program. Waits a while for a build that is replacing them. */
export async function snapshot() {
  const npm = join(root, 'build/npm'), copy = join(folder, 'tessera'), program = join(root, 'build/release/bin/bench_native_models');
  for (let i = 0; i < 240 && !existsSync(join(npm, 'index.mjs')); ++i) await pause(500);
  mkdirSync(folder, { recursive: true });
  rmSync(copy, { recursive: true, force: true });
  cpSync(npm, copy, { recursive: true });
  rmSync(nativeProgram, { force: true });
  if (existsSync(program)) copyFileSync(program, nativeProgram);
}
