#include "formats/tfjs/graphdef.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "formats/tfjs/tf_outputs.h"

namespace tsr::formats {
namespace {

constexpr size_t kMaxOutput =
    65536;  // "name:k" beyond this is a broken file; keeps a flipped digit from becoming a huge list

struct NameParts {
  std::string_view node;
  std::string_view output;  // functions: the name of an output argument
  uint32_t index = 0;
};

// "node", "node:1", and in functions "node:output_name:1".
NameParts split_name(std::string_view text, const std::string& where) {
  NameParts parts;
  const size_t last = text.rfind(':');
  if (last == std::string_view::npos) {
    parts.node = text;
    return parts;
  }
  const std::string_view digits = text.substr(last + 1);
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts.index);
  if (error != std::errc() || stop != digits.data() + digits.size() || parts.index > kMaxOutput) {
    fail(ErrorCode::kBadFile, where, " refers to '", text, "', where '", digits, "' is not the number of an output");
  }
  parts.node = text.substr(0, last);
  if (const size_t colon = parts.node.rfind(':'); colon != std::string_view::npos) {
    parts.output = parts.node.substr(colon + 1);
    parts.node = parts.node.substr(0, colon);
  }
  return parts;
}

using Names = std::unordered_map<std::string, uint32_t>;

TfRef resolve(const TfGraph& graph, const Names& names, std::string_view text, const std::string& where) {
  const NameParts parts = split_name(text, where);
  const auto it = names.find(std::string(parts.node));
  if (it == names.end()) fail(ErrorCode::kBadFile, where, " takes its input from '", text, "', which does not exist");
  TfRef ref{it->second, parts.index};
  if (!parts.output.empty()) ref.output += first_output_named(graph.nodes[it->second].op, parts.output);
  return ref;
}

// Adds the nodes of a list (without their inputs, which may come later in it).
void add_nodes(const Json& list, const std::string& where, TfGraph& graph, Names& names) {
  graph.nodes.reserve(graph.nodes.size() + list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string at = where + "[" + std::to_string(i) + "]";
    if (!list[i].is_object()) fail(ErrorCode::kBadFile, at, " must be an object, found ", kind_of(list[i]));
    TfNode node;
    node.name = string_at(list[i], "name", at);
    node.op = string_at(list[i], "op", at + " ('" + node.name + "')");
    if (const Json* attrs = member(list[i], "attr")) {
      if (!attrs->is_object())
        fail(ErrorCode::kBadFile, node.where(), ": attr must be an object, found ", kind_of(*attrs));
      node.attrs = attrs;
    }
    if (!names.emplace(node.name, static_cast<uint32_t>(graph.nodes.size())).second) {
      fail(ErrorCode::kBadFile, at, ": a node named '", node.name, "' exists already");
    }
    graph.nodes.push_back(std::move(node));
  }
}

void add_edges(const Json& list, TfGraph& graph, const Names& names, size_t first) {
  for (size_t i = 0; i < list.size(); ++i) {
    TfNode& node = graph.nodes[first + i];
    const Json* inputs = member(list[i], "input");
    if (!inputs) continue;
    const std::string at = node.where();
    if (!inputs->is_list()) fail(ErrorCode::kBadFile, at, ": input must be a list, found ", kind_of(*inputs));
    for (const Json& in : inputs->items()) {
      if (!in.is_string()) fail(ErrorCode::kBadFile, at, ": its inputs must be strings, found ", kind_of(in));
      const std::string_view text = in.text();
      if (!text.empty() && text[0] == '^') {
        node.controls.push_back(resolve(graph, names, text.substr(1), at).node);
      } else {
        node.inputs.push_back(resolve(graph, names, text, at));
      }
    }
  }
}

TfGraph parse_function(const Json& def, const std::string& where) {
  TfGraph f;
  const Json& signature = object_at(def, "signature", where);
  f.name = string_at(signature, "name", where + ".signature");
  const std::string at = "function '" + f.name + "'";
  Names names;
  if (const Json* args = member(signature, "inputArg")) {
    if (!args->is_list()) fail(ErrorCode::kBadFile, at, ": inputArg must be a list, found ", kind_of(*args));
    for (const Json& arg : args->items()) {
      TfNode node;
      node.name = string_at(arg, "name", at + ".inputArg");
      node.op = "_Arg";
      if (!names.emplace(node.name, static_cast<uint32_t>(f.nodes.size())).second) {
        fail(ErrorCode::kBadFile, at, " has two arguments named '", node.name, "'");
      }
      f.arguments.push_back(static_cast<uint32_t>(f.nodes.size()));
      f.nodes.push_back(std::move(node));
    }
  }
  const size_t first = f.nodes.size();
  if (member(def, "nodeDef")) {
    const Json& list = list_at(def, "nodeDef", at);
    add_nodes(list, at + ".nodeDef", f, names);
    add_edges(list, f, names, first);
  }
  if (const Json* outs = member(signature, "outputArg")) {
    if (!outs->is_list()) fail(ErrorCode::kBadFile, at, ": outputArg must be a list, found ", kind_of(*outs));
    for (const Json& out : outs->items()) {
      const std::string name = string_at(out, "name", at + ".outputArg");
      const Json& ret = object_at(def, "ret", at);
      f.results.push_back(resolve(f, names, string_at(ret, name.c_str(), at + ".ret"), at));
    }
  }
  return f;
}

}  // namespace

