// tf.browser: pictures in and out.
import { makeTensor } from './create.mjs';
import { asTensor, tidy } from './engine.mjs';
import { Tensor } from './tensor.mjs';

const isA = (v, name) => typeof globalThis[name] === 'function' && v instanceof globalThis[name];
let scratch = null;

/** Width and height of whatever holds pixels. */
function sizeOf(pixels) {
  if (isA(pixels, 'HTMLVideoElement')) return [pixels.videoWidth, pixels.videoHeight];
  if (isA(pixels, 'HTMLImageElement')) return [pixels.naturalWidth || pixels.width, pixels.naturalHeight || pixels.height];
  if (isA(pixels, 'VideoFrame')) return [pixels.displayWidth, pixels.displayHeight];
  return [pixels.width, pixels.height];
}

function contextOf(canvas) {
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('[fromPixels] the canvas has no 2d context (it has another kind of context already)');
  return context;
}

/** RGBA bytes of whatever holds pixels, drawing it to a canvas where necessary. */
function rgba(pixels, width, height) {
  if (pixels.data instanceof Uint8Array || pixels.data instanceof Uint8ClampedArray) return pixels.data;
  if (isA(pixels, 'HTMLVideoElement') && pixels.readyState < 2) {
    throw new Error('The video element has not loaded data yet. Please wait for `loadeddata` event on the <video> element.');
  }
  const isCanvas = isA(pixels, 'HTMLCanvasElement') || isA(pixels, 'OffscreenCanvas');
  const drawable = isCanvas || ['HTMLImageElement', 'HTMLVideoElement', 'ImageBitmap', 'VideoFrame'].some((n) => isA(pixels, n));
  if (!drawable) {
    throw new Error('pixels passed to tf.browser.fromPixels() must be either an HTMLVideoElement, HTMLImageElement, HTMLCanvasElement, ' +
      `ImageData in browser, or OffscreenCanvas, ImageBitmap, VideoFrame, or {data: Uint8Array, width, height}, but was ${pixels?.constructor?.name}`);
  }
  if (isCanvas) {
    const own = pixels.getContext('2d');  // a canvas with another context gives null, and is drawn below
    if (own) return own.getImageData(0, 0, width, height).data;
  }
  if (!scratch) {
    scratch = typeof OffscreenCanvas === 'function' ? new OffscreenCanvas(width, height) : document.createElement('canvas');
  }
  if (scratch.width !== width) scratch.width = width;
  if (scratch.height !== height) scratch.height = height;
  const context = contextOf(scratch);
  context.clearRect(0, 0, width, height);
  context.drawImage(pixels, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data;
}

/** The pixels as int32 [height, width, numChannels], 0 to 255. */
export function fromPixels(pixels, numChannels = 3) {
  if (numChannels > 4) throw new Error('Cannot construct Tensor with more than 4 channels from pixels.');
  if (!Number.isInteger(numChannels) || numChannels < 1) throw new Error(`[fromPixels] numChannels must be 1 to 4, got ${numChannels}`);
  if (pixels == null) throw new Error('pixels passed to tf.browser.fromPixels() can not be null');
  const [width, height] = sizeOf(pixels);
  if (!(width > 0 && height > 0)) throw new Error(`[fromPixels] the picture is empty (${width} x ${height}): has it loaded?`);
  const data = rgba(pixels, width, height);
  if (data.length !== width * height * 4) throw new Error(`[fromPixels] ${width} x ${height} RGBA pixels are ${width * height * 4} bytes, got ${data.length}`);
  const values = new Int32Array(width * height * numChannels);
  if (numChannels === 4) {
    values.set(data);
  } else {
    for (let i = 0, j = 0; j < values.length; i += 4) for (let c = 0; c < numChannels; ++c) values[j++] = data[i + c];
  }
  return makeTensor(values, [height, width, numChannels], 'int32', 'fromPixels');
}

/** The same; images and videos are decoded off the main thread where the browser can. */
export async function fromPixelsAsync(pixels, numChannels = 3) {
  const decodable = ['HTMLImageElement', 'HTMLVideoElement', 'HTMLCanvasElement', 'OffscreenCanvas'].some((n) => isA(pixels, n));
  if (typeof createImageBitmap !== 'function' || !decodable) return fromPixels(pixels, numChannels);
  let bitmap;
  try {
    bitmap = await createImageBitmap(pixels, { premultiplyAlpha: 'none' });
  } catch {
    return fromPixels(pixels, numChannels);
  }
  try {
    const [width, height] = sizeOf(pixels);
    return fromPixels(bitmap.width === width && bitmap.height === height ? bitmap : pixels, numChannels);
  } finally {
    bitmap.close();
  }
}

/** RGBA bytes of an image tensor: [h, w] or [h, w, 1 | 3 | 4], float32 in [0, 1] or int32 in [0, 255]. Draws them, given a canvas. */
export async function toPixels(img, canvas) {
  const owned = !(img instanceof Tensor);
  const t = owned ? tidy(() => asTensor(img, 'img', 'toPixels')) : img;
  if (t.rank !== 2 && t.rank !== 3) throw new Error(`toPixels only supports rank 2 or 3 tensors, got rank ${t.rank}.`);
  const [height, width] = t.shape;
  const depth = t.rank === 2 ? 1 : t.shape[2];
  if (depth > 4 || depth === 2) throw new Error(`toPixels only supports depth of size 1, 3 or 4 but got ${depth}`);
  if (t.dtype !== 'float32' && t.dtype !== 'int32') throw new Error(`Unsupported type for toPixels: ${t.dtype}. Please use float32 or int32 tensors.`);
  const data = await t.data();
  const scale = t.dtype === 'float32' ? 255 : 1;
  if (owned) t.dispose();
  const bytes = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < height * width; ++i) {
    const px = [0, 0, 0, 255];
    for (let d = 0; d < depth; ++d) {
      const v = data[i * depth + d];
      if (scale === 255 ? !(v >= 0 && v <= 1) : !(v >= 0 && v <= 255)) {
        throw new Error(`Tensor values for a ${scale === 255 ? 'float32' : 'int32'} Tensor must be in the range [0 - ${scale === 255 ? 1 : 255}] but encountered ${v}.`);
      }
      if (depth === 1) px[0] = px[1] = px[2] = v * scale;
      else px[d] = v * scale;
    }
    for (let c = 0; c < 4; ++c) bytes[i * 4 + c] = Math.round(px[c]);
  }
  if (canvas != null) {
    canvas.width = width;
    canvas.height = height;
    canvas.getContext('2d').putImageData(new ImageData(bytes, width, height), 0, 0);
  }
  return bytes;
}

/** Draws an image tensor on a canvas. */
export async function draw(image, canvas) {
  await toPixels(image, canvas);
}
