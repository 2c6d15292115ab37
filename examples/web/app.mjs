// The page: a picture from the sample, a file or the camera; what the models find is drawn over it.
import * as tf from '/npm/index.mjs';
import { Detector, kMinKeypoint, kSkeleton } from './detect.mjs';

const $ = (id) => document.getElementById(id);
const view = $('view');
/** The longest side of what is shown and searched: the models see 512 pixels anyway. */
const kMaxSide = 1280;

let detector = null;
let video = null;      // the running camera
let current = null;    // canvas with the picture shown, undrawn
let busy = Promise.resolve();

function say(text, isError = false) {
  $('status').textContent = text;
  $('status').classList.toggle('error', isError);
}

/** A canvas with the picture, no larger than kMaxSide. */
function toCanvas(source, width, height) {
  const scale = Math.min(1, kMaxSide / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.getContext('2d').drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function draw(picture, { objects, poses }) {
  if (view.width !== picture.width || view.height !== picture.height) {
    view.width = picture.width;
    view.height = picture.height;
  }
  const c = view.getContext('2d');
  c.drawImage(picture, 0, 0);
  const line = Math.max(2, picture.height / 250), font = Math.max(12, picture.height / 40);
  c.lineWidth = line;
  c.font = `${font}px system-ui, sans-serif`;
  c.textBaseline = 'top';
  for (const o of objects) {
    const color = `hsl(${(o.label * 137.508) % 360} 90% 60%)`;
    c.strokeStyle = color;
    c.strokeRect(o.x0, o.y0, o.x1 - o.x0, o.y1 - o.y0);
    const text = ` ${o.name} ${Math.round(o.score * 100)}% `;
    const x = Math.max(0, o.x0), y = Math.max(0, o.y0);
    c.fillStyle = color;
    c.fillRect(x, y, c.measureText(text).width, font * 1.2);
    c.fillStyle = '#000';
    c.fillText(text, x, y + font * 0.1);
  }
  for (const pose of poses) {
    c.strokeStyle = '#50dcff';
    for (const [a, b] of kSkeleton) {
      if (pose[a].score < kMinKeypoint || pose[b].score < kMinKeypoint) continue;
      c.beginPath();
      c.moveTo(pose[a].x, pose[a].y);
      c.lineTo(pose[b].x, pose[b].y);
      c.stroke();
    }
    c.fillStyle = '#ffff50';
    for (const p of pose) {
      if (p.score < kMinKeypoint) continue;
      c.beginPath();
      c.arc(p.x, p.y, line * 1.5, 0, 2 * Math.PI);
      c.fill();
    }
  }
}

function report(result, frameMs) {
  $('object-ms').textContent = `${result.objectMs.toFixed(0)} ms`;
  $('pose-ms').textContent = result.poses.length ? `${result.poseMs.toFixed(0)} ms` : '–';
  $('fps').textContent = frameMs ? (1000 / frameMs).toFixed(1) : '–';
  const m = tf.memory();
  $('tensors').textContent = m.numTensors;
  $('memory').textContent = `${((m.hostBytes + m.deviceBytes) / 1e6).toFixed(1)} MB`;
  $('found').replaceChildren(...result.objects.map((o) => {
    const item = document.createElement('li');
    item.textContent = `${o.name}, ${Math.round(o.score * 100)}%`;
    return item;
  }));
}

/** Runs jobs one after another: a model run never overlaps a change of backend. */
function queue(job) {
  busy = busy.then(job).catch((error) => {
    console.error(error);
    say(error.message, true);
  });
  return busy;
}

async function search(picture, frameMs = 0) {
  const result = await detector.run(picture);
  draw(picture, result);
  report(result, frameMs);
  return result;
}

function show(picture) {
  current = picture;
  draw(picture, { objects: [], poses: [] });
  return queue(async () => {
    if (!detector) return;
    say('Looking…');
    const result = await search(picture);
    say(result.objects.length ? `Found ${result.objects.length} objects, ${result.poses.length} poses.` : 'Found nothing above 40%.');
  });
}

async function openFile(file) {
  stopCamera();
  try {
    const bitmap = await createImageBitmap(file);
    await show(toCanvas(bitmap, bitmap.width, bitmap.height));
    bitmap.close();
  } catch {
    say(`'${file.name}' is not a picture that this browser can open.`, true);
  }
}

async function samplePhoto() {
  stopCamera();
  const image = new Image();
  image.src = '/photos/sample1.jpg';
  try {
    await image.decode();
  } catch {
    return say('The sample photo could not be loaded.', true);
  }
  return show(toCanvas(image, image.naturalWidth, image.naturalHeight));
}

function stopCamera() {
  if (!video) return;
  for (const track of video.srcObject.getTracks()) track.stop();
  video = null;
  $('camera').setAttribute('aria-pressed', 'false');
}

async function toggleCamera() {
  if (video) return stopCamera();
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1280 } }, audio: false });
  } catch (error) {
    return say(`The camera cannot be used: ${error.message}`, true);
  }
  const mine = document.createElement('video');
  mine.srcObject = stream;
  mine.muted = mine.playsInline = true;
  await mine.play();
  video = mine;
  $('camera').setAttribute('aria-pressed', 'true');
  say('Camera on.');
  let last = 0;
  const frame = () => queue(async () => {
    if (video !== mine) return;
    const now = performance.now();
    current = toCanvas(mine, mine.videoWidth, mine.videoHeight);
    if (detector) await search(current, last ? now - last : 0);
    last = now;
    requestAnimationFrame(frame);
  });
  frame();
}

async function setBackend(name) {
  say(`Changing to ${name}…`);
  const before = tf.getBackend();
  try {
    if (!(await tf.setBackend(name))) throw new Error(`the backend '${name}' is not available here`);
  } catch (error) {
    $('backend').value = before;
    return say(`${error.message}; still on ${before}.`, true);
  }
  say(`Runs on ${tf.getBackend()}.`);
  if (current && detector && !video) await search(current);
}

function listen() {
  $('photo').addEventListener('click', samplePhoto);
  $('file').addEventListener('change', () => $('file').files[0] && openFile($('file').files[0]));
  $('camera').addEventListener('click', toggleCamera);
  $('backend').addEventListener('change', () => queue(() => setBackend($('backend').value)));
  for (const type of ['dragover', 'dragleave', 'drop']) {
    $('stage').addEventListener(type, (event) => {
      event.preventDefault();
      $('stage').classList.toggle('drop', type === 'dragover');
      if (type === 'drop' && event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
    });
  }
  tf.onDeviceLost?.(({ backend, lost }) => {
    say(lost ? `The ${backend} device was lost; the next picture starts it again.` : `The ${backend} device is back.`, lost);
  });
}

async function start() {
  listen();
  const wanted = new URLSearchParams(location.search).get('backend');
  await tf.ready();
  $('progress').hidden = false;
  detector = await Detector.load(tf, new URL('/models/', location.href), (fraction) => {
    $('progress').value = fraction;
    say(`Loading models: ${Math.round(fraction * 100)}%`);
  });
  $('progress').hidden = true;
  if (wanted) {
    $('backend').value = wanted;
    await queue(() => setBackend(wanted));
  }
  await samplePhoto();
}

start().catch((error) => {
  console.error(error);
  say(error.message, true);
});
/** For tests. */
window.demo = { tf, get detector() { return detector; }, search, get current() { return current; } };
