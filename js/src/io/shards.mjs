// Bytes of weight files, in order, checked: by HTTP status, content type and length against the manifest.
import { TesseraError, abortReason } from '../errors.mjs';
import { isChromium, nodeModule } from '../platform.mjs';

const kAhead = 4;  // requests in flight: enough to hide latency, few enough to leave connections to the page

/** Bytes an element of a stored weight takes. */
const kStored = { float32: 4, int32: 4, uint8: 1, uint16: 2, float16: 2, bool: 1, complex64: 8, int8: 1, int64: 8 };

/**
 * What a manifest's group of weights takes; null when it cannot be told (strings state their lengths themselves).
 * @param {{weights: any[]}} group @returns {number|null}
 */
export function groupBytes(group) {
  let total = 0;
  for (const w of group.weights ?? []) {
    const unit = kStored[w.quantization?.dtype ?? w.dtype];
    if (unit === undefined || !Array.isArray(w.shape)) return null;
    total += w.shape.reduce((n, d) => n * d, 1) * unit;
  }
  return total;
}

/**
 * Checks an answer's status and type. @param {Response} response @param {string} url @param {string} what 'weights' or 'model'
 */
export function checkResponse(response, url, what) {
  if (!response.ok) {
    const code = response.status === 404 || response.status === 410 ? 'not-found' : 'bad-file';
    throw new TesseraError(code, `loading the ${what} failed: HTTP status ${response.status}${response.statusText ? ` (${response.statusText})` : ''} for ${url}`);
  }
  const type = response.headers?.get?.('content-type') ?? '';
  if (/^\s*text\/html\b/i.test(type)) {
    throw new TesseraError('bad-file', `loading the ${what} failed: ${url} is an HTML page (content type ${type}), most likely an error page of the server`);
  }
}

/** The length that the answer's body must have, or null when the headers do not tell. */
function declaredLength(response) {
  const length = response.headers?.get?.('content-length');
  if (length == null || length === '' || response.headers.get('content-encoding')) return null;
  if (response.type === 'cors') return null;  // a content encoding would be hidden from us
  return Number(length);
}

async function request(url, { fetchFunc, requestInit, signal }) {
  try {
    return await fetchFunc(url, { ...requestInit, ...(signal && { signal }) });
  } catch (e) {
    if (signal?.aborted) throw abortReason(signal);
    throw new TesseraError('not-found', `loading ${url} failed: ${e.message}${e.cause?.message ? ` (${e.cause.message})` : ''}`, { cause: e });
  }
}

// One buffer serves all pieces where streams can fill what they are given: a quarter less work for the browser's main thread than
// with a new buffer for each piece (measured in Chromium with 14 MB), and nothing to collect.
const kPieceBytes = 1 << 20;

/** The reader of a body, and whether it fills buffers of ours. */
function readerOf(body) {
  try {
    return { reader: body.getReader({ mode: 'byob' }), fills: true };
  } catch {  // no such streams here, or not for this body
    return { reader: body.getReader(), fills: false };
  }
}

// Chromium gathers a blob outside of the page's process and reads it from there with a third of the CPU time that its network streams
// cost (14 MB: 129 ms instead of 402 on a machine where touching fresh memory is dear, and less by the clock). Larger files than this
// stay streams, because blobs have limits of their own; so do files whose progress is watched, unless they are as small as usual shards.
const kMostInBlob = 32 << 20;
const kMostWatched = 4 << 20;

function gathersFirst(response, { watched }) {
  if (!isChromium || typeof response.blob !== 'function' || !response.body) return false;
  if (response.headers?.get?.('content-encoding')) return false;  // the length would be that of what was sent
  const length = Number(response.headers?.get?.('content-length') || Infinity);
  return length <= (watched ? kMostWatched : kMostInBlob);
}

/** An answer, and its body as a blob where that is the faster way; the blob comes while other answers are read. */
async function answerOf(url, options) {
  const response = await request(url, options);
  const blob = response.ok && gathersFirst(response, options) ? response.blob() : null;
  blob?.catch(() => {});  // reported when its turn comes
  return { response, blob };
}

