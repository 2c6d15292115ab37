// Serves the web demo: node examples/web/serve.mjs. PORT chooses the port (default 8080). Used by `make serve` and the browser tests.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const packages = join(root, 'tests/node_modules/@vladmandic');
/** URL prefixes and the folders behind them. */
const kFolders = [['/npm/', join(root, 'build/npm')], ['/models/', join(packages, 'human-models/models')],
                  ['/photos/', join(packages, 'face-api/demo')], ['/', join(root, 'examples/web')]];
const kTypes = { '.html': 'text/html; charset=utf-8', '.mjs': 'text/javascript', '.js': 'text/javascript', '.css': 'text/css',
                 '.json': 'application/json', '.wasm': 'application/wasm', '.jpg': 'image/jpeg', '.png': 'image/png' };
/** Isolation lets the page use threads; the policy shows what the library needs: wasm-unsafe-eval and nothing more. */
const kHeaders = {
  'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp', 'cache-control': 'no-cache',
  'content-security-policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; img-src 'self' data: blob:; media-src 'self' blob:",
};

/** Listens on 127.0.0.1; port 0 takes any. @returns {Promise<import('node:http').Server>} */
export async function serveDemo(port) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const [prefix, folder] = kFolders.find(([p]) => path.startsWith(p)) ?? kFolders.at(-1);
    const file = join(folder, path === '/' ? 'index.html' : path.slice(prefix.length));
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { 'content-type': 'text/plain', ...kHeaders });
      return response.end(`there is no ${path}`);
    }
    response.writeHead(200, { 'content-type': kTypes[extname(file)] ?? 'application/octet-stream', 'content-length': statSync(file).size, ...kHeaders });
    if (request.method === 'HEAD') return response.end();
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return server;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = await serveDemo(Number(process.env.PORT ?? 8080));
  console.log(`http://localhost:${server.address().port}`);
}
