// TensorFlow's GraphDef as TensorFlow.js writes it (JSON of the protocol buffer): nodes with names, inputs by name,
// attributes. Parsed into vectors with indices instead of names; attributes stay JSON until an op asks for one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/common/json.h"
#include "tessera/tensor.h"

namespace tsr::formats {

/// Output `output` of node `node` in the same TfGraph.
struct TfRef {
  uint32_t node = 0;
  uint32_t output = 0;
  bool operator==(const TfRef&) const = default;
};

struct TfGraph;

/// A node with typed access to its attributes. Readers throw kBadFile naming the node; those with a default return it
/// when the attribute is missing.
struct TfNode {
  std::string name;
  std::string op;
  std::vector<TfRef> inputs;       ///< data
  std::vector<uint32_t> controls;  ///< nodes that must run before
  const Json* attrs = nullptr;     ///< the "attr" object, or null
  /// Loops that were recovered from Switch, Merge, Enter, Exit: their functions (op is "While" then).
  std::shared_ptr<const TfGraph> cond, body;

  bool has(const char* key) const { return attr(key) != nullptr; }
  int64_t get_int(const char* key, int64_t otherwise) const;
  double get_float(const char* key, double otherwise) const;
  bool get_bool(const char* key, bool otherwise) const;
  std::string get_string(const char* key, const std::string& otherwise) const;
  std::vector<int64_t> get_ints(const char* key) const;
  std::vector<std::string> get_strings(const char* key) const;
  /// The dtype a TensorFlow type becomes (DT_INT64, DT_UINT8... -> int32; DT_DOUBLE, DT_HALF... -> float32).
  DType get_dtype(const char* key, DType otherwise) const;
  /// "DT_FLOAT" ...; empty when missing.
  std::string get_type_name(const char* key) const;
  /// False when missing or of unknown rank; unknown dimensions are -1.
  bool get_shape(const char* key, std::vector<int64_t>& dims) const;
  /// The name in an attribute of kind func.
  std::string get_function(const char* key) const;
  /// Where errors say the fault is: "node 'a/b' (Conv2D)".
  std::string where() const { return "node '" + name + "' (" + op + ")"; }

  /// The attribute's value object, or null.
  const Json* attr(const char* key) const;
};

/// A list of nodes: the model itself, or the body of a function.
struct TfGraph {
  std::string name;  ///< of the function; empty for the model
  std::vector<TfNode> nodes;
  std::vector<uint32_t> arguments;  ///< functions: the nodes (op "_Arg") that stand for the parameters
  std::vector<TfRef> results;       ///< functions: what they return
  int depth = 0;                    ///< recovered loops: how deep loops nest in it, itself counted
};

struct TfModelDef {
  TfGraph graph;
  std::map<std::string, TfGraph> functions;
};

/// Reads a "modelTopology". The JSON must outlive the result. Throws kBadFile on missing or mistyped keys, doubled
/// names, inputs that do not exist.
TfModelDef parse_graphdef(const Json& topology);

/// The dtype for a TensorFlow type name ("DT_FLOAT") or number; false when it has none here (variants, resources).
bool dtype_of_tf(std::string_view name, DType& dtype);
std::string tf_type_name(const Json& v, const std::string& where);

/// Nodes in an order in which inputs come first (iterative). Back edges from NextIteration are not followed. Throws
/// kBadFile naming the nodes of a cycle.
std::vector<uint32_t> topological_order(const TfGraph& graph);

}  // namespace tsr::formats
