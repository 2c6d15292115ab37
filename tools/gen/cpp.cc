// include/tessera/ops.h and src/ops/ops_api.cc: one typed C++ function an op.
#include <variant>

#include "gen.h"

namespace tsr::gen {
namespace {

std::string cpp_type(const AttrField& f) {
  switch (f.kind) {
    case AttrKind::kBool:
      return "bool";
    case AttrKind::kInt:
      return "int64_t";
    case AttrKind::kFloat:
      return "double";
    case AttrKind::kInts:
      return "const Ints&";
    case AttrKind::kFloats:
      return "const std::vector<double>&";
    case AttrKind::kDType:
      return "DType";
    case AttrKind::kString:
      return "std::string";
    case AttrKind::kEnum:
      return "const char*";
  }
  return "?";
}

std::string cpp_number(double v) {
  const std::string text = number(v);
  if (text == "nan") return "std::numeric_limits<double>::quiet_NaN()";
  if (text == "inf") return "std::numeric_limits<double>::infinity()";
  if (text == "-inf") return "-std::numeric_limits<double>::infinity()";
  return text;
}

template <typename T>
std::string braces(const std::vector<T>& list) {
  std::string out = "{";
  for (size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + number(static_cast<double>(list[i]));
  return out + "}";
}

std::string cpp_default(const OpDef& op, const AttrField& f) {
  const AttrValue v = default_of(op, f);
  switch (f.kind) {
    case AttrKind::kBool:
      return std::get<bool>(v) ? "true" : "false";
    case AttrKind::kInt:
      return std::to_string(std::get<int64_t>(v));
    case AttrKind::kFloat:
      return cpp_number(std::get<double>(v));
    case AttrKind::kInts:
      return braces(std::get<std::vector<int64_t>>(v));
    case AttrKind::kFloats:
      return braces(std::get<std::vector<double>>(v));
    case AttrKind::kString:
      return '"' + std::get<std::string>(v) + '"';
    case AttrKind::kEnum:
      return '"' + std::string(f.choices.at(static_cast<size_t>(std::get<int64_t>(v)))) + '"';
    case AttrKind::kDType: {
      std::string name = name_of(std::get<DType>(v));
      name[0] = static_cast<char>(name[0] - 'a' + 'A');
      return "DType::k" + name;
    }
  }
  return "?";
}

std::string return_type(const OpDef& op) { return op.outputs.empty() ? "Tensor" : "std::vector<Tensor>"; }

bool is_variadic(const OpDef& op) { return !op.inputs.empty() && op.inputs.back().variadic; }

// The signature without a semicolon. `list`: the overload whose variadic input is written in braces.
std::string signature(const OpDef& op, bool defaults, bool list) {
  std::vector<std::string> params;
  const auto bare = static_cast<size_t>(params_without_default(op));
  const auto add = [&](const std::string& declaration, const std::string& otherwise) {
    const bool has_default = defaults && params.size() >= bare;
    params.push_back(declaration + (has_default ? " = " + otherwise : ""));
  };
  for (const InputDef& in : op.inputs) {
    const std::string name = snake_case(in.name);
    if (in.variadic) {
      add((list ? "std::initializer_list<Tensor> " : "std::span<const Tensor> ") + name, "{}");
    } else {
      add("const Tensor& " + name, "{}");
    }
  }
  for (const AttrField& f : op.attrs->fields()) add(cpp_type(f) + " " + snake_case(f.name), cpp_default(op, f));

  std::string out;
  std::string line = return_type(op) + " " + snake_case(op.name) + "(";
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string piece = params[i] + (i + 1 < params.size() ? "," : ")");
    if (line.size() + piece.size() > 117) {  // leaves room for what follows the last one
      out += line + "\n";
      line = "   ";
    }
    line += (i > 0 ? " " : "") + piece;
  }
  return out + line + (params.empty() ? ")" : "");
}

std::string comment(const OpDef& op) {
  std::string out = wrap(static_cast<const char*>(op.doc), "/// ");
  for (const InputDef& in : op.inputs) {
    if (*static_cast<const char*>(in.doc)) out += wrap(snake_case(in.name) + ": " + std::string(in.doc), "///   ");
  }
  for (const AttrField& f : op.attrs->fields()) {
    std::string text = snake_case(f.name) + ": " + f.doc;
    if (f.kind == AttrKind::kEnum) {
      text += ":";
      for (const char* c : f.choices) text += std::string(" \"") + c + "\"";
    }
    out += wrap(text, "///   ");
  }
  if (op.outputs.size() > 1) {
    std::string text = "Returns";
    for (size_t i = 0; i < op.outputs.size(); ++i) text += (i ? ", " : " ") + snake_case(op.outputs[i].name);
    out += wrap(text + ".", "/// ");
  }
  return out;
}

}  // namespace

std::string cpp_header() {
  std::string out = R"(// Written by tessera_gen from the op registry; do not edit. Every op as a C++ function.
//
// All functions check their arguments at once and throw tsr::Error; the values are computed when they are read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tessera/dtype.h"
#include "tessera/shape.h"
#include "tessera/tensor.h"

namespace tsr {

/// A list of integers as ops take it: axes, a shape, strides. From one number, {1, 2}, a vector or a Shape.
struct Ints {
  std::vector<int64_t> values;
  Ints() = default;
  Ints(int64_t one) : values{one} {}                                // NOLINT: sum(x, 0)
  Ints(std::initializer_list<int64_t> list) : values(list) {}       // NOLINT: sum(x, {0, 1})
  Ints(std::vector<int64_t> list) : values(std::move(list)) {}      // NOLINT
  Ints(const Shape& shape) : values(shape.vector()) {}              // NOLINT: reshape(x, y.shape())
};

)";
  for (const OpDef* op : public_ops()) {
    out += comment(*op);
    out += signature(*op, true, false) + ";\n";
    if (is_variadic(*op)) out += signature(*op, true, true) + ";\n";
    out += "\n";
  }
  return out + "}  // namespace tsr\n";
}

std::string cpp_source() {
  std::string out =
      R"(// Written by tessera_gen from the op registry; do not edit. The functions of tessera/ops.h: each is one call by name.
#include "tessera/ops.h"

#include "base/error.h"
#include "tessera/attr_value.h"

namespace tsr {
namespace {

// The inputs without the optional ones that were left out.
struct Inputs {
  const char* op;
  std::vector<Tensor> list;
  bool ended = false;
  void need(const Tensor& t) { list.push_back(t); }
  void may(const Tensor& t) {
    if (!t.defined()) {
      ended = true;
      return;
    }
    require(!ended, "[", op, "] an optional input may be given only when those before it are");
    list.push_back(t);
  }
  void all(std::span<const Tensor> tensors) { list.insert(list.end(), tensors.begin(), tensors.end()); }
};

[[maybe_unused]] Tensor one(std::vector<Tensor> outputs) { return std::move(outputs.at(0)); }

}  // namespace

)";
  for (const OpDef* op : public_ops()) {
    out += signature(*op, false, false) + " {\n";
    const std::string name = std::string("\"") + op->name + "\"";
    bool plain = true;
    for (const InputDef& in : op->inputs) plain = plain && !in.optional && !in.variadic;
    std::string inputs;
    if (op->inputs.empty()) {
      inputs = "{}";
    } else if (plain) {
      out += "  const Tensor in_[] = {";
      for (size_t i = 0; i < op->inputs.size(); ++i) out += (i ? ", " : "") + snake_case(op->inputs[i].name);
      out += "};\n";
      inputs = "in_";
    } else {
      out += "  Inputs in_{" + name + ", {}};\n";
      for (const InputDef& in : op->inputs) {
        out += std::string("  in_.") +
               (in.variadic   ? "all"
                : in.optional ? "may"
                              : "need") +
               "(" + snake_case(in.name) + ");\n";
      }
      inputs = "in_.list";
    }
    std::string attrs = "{}";
    if (!op->attrs->fields().empty()) {
      out += "  const AttrValue attrs_[] = {";
      bool first = true;
      for (const AttrField& f : op->attrs->fields()) {
        if (!first) out += ", ";
        first = false;
        const std::string param = snake_case(f.name);
        out += f.kind == AttrKind::kInts   ? param + ".values"
               : f.kind == AttrKind::kEnum ? "std::string(" + param + ")"
                                           : param;
      }
      out += "};\n";
      attrs = "attrs_";
    }
    const std::string call = "call(" + name + ", " + inputs + ", " + attrs + ")";
    out += "  return " + (op->outputs.empty() ? "one(" + call + ")" : call) + ";\n}\n";
    if (is_variadic(*op)) {
      out += signature(*op, false, true) + " {\n  return " + snake_case(op->name) + "(";
      bool first = true;
      for (const InputDef& in : op->inputs) {
        out += first ? "" : ", ";
        first = false;
        const std::string param = snake_case(in.name);
        out += in.variadic ? "std::span<const Tensor>(" + param + ".begin(), " + param + ".size())" : param;
      }
      for (const AttrField& f : op->attrs->fields()) {
        out += (first ? "" : ", ") + snake_case(f.name);
        first = false;
      }
      out += ");\n}\n";
    }
    out += "\n";
  }
  return out + "}  // namespace tsr\n";
}

}  // namespace tsr::gen