TfModelDef parse_graphdef(const Json& topology) {
  TfModelDef def;
  Names names;
  const Json& list = list_at(topology, "node", "modelTopology");
  add_nodes(list, "modelTopology.node", def.graph, names);
  add_edges(list, def.graph, names, 0);
  if (const Json* library = member(topology, "library")) {
    if (const Json* functions = member(*library, "function")) {
      if (!functions->is_list()) {
        fail(ErrorCode::kBadFile, "modelTopology.library.function must be a list, found ", kind_of(*functions));
      }
      for (size_t i = 0; i < functions->size(); ++i) {
        TfGraph f = parse_function((*functions)[i], "modelTopology.library.function[" + std::to_string(i) + "]");
        std::string name = f.name;
        if (!def.functions.emplace(name, std::move(f)).second) {
          fail(ErrorCode::kBadFile, "modelTopology.library defines function '", name, "' twice");
        }
      }
    }
  }
  return def;
}

// ---- Attributes

const Json* TfNode::attr(const char* key) const { return attrs ? member(*attrs, key) : nullptr; }

namespace {

// The member `kind` of an attribute's value ("i", "f", "list" ...). Protocol buffers leave out zeros, so a missing one
// is null.
const Json* value_of(const TfNode& n, const char* key, const char* kind) {
  const Json* a = n.attr(key);
  if (!a) return nullptr;
  if (!a->is_object())
    fail(ErrorCode::kBadFile, n.where(), ": attribute '", key, "' must be an object, found ", kind_of(*a));
  return member(*a, kind);
}

std::string at(const TfNode& n, const char* key) { return n.where() + ": attribute '" + key + "'"; }

// A bytes field: base64, or (in models kept in memory) a list of byte values.
std::string bytes_of(const Json& v, const std::string& where) {
  std::string out;
  if (v.is_string()) {
    if (decode_base64(v.text(), out)) return out;
    fail(ErrorCode::kBadFile, where, " is not base64");
  }
  if (!v.is_list()) fail(ErrorCode::kBadFile, where, " must be a base64 string, found ", kind_of(v));
  for (const Json& e : v.items()) {
    const int64_t b = int_of(e, where);
    if (b < 0 || b > 255) fail(ErrorCode::kBadFile, where, " must hold bytes, found ", b);
    out.push_back(static_cast<char>(b));
  }
  return out;
}

const Json* list_of(const TfNode& n, const char* key, const char* kind) {
  const Json* list = value_of(n, key, "list");
  if (!list) return nullptr;
  const Json* items = member(*list, kind);
  if (items && !items->is_list()) fail(ErrorCode::kBadFile, at(n, key), " must be a list, found ", kind_of(*items));
  return items;
}

}  // namespace

