// Makes Graphs from TensorFlow graphs: the model's own, and one for each function that a loop or a conditional names.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/tfjs/graphdef.h"
#include "formats/tfjs/weights.h"
#include "graph/graph.h"

namespace tsr::formats {

/// An input or output of the model.
struct TfPort {
  std::string name;           ///< as the signature writes it: "input:0"; else the node's name
  std::string signature_key;  ///< may be empty
  TfRef value;
  TensorType type;
  bool shape_known = false;  ///< type.shape holds (dimensions may be -1)
};

/// Marks the nodes that the results of `graph` need.
std::vector<bool> needed_nodes(const TfGraph& graph, const std::vector<TfRef>& results);

class GraphBuilder {
 public:
  /// Both must outlive the builder. Loops must have been recovered in all graphs (recover_loops).
  GraphBuilder(const TfModelDef& def, const Weights& weights) : def_(def), weights_(weights) {}

  /// The model's graph with every needed value named. Throws kBadFile / kUnsupported naming the node at fault.
  std::shared_ptr<const Graph> build(const std::vector<TfPort>& inputs, const std::vector<TfPort>& outputs);

  /// Every op, of the graph and of all functions it needs, that cannot be converted, with the first node that uses it.
  /// Also throws kBadFile for functions and weights that are missing. Looks at no weight's data.
  std::vector<std::pair<std::string, std::string>> unknown_ops(const std::vector<TfPort>& inputs,
                                                               const std::vector<TfPort>& outputs,
                                                               const Manifest& manifest) const;

 private:
  struct Scope;
  std::shared_ptr<const Graph> function(const TfGraph& f, const std::vector<bool>& lists);
  const TfGraph& named_function(const TfNode& node, const char* attr) const;
  void convert_all(Scope& s, const std::vector<TfRef>& results);
  void convert(Scope& s, uint32_t index);
  void convert_const(Scope& s, uint32_t index);
  void convert_loop(Scope& s, uint32_t index);
  void convert_if(Scope& s, uint32_t index);
  std::vector<ValueId> gated_inputs(Scope& s, const TfNode& node);
  static ValueId value(const Scope& s, const TfNode& user, TfRef ref);

  const TfModelDef& def_;
  const Weights& weights_;
  std::vector<const TfGraph*> open_;  // functions being built, to find those that call themselves
  // by function and which arguments are lists
  std::map<std::pair<const TfGraph*, std::vector<bool>>, std::shared_ptr<const Graph>> built_;
};

}  // namespace tsr::formats
