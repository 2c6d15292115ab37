// The package is found without configuration: an application that imports `tessera-ml` is bundled by Vite, webpack and esbuild, and
// served as it lies in build/npm; each page must add two numbers in headless Chromium. The same from CommonJS and ESM in Node.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const packageDir = join(here, '../../build/npm');
const require = createRequire(join(here, '../package.json'));
const temp = mkdtempSync(join(tmpdir(), 'tessera-bundlers-'));
const app = join(temp, 'app');
const program = `
import * as tf from 'tessera-ml';
try {
  await tf.ready();
  const sum = tf.add(tf.tensor1d([1, 2, 3]), tf.tensor1d([10, 20, 30]));
  document.title = 'sum ' + Array.from(await sum.data()).join(' ');
} catch (e) {
  document.title = 'error ' + (e && e.stack || e);
}
`;
const page = (script) => `<!doctype html><meta charset="utf-8"><title>loading</title>${script}`;
const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

let browser;
let server;
before(async () => {
  mkdirSync(join(app, 'node_modules'), { recursive: true });
  cpSync(packageDir, join(app, 'node_modules/tessera-ml'), { recursive: true });
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  writeFileSync(join(app, 'main.js'), program);
  const { chromium } = require('playwright-core');
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    try {
      const body = readFileSync(join(temp, path));
      const isolated = path.includes('isolated');
      response.writeHead(200, {
        'content-type': types[extname(path)] ?? 'application/octet-stream',
        // what a careful page sends: no eval, WebAssembly allowed
        'content-security-policy': "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:",
        ...(isolated && { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }),
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(temp, { recursive: true, force: true });
});

/** Opens a page under `temp` and waits for the title that the program sets. */
async function titleOf(path) {
  const tab = await browser.newPage();
  const log = [];
  tab.on('console', (m) => log.push(m.text()));
  tab.on('pageerror', (e) => log.push(String(e)));
  tab.on('requestfailed', (r) => log.push(`failed: ${r.url()}`));
  tab.on('response', (r) => r.status() >= 400 && !r.url().endsWith('favicon.ico') && log.push(`${r.status()}: ${r.url()}`));
  try {
    await tab.goto(`http://127.0.0.1:${server.address().port}/${path}`);
    await tab.waitForFunction(() => document.title !== 'loading', null, { timeout: 30_000 });
    return await tab.title();
  } catch (e) {
    throw new Error(`${e.message}\n${log.join('\n')}`);
  } finally {
    await tab.close();
  }
}

for (const folder of ['vite', 'vite-isolated']) {
  test(`Vite${folder.includes('isolated') ? ', cross-origin isolated' : ''}`, async () => {
    const { build } = await import(require.resolve('vite').replace(/index\.cjs$/, 'dist/node/index.js'));
    writeFileSync(join(app, 'index.html'), page('<script type="module" src="/main.js"></script>'));
    await build({ root: app, base: './', logLevel: 'error', configFile: false, build: { outDir: join(temp, folder), emptyOutDir: true, target: 'es2022' } });
    assert.equal(await titleOf(`${folder}/index.html`), 'sum 11 22 33');
  });
}

for (const folder of ['webpack', 'webpack-isolated']) {
  test(`webpack${folder.includes('isolated') ? ', cross-origin isolated' : ''}`, async () => {
    const webpack = require('webpack');
    const stats = await new Promise((resolve, reject) => webpack({
      context: app, mode: 'production', entry: './main.js', output: { path: join(temp, folder), filename: 'main.js' }, performance: false,
    }, (e, s) => (e ? reject(e) : resolve(s))));
    assert.ok(!stats.hasErrors(), stats.toString({ all: false, errors: true }));
    writeFileSync(join(temp, folder, 'index.html'), page('<script defer src="main.js"></script>'));
    assert.equal(await titleOf(`${folder}/index.html`), 'sum 11 22 33');
  });
}

test('esbuild (which copies no files: the embedded module steps in)', async () => {
  const esbuild = require('esbuild');
  await esbuild.build({ entryPoints: [join(app, 'main.js')], bundle: true, format: 'esm', outfile: join(temp, 'esbuild/main.js'), logLevel: 'error' });
  writeFileSync(join(temp, 'esbuild/index.html'), page('<script type="module" src="main.js"></script>'));
  assert.equal(await titleOf('esbuild/index.html'), 'sum 11 22 33');
});

for (const folder of ['plain', 'plain-isolated']) {
  test(`no bundler, plain URLs${folder.includes('isolated') ? ', cross-origin isolated' : ''}`, async () => {
    cpSync(packageDir, join(temp, folder, 'tessera'), { recursive: true });
    writeFileSync(join(temp, folder, 'main.js'), program.replace("'tessera-ml'", "'./tessera/index.mjs'"));
    writeFileSync(join(temp, folder, 'index.html'), page('<script type="module" src="main.js"></script>'));
    assert.equal(await titleOf(`${folder}/index.html`), 'sum 11 22 33');
  });
}

test('a <script> tag works from its first line', async () => {
  mkdirSync(join(temp, 'script'), { recursive: true });
  cpSync(join(packageDir, 'tessera.min.js'), join(temp, 'script/tessera.min.js'));
  writeFileSync(join(temp, 'script/main.js'), `
    const sum = tf.add(tf.tensor1d([1, 2, 3]), tf.tensor1d([10, 20, 30]));
    document.title = 'sum ' + Array.from(sum.dataSync()).join(' ');`);
  writeFileSync(join(temp, 'script/index.html'), page('<script src="tessera.min.js"></script><script src="main.js"></script>'));
  assert.equal(await titleOf('script/index.html'), 'sum 11 22 33');
});

test('a <script> tag on a page that is not read as UTF-8', async () => {
  writeFileSync(join(temp, 'script/latin.html'),
                '<!doctype html><meta charset="windows-1252"><title>loading</title><script src="tessera.min.js"></script><script src="main.js"></script>');
  assert.equal(await titleOf('script/latin.html'), 'sum 11 22 33');
});

const inNode = (file, source) => {
  writeFileSync(join(app, file), source);
  return execFileSync(process.execPath, [file], { cwd: app, encoding: 'utf8' }).trim();
};
test('Node, import', () => {
  assert.equal(inNode('a.mjs', `import * as tf from 'tessera-ml'; await tf.ready();
    console.log(Array.from(await tf.add(tf.tensor1d([1, 2]), 10).data()).join(' '));`), '11 12');
});
test('Node, require', () => {
  assert.equal(inNode('a.cjs', `const tf = require('tessera-ml');
    console.log(Array.from(tf.add(tf.tensor1d([1, 2]), 10).dataSync()).join(' '));`), '11 12');
});
test('Node, import of the synchronous entry', () => {
  assert.equal(inNode('s.mjs', `import * as tf from 'tessera-ml/sync';
    console.log(Array.from(tf.add(tf.tensor1d([1, 2]), 10).dataSync()).join(' '));`), '11 12');
});
