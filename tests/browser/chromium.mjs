// A headless Chromium and a server on localhost whose pages have the headers that a test asks for.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from '../js/package.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const kTypes = {
  '.mjs': 'text/javascript', '.cjs': 'text/javascript', '.js': 'text/javascript', '.html': 'text/html; charset=utf-8', '.wasm': 'application/wasm',
  '.json': 'application/json', '.png': 'image/png', '.jpg': 'image/jpeg',
};
/** What makes a page cross-origin isolated. */
export const kIsolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
/** No eval, no inline script: what the package must do with. */
export const kPolicy = { 'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:" };

/**
 * Serves the package at /npm/, the repository at /, and `pages` (path -> {body, headers, type}).
 * @param {Record<string, {body: string, headers?: object, type?: string}>} pages @param {object} headers for every answer
 */
export async function serve(pages = {}, headers = {}) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const page = pages[path];
    if (page) {
      response.writeHead(200, { 'content-type': page.type ?? (kTypes[extname(path)] || 'text/html; charset=utf-8'), ...headers, ...page.headers });
      return response.end(page.body);
    }
    const file = path.startsWith('/npm/') ? join(npm, path.slice(5)) : join(root, path);
    if (!existsSync(file) || path.endsWith('/')) {
      response.writeHead(404, { 'content-type': 'text/plain' });
      return response.end('nothing here');
    }
    const body = readFileSync(file);
    response.writeHead(200, { 'content-type': kTypes[extname(file)] ?? 'application/octet-stream', 'content-length': body.length, ...headers });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections?.(); server.close(); } };
}

/** {browser, why}: browser is null where there is no Chromium. */
export async function launch(extra = []) {
  const executablePath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (!executablePath) return { browser: null, why: 'there is no Chromium on this machine (set CHROMIUM)' };
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath, headless: true,
    args: ['--no-sandbox', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
           '--autoplay-policy=no-user-gesture-required', '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream', ...extra] });
  return { browser, why: '' };
}

/**
 * Opens a page and waits until it sets window.result (or an element's text); returns it with the errors and policy violations seen.
 * @param {import('playwright-core').Browser} browser
 */
export async function open(browser, url, { timeout = 120_000 } = {}) {
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (e) => errors.push(String(e)));
  page.on('console', (m) => { if (m.type() === 'error' || /Content Security Policy/.test(m.text())) errors.push(m.text()); });
  try {
    await page.goto(url);
    await page.waitForFunction(() => globalThis.result !== undefined, null, { timeout, polling: 50 }).catch((e) => {
      throw new Error(`${e.message}\n${errors.join('\n')}`);
    });
    return { result: await page.evaluate(() => globalThis.result), errors };
  } finally {
    await page.close();
  }
}

/** A page with one module script, in a file of its own because the policy forbids inline ones. */
export function modulePage(name, code, head = '') {
  return {
    [`/${name}.html`]: { body: `<!doctype html><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,">${head}<script type="module" src="/${name}.js"></script>` },
    [`/${name}.js`]: { body: `(async () => { ${code} })().then((r) => { globalThis.result = r ?? null; }, (e) => { globalThis.result = { error: String(e?.stack ?? e) }; });` },
  };
}
