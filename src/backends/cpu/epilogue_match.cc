#include "backends/cpu/cpu_device.h"

namespace tsr::cpu {
namespace {

double number(const GroupNode& n, const char* field, double otherwise) {
  const int i = n.attrs.schema().find(field);
  if (i < 0) return otherwise;
  const AttrValue v = n.attrs.get(i);
  if (const auto* d = std::get_if<double>(&v)) return *d;
  return otherwise;
}

class Matcher {
 public:
  explicit Matcher(const Group& group) : g_(group) {}

  EpiloguePlan run() {
    uint32_t current = 0;
    bool activated = false;
    for (size_t i = 1; i < g_.nodes.size(); ++i) {
      const GroupNode& n = g_.nodes[i];
      if (n.type.dtype != DType::kFloat32 || used_later(current, i)) break;
      if (!activated && i + 1 < g_.nodes.size() && swish(current, i)) {
        plan_.fixed.activation = Activation::kSwish;
        plan_.text += "+swish";
        activated = true;
        current = static_cast<uint32_t>(++i);
        plan_.consumed = i + 1;
        continue;
      }
      if (!(step(n, current, activated))) break;
      current = static_cast<uint32_t>(i);
      plan_.consumed = i + 1;
    }
    return plan_;
  }

 private:
  static bool is(const GroupNode& n, std::string_view name) { return name == n.op->name; }
  static bool reads(GroupRef r, uint32_t node) { return r.internal && r.index == node; }

  // Node `node` is read by a node after `i`, so that its value cannot be overwritten at i.
  bool used_later(uint32_t node, size_t i) const {
    for (size_t j = i + 1; j < g_.nodes.size(); ++j) {
      if (is_swish_pair(node, i, j)) continue;
      for (GroupRef r : g_.nodes[j].inputs) {
        if (reads(r, node)) return true;
      }
    }
    return false;
  }

  // nodes i, j = sigmoid(node), mul(node, sigmoid): the only shape in which the value is read twice and yet fits.
  bool is_swish_pair(uint32_t node, size_t i, size_t j) const {
    if (j != i + 1 || !is(g_.nodes[i], "sigmoid") || !is(g_.nodes[j], "mul")) return false;
    const auto& in = g_.nodes[j].inputs;
    const auto s = static_cast<uint32_t>(i);
    return reads(g_.nodes[i].inputs[0], node) && ((reads(in[0], node) && reads(in[1], s)) || (reads(in[1], node) && reads(in[0], s)));
  }
  bool swish(uint32_t current, size_t i) const { return is_swish_pair(current, i, i + 1); }

  bool step(const GroupNode& n, uint32_t current, bool& activated) {
    if (n.inputs.size() == 1 && reads(n.inputs[0], current) && !activated) {
      Activation a = Activation::kNone;
      if (is(n, "relu")) a = Activation::kRelu;
      else if (is(n, "relu6")) a = Activation::kRelu6;
      else if (is(n, "sigmoid")) a = Activation::kSigmoid;
      else if (is(n, "elu")) a = Activation::kElu;
      else if (is(n, "tanh")) a = Activation::kTanh;
      else if (is(n, "hardSwish")) a = Activation::kHardSwish;
      else if (is(n, "leakyRelu")) a = Activation::kLeakyRelu;
      if (a == Activation::kNone) return false;
      plan_.fixed.activation = a;
      plan_.fixed.alpha = static_cast<float>(number(n, "alpha", 0.2));
      plan_.text += std::string("+") + n.op->name;
      return activated = true;
    }
    if (n.inputs.size() != 2) return false;
    const bool first = reads(n.inputs[0], current);
    const GroupRef other = n.inputs[first ? 1 : 0];
    if ((!first && !reads(n.inputs[1], current)) || other.internal) return false;
    const TensorType& t = g_.operands[other.index].type;
    if (t.dtype != DType::kFloat32) return false;
    const bool column = is_column(t.shape);
    if (is(n, "prelu") && first && column && !activated) {
      plan_.fixed.activation = Activation::kPrelu;
      plan_.slope = static_cast<int>(other.index);
      plan_.text += "+prelu";
      return activated = true;
    }
    if (!is(n, "add")) return false;
    if (column && plan_.bias < 0 && !activated && plan_.residual < 0) {
      plan_.bias = static_cast<int>(other.index);
      plan_.text += "+bias";
      return true;
    }
    if (t.shape == g_.result().shape && plan_.residual < 0) {
      plan_.residual = static_cast<int>(other.index);
      plan_.fixed.residual_before_activation = !activated;
      plan_.text += "+residual";
      return true;
    }
    return false;
  }

  // [C], or [1,..,1,C], where C is the result's innermost extent: one value a column.
  bool is_column(const Shape& s) const {
    const Shape& out = g_.result().shape;
    if (s.rank() == 0 || out.rank() == 0 || s.rank() > out.rank()) return false;
    return s.back() == out.back() && s.size() == s.back();
  }

  const Group& g_;
  EpiloguePlan plan_;
};

}  // namespace

EpiloguePlan match_epilogue(const Group& group) { return Matcher(group).run(); }

}  // namespace tsr::cpu
