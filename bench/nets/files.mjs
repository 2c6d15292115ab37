// The nets' files under build/bench/models, written when missing or when what writes them changed: node bench/nets/files.mjs
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isPicture, onnx } from '../formats/onnx.mjs';
import { tfjs } from '../formats/tfjs.mjs';
import { tflite } from '../formats/tflite.mjs';
import { mobilenet } from './mobilenet.mjs';
import { singleOps, tinyLayers, tinyOps } from './parts.mjs';
import { resnet } from './resnet.mjs';
import { transformer } from './transformer.mjs';

const bench = dirname(dirname(fileURLToPath(import.meta.url)));
export const folder = join(dirname(bench), 'build/bench/models');

const kNets = { mobilenet_v2: mobilenet, resnet50: resnet, transformer, ...singleOps, [tinyOps.title]: tinyOps, [tinyLayers.title]: tinyLayers };

function sourceHash() {
  const hash = createHash('sha256');
  for (const part of ['nets', 'formats']) {
    for (const file of readdirSync(join(bench, part)).sort()) hash.update(readFileSync(join(bench, part, file)));
  }
  return hash.digest('hex');
}

function write(net, to, more = {}) {
  mkdirSync(to, { recursive: true });
  const { json, weights } = tfjs(net);
  writeFileSync(join(to, 'model.json'), JSON.stringify(json));
  writeFileSync(join(to, json.weightsManifest[0].paths[0]), weights);
  writeFileSync(join(to, 'model.onnx'), onnx(net));
  if (isPicture(net)) writeFileSync(join(to, 'model.tflite'), tflite(net));
  const port = ({ name, shape }) => ({ name, shape });
  writeFileSync(join(to, 'net.json'), JSON.stringify({ input: port(net.input), output: port(net.output), macs: net.macs(), ...more }));
}

/** For each net: model.json with its shard, model.onnx, model.tflite (nets of convolutions) and net.json; single ops also whole. */
export function writeModels() {
  const hash = sourceHash();
  for (const [name, make] of Object.entries(kNets)) {
    const to = join(folder, name), stamp = join(to, 'stamp');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) continue;
    const single = name in singleOps;
    write(make(), to, { whole: single });
    if (single) write(make({ whole: true }), join(to, 'whole'));
    writeFileSync(stamp, hash);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeModels();
