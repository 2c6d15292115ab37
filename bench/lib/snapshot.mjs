// Copies of what is measured, one for each run, so that a build or another run which happens meanwhile changes nothing halfway. Processes
// that a run starts find its copy by the environment.
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.mjs';
import { pause } from './measure.mjs';

const kVariable = 'TESSERA_BENCH_COPY';

export const copiedPackage = () => join(process.env[kVariable], 'npm');
export const copiedProgram = () => join(process.env[kVariable], 'bench_native_models');

/** Copies build/npm and the native program into a folder that goes when this process ends. Waits a while for a build that is replacing them. */
export async function snapshot() {
  const npm = join(root, 'build/npm'), program = join(root, 'build/release/bin/bench_native_models');
  const folder = process.env[kVariable] = join(root, `build/bench/copy-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  for (let i = 0; i < 240 && !existsSync(join(npm, 'index.mjs')); ++i) await pause(500);
  cpSync(npm, copiedPackage(), { recursive: true });
  if (existsSync(program)) copyFileSync(program, copiedProgram());
}
