#include "formats/tfjs/loader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/tfjs/builder.h"
#include "formats/tfjs/control_flow.h"
#include "formats/tfjs/warm_works.h"
#include "formats/tfjs/weights.h"

namespace tsr::formats {
namespace {

// The lowest and highest versions of "min_consumer" that this reader is for: TensorFlow writes 0 or 12 into graphs for
// inference.
constexpr int64_t kMaxMinConsumer = 4096;

// modelTopology, after refusing what is no graph model.
const Json& topology_of(const Json& root) {
  if (!root.is_object()) fail(ErrorCode::kBadFile, "model.json must hold an object, found ", kind_of(root));
  const Json* format = member(root, "format");
  const Json* topology = member(root, "modelTopology");
  const bool layers = (format && format->is_string() && format->text() == "layers-model") ||
                      (topology && (member(*topology, "model_config") || member(*topology, "keras_version") ||
                                    member(*topology, "class_name")));
  if (layers)
    fail(ErrorCode::kUnsupported,
         "model.json holds a layers model, but a graph model is wanted here: use loadLayersModel");
  if (!topology && member(root, "node")) {
    fail(ErrorCode::kBadFile, "model.json holds a bare GraphDef: 'modelTopology' and 'weightsManifest' are missing");
  }
  const Json& t = object_at(root, "modelTopology", "");
  if (!member(t, "node"))
    fail(ErrorCode::kBadFile, "model.json: modelTopology has no 'node' list, so this is no graph model");
  if (const Json* versions = member(t, "versions")) {
    if (!versions->is_object())
      fail(ErrorCode::kBadFile, "modelTopology.versions must be an object, found ", kind_of(*versions));
    if (const Json* producer = member(*versions, "producer")) int_of(*producer, "modelTopology.versions.producer");
    if (const Json* consumer = member(*versions, "minConsumer")) {
      const int64_t v = int_of(*consumer, "modelTopology.versions.minConsumer");
      if (v > kMaxMinConsumer) {
        fail(ErrorCode::kUnsupported, "model.json wants a reader of graph version ", v,
             "; this one reads versions up to ", kMaxMinConsumer);
      }
    }
  }
  return t;
}

// The signature: at the top, or in userDefinedMetadata as older converters wrote it. May be null.
const Json* signature_of(const Json& root) {
  if (const Json* s = member(root, "signature")) return s;
  const Json* metadata = member(root, "userDefinedMetadata");
  return metadata ? member(*metadata, "signature") : nullptr;
}

// The type a signature entry states, where it does.
void read_signature_type(const Json& entry, TfPort& port, const std::string& where) {
  if (const Json* type = member(entry, "dtype")) dtype_of_tf(tf_type_name(*type, where + ".dtype"), port.type.dtype);
  const Json* shape = member(entry, "tensorShape");
  if (!shape) return;
  if (const Json* unknown = member(*shape, "unknownRank"); unknown && unknown->is_true()) return;
  const Json* dims = member(*shape, "dim");
  if (!dims) {
    port.shape_known = shape->is_object();
    return;
  }
  if (!dims->is_list()) fail(ErrorCode::kBadFile, where, ".tensorShape.dim must be a list, found ", kind_of(*dims));
  if (dims->size() > kMaxRank) fail(ErrorCode::kBadFile, where, ".tensorShape has more than ", kMaxRank, " dimensions");
  Shape s;
  for (const Json& d : dims->items()) {
    const Json* size = member(d, "size");
    const int64_t n = size ? int_of(*size, where + ".tensorShape") : 0;
    if (n < -1 || n > kMaxElements) fail(ErrorCode::kBadFile, where, ".tensorShape has an impossible dimension ", n);
    s.push_back(n);
  }
  port.type.shape = s;
  port.shape_known = true;
}

// A Placeholder's own type, which is what is checked when the model runs.
void read_placeholder_type(const TfNode& node, TfPort& port) {
  port.type.dtype = node.get_dtype("dtype", port.type.dtype);
  std::vector<int64_t> dims;
  if (node.get_shape("shape", dims)) {
    port.type.shape = Shape(dims);
    port.shape_known = true;
  }
}

using NodeIndex = std::map<std::string, uint32_t>;

std::vector<TfPort> find_inputs(const TfGraph& graph, const NodeIndex& index, const Json* signature) {
  std::vector<TfPort> ports;
  std::set<uint32_t> taken;
  if (const Json* entries = signature ? member(*signature, "inputs") : nullptr) {
    if (!entries->is_object())
      fail(ErrorCode::kBadFile, "signature.inputs must be an object, found ", kind_of(*entries));
    for (const auto& m : entries->members()) {
      TfPort p;
      p.signature_key = m.name;
      const std::string where = "signature.inputs['" + p.signature_key + "']";
      p.name = string_at(m.value, "name", where);
      const auto it = index.find(p.name.substr(0, p.name.rfind(':')));
      // An input that the graph does not have was optimised away, because nothing depends on it.
      if (it == index.end() || !taken.insert(it->second).second) continue;
      p.value.node = it->second;
      read_signature_type(m.value, p, where);
      const TfNode& node = graph.nodes[it->second];
      if (node.op == "Placeholder") read_placeholder_type(node, p);
      ports.push_back(std::move(p));
    }
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const TfNode& node = graph.nodes[i];
    if (node.op != "Placeholder" || taken.count(i)) continue;
    TfPort p;
    p.name = node.name;
    p.value.node = i;
    read_placeholder_type(node, p);
    ports.push_back(std::move(p));
  }
  return ports;
}

TfRef output_ref(const NodeIndex& index, const std::string& name, const std::string& where) {
  std::string node = name;
  TfRef ref;
  if (const auto it = index.find(node); it != index.end()) {
    ref.node = it->second;
    return ref;
  }
  const size_t colon = node.rfind(':');
  if (colon != std::string::npos && colon + 1 < node.size() && node.size() - colon <= 6 &&
      std::all_of(node.begin() + static_cast<std::ptrdiff_t>(colon) + 1, node.end(),
                  [](char c) { return c >= '0' && c <= '9'; })) {
    ref.output = static_cast<uint32_t>(std::stoul(node.substr(colon + 1)));
    node.resize(colon);
  }
  const auto it = index.find(node);
  if (it == index.end()) fail(ErrorCode::kBadFile, where, " names '", name, "', which the graph does not have");
  ref.node = it->second;
  return ref;
}

std::vector<TfPort> find_outputs(const TfGraph& graph, const NodeIndex& index, const Json* signature) {
  std::vector<TfPort> ports;
  if (const Json* entries = signature ? member(*signature, "outputs") : nullptr) {
    if (!entries->is_object())
      fail(ErrorCode::kBadFile, "signature.outputs must be an object, found ", kind_of(*entries));
    for (const auto& m : entries->members()) {
      TfPort p;
      p.signature_key = m.name;
      const std::string where = "signature.outputs['" + p.signature_key + "']";
      p.name = string_at(m.value, "name", where);
      p.value = output_ref(index, p.name, where);
      read_signature_type(m.value, p, where);
      ports.push_back(std::move(p));
    }
  }
  if (!ports.empty()) return ports;
  // No signature: what nothing else uses.
  std::vector<bool> used(graph.nodes.size(), false);
  for (const TfNode& n : graph.nodes) {
    for (const TfRef& r : n.inputs) used[r.node] = true;
    for (uint32_t c : n.controls) used[c] = true;
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const TfNode& n = graph.nodes[i];
    if (used[i] || n.op == "NoOp" || n.op == "Const" || n.op == "Placeholder" || n.op == "_Dead" || n.op == "Assert")
      continue;
    TfPort p;
    p.name = n.name;
    p.value.node = i;
    ports.push_back(std::move(p));
  }
  if (ports.empty()) fail(ErrorCode::kBadFile, "the model has no output");
  return ports;
}

ModelInfo::Port public_port(const TfPort& p) {
  ModelInfo::Port port;
  port.name = p.name;
  port.signature_key = p.signature_key;
  port.dtype = p.type.dtype;
  port.shape_known = p.shape_known;
  if (p.shape_known) port.shape = p.type.shape.vector();
  return port;
}

std::string join(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "'" : ", '") + n + "'";
  return all;
}

}  // namespace

