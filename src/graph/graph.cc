#include "graph/graph.h"

#include "base/hash.h"

namespace tsr {

ValueId Graph::add_input(const std::string& name, const TensorType& type, bool typed) {
  const auto v = static_cast<ValueId>(values_.size());
  ValueInfo info;
  info.kind = ValueInfo::Kind::kInput;
  info.type = type;
  info.typed = typed;
  values_.push_back(std::move(info));
  inputs_.push_back(v);
  input_names_.push_back(name);
  if (!name.empty()) names_[name] = v;
  return v;
}

ValueId Graph::add_constant(const TensorType& type, Ref<Storage> storage, const std::string& name) {
  const auto v = static_cast<ValueId>(values_.size());
  ValueInfo info;
  info.kind = ValueInfo::Kind::kConstant;
  info.type = type;
  info.typed = true;
  info.constant = std::move(storage);
  info.constant->constant = true;
  values_.push_back(std::move(info));
  if (!name.empty()) names_[name] = v;
  return v;
}

Node& Graph::append(NodeKind kind, std::span<const ValueId> inputs, uint32_t num_outputs) {
  for (ValueId in : inputs) check(in < values_.size(), "graph: a node refers to value ", in, ", which does not exist");
  InlineVec<ValueId, 4> ins(inputs);  // before the nodes move: callers may pass another node's
  const auto first = static_cast<ValueId>(values_.size());
  const auto index = static_cast<uint32_t>(nodes_.size());
  values_.resize(values_.size() + num_outputs);
  for (uint32_t i = 0; i < num_outputs; ++i) values_[first + i].node = index;
  Node& n = nodes_.emplace_back();
  n.kind = kind;
  n.inputs = std::move(ins);
  n.first_output = first;
  n.num_outputs = num_outputs;
  return n;
}

void Graph::set_types(ValueId first, std::span<const TensorType> types) {
  for (size_t i = 0; i < types.size(); ++i) {
    values_[first + i].type = types[i];
    values_[first + i].typed = true;
  }
}

ValueId Graph::add_op(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs, uint32_t num_outputs,
                      std::vector<LateAttr> late, std::string name) {
  Node& n = append(NodeKind::kOp, inputs, num_outputs);
  n.op = &op;
  n.attrs = std::move(attrs);
  n.late = std::move(late);
  n.name = std::move(name);
  return n.first_output;
}

ValueId Graph::add_typed_op(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs,
                            std::span<const TensorType> types) {
  Node& n = append(NodeKind::kOp, inputs, static_cast<uint32_t>(types.size()));
  n.op = &op;
  n.attrs = std::move(attrs);
  set_types(n.first_output, types);
  return n.first_output;
}

ValueId Graph::add_call(std::shared_ptr<void> target, std::span<const ValueId> inputs, std::span<const TensorType> types) {
  Node& n = append(NodeKind::kCall, inputs, static_cast<uint32_t>(types.size()));
  n.call = std::move(target);
  set_types(n.first_output, types);
  return n.first_output;
}

ValueId Graph::add_joint(NodeKind kind, std::span<const ValueId> inputs, uint32_t num_outputs,
                         std::vector<std::shared_ptr<const Graph>> functions, std::string name) {
  Node& n = append(kind, inputs, num_outputs);
  n.functions = std::move(functions);
  n.name = std::move(name);
  return n.first_output;
}

void Graph::add_output(const std::string& name, ValueId value) {
  outputs_.push_back(value);
  output_names_.push_back(name);
}

void Graph::clear() {
  nodes_.clear();
  values_.clear();
  inputs_.clear();
  outputs_.clear();
  input_names_.clear();
  output_names_.clear();
  names_.clear();
}

ValueId Graph::find(const std::string& name) const {
  if (const auto it = names_.find(name); it != names_.end()) return it->second;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (output_names_[i] == name) return outputs_[i];
  }
  return kNoValue;
}

bool same_structure(const Graph& a, const Graph& b) {
  if (a.nodes().size() != b.nodes().size() || a.num_values() != b.num_values()) return false;
  for (size_t i = 0; i < a.nodes().size(); ++i) {
    const Node& x = a.nodes()[i];
    const Node& y = b.nodes()[i];
    if (x.kind != y.kind || x.op != y.op || x.first_output != y.first_output || !(x.inputs == y.inputs) || x.call != y.call ||
        x.functions != y.functions || !x.late.empty() || !y.late.empty() || !x.attrs.structural_equal(y.attrs)) {
      return false;
    }
  }
  for (ValueId v = 0; v < a.num_values(); ++v) {
    const ValueInfo& x = a.value(v);
    const ValueInfo& y = b.value(v);
    if (x.kind != y.kind || !(x.type == y.type) || !(x.constant == y.constant)) return false;
  }
  return true;
}

uint64_t structural_hash(const Graph& g) {
  Hasher h;
  for (const Node& n : g.nodes()) {
    h.add(static_cast<uint64_t>(n.kind) << 32 | static_cast<uint32_t>(n.op ? n.op->id : -1));
    h.add(n.first_output);
    for (ValueId in : n.inputs) h.add(in);
    if (n.op && !n.op->attrs.none()) h.add(n.attrs.structural_hash());
    if (n.call) h.add(reinterpret_cast<uintptr_t>(n.call.get()));
  }
  for (ValueId v = 0; v < g.num_values(); ++v) {
    const ValueInfo& info = g.value(v);
    uint64_t word = static_cast<uint64_t>(info.kind) << 8 | static_cast<uint64_t>(info.type.dtype);
    for (int64_t d : info.type.shape) word = word * 0x100000001B3ull + static_cast<uint64_t>(d) + 1;
    h.add(word);
  }
  return h.value();
}

bool Graph::is_dynamic() const {
  for (const Node& n : nodes_) {
    if (n.kind != NodeKind::kOp || n.op->dynamic_outputs || !n.late.empty()) return true;
  }
  return false;
}

}  // namespace tsr
