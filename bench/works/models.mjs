// A model of build/bench/models on one library: the same input, the output read each time.
import { bytes, json } from '../lib/files.mjs';
import { seeded, size } from '../nets/net.mjs';
import { onnxShape, toChannelsFirst } from '../formats/onnx.mjs';

/** An IOHandler for a model.json and its shards: TensorFlow.js has none for paths in Node. */
export async function artifacts(folder) {
  const model = await json(`${folder}/model.json`);
  const shards = await Promise.all(model.weightsManifest.flatMap((g) => g.paths).map((p) => bytes(`${folder}/${p}`)));
  const weightData = shards.length === 1 ? shards[0] : await new Blob(shards).arrayBuffer();
  return { ...model, weightSpecs: model.weightsManifest.flatMap((g) => g.weights), weightData, weightsManifest: undefined };
}

/** The contestant of a graph model that is run by execute() and read by dataSync(). */
export async function graphModel(tf, modelArtifacts, input) {
  const model = await tf.loadGraphModel({ load: async () => modelArtifacts });
  const x = tf.tensor(input.values, input.shape);
  const step = () => {
    const y = model.execute(x);
    const values = y.dataSync();
    y.dispose();
    return values;
  };
  return { step, read: () => [step()] };
}

/** @param {string} name @returns {(peer: object) => Promise<{step: () => any, read: () => any}>} */
export const modelWork = (name) => async (peer) => {
  const folder = `build/bench/models/${name}`;
  const { input, output } = await json(`${folder}/net.json`);
  const values = seeded(size(input.shape), 7);
  if (peer.tf) return graphModel(peer.tf, await artifacts(folder), { values, shape: input.shape });
  if (peer.ort) {
    const session = await peer.session(await bytes(`${folder}/model.onnx`));
    const pictures = input.shape.length === 4;
    const x = new peer.ort.Tensor('float32', pictures ? toChannelsFirst(values, input.shape) : values, onnxShape(input.shape, pictures));
    const step = async () => (await session.run({ [input.name]: x }))[output.name].data;
    return { step, read: async () => [await step()] };
  }
  const model = await peer.compile(new Uint8Array(await bytes(`${folder}/model.tflite`)));
  const x = new peer.litert.Tensor(values, input.shape);
  const step = async () => {
    const outputs = await model.run([x]);
    const result = await outputs[0].data();
    for (const t of outputs) t.delete();
    return result;
  };
  return { step, read: async () => [(await step()).slice()] };
};
