// WebGPU in Node for the tests: the npm package `webgpu` (Dawn), on Chromium's software Vulkan where the machine has no GPU.
import { existsSync } from 'node:fs';
import { constants } from 'node:os';

const CHROMIUM = ['/usr/lib/chromium', '/opt/chromium'];

/** Lets Dawn find the Vulkan loader and the software driver that lie beside Chromium, where the system has none. */
function useChromiumsVulkan() {
  if (process.env.VK_ICD_FILENAMES) return;
  const folder = CHROMIUM.find((f) => existsSync(`${f}/vk_swiftshader_icd.json`));
  if (!folder) return;
  process.env.VK_ICD_FILENAMES = `${folder}/vk_swiftshader_icd.json`;
  const loader = `${folder}/libvulkan.so.1`;
  if (!existsSync(loader)) return;
  const RTLD_NODELETE = 0x1000;
  try {
    // Not a Node addon, so this throws; but the library stays loaded, and whoever asks for libvulkan.so.1 then gets it.
    process.dlopen({ exports: {} }, loader, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL | RTLD_NODELETE);
  } catch { /* as expected */ }
}

/** {gpu, why}: an object like navigator.gpu, or null and the reason. */
export async function dawn() {
  useChromiumsVulkan();
  try {
    const { create, globals } = await import('webgpu');
    Object.assign(globalThis, globals);
    const gpu = create([]);
    if (!(await gpu.requestAdapter())) return { gpu: null, why: 'Dawn finds no adapter' };
    return { gpu, why: '' };
  } catch (e) {
    return { gpu: null, why: `the npm package webgpu cannot be loaded: ${e.message}` };
  }
}
