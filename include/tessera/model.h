// Models: loaded from a file or from memory, asked about, run.
//
//   tsr::Model model = tsr::load_model("models/centernet.json");
//   std::vector<tsr::Tensor> out = model.run({{{"tower_0/images", image}}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/tensor.h"

namespace tsr {

class Graph;      // src/graph/graph.h
class ModelTask;  // src/runtime/engine.h

/// What a model file says of itself beyond its graph.
struct ModelInfo {
  struct Port {
    std::string name;           ///< the graph's name: "input:0", "tower_0/detections"
    std::string signature_key;  ///< the signature's own key for it, or empty
    DType dtype = DType::kFloat32;
    std::vector<int64_t> shape;  ///< -1: any
    bool shape_known = false;    ///< false: `shape` says nothing, not even the rank
  };
  std::vector<Port> inputs, outputs;
  std::map<std::string, int> op_counts;  ///< the file's op names
  int64_t parameters = 0;                ///< elements of all weights
  int64_t weight_bytes = 0;              ///< as stored
  std::string format, generated_by, converted_by;
  std::string metadata_json;  ///< userDefinedMetadata, verbatim; may be empty
};

/// Cheap to copy (shared). Thread rule as for tensors.
class Model {
 public:
  Model() = default;
  Model(std::shared_ptr<const Graph> graph, ModelInfo info);

  bool defined() const { return impl_ != nullptr; }
  const ModelInfo& info() const;
  const Graph& graph() const;
  /// True when output shapes depend on data, so that only start() can run it.
  bool dynamic() const;

  /// Runs with named inputs; `outputs` names values (any named value of the graph; "name", "name:0"; empty: all of the
  /// model's outputs, in its order). Static models: recorded, computed when read. Dynamic ones: run now, waiting for
  /// the device. Throws on an unknown, missing or doubled input, a wrong dtype or shape (naming the input, wanted and
  /// found), an unknown output.
  std::vector<Tensor> run(std::span<const std::pair<std::string, Tensor>> inputs,
                          std::span<const std::string> outputs = {}) const;
  /// The resumable form for every model (needs src/runtime/engine.h).
  std::unique_ptr<ModelTask> start(std::span<const std::pair<std::string, Tensor>> inputs,
                                   std::span<const std::string> outputs = {}) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

struct LoadOptions {
  /// Called after each piece of weights with the bytes read so far and in all. Returning false gives up: load_model
  /// then throws kCancelled. May be empty.
  std::function<bool(int64_t done, int64_t total)> on_progress;
};

/// Loads a model from the disk: a TensorFlow.js graph model's model.json, whose weight shards lie beside it. Throws
/// kNotFound when a file is missing, kBadFile when one is malformed, too short or too long, kUnsupported with a list of
/// all ops that are not known. Not in WebAssembly builds, where the host fetches the files.
Model load_model(const std::string& path, const LoadOptions& options = {});

/// The same from memory: the text of model.json, and the shards by the names that its manifest gives them, in any
/// order. Nothing is kept of either.
struct NamedBytes {
  std::string name;
  std::span<const std::byte> bytes;
};
Model load_model(std::string_view model_json, std::span<const NamedBytes> shards, const LoadOptions& options = {});

}  // namespace tsr
