// Serves what benchmarks need to pages, Tessera's copied package at /tessera/, isolated (which allows threads) or not.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { root } from './files.mjs';
import { copiedPackage } from './snapshot.mjs';

const kTypes = { '.html': 'text/html; charset=utf-8', '.mjs': 'text/javascript', '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
const kIsolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
/** What pages may have: nothing else of the repository leaves it. */
const kOpen = ['/tessera/', '/build/bench/models/', '/bench/', '/tests/models/', '/tests/js/model_references.mjs'];

/**
 * @param {{isolated: boolean, port?: number, routes?: Record<string, (request, response) => void>}} options `routes` answer themselves
 * @returns {Promise<{url: string, close: () => void}>}
 */
export async function serve({ isolated, port = 0, routes = {} }) {
  const server = createServer((request, response) => {
    let path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    if (path === '/') path = '/bench/page/index.html';
    if (routes[path]) return routes[path](request, response);
    const file = path.startsWith('/tessera/') ? join(copiedPackage(), path.slice(9)) : join(root, path);
    const headers = { ...(isolated ? kIsolated : {}), 'cache-control': 'no-cache' };
    if (!kOpen.some((p) => path.startsWith(p)) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { 'content-type': 'text/plain', ...headers });
      return response.end(`there is no ${path}`);
    }
    response.writeHead(200, { 'content-type': kTypes[extname(file)] ?? 'application/octet-stream', 'content-length': statSync(file).size, ...headers });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}
