// Published models on WebGPU and WebGL 2 in headless Chromium, through the package: outputs against references, no other device's help,
// and a device lost on purpose.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { kPolicy, launch, modulePage, open, root, serve } from '../browser/chromium.mjs';
import { kGpuFlags } from './browser.mjs';

const { browser, why } = await launch(kGpuFlags);
const skip = browser ? false : why;
after(() => browser?.close());

const kModels = ['blazeface-back', 'mobilefacenet', 'movenet-lightning'];

/** The outputs' values, unpacked here: pages fetch them as they are. */
function references() {
  const pages = {};
  for (const name of kModels) {
    const folder = join(root, 'tests/models', name);
    for (const v of JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')).outputs) {
      if (v.file) pages[`/reference/${name}/${v.file}`] = { body: gunzipSync(readFileSync(join(folder, v.file))), type: 'application/octet-stream' };
    }
  }
  return pages;
}

const script = (backend) => `
  const tf = await import('/npm/index.mjs');
  const { runModels } = await import('/tests/browser/model_page.mjs');
  await tf.ready();
  if (!await tf.setBackend('${backend}')) return { error: tf.backendFault('${backend}') };
  const lines = await runModels(tf, ${JSON.stringify(kModels)}, 1e-3);
  return { lines, backend: tf.getBackend() };`;

/** How each API loses its device. The hook is what an application could do by accident. */
const kLose = {
  webgpu: "gpu.drivers[0].device.destroy()",
  webgl: "gpu.drivers[1].gl.getExtension('WEBGL_lose_context').loseContext()",
};
const lossScript = (backend) => `
  const tf = await import('/npm/index.mjs');
  await tf.ready();
  if (!await tf.setBackend('${backend}')) return { error: tf.backendFault('${backend}') };
  const events = [];
  let back;
  const isBack = new Promise((resolve) => { back = resolve; });
  tf.onDeviceLost((e) => { events.push(e.lost); if (!e.lost) back(); });
  const x = tf.tensor([1, 2, 3, 4]);
  const before = Array.from(await tf.square(x).data());
  const gpu = tf.backend().getGPU();
  const onGpu = tf.square(x);
  await onGpu.data();
  const pending = tf.add(onGpu, 1).data().then((v) => 'read ' + v, (e) => e.message);
  ${kLose[backend]};
  const lost = await pending;
  await isBack;
  const gone = await tf.add(onGpu, 1).data().then((v) => 'read ' + v, (e) => e.message);
  const after = Array.from(await tf.square(x).data());
  return { before, lost, gone, after, events };`;

for (const backend of ['webgpu', 'webgl']) {
  test(`models on ${backend}`, { skip }, async (t) => {
    const server = await serve({ ...modulePage('models', script(backend)), ...references() }, kPolicy);
    try {
      const { result } = await open(browser, `${server.url}/models.html`, { timeout: 600_000 });
      assert.equal(result.lines?.length, kModels.length, result.error);
      assert.equal(result.backend, backend);
      for (const { model, faults, ms, worst } of result.lines) {
        await t.test(`${model} on ${backend} (${ms?.toFixed(0)} ms, error ${worst?.toExponential(1)})`, () => assert.deepEqual(faults, []));
      }
    } finally {
      server.close();
    }
  });

  test(`a lost ${backend} device`, { skip }, async () => {
    const server = await serve(modulePage('loss', lossScript(backend)), kPolicy);
    try {
      const { result } = await open(browser, `${server.url}/loss.html`);
      assert.deepEqual(result.before, [1, 4, 9, 16], JSON.stringify(result));
      // The read was on its way when the device went: it has either just arrived or says what happened.
      assert.match(result.lost, /lost|read 2,5,10,17/);
      assert.match(result.gone, /lost/);
      assert.deepEqual(result.after, [1, 4, 9, 16], 'constants are uploaded again');
      assert.deepEqual(result.events, [true, false]);
    } finally {
      server.close();
    }
  });
}
