// Serves the repository to pages, isolated (which allows threads) or not. PORT=8081 node bench/lib/server.mjs serves the page for one's own device.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './files.mjs';

const kTypes = { '.html': 'text/html; charset=utf-8', '.mjs': 'text/javascript', '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
const kIsolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
/** What pages may have: nothing else of the repository leaves it. */
const kOpen = ['/build/bench/tessera/', '/build/bench/models/', '/bench/', '/tests/models/', '/tests/js/model_references.mjs'];

/** @returns {Promise<{url: string, close: () => void}>} */
export async function serve({ isolated, port = 0 }) {
  const server = createServer((request, response) => {
    let path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    if (path === '/') path = '/bench/page/index.html';
    const file = join(root, path);
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await serve({ isolated: true, port: Number(process.env.PORT ?? 8081) });
  console.log(url);
}
