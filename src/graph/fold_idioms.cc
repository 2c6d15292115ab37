#include "graph/fold_idioms.h"

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace tsr {
namespace {

struct Replacement {
  const OpDef* op = nullptr;
  ValueId x = kNoValue;
  TensorType type;        // of the constant
  Ref<Storage> constant;  // the second input, or null
  Attrs attrs;
};

class Matcher {
 public:
  explicit Matcher(const Graph& graph) : g_(graph) {}

  std::optional<Replacement> match(const Node& n) const {
    if (is(n, "add")) return prelu(n);
    if (is(n, "mul")) return hard_swish(n);
    return {};
  }

 private:
  static bool is(const Node& n, std::string_view name) { return n.kind == NodeKind::kOp && name == n.op->name; }

  // The node that computes v when it is an op of that name, else null.
  const Node* producer(ValueId v, std::string_view name) const {
    const ValueInfo& info = g_.value(v);
    if (info.kind != ValueInfo::Kind::kResult) return nullptr;
    const Node& n = g_.node(info.node);
    return is(n, name) ? &n : nullptr;
  }
  const TensorType& type(ValueId v) const { return g_.value(v).type; }
  // The elements of a float32 constant on the host, or null.
  const float* floats(ValueId v) const {
    const ValueInfo& info = g_.value(v);
    if (info.kind != ValueInfo::Kind::kConstant || info.type.dtype != DType::kFloat32 || !info.constant->on_host()) return nullptr;
    return reinterpret_cast<const float*>(info.constant->host());
  }
  std::optional<double> single(ValueId v) const {
    if (type(v).shape.size() != 1) return {};  // before its bytes are asked for, which would widen a narrow constant
    const float* p = floats(v);
    if (!p || !std::isfinite(*p)) return {};
    return static_cast<double>(*p);
  }
  bool same_float_type(ValueId a, ValueId b) const { return type(a) == type(b) && type(a).dtype == DType::kFloat32; }

  // The operands of a commutative node, both ways round.
  static std::array<std::pair<ValueId, ValueId>, 2> ways(const Node& n) {
    return {{{n.inputs[0], n.inputs[1]}, {n.inputs[1], n.inputs[0]}}};
  }

  std::optional<Replacement> prelu(const Node& add) const {
    for (const auto& [a, b] : ways(add)) {
      const Node* relu = producer(a, "relu");
      const Node* mul = producer(b, "mul");
      if (!relu || !mul) continue;
      const ValueId x = relu->inputs[0];
      if (!same_float_type(x, add.first_output)) continue;
      for (const auto& [negative, c] : ways(*mul)) {
        const Node* sub = producer(negative, "sub");
        if (!sub || !floats(c)) continue;
        const Node* abs = producer(sub->inputs[1], "abs");
        if (!abs || abs->inputs[0] != sub->inputs[0]) continue;
        if (sub->inputs[0] == a) return Replacement{&get_op("identity"), a, {}, {}, {}};
        if (sub->inputs[0] != x) continue;
        Replacement r{&get_op("prelu"), x, type(c), {}, {}};
        const int64_t n = r.type.shape.size();
        r.constant = Ref<Storage>(new Storage(DType::kFloat32, n));
        Ref<HostBuffer> buffer(new HostBuffer(r.constant->logical_bytes()));
        for (int64_t i = 0; i < n; ++i) reinterpret_cast<float*>(buffer->data())[i] = 2 * floats(c)[i];
        r.constant->set_host(std::move(buffer));
        r.constant->constant = true;
        return r;
      }
    }
    return {};
  }

  // v = inner * factor with a constant factor (or inner / constant), or v itself and 1.
  struct Scaled {
    ValueId inner;
    double factor = 1;
  };
  Scaled scaled(ValueId v) const {
    if (const Node* mul = producer(v, "mul")) {
      for (const auto& [inner, c] : ways(*mul)) {
        if (const auto k = single(c)) return {inner, *k};
      }
    }
    if (const Node* div = producer(v, "div")) {
      if (const auto k = single(div->inputs[1]); k && *k != 0) return {div->inputs[0], 1 / *k};
    }
    return {v};
  }

  // x when v is relu6(x + 3).
  ValueId gate_of(ValueId v) const {
    const Node* relu6 = producer(v, "relu6");
    const Node* add = relu6 ? producer(relu6->inputs[0], "add") : nullptr;
    if (!add) return kNoValue;
    for (const auto& [x, three] : ways(*add)) {
      if (single(three) == 3.0) return x;
    }
    return kNoValue;
  }

  std::optional<Replacement> hard_swish(const Node& mul) const {
    // The factor (one sixth, or what float16 made of it) multiplies the whole product, or either of its sides.
    const Scaled whole = scaled(mul.first_output);
    const Node* product = whole.inner == mul.first_output ? &mul : producer(whole.inner, "mul");
    if (!product) return {};
    for (const auto& [left, right] : ways(*product)) {
      for (const Scaled& x : {Scaled{left}, scaled(left)}) {
        for (const Scaled& gate : {Scaled{right}, scaled(right)}) {
          if (gate_of(gate.inner) != x.inner || !same_float_type(x.inner, mul.first_output)) continue;
          const OpDef& op = get_op("hardSwish");
          const AttrValue alpha = whole.factor * x.factor * gate.factor;
          return Replacement{&op, x.inner, {}, {}, make_attrs(op.name, *op.attrs, {&alpha, 1})};
        }
      }
    }
    return {};
  }

  const Graph& g_;
};

}  // namespace

FoldedGraph fold_idioms(const Graph& g, std::span<const ValueId> outputs) {
  const auto nodes = g.nodes();
  const Matcher matcher(g);
  std::vector<std::optional<Replacement>> replaced(nodes.size());
  // From the outputs backwards, so that what only an idiom read is dropped.
  std::vector<bool> needed(nodes.size());
  FoldedGraph out;
  std::vector<ValueId> work(outputs.begin(), outputs.end());
  while (!work.empty()) {
    const ValueInfo& info = g.value(work.back());
    work.pop_back();
    if (info.kind != ValueInfo::Kind::kResult || needed[info.node]) continue;
    needed[info.node] = true;
    const Node& n = g.node(info.node);
    replaced[info.node] = matcher.match(n);
    if (const auto& r = replaced[info.node]) {
      ++out.folded;
      work.push_back(r->x);
    } else {
      work.insert(work.end(), n.inputs.begin(), n.inputs.end());
    }
  }
  std::vector<ValueId> map(g.num_values(), kNoValue);
  for (ValueId v : g.inputs()) map[v] = out.graph.add_input("", g.value(v).type);
  const auto mapped = [&](ValueId v) {
    if (map[v] == kNoValue) map[v] = out.graph.add_constant(g.value(v).type, g.value(v).constant);
    return map[v];
  };
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    const Node& n = g.node(i);
    std::vector<ValueId> in;
    std::vector<TensorType> types;
    for (uint32_t o = 0; o < n.num_outputs; ++o) types.push_back(g.value(n.first_output + o).type);
    ValueId first;
    if (const auto& r = replaced[i]) {
      in.push_back(mapped(r->x));
      if (r->constant) in.push_back(out.graph.add_constant(r->type, r->constant));
      first = out.graph.add_typed_op(*r->op, in, r->attrs, types);
    } else {
      for (ValueId v : n.inputs) in.push_back(mapped(v));
      first = out.graph.add_typed_op(*n.op, in, n.attrs, types);
    }
    for (uint32_t o = 0; o < n.num_outputs; ++o) map[n.first_output + o] = first + o;
  }
  for (ValueId v : outputs) out.outputs.push_back(mapped(v));
  return out;
}

}  // namespace tsr