struct TfjsLoader::Impl {
  JsonDoc doc;
  Manifest manifest;
  TfModelDef def;
  std::vector<TfPort> inputs, outputs;
  ModelInfo info;
  std::unique_ptr<WeightSink> sink;  // refers to `manifest`, so Impl stays where it is
};

TfjsLoader::TfjsLoader(std::string_view json) : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.doc = parse_json(json, "model.json");
  const Json& topology = topology_of(m.doc);
  m.manifest = parse_manifest(m.doc);
  m.def = parse_graphdef(topology);
  for (const TfNode& n : m.def.graph.nodes) ++m.info.op_counts[n.op];
  for (const auto& [name, f] : m.def.functions) {
    for (const TfNode& n : f.nodes) {
      if (n.op != "_Arg") ++m.info.op_counts[n.op];
    }
  }
  // Loops are recovered before cycles are looked for: theirs are legal.
  recover_loops(m.def.graph);
  topological_order(m.def.graph);
  for (auto& [name, f] : m.def.functions) {
    recover_loops(f);
    topological_order(f);
  }

  NodeIndex index;
  for (uint32_t i = 0; i < m.def.graph.nodes.size(); ++i) index.emplace(m.def.graph.nodes[i].name, i);
  const Json* signature = signature_of(m.doc);
  m.inputs = find_inputs(m.def.graph, index, signature);
  m.outputs = find_outputs(m.def.graph, index, signature);
  const auto unknown = GraphBuilder(m.def, {}).unknown_ops(m.inputs, m.outputs, m.manifest);
  if (!unknown.empty()) {
    std::string list;
    for (const auto& [op, node] : unknown) list += (list.empty() ? "" : ", ") + op + " (node '" + node + "')";
    fail(ErrorCode::kUnsupported, "the model uses ", unknown.size(), unknown.size() == 1 ? " op" : " ops",
         " not supported here: ", list);
  }

  for (const TfPort& p : m.inputs) m.info.inputs.push_back(public_port(p));
  for (const TfPort& p : m.outputs) m.info.outputs.push_back(public_port(p));
  m.info.parameters = m.manifest.parameters;
  m.info.weight_bytes = m.manifest.bytes;
  m.info.format = string_or(m.doc, "format", "graph-model", "model.json");
  m.info.generated_by = string_or(m.doc, "generatedBy", "", "model.json");
  m.info.converted_by = string_or(m.doc, "convertedBy", "", "model.json");
  if (const Json* metadata = member(m.doc, "userDefinedMetadata")) m.info.metadata_json = to_text(*metadata);
  m.sink = std::make_unique<WeightSink>(m.manifest);
}

