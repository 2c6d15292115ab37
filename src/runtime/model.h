// Model: a graph with names, ready to run. Format loaders (src/formats/) make the Graph and hand it over.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "runtime/engine.h"
#include "tessera/tensor.h"

namespace tsr {

/// What a model file says of itself beyond its graph.
struct ModelInfo {
  struct Port {
    std::string name;            ///< the graph's name: "input:0", "tower_0/detections"
    std::string signature_key;   ///< the signature's own key for it, or empty
    DType dtype = DType::kFloat32;
    std::vector<int64_t> shape;  ///< -1: any
    bool shape_known = false;
  };
  std::vector<Port> inputs, outputs;
  std::map<std::string, int> op_counts;  ///< the file's op names
  int64_t parameters = 0;                ///< elements of all weights
  int64_t weight_bytes = 0;              ///< as stored
  std::string format, generated_by, converted_by;
  std::string metadata_json;             ///< userDefinedMetadata, verbatim; may be empty
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

  /// Runs with named inputs; `outputs` names values (any named value of the graph; "name", "name:0"; empty: all of the model's
  /// outputs, in its order). Static models: recorded, computed when read. Dynamic ones: run now, waiting for the device.
  /// Throws on an unknown, missing or doubled input, a wrong dtype or shape (naming the input, wanted and found), an unknown output.
  std::vector<Tensor> run(std::span<const std::pair<std::string, Tensor>> inputs,
                          std::span<const std::string> outputs = {}) const;
  /// The resumable form for every model.
  std::unique_ptr<ModelTask> start(std::span<const std::pair<std::string, Tensor>> inputs,
                                   std::span<const std::string> outputs = {}) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tsr
