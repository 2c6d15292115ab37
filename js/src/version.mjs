// The version, filled in from the engine when it runs.
import { abi, isInstalled } from './engine.mjs';

/** The version of this package; its engine's as soon as that runs. */
const kVersion = '0.1.0';
export const version_core = kVersion;
export const version = {
  tessera: kVersion, 'tfjs-core': kVersion, 'tfjs-converter': kVersion,
  get engine() {
    return isInstalled() ? abi().text(abi().x.tsr_version()) : '';
  },
};