TfjsLoader::~TfjsLoader() = default;
TfjsLoader::TfjsLoader(TfjsLoader&&) noexcept = default;
TfjsLoader& TfjsLoader::operator=(TfjsLoader&&) noexcept = default;

const Manifest& TfjsLoader::manifest() const { return impl_->manifest; }
const ModelInfo& TfjsLoader::info() const { return impl_->info; }

void TfjsLoader::add_weights(std::span<const std::byte> bytes) { impl_->sink->add(bytes); }
std::span<std::byte> TfjsLoader::weight_room() { return impl_->sink->room(); }
void TfjsLoader::weight_filled(size_t bytes) { impl_->sink->filled(bytes); }

std::vector<WarmWork> TfjsLoader::warm_works() const { return formats::warm_works(impl_->info, impl_->manifest); }

Model TfjsLoader::finish() {
  Impl& m = *impl_;
  if (!m.manifest.exact) m.info.weight_bytes = m.sink->received();
  const Weights weights = m.sink->finish();
  auto graph = GraphBuilder(m.def, weights).build(m.inputs, m.outputs);
  return Model(std::move(graph), m.info);
}

void check_shard_sizes(const WeightGroup& group, std::span<const int64_t> sizes) {
  int64_t found = 0;
  for (int64_t s : sizes) found += s;
  const bool fits = group.exact ? found == group.bytes : found >= group.bytes;
  if (fits) return;
  const char* how = found < group.bytes ? "too short" : "too long";
  if (group.paths.empty()) {
    fail(ErrorCode::kBadFile, "the manifest wants ", group.bytes,
         " bytes of weights, but names no shard that has them");
  }
  if (group.paths.size() == 1) {
    fail(ErrorCode::kBadFile, "shard '", group.paths[0], "' is ", how, ": the manifest wants ",
         group.exact ? "" : "at least ", group.bytes, " bytes, found ", found);
  }
  fail(ErrorCode::kBadFile, "shards ", join(group.paths), " are ", how, ": the manifest wants ",
       group.exact ? "" : "at least ", group.bytes, " bytes together, found ", found);
}

}  // namespace tsr::formats
