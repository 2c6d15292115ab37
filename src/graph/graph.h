// Graph: the one program representation. A recorded scope, the gradient tape, a loaded model and the body of a loop are all this.
//
// SSA: a node takes values and makes values; values are numbered in order of creation, so a node's inputs are always smaller
// than its outputs and the node list is in topological order (but for kMerge in a loop-free graph, whose dead input may be
// any earlier value). Nodes are only ever appended; passes build a new Graph.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/inline_vec.h"
#include "core/attrs.h"
#include "core/op_def.h"
#include "core/storage.h"
#include "tessera/tensor.h"

namespace tsr {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};

class Graph;

/// What runs a node. kOp: its OpDef. The others are joints, run by the graph interpreter (src/runtime/graph_run.h).
enum class NodeKind : uint8_t {
  kOp,
  kCall,    ///< functions[0](inputs...) -> its outputs
  kWhile,   ///< functions = {cond, body}; inputs = loop state, outputs = the state when cond gives false
  kIf,      ///< functions = {then, else}; inputs[0] = condition, the rest are both functions' arguments
  kSwitch,  ///< (data, pred) -> (data if !pred, data if pred); the other output is dead
  kMerge,   ///< (a, b, ...) -> (the one that is not dead, its index as int32 scalar)
  // Tensor lists: values of these kinds are lists, not tensors (ValueInfo::is_list).
  kListReserve,  ///< (num_elements) -> list        number: max rank unknown, elements undefined until set
  kListFromTensor,  ///< (tensor) -> list of its rows
  kListGet,      ///< (list, index) -> element
  kListSet,      ///< (list, index, element) -> list (the input list is unchanged)
  kListStack,    ///< (list) -> tensor of all elements
  kListPush,     ///< (list, element) -> list
  kListPop,      ///< (list) -> (list, last element)
  kListLength,   ///< (list) -> int32 scalar
  kListConcat,   ///< (list) -> elements joined along axis 0
  kListGather,   ///< (list, indices) -> stacked elements
  kListScatter,  ///< (tensor, indices, num_elements) -> list
  kListSplit,    ///< (tensor, lengths) -> list
  kListResize,   ///< (list, size) -> list
};

/// An attribute whose value is computed by the graph (Reshape's shape in a model file): the planner reads `value` on the host
/// before it infers the node. A value of several elements gives a list.
struct LateAttr {
  int field = 0;  ///< index in the op's schema
  ValueId value = kNoValue;
  /// For kInts fields: only this element of the list is replaced (-1: the whole list). Lets Pack-like bindings build a list.
  int element = -1;
};

struct Node {
  NodeKind kind = NodeKind::kOp;
  const OpDef* op = nullptr;  ///< for kOp
  Attrs attrs;
  InlineVec<ValueId, 4> inputs;
  ValueId first_output = kNoValue;
  uint32_t num_outputs = 0;
  std::vector<LateAttr> late;
  std::vector<std::shared_ptr<const Graph>> functions;
  std::shared_ptr<void> call;  ///< kCall: what is called (the runtime's; compared by address)
  std::string name;  ///< the model file's name of it, for errors; empty in traces
};

struct ValueInfo {
  enum class Kind : uint8_t { kInput, kConstant, kResult };
  Kind kind = Kind::kResult;
  bool typed = false;     ///< `type` holds; models learn it when input shapes are known
  bool is_list = false;   ///< a tensor list
  TensorType type;        ///< dims of -1 are unknown until data is seen
  uint32_t node = 0;      ///< kResult: its producer
  Ref<Storage> constant;  ///< kConstant
};

class Graph {
 public:
  // ---- Building
  ValueId add_input(const std::string& name, const TensorType& type, bool typed = true);
  ValueId add_constant(const TensorType& type, Ref<Storage> storage, const std::string& name = {});
  /// Appends an op with untyped outputs (num_outputs of them). Returns the first output.
  ValueId add_op(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs, uint32_t num_outputs,
                 std::vector<LateAttr> late = {}, std::string name = {});
  /// Appends an op with outputs of these types (a trace: types are known when the op is called).
  ValueId add_typed_op(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs, std::span<const TensorType> types);
  /// Appends a call whose output types are known.
  ValueId add_call(std::shared_ptr<void> target, std::span<const ValueId> inputs, std::span<const TensorType> types);
  /// Appends a joint.
  ValueId add_joint(NodeKind kind, std::span<const ValueId> inputs, uint32_t num_outputs,
                    std::vector<std::shared_ptr<const Graph>> functions = {}, std::string name = {});
  void add_output(const std::string& name, ValueId value);
  void mark_list(ValueId v) { values_[v].is_list = true; }
  /// Gives a value a name by which it can be asked for ("conv/BiasAdd:0" in model files).
  void name_value(const std::string& name, ValueId value) { names_[name] = value; }

  /// Empties it and keeps its memory.
  void clear();

  // ---- Reading
  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(uint32_t i) const { return nodes_[i]; }
  size_t num_values() const { return values_.size(); }
  const ValueInfo& value(ValueId v) const { return values_[v]; }
  ValueInfo& value(ValueId v) { return values_[v]; }
  std::span<const ValueId> inputs() const { return inputs_; }
  std::span<const std::string> input_names() const { return input_names_; }
  std::span<const ValueId> outputs() const { return outputs_; }
  std::span<const std::string> output_names() const { return output_names_; }
  /// The value of that name (input, output or named), or kNoValue.
  ValueId find(const std::string& name) const;
  /// Which output of its producer a kResult value is.
  uint32_t output_index(ValueId v) const { return v - nodes_[values_[v].node].first_output; }
  /// True when some node's output shape depends on data, or there is a joint.
  bool is_dynamic() const;

 private:
  /// Adds an empty node with its inputs and outputs, to be completed in place: moving nodes is a good part of recording a small op.
  Node& append(NodeKind kind, std::span<const ValueId> inputs, uint32_t num_outputs);
  void set_types(ValueId first, std::span<const TensorType> types);

  std::vector<Node> nodes_;
  std::vector<ValueInfo> values_;
  std::vector<ValueId> inputs_, outputs_;
  std::vector<std::string> input_names_, output_names_;
  std::map<std::string, ValueId> names_;
};

/// Same ops, structural attributes, wiring, types and calls; constants by storage. Runtime attributes and names may differ.
bool same_structure(const Graph& a, const Graph& b);
/// Hash of what same_structure compares.
uint64_t structural_hash(const Graph& g);

}  // namespace tsr
