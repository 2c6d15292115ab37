// A headless Chromium on a page served from localhost, for the GPU drivers' own tests.
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const types = { '.mjs': 'text/javascript', '.js': 'text/javascript', '.html': 'text/html', '.wasm': 'application/wasm', '.json': 'application/json' };

/** What gives headless Chromium WebGPU and WebGL on its software renderer. */
export const kGpuFlags = ['--enable-unsafe-webgpu', '--enable-unsafe-swiftshader', '--use-webgpu-adapter=swiftshader'];

/** Serves the repository. The root page is empty, with a policy that allows no eval. */
export async function serve() {
  const server = createServer((req, res) => {
    const path = normalize(decodeURIComponent(new URL(req.url, 'http://x').pathname));
    if (path === '/') {
      res.writeHead(200, { 'content-type': 'text/html',
                           'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" });
      return res.end('<!doctype html><title>test</title>');
    }
    const file = join(root, path);
    if (!existsSync(file)) return res.writeHead(404).end();
    res.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    res.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** A Chromium with WebGPU and WebGL on its software renderer, or null and the reason. */
export async function launch() {
  const executablePath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (!executablePath) return { browser: null, why: 'there is no Chromium on this machine (set CHROMIUM)' };
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath, headless: true,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
           '--disable-sync', ...kGpuFlags] });
  return { browser, why: '' };
}
