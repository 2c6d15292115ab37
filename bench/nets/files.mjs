// The nets' files under build/bench/models, written when missing or when what writes them changed: node bench/nets/files.mjs
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onnx } from '../formats/onnx.mjs';
import { tfjs } from '../formats/tfjs.mjs';
import { tflite } from '../formats/tflite.mjs';
import { mobilenet } from './mobilenet.mjs';
import { resnet } from './resnet.mjs';
import { transformer } from './transformer.mjs';

const bench = dirname(dirname(fileURLToPath(import.meta.url)));
export const folder = join(dirname(bench), 'build/bench/models');

export const nets = { mobilenet_v2: mobilenet, resnet50: resnet, transformer };

function sourceHash() {
  const hash = createHash('sha256');
  for (const part of ['nets', 'formats']) {
    for (const file of readdirSync(join(bench, part)).sort()) hash.update(readFileSync(join(bench, part, file)));
  }
  return hash.digest('hex');
}

/** Writes model.json with its shard, model.onnx, model.tflite (nets of convolutions) and net.json (shapes) for each net. */
export function writeModels() {
  const hash = sourceHash();
  for (const [name, make] of Object.entries(nets)) {
    const to = join(folder, name), stamp = join(to, 'stamp');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) continue;
    mkdirSync(to, { recursive: true });
    const net = make();
    const { json, weights } = tfjs(net);
    writeFileSync(join(to, 'model.json'), JSON.stringify(json));
    writeFileSync(join(to, json.weightsManifest[0].paths[0]), weights);
    writeFileSync(join(to, 'model.onnx'), onnx(net));
    if (net.nodes.some((n) => n.op === 'conv')) writeFileSync(join(to, 'model.tflite'), tflite(net));
    writeFileSync(join(to, 'net.json'), JSON.stringify({ name, input: net.input, output: { name: net.output.name, shape: net.output.shape }, macs: net.macs() }));
    writeFileSync(stamp, hash);
    console.log(`${name}: ${(net.macs() / 1e6).toFixed(0)} million multiply-adds, ${(weights.length / 1e6).toFixed(1)} MB of weights`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeModels();
