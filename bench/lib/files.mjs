// Files of the repository by their path from its root, in Node and on a page that bench/lib/server.mjs serves.
export const inNode = typeof process !== 'undefined' && Boolean(process.versions?.node);

/** The repository's folder in Node, the server's root on a page. */
export const root = inNode ? decodeURIComponent(new URL('../../', import.meta.url).pathname) : '/';

export async function bytes(path) {
  if (inNode) {
    const { readFile } = await import('node:fs/promises');
    const data = await readFile(root + path);
    return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  }
  const answer = await fetch(root + path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.arrayBuffer();
}

export async function json(path) { return JSON.parse(new TextDecoder().decode(await bytes(path))); }

export async function gunzipped(path) {
  const stream = new Blob([await bytes(path)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** On a page: a classic script, which may define globals. */
export function script(path) {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = root + path;
    element.onload = resolve;
    element.onerror = () => reject(new Error(`cannot load ${path}`));
    document.head.append(element);
  });
}

/** In Node: a CommonJS package of bench/node_modules. */
export async function required(name) {
  const { createRequire } = await import('node:module');
  return createRequire(import.meta.url)(name);
}
