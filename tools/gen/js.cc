// js/generated/ops.mjs and ops.d.ts: one JavaScript function an op, in TensorFlow.js's style: inputs, then attributes,
// by position.
#include <string_view>
#include <variant>

#include "gen.h"

namespace tsr::gen {
namespace {

// Values that are not tensors yet become float32 (numbers) or bool (booleans); these inputs want another dtype, as in
// TensorFlow.js, where tf.gather(x, [0, 2]) works.
const char* wanted_dtype(const OpDef& op, const InputDef& in) {
  const std::string_view name = in.name;
  for (const char* n : {"indices", "segmentIds", "boxInd", "positions"}) {
    if (name == n) return "int32";
  }
  if (name == "condition" || std::string_view(op.name).starts_with("logical")) return "bool";
  return nullptr;
}

std::string js_number(double v) {
  const std::string text = number(v);
  if (text == "nan") return "NaN";
  if (text == "inf") return "Infinity";
  if (text == "-inf") return "-Infinity";
  return text;
}

template <typename T>
std::string brackets(const std::vector<T>& list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + js_number(static_cast<double>(list[i]));
  return out + "]";
}

std::string js_default(const OpDef& op, const AttrField& f) {
  const AttrValue v = default_of(op, f);
  switch (f.kind) {
    case AttrKind::kBool:
      return std::get<bool>(v) ? "true" : "false";
    case AttrKind::kInt:
      return std::to_string(std::get<int64_t>(v));
    case AttrKind::kFloat:
      return js_number(std::get<double>(v));
    case AttrKind::kInts:
      return brackets(std::get<std::vector<int64_t>>(v));
    case AttrKind::kFloats:
      return brackets(std::get<std::vector<double>>(v));
    case AttrKind::kString:
      return "'" + std::get<std::string>(v) + "'";
    case AttrKind::kEnum:
      return "'" + std::string(f.choices.at(static_cast<size_t>(std::get<int64_t>(v)))) + "'";
    case AttrKind::kDType:
      return "'" + std::string(name_of(std::get<DType>(v))) + "'";
  }
  return "?";
}

std::string choice_list(const AttrField& f, const char* separator) {
  std::string out;
  for (const char* c : f.choices) out += (out.empty() ? "'" : separator + std::string("'")) + c + "'";
  return out;
}

std::string ts_type(const AttrField& f) {
  switch (f.kind) {
    case AttrKind::kBool:
      return "boolean";
    case AttrKind::kInt:
    case AttrKind::kFloat:
      return "number";
    case AttrKind::kInts:
    case AttrKind::kFloats:
      return "NumberList";
    case AttrKind::kString:
      return "string";
    case AttrKind::kEnum:
      return choice_list(f, " | ");
    case AttrKind::kDType:
      return "DataType";
  }
  return "?";
}

std::string js_doc(const OpDef& op) {
  std::string out = "/**\n" + wrap(static_cast<const char*>(op.doc), " * ");
  for (const InputDef& in : op.inputs) out += wrap("@param " + js_name(in.name) + " " + std::string(in.doc), " * ");
  for (const AttrField& f : op.attrs->fields()) {
    std::string text = "@param " + js_name(f.name) + " " + f.doc;
    if (!f.required) text += " (default " + js_default(op, f) + ")";
    out += wrap(text, " * ");
  }
  if (!op.outputs.empty()) {
    std::string text = "@returns [";
    for (size_t i = 0; i < op.outputs.size(); ++i) text += (i ? ", " : "") + std::string(op.outputs[i].name);
    out += wrap(text + (op.outputs.back().variadic ? "...]" : "]"), " * ");
  }
  return out + " */\n";
}

const char* put_function(const AttrField& f) {
  switch (f.kind) {
    case AttrKind::kBool:
    case AttrKind::kInt:
      return "putInt";
    case AttrKind::kFloat:
      return "putFloat";
    case AttrKind::kInts:
    case AttrKind::kFloats:
      return "putList";
    case AttrKind::kString:
      return "putString";
    case AttrKind::kEnum:
      return "putEnum";
    case AttrKind::kDType:
      return "putDType";
  }
  return "?";
}

std::string js_function(const OpDef& op) {
  std::string out = "export function " + js_name(op.name) + "(";
  bool first = true;
  for (const InputDef& in : op.inputs) {
    out += (first ? "" : ", ") + js_name(in.name);
    first = false;
  }
  for (const AttrField& f : op.attrs->fields()) {
    out += (first ? "" : ", ") + js_name(f.name);
    first = false;
    if (!f.required) out += " = " + js_default(op, f);
  }
  out += ") {\n";
  const std::string quoted = "'" + std::string(op.name) + "'";

  const bool growing = !op.inputs.empty() && (op.inputs.back().optional || op.inputs.back().variadic);
  std::string inputs = "[";
  std::string rest;
  for (const InputDef& in : op.inputs) {
    const std::string name = js_name(in.name);
    const char* dtype = wanted_dtype(op, in);
    const std::string args =
        ", '" + std::string(in.name) + "', " + quoted + (dtype ? ", '" + std::string(dtype) + "'" : "") + ")";
    if (in.variadic) {
      rest += "  putAll(inputs, " + name + args + ";\n";
    } else if (in.optional) {
      rest += "  putOptional(inputs, " + name + args + ";\n";
    } else {
      inputs += (inputs.size() > 1 ? ", " : "") + std::string("toTensor(") + name + args;
    }
  }
  inputs += "]";
  if (growing) {
    out += "  const inputs = " + inputs + ";\n" + rest;
    inputs = "inputs";
  }
  std::string words = "[]";
  if (!op.attrs->fields().empty()) {
    words = "words";
    out += "  const words = [];\n";
    for (const AttrField& f : op.attrs->fields()) {
      out += std::string("  ") + put_function(f) + "(words, " + quoted + ", '" + f.name + "', " + js_name(f.name);
      if (f.kind == AttrKind::kEnum) out += ", [" + choice_list(f, ", ") + "]";
      if (f.kind == AttrKind::kFloat) out += ", " + js_default(op, f);
      out += ");\n";
    }
  }
  out +=
      "  return callOp(" + quoted + ", " + inputs + ", " + words + ")" + (op.outputs.empty() ? "[0]" : "") + ";\n}\n";
  return out;
}

}  // namespace

std::string js_module() {
  std::string out =
      R"(// Written by tessera_gen from the op registry; do not edit. Every op as a function in TensorFlow.js's call style.
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

)";
  std::string names;
  for (const OpDef* op : public_ops()) {
    out += js_function(*op) + "\n";
    names += "  '" + std::string(op->name) + "',\n";
  }
  return out + "/** The names of all ops above, as the registry spells them. */\nexport const opNames = [\n" + names +
         "];\n";
}

