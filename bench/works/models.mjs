// A model of build/bench/models on one library: the same input, the output read each time.
import { bytes, json } from '../lib/files.mjs';
import { seeded, size } from '../nets/net.mjs';
import { onnxShape, toChannelsFirst, toChannelsLast } from '../formats/onnx.mjs';

/** An IOHandler for a model.json and its shards: TensorFlow.js has none for paths in Node. */
export async function artifacts(folder, file = 'model.json') {
  const model = await json(`${folder}/${file}`);
  const shards = await Promise.all(model.weightsManifest.flatMap((g) => g.paths).map((p) => bytes(`${folder}/${p}`)));
  const weightData = shards.length === 1 ? shards[0] : await new Blob(shards).arrayBuffer();
  return { ...model, weightSpecs: model.weightsManifest.flatMap((g) => g.weights), weightData, weightsManifest: undefined };
}

/** The contestant of a graph model that is run by execute() and read by dataSync(), or with `unread` not read. */
async function graphModel(tf, modelArtifacts, input, unread) {
  const model = await tf.loadGraphModel({ load: async () => modelArtifacts });
  const x = tf.tensor(input.values, input.shape);
  const step = () => {
    const y = model.execute(x);
    const values = y.dataSync();
    y.dispose();
    return values;
  };
  return { step: unread ? () => model.execute(x).dispose() : step, read: () => [step()] };
}

/** @param {object} peer @param {string} folder of nets/files.mjs @param {{input: object, output: object}} ports */
async function contestant(peer, folder, { input, output }, unread = false) {
  const values = seeded(size(input.shape), 7);
  if (peer.tf) return graphModel(peer.tf, await artifacts(folder), { values, shape: input.shape }, unread);
  if (peer.ort) {
    const session = await peer.session(await bytes(`${folder}/model.onnx`));
    const pictures = input.shape.length === 4;
    const x = new peer.ort.Tensor('float32', pictures ? toChannelsFirst(values, input.shape) : values, onnxShape(input.shape, pictures));
    const step = async () => (await session.run({ [input.name]: x }))[output.name].data;
    const read = async () => [pictures && output.shape.length === 4 ? toChannelsLast(await step(), output.shape) : await step()];
    return { step, read };
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
}

/**
 * Single ops are timed with one number of their result as output, and compared by a second model, whose output is whole.
 * TensorFlow.js copies a whole tensor to take one number from it, but computes when called: it is timed on the second model, unread.
 */
export const modelWork = (name) => async (peer) => {
  const folder = `build/bench/models/${name}`, net = await json(`${folder}/net.json`);
  if (!net.whole) return contestant(peer, folder, net);
  const whole = await contestant(peer, `${folder}/whole`, await json(`${folder}/whole/net.json`), true);
  return peer.eager ? whole : { step: (await contestant(peer, folder, net)).step, read: whole.read };
};
