// What a converter of one TensorFlow op works with: the node, its inputs as values of the graph being built, and calls
// of ops.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/tfjs/graphdef.h"
#include "graph/graph.h"

namespace tsr::formats {

class NodeCtx;

/// One op to be appended to the graph. Attributes are set from constants, or bound to an input of the TensorFlow node:
/// a constant becomes the attribute at once, anything else a LateAttr that is read when the model runs.
class OpCall {
 public:
  OpCall(NodeCtx& ctx, const char* op);
  OpCall& in(ValueId v);
  OpCall& in(std::initializer_list<ValueId> vs);
  OpCall& set(const char* attr, AttrValue value);
  /// The attribute is input k of the TensorFlow node.
  OpCall& bind(const char* attr, size_t k);
  /// Appends the op; returns its first output.
  ValueId emit(uint32_t outputs = 1);

 private:
  NodeCtx& ctx_;
  const OpDef& op_;
  std::vector<ValueId> inputs_;
  std::vector<std::pair<std::string, AttrValue>> attrs_;
  std::vector<LateAttr> late_;
};

/// Numbers of a constant, whatever numeric dtype it has.
struct ConstantData {
  Shape shape;
  DType dtype = DType::kFloat32;
  std::vector<double> values;
  std::vector<int64_t> ints() const;
};

class NodeCtx {
 public:
  NodeCtx(const TfNode& n, Graph& g, std::vector<ValueId> in) : node(n), graph(g), inputs_(std::move(in)) {}

  const TfNode& node;
  Graph& graph;

  size_t num_inputs() const { return inputs_.size(); }
  /// Input k; throws when the node has no such input.
  ValueId in(size_t k) const;
  const std::vector<ValueId>& inputs() const { return inputs_; }
  /// True (and the numbers) when input k is a constant.
  bool constant(size_t k, ConstantData& data) const;
  /// The same as integers; throws when the input is not constant: `what` says what for.
  std::vector<int64_t> constant_ints(size_t k, const char* what) const;
  /// False when it is known that input k is a tensor list.
  bool is_list(size_t k) const { return graph.value(in(k)).is_list; }

  /// A new constant.
  ValueId add_constant(const Shape& shape, std::span<const float> values);
  ValueId add_constant(const Shape& shape, std::span<const int32_t> values);

  OpCall op(const char* name) { return {*this, name}; }
  /// An op of these inputs without attributes.
  ValueId call(const char* name, std::initializer_list<ValueId> in) { return op(name).in(in).emit(); }
  /// x with its axes in another order.
  ValueId transposed(ValueId x, std::vector<int64_t> perm);

  /// Gives the node its next output.
  void out(ValueId v) { outputs_.push_back(v); }
  void out(ValueId first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) outputs_.push_back(first + i);
  }
  std::vector<ValueId>& outputs() { return outputs_; }

  /// Throws kBadFile / kUnsupported "node 'x' (Op): ...".
  template <typename... Parts>
  [[noreturn]] void bad(const Parts&... parts) const {
    fail(ErrorCode::kBadFile, node.where(), ": ", parts...);
  }
  template <typename... Parts>
  [[noreturn]] void unsupported(const Parts&... parts) const {
    fail(ErrorCode::kUnsupported, node.where(), ": ", parts...);
  }

 private:
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
};

/// A TensorFlow op and how it becomes ours. `op` is the op it is made of (the only one, or the one without which it
/// cannot be): when the registry lacks it, the TensorFlow op counts as unsupported. Null: needs none.
struct TfOp {
  const char* name;
  const char* op;
  void (*convert)(NodeCtx& ctx, const char* op);
};

/// Null when the op is unknown, or what it needs is not registered.
const TfOp* find_tf_op(std::string_view name);
/// All rows of all tables, for documentation and tests.
std::vector<const TfOp*> all_tf_ops();

// The tables, by family.
std::span<const TfOp> math_tf_ops();
std::span<const TfOp> array_tf_ops();
std::span<const TfOp> neural_tf_ops();
std::span<const TfOp> list_tf_ops();

}  // namespace tsr::formats