std::string js_types() {
  std::string out = R"(// Written by tessera_gen from the op registry; do not edit. The types of ops.mjs.
import type {DataType, Tensor, TensorLike} from '../src/types';

/** One number, or numbers nested to any depth (read in order). */
export type NumberList = number | ReadonlyArray<NumberList> | Int32Array | Float32Array;
type Operand = Tensor | TensorLike;

)";
  for (const OpDef* op : public_ops()) {
    out += js_doc(*op) + "export declare function " + js_name(op->name) + "(";
    int index = 0;
    const int bare = params_without_default(*op);
    for (const InputDef& in : op->inputs) {
      out += index++ ? ", " : "";
      const std::string optional = in.optional ? (index > bare ? "?" : "") : "";
      out += js_name(in.name) + optional + ": " + (in.variadic ? "ReadonlyArray<Operand>" : "Operand") +
             (in.optional ? " | null" : "");
    }
    for (const AttrField& f : op->attrs->fields()) {
      out += index++ ? ", " : "";
      out += js_name(f.name) + (index > bare ? "?" : "") + ": " + ts_type(f) +
             (!f.required && index <= bare ? " | undefined" : "");
    }
    out += std::string("): ") + (op->outputs.empty() ? "Tensor" : "Tensor[]") + ";\n\n";
  }
  return out +
         "/** The names of all ops above, as the registry spells them. */\nexport declare const opNames: "
         "ReadonlyArray<string>;\n";
}

}  // namespace tsr::gen
