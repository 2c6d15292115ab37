// Both GPU drivers alone, in Chromium: command lists written by hand, losses, a borrowed WebGL context.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, serve } from './browser.mjs';

let server, browser, page;
const { why } = await (async () => {
  const r = await launch();
  browser = r.browser;
  return r;
})();
const skip = browser ? false : why;

before(async () => {
  if (!browser) return;
  server = await serve();
  page = await browser.newPage();
  await page.goto(server.url);
});
after(async () => {
  await browser?.close();
  server?.close();
});

test('WebGPU replays command lists and survives a loss', { skip }, async () => {
  const result = await page.evaluate(async () => {
    const { WebGpuDriver, requestDevice } = await import('/js/src/gpu/webgpu.mjs');
    const { exercise, listen } = await import('/tests/gpu/commands.mjs');
    const events = listen();
    const reopen = () => requestDevice(navigator.gpu);
    const driver = new WebGpuDriver(await reopen(), { onReadDone: events.onReadDone, onLost: events.onLost, reopen });
    await exercise(driver, 'webgpu', events, (d) => d.device.destroy());
    driver.close();
    return 'ok';
  });
  assert.equal(result, 'ok');
});

test('WebGL replays command lists and survives a loss', { skip }, async () => {
  const result = await page.evaluate(async () => {
    const { WebGlDriver } = await import('/js/src/gpu/webgl.mjs');
    const { exercise, listen } = await import('/tests/gpu/commands.mjs');
    const events = listen();
    const driver = new WebGlDriver(null, { onReadDone: events.onReadDone, onLost: events.onLost });
    await exercise(driver, 'webgl', events, (d) => d.gl.getExtension('WEBGL_lose_context').loseContext());
    // Synchronous reading.
    driver.createMemory(900, 64, 4, 1, 0);
    driver.upload(900, new Uint32Array(new Float32Array([1, 2, 3, 4]).buffer));
    driver.beginRead(901, 900, 3);
    driver.readWait(901);
    const out = new Float32Array(3);
    driver.takeRead(901, new Uint32Array(out.buffer));
    driver.close();
    return [...out];
  });
  assert.deepEqual(result, [1, 2, 3]);
});

test('a borrowed WebGL context keeps its state', { skip }, async () => {
  const result = await page.evaluate(async () => {
    const { WebGlDriver } = await import('/js/src/gpu/webgl.mjs');
    const { exercise, listen } = await import('/tests/gpu/commands.mjs');
    const gl = document.createElement('canvas').getContext('webgl2');
    // An application's state, as unlike the driver's as can be.
    const texture = gl.createTexture(), buffer = gl.createBuffer(), vertexArray = gl.createVertexArray(), sampler = gl.createSampler();
    gl.enable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.FRONT_AND_BACK);
    gl.colorMask(true, false, true, false);
    gl.viewport(1, 2, 3, 4);
    gl.scissor(5, 6, 7, 8);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.bindSampler(1, sampler);
    gl.bindVertexArray(vertexArray);
    gl.bindBuffer(gl.PIXEL_UNPACK_BUFFER, buffer);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, true);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, 77);
    const look = () => JSON.stringify([
      gl.isEnabled(gl.BLEND), gl.isEnabled(gl.DEPTH_TEST), gl.isEnabled(gl.CULL_FACE), gl.isEnabled(gl.SCISSOR_TEST),
      gl.getParameter(gl.COLOR_WRITEMASK), [...gl.getParameter(gl.VIEWPORT)], [...gl.getParameter(gl.SCISSOR_BOX)],
      gl.getParameter(gl.ACTIVE_TEXTURE), gl.getParameter(gl.TEXTURE_BINDING_2D) === texture,
      gl.getParameter(gl.SAMPLER_BINDING) === sampler, gl.getParameter(gl.VERTEX_ARRAY_BINDING) === vertexArray,
      gl.getParameter(gl.PIXEL_UNPACK_BUFFER_BINDING) === buffer, gl.getParameter(gl.UNPACK_FLIP_Y_WEBGL),
      gl.getParameter(gl.UNPACK_ROW_LENGTH), gl.getParameter(gl.CURRENT_PROGRAM), gl.getParameter(gl.FRAMEBUFFER_BINDING)]);
    const before = look();
    const events = listen();
    const driver = new WebGlDriver(gl, { onReadDone: events.onReadDone, onLost: events.onLost });
    let after = '';
    const lose = gl.getExtension('WEBGL_lose_context');
    await exercise(driver, 'webgl', events, () => {
      after = look();
      lose.loseContext();
      setTimeout(() => lose.restoreContext(), 50);
    });
    driver.close();
    return { before, after, error: gl.getError(), lost: gl.isContextLost() };
  });
  assert.equal(result.after, result.before);
  assert.equal(result.error, 0);
  assert.equal(result.lost, false);
});
