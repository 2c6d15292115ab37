// Written by tessera_gen from the op registry; do not edit. Every op as a function in TensorFlow.js's call style.
//
// Attributes travel as numbers, one field after the other: one word a value; a count and that many words a list or string;
// NaN where the default is meant (a number attribute is always written out, since NaN is one of its values).
import {callOp, toTensor} from '../src/engine.mjs';

const kDTypes = ['float32', 'int32', 'bool', 'complex64', 'string', 'float16', 'int8', 'uint8', 'uint16'];

function wrong(op, attr, wanted, value) {
  return new Error(`[${op}] attribute '${attr}' must be ${wanted}, got ${typeof value === 'string' ? `'${value}'` : String(value)}`);
}

function putInt(words, op, attr, value) {
  if (value == null) words.push(NaN);
  else if (typeof value === 'boolean') words.push(value ? 1 : 0);
  else if (Number.isInteger(value)) words.push(value);
  else throw wrong(op, attr, 'an integer', value);
}

function putFloat(words, op, attr, value, otherwise) {
  if (value == null) words.push(otherwise);
  else if (typeof value === 'number') words.push(value);
  else if (typeof value === 'boolean') words.push(value ? 1 : 0);
  else throw wrong(op, attr, 'a number', value);
}

function flatten(out, op, attr, value) {
  if (typeof value === 'number') out.push(value);
  else if (typeof value === 'boolean') out.push(value ? 1 : 0);
  else if (Array.isArray(value) || ArrayBuffer.isView(value)) for (const v of value) flatten(out, op, attr, v);
  else throw wrong(op, attr, 'a list of numbers', value);
}

function putList(words, op, attr, value) {
  if (value == null) {
    words.push(NaN);
    return;
  }
  const at = words.push(0) - 1;
  flatten(words, op, attr, value);
  words[at] = words.length - at - 1;
}

function putString(words, op, attr, value) {
  if (value == null) {
    words.push(NaN);
    return;
  }
  const bytes = new TextEncoder().encode(String(value));
  words.push(bytes.length, ...bytes);
}

function putEnum(words, op, attr, value, names) {
  if (value == null) {
    words.push(NaN);
    return;
  }
  const index = names.indexOf(value);
  if (index < 0) throw wrong(op, attr, `one of ${names.map((n) => `'${n}'`).join(' ')}`, value);
  words.push(index);
}

function putDType(words, op, attr, value) {
  putEnum(words, op, attr, value, kDTypes);
}

function putOptional(inputs, value, name, op, dtype) {
  if (value != null) inputs.push(toTensor(value, name, op, dtype));
}

function putAll(inputs, values, name, op, dtype) {
  if (!Array.isArray(values)) throw new Error(`[${op}] '${name}' must be an array of tensors`);
  values.forEach((v, i) => inputs.push(toTensor(v, `${name}[${i}]`, op, dtype)));
}

/** The names of all ops above, as the registry spells them. */
export const opNames = [
];