int64_t TfNode::get_int(const char* key, int64_t otherwise) const {
  if (!attr(key)) return otherwise;
  const Json* v = value_of(*this, key, "i");
  return v ? int_of(*v, at(*this, key)) : 0;
}

double TfNode::get_float(const char* key, double otherwise) const {
  if (!attr(key)) return otherwise;
  const Json* v = value_of(*this, key, "f");
  // Rounded to float32, which is what the file's protocol buffer held before it was printed.
  return v ? static_cast<double>(static_cast<float>(number_of(*v, at(*this, key)))) : 0;
}

bool TfNode::get_bool(const char* key, bool otherwise) const {
  if (!attr(key)) return otherwise;
  const Json* v = value_of(*this, key, "b");
  if (!v) return false;
  if (!v->is_bool()) fail(ErrorCode::kBadFile, at(*this, key), " must be a boolean, found ", kind_of(*v));
  return v->boolean();
}

std::string TfNode::get_string(const char* key, const std::string& otherwise) const {
  if (!attr(key)) return otherwise;
  const Json* v = value_of(*this, key, "s");
  return v ? bytes_of(*v, at(*this, key)) : "";
}

std::vector<int64_t> TfNode::get_ints(const char* key) const {
  std::vector<int64_t> out;
  if (const Json* items = list_of(*this, key, "i")) {
    for (const Json& e : items->items()) out.push_back(int_of(e, at(*this, key)));
  }
  return out;
}

std::vector<std::string> TfNode::get_strings(const char* key) const {
  std::vector<std::string> out;
  if (const Json* items = list_of(*this, key, "s")) {
    for (const Json& e : items->items()) out.push_back(bytes_of(e, at(*this, key)));
  }
  return out;
}

std::string TfNode::get_type_name(const char* key) const {
  const Json* v = value_of(*this, key, "type");
  return v ? tf_type_name(*v, at(*this, key)) : "";
}

DType TfNode::get_dtype(const char* key, DType otherwise) const {
  const std::string name = get_type_name(key);
  if (name.empty()) return otherwise;
  DType dtype = otherwise;
  if (!dtype_of_tf(name, dtype))
    fail(ErrorCode::kBadFile, at(*this, key), " has type ", name, ", which is not a tensor's");
  return dtype;
}

bool TfNode::get_shape(const char* key, std::vector<int64_t>& dims) const {
  dims.clear();
  const Json* v = value_of(*this, key, "shape");
  if (!v) return false;
  if (const Json* unknown = member(*v, "unknownRank"); unknown && unknown->is_true()) return false;
  const Json* list = member(*v, "dim");
  if (!list) return true;
  if (!list->is_list()) fail(ErrorCode::kBadFile, at(*this, key), ": dim must be a list, found ", kind_of(*list));
  if (list->size() > kMaxRank) {
    fail(ErrorCode::kBadFile, at(*this, key), " has ", list->size(), " dimensions; at most ", kMaxRank,
         " are possible");
  }
  for (const Json& d : list->items()) {
    const Json* size = member(d, "size");
    const int64_t n = size ? int_of(*size, at(*this, key)) : 0;
    if (n < -1 || n > kMaxElements) fail(ErrorCode::kBadFile, at(*this, key), " has an impossible dimension ", n);
    dims.push_back(n);
  }
  return true;
}

std::string TfNode::get_function(const char* key) const {
  const Json* v = value_of(*this, key, "func");
  if (!v) fail(ErrorCode::kBadFile, where(), " has no function '", key, "'");
  return string_at(*v, "name", at(*this, key));
}

