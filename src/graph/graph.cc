#include "graph/graph.h"

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

ValueId Graph::append(Node node, uint32_t num_outputs) {
  for (ValueId in : node.inputs) check(in < values_.size(), "graph: a node refers to value ", in, ", which does not exist");
  const auto first = static_cast<ValueId>(values_.size());
  const auto index = static_cast<uint32_t>(nodes_.size());
  node.first_output = first;
  node.num_outputs = num_outputs;
  nodes_.push_back(std::move(node));
  values_.resize(values_.size() + num_outputs);
  for (uint32_t i = 0; i < num_outputs; ++i) values_[first + i].node = index;
  return first;
}

ValueId Graph::add_op(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs, uint32_t num_outputs,
                      std::vector<LateAttr> late, std::string name) {
  Node n;
  n.op = &op;
  n.attrs = std::move(attrs);
  n.inputs.assign(inputs);
  n.late = std::move(late);
  n.name = std::move(name);
  return append(std::move(n), num_outputs);
}

ValueId Graph::add_typed_op(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs,
                            std::span<const TensorType> types) {
  Node n;
  n.op = &op;
  n.attrs = std::move(attrs);
  n.inputs.assign(inputs);
  const ValueId first = append(std::move(n), static_cast<uint32_t>(types.size()));
  for (size_t i = 0; i < types.size(); ++i) {
    values_[first + i].type = types[i];
    values_[first + i].typed = true;
  }
  return first;
}

ValueId Graph::add_joint(NodeKind kind, std::span<const ValueId> inputs, uint32_t num_outputs,
                         std::vector<std::shared_ptr<const Graph>> functions, std::string name) {
  Node n;
  n.kind = kind;
  n.inputs.assign(inputs);
  n.functions = std::move(functions);
  n.name = std::move(name);
  return append(std::move(n), num_outputs);
}

void Graph::add_output(const std::string& name, ValueId value) {
  outputs_.push_back(value);
  output_names_.push_back(name);
}

ValueId Graph::find(const std::string& name) const {
  if (const auto it = names_.find(name); it != names_.end()) return it->second;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (output_names_[i] == name) return outputs_[i];
  }
  return kNoValue;
}

bool Graph::is_dynamic() const {
  for (const Node& n : nodes_) {
    if (n.kind != NodeKind::kOp || n.op->dynamic_outputs || !n.late.empty()) return true;
  }
  return false;
}

}  // namespace tsr