/** The pieces of an answer's body. Each holds until the next is asked for. `again` makes the request once more. */
async function* pieces({ response, blob }, url, signal, again) {
  const brokenOff = (e) => signal?.aborted ? abortReason(signal)
    : new TesseraError('bad-file', `loading ${url} broke off: ${e.message}${e.cause?.message ? ` (${e.cause.message})` : ''}`, { cause: e });
  let body = response.body;
  if (blob) {
    try {
      body = (await blob).stream();
    } catch (e) {
      // It broke off, or the browser has no room for a blob of that size: a stream needs none.
      if (signal?.aborted || !(Number(response.headers.get('content-length')) > kMostWatched)) throw brokenOff(e);
      response = await again();
      checkResponse(response, url, 'weights');
      body = response.body;
    }
  }
  if (!body?.getReader) {
    yield new Uint8Array(await response.arrayBuffer());
    return;
  }
  const { reader, fills } = readerOf(body);
  let buffer = fills ? new ArrayBuffer(kPieceBytes) : null;
  try {
    for (;;) {
      let step;
      if (signal?.aborted) throw abortReason(signal);  // a blob's stream goes on
      try {
        step = await (fills ? reader.read(new Uint8Array(buffer)) : reader.read());
      } catch (e) {
        throw brokenOff(e);
      }
      if (step.done) return;
      yield step.value;
      if (fills) buffer = step.value.buffer;  // it came back by transfer
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Text of a file on the web. */
export async function fetchText(url, options, what) {
  const response = await request(url, options);
  checkResponse(response, url, what);
  return response.text();
}

/**
 * The bytes of shards on the web, in order: yields {bytes, url}; the bytes hold until the next are asked for.
 * @param {{urls: string[], bytes: number|null}[]} groups
 */
export async function* httpShards(groups, options) {
  const all = groups.flatMap((g) => g.urls);
  const started = [];
  const stop = new AbortController();
  const signal = options.signal ? anySignal([options.signal, stop.signal]) : stop.signal;
  const begin = (i) => {
    if (i < all.length && !started[i]) {
      started[i] = answerOf(all[i], { ...options, signal });
      started[i].catch(() => {});  // reported when its turn comes
    }
  };
  try {
    let index = 0;
    for (const group of groups) {
      let groupTotal = 0;
      for (const url of group.urls) {
        for (let k = 0; k < kAhead; ++k) begin(index + k);
        let answer;
        try {
          answer = await started[index];
        } catch (e) {
          if (options.signal?.aborted) throw abortReason(options.signal);
          throw e;
        }
        started[index++] = null;
        checkResponse(answer.response, url, 'weights');
        const wanted = declaredLength(answer.response);
        if (group.urls.length === 1 && group.bytes !== null && wanted !== null && wanted !== group.bytes) throw wrongLength(group, url, wanted);
        let got = 0;
        for await (const bytes of pieces(answer, url, options.signal, () => request(url, { ...options, signal }))) {
          got += bytes.length;
          groupTotal += bytes.length;
          if (group.bytes !== null && groupTotal > group.bytes) throw wrongLength(group, url, groupTotal, 'at least ');
          yield { bytes, url };
        }
        if (wanted !== null && got < wanted) throw new TesseraError('bad-file', `the shard ${url} is truncated: ${wanted} bytes were announced, ${got} came`);
      }
      if (group.bytes !== null && groupTotal !== group.bytes) throw wrongLength(group, group.urls[group.urls.length - 1], groupTotal);
    }
  } finally {
    stop.abort();
  }
}

function wrongLength(group, url, got, atLeast = '') {
  const names = group.urls.length === 1 ? `the shard ${url} has` : `the ${group.urls.length} shards up to ${url} have`;
  return new TesseraError('bad-file', `${names} ${atLeast}${got} bytes, but the manifest wants ${group.bytes}`);
}

function anySignal(signals) {
  const controller = new AbortController();
  for (const s of signals) {
    if (s.aborted) controller.abort(s.reason);
    else s.addEventListener('abort', () => controller.abort(s.reason), { once: true });
  }
  return controller.signal;
}

/** The bytes of shards on disk (Node), in order. @param {{paths: string[], bytes: number|null}[]} groups */
export async function* fileShards(groups, { signal }) {
  const fs = await nodeModule('fs');
  for (const group of groups) {
    let total = 0;
    for (const path of group.paths) {
      try {
        total += (await fs.promises.stat(path)).size;
      } catch (e) {
        throw new TesseraError('not-found', `the shard ${path} cannot be read: ${e.message}`, { cause: e });
      }
    }
    if (group.bytes !== null && total !== group.bytes) throw wrongLength({ ...group, urls: group.paths }, group.paths[group.paths.length - 1], total);
    for (const path of group.paths) {
      for await (const bytes of fs.createReadStream(path, { highWaterMark: 1 << 20 })) {
        if (signal?.aborted) throw abortReason(signal);
        yield { bytes, url: path };
      }
    }
  }
}

/** The bytes of browser Files, in order. @param {{files: Blob[], names: string[], bytes: number|null}[]} groups */
export async function* blobShards(groups, { signal }) {
  const kPiece = 8 << 20;
  for (const group of groups) {
    const total = group.files.reduce((n, f) => n + f.size, 0);
    if (group.bytes !== null && total !== group.bytes) throw wrongLength({ ...group, urls: group.names }, group.names[group.names.length - 1], total);
    for (let i = 0; i < group.files.length; ++i) {
      const file = group.files[i];
      for (let at = 0; at < file.size; at += kPiece) {
        if (signal?.aborted) throw abortReason(signal);
        yield { bytes: new Uint8Array(await file.slice(at, at + kPiece).arrayBuffer()), url: group.names[i] };
      }
    }
  }
}
