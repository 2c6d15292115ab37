// The WebGPU driver alone, in Node: command lists written by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { WebGpuDriver, requestDevice } from '../../js/src/gpu/webgpu.mjs';
import { exercise, listen } from './commands.mjs';
import { dawn } from './dawn.mjs';

const { gpu, why } = await dawn();

test('WebGPU replays command lists in Node and survives a loss', { skip: gpu ? false : why }, async () => {
  const events = listen();
  const reopen = () => requestDevice(gpu);
  const driver = new WebGpuDriver(await reopen(), { onReadDone: events.onReadDone, onLost: events.onLost, reopen, ownsDevice: true });
  assert.equal(driver.limits.maxTextureSize, 0);
  assert.ok(driver.limits.maxInputs >= 7);
  await exercise(driver, 'webgpu', events, (d) => d.device.destroy());
  driver.close();
});

test('a missing WebGPU says so', async () => {
  await assert.rejects(requestDevice(undefined), /no WebGPU/);
});
