// The two models of the demo: CenterNet finds 80 kinds of objects, MoveNet the pose of one person in a square picture.
import { kNames } from './names.mjs';

const kObjectSize = 512, kPoseSize = 192;
/** Boxes below are more often wrong than right. */
const kMinScore = 0.4;
/** Poses of so many people a frame: each costs a run. */
const kMaxPeople = 4;

/** Bones between MoveNet's 17 points. */
export const kSkeleton = [[0, 1], [0, 2], [1, 3], [2, 4], [5, 6], [5, 7], [7, 9], [6, 8], [8, 10], [5, 11], [6, 12], [11, 12],
                          [11, 13], [13, 15], [12, 14], [14, 16]];
export const kMinKeypoint = 0.3;

export class Detector {
  /** @param tf the Tessera module @param base URL of the folder with the models @param onProgress fraction of both downloads */
  static async load(tf, base, onProgress) {
    const part = [0, 0];
    const load = (name, i) => tf.loadGraphModel(new URL(`${name}.json`, base).href, {
      onProgress: (fraction) => { part[i] = fraction; onProgress((part[0] + part[1]) / 2); },
    });
    const [objects, poses] = await Promise.all([load('centernet', 0), load('movenet-lightning', 1)]);
    return new Detector(tf, objects, poses);
  }

  constructor(tf, objects, poses) {
    Object.assign(this, { tf, objects, poses });
    this.scratch = document.createElement('canvas');
  }

  /** The rectangle of `source`, stretched to size x size, as a [1, size, size, 3] tensor of 0..255. */
  #input(source, crop, size, dtype) {
    const { tf, scratch } = this;
    scratch.width = scratch.height = size;
    const context = scratch.getContext('2d', { willReadFrequently: true });
    context.fillRect(0, 0, size, size);
    context.drawImage(source, crop.x, crop.y, crop.width, crop.height, 0, 0, size, size);
    return tf.tidy(() => {
      const pixels = tf.browser.fromPixels(context.getImageData(0, 0, size, size));
      return tf.expandDims(dtype === 'int32' ? pixels : tf.cast(pixels, 'float32'), 0);
    });
  }

  /** Objects in a canvas, best first: {name, label, score, x0, y0, x1, y1} in its pixels. */
  async findObjects(source) {
    const input = this.#input(source, { x: 0, y: 0, width: source.width, height: source.height }, kObjectSize, 'float32');
    const output = await this.objects.executeAsync({ [this.objects.inputs[0].name]: input }, 'tower_0/detections');
    const rows = await output.data();
    this.tf.dispose([input, output]);
    const sx = source.width / kObjectSize, sy = source.height / kObjectSize;
    const found = [];
    for (let i = 0; i + 6 <= rows.length; i += 6) {
      if (!(rows[i + 4] >= kMinScore)) continue;
      found.push({ name: kNames[rows[i + 5]] ?? 'unknown', label: rows[i + 5], score: rows[i + 4],
                   x0: rows[i] * sx, y0: rows[i + 1] * sy, x1: rows[i + 2] * sx, y1: rows[i + 3] * sy });
    }
    return found.sort((a, b) => b.score - a.score);
  }

  /** The 17 points of a person, {x, y, score} in the canvas's pixels. */
  async findPose(source, person) {
    // A square around the person with some room: what the model was trained on.
    const side = Math.max(person.x1 - person.x0, person.y1 - person.y0) * 1.2;
    const crop = { x: (person.x0 + person.x1 - side) / 2, y: (person.y0 + person.y1 - side) / 2, width: side, height: side };
    const input = this.#input(source, crop, kPoseSize, 'int32');
    const output = await this.poses.executeAsync(input);
    const rows = await output.data();
    this.tf.dispose([input, output]);
    const points = [];
    for (let i = 0; i + 3 <= rows.length; i += 3) {
      points.push({ x: crop.x + rows[i + 1] * side, y: crop.y + rows[i] * side, score: rows[i + 2] });
    }
    return points;
  }

  /** Everything in a canvas, with the milliseconds of both steps. */
  async run(source) {
    const t0 = performance.now();
    const objects = await this.findObjects(source);
    const t1 = performance.now();
    const poses = [];
    for (const person of objects.filter((o) => o.label === 0).slice(0, kMaxPeople)) poses.push(await this.findPose(source, person));
    return { objects, poses, objectMs: t1 - t0, poseMs: performance.now() - t1 };
  }
}