bool dtype_of_tf(std::string_view name, DType& dtype) {
  static constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"DT_FLOAT", DType::kFloat32},    {"DT_DOUBLE", DType::kFloat32},      {"DT_HALF", DType::kFloat32},
      {"DT_BFLOAT16", DType::kFloat32}, {"DT_INT32", DType::kInt32},         {"DT_INT64", DType::kInt32},
      {"DT_INT8", DType::kInt32},       {"DT_INT16", DType::kInt32},         {"DT_UINT8", DType::kInt32},
      {"DT_UINT16", DType::kInt32},     {"DT_UINT32", DType::kInt32},        {"DT_UINT64", DType::kInt32},
      {"DT_QINT32", DType::kInt32},     {"DT_QINT8", DType::kInt32},         {"DT_QUINT8", DType::kInt32},
      {"DT_BOOL", DType::kBool},        {"DT_COMPLEX64", DType::kComplex64}, {"DT_STRING", DType::kString},
  };
  for (const auto& [tf, ours] : kTypes) {
    if (name == tf) {
      dtype = ours;
      return true;
    }
  }
  return false;
}

std::string tf_type_name(const Json& v, const std::string& where) {
  if (v.is_string()) return std::string(v.text());
  // The enum's numbers, as models kept in memory may hold them.
  static constexpr const char* kNames[] = {"DT_INVALID",  "DT_FLOAT",   "DT_DOUBLE", "DT_INT32",      "DT_UINT8",
                                           "DT_INT16",    "DT_INT8",    "DT_STRING", "DT_COMPLEX64",  "DT_INT64",
                                           "DT_BOOL",     "DT_QINT8",   "DT_QUINT8", "DT_QINT32",     "DT_BFLOAT16",
                                           "DT_QINT16",   "DT_QUINT16", "DT_UINT16", "DT_COMPLEX128", "DT_HALF",
                                           "DT_RESOURCE", "DT_VARIANT", "DT_UINT32", "DT_UINT64"};
  const int64_t n = int_of(v, where);
  if (n < 0 || n >= static_cast<int64_t>(std::size(kNames)))
    fail(ErrorCode::kBadFile, where, " has the unknown type number ", n);
  return kNames[n];
}

// ---- Order

std::vector<uint32_t> topological_order(const TfGraph& graph) {
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(graph.nodes.size(), kNew);
  std::vector<uint32_t> order;
  order.reserve(graph.nodes.size());
  struct Frame {
    uint32_t node;
    size_t next = 0;  // data inputs first, then controls
  };
  std::vector<Frame> stack;
  for (uint32_t root = 0; root < graph.nodes.size(); ++root) {
    if (state[root] != kNew) continue;
    stack.push_back({root});
    state[root] = kOpen;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const TfNode& n = graph.nodes[top.node];
      // A loop's back edge; loops are taken apart elsewhere.
      const size_t data = n.inputs.size();
      if (top.next == data + n.controls.size()) {
        state[top.node] = kDone;
        order.push_back(top.node);
        stack.pop_back();
        continue;
      }
      const size_t k = top.next++;
      const uint32_t in = k < data ? n.inputs[k].node : n.controls[k - data];
      if (graph.nodes[in].op == "NextIteration" && n.op == "Merge") continue;
      if (state[in] == kNew) {
        state[in] = kOpen;
        stack.push_back({in});
      } else if (state[in] == kOpen) {
        std::string path = "'" + graph.nodes[in].name + "'";
        int shown = 0;
        for (size_t i = stack.size(); i-- > 0 && stack[i].node != in && shown < 4; ++shown) {
          path += " <- '" + graph.nodes[stack[i].node].name + "'";
        }
        fail(ErrorCode::kBadFile, graph.name.empty() ? "the model's graph" : "function '" + graph.name + "'",
             " has a cycle: a node needs its own result (", path, ")");
      }
    }
  }
  return order;
}

}  // namespace tsr::formats
