#include "graph/fold_scale.h"

#include <optional>
#include <string_view>

#include "core/array_attrs.h"
#include "graph/needed.h"

namespace tsr {
namespace {

bool is(const Node& n, std::string_view name) { return n.kind == NodeKind::kOp && name == n.op->name; }

// A constant with one float a channel, or a single one.
struct Factors {
  ValueId value = kNoValue;
  const float* data = nullptr;
  bool single = false;
  float at(int64_t channel) const { return data[single ? 0 : channel]; }
};

class Folder {
 public:
  Folder(const Graph& graph, std::span<const ValueId> outputs)
      : g_(graph), needed_(needed_nodes(graph, outputs)), readers_(graph.num_values()), skip_(graph.nodes().size()),
        filter_(graph.nodes().size()), bias_(graph.nodes().size()), becomes_(graph.num_values(), kNoValue) {
    for (uint32_t i = 0; i < needed_.size(); ++i) {
      if (!needed_[i]) continue;
      for (ValueId in : g_.node(i).inputs) ++readers_[in];
    }
    for (ValueId v : outputs) readers_[v] += 2;  // an output must stay what it is
  }

  FoldedGraph run(std::span<const ValueId> outputs) {
    FoldedGraph out;
    for (uint32_t i = 0; i < g_.nodes().size(); ++i) {
      if (needed_[i] && is(g_.node(i), "mul") && try_fold(i)) ++out.folded;
    }
    rebuild(out, outputs);
    return out;
  }

 private:
  const Node* producer(ValueId v) const {
    const ValueInfo& info = g_.value(v);
    return info.kind == ValueInfo::Kind::kResult ? &g_.node(info.node) : nullptr;
  }

  std::optional<Factors> factors(ValueId v, const Shape& result) const {
    const ValueInfo& info = g_.value(v);
    if (info.kind != ValueInfo::Kind::kConstant || info.type.dtype != DType::kFloat32 || !info.constant->on_host()) return {};
    const Shape& s = info.type.shape;
    const bool single = s.size() == 1 && s.rank() <= result.rank();
    const bool channel = s.rank() >= 1 && s.rank() <= result.rank() && s.back() == result.back() && s.size() == s.back();
    if (!single && !channel) return {};
    return Factors{v, reinterpret_cast<const float*>(info.constant->host()), single};
  }

  // mul node i: (inner, factors) with inner = conv or conv + bias.
  bool try_fold(uint32_t i) {
    const Node& mul = g_.node(i);
    const Shape& result = g_.value(mul.first_output).type.shape;
    for (int side = 0; side < 2; ++side) {
      const std::optional<Factors> s = factors(mul.inputs[static_cast<size_t>(1 - side)], result);
      const ValueId inner = mul.inputs[static_cast<size_t>(side)];
      if (!s || readers_[inner] != 1 || !(g_.value(inner).type.shape == result)) continue;
      const Node* conv = producer(inner);
      const Node* add = nullptr;
      std::optional<Factors> b;
      if (conv && is(*conv, "add")) {
        add = conv;
        for (int k = 0; k < 2 && !b; ++k) {
          b = factors(add->inputs[static_cast<size_t>(1 - k)], result);
          conv = b ? producer(add->inputs[static_cast<size_t>(k)]) : nullptr;
          if (b && conv && (readers_[conv->first_output] != 1 || !(g_.value(conv->first_output).type.shape == result))) conv = nullptr;
          if (!conv) b.reset();
        }
        if (!b) continue;
      }
      if (!conv || !scale_filter(*conv, *s)) continue;
      if (add) {
        const uint32_t a = g_.value(add->first_output).node;
        bias_[a] = scaled_bias(*b, *s, result.back());
        bias_type_[a] = TensorType{{result.back()}, DType::kFloat32};
        bias_value_[a] = b->value;
      }
      skip_[i] = true;
      becomes_[mul.first_output] = inner;
      readers_[inner] = readers_[mul.first_output];
      return true;
    }
    return false;
  }

  bool scale_filter(const Node& conv, const Factors& s) {
    const bool conv2d = is(conv, "conv2d");
    const bool depthwise = is(conv, "depthwiseConv2d");
    if (!conv2d && !depthwise && !is(conv, "matMul")) return false;
    const ValueInfo& w = g_.value(conv.inputs[1]);
    if (w.kind != ValueInfo::Kind::kConstant || w.type.dtype != DType::kFloat32 || !w.constant->on_host()) return false;
    const uint32_t node = g_.value(conv.first_output).node;
    if (filter_[node]) return false;  // scaled already: a second factor is left where it is
    const Shape& shape = w.type.shape;
    const bool transposed = is(conv, "matMul") && conv.attrs.as<MatMulAttrs>().transpose_b;
    if (is(conv, "matMul") && shape.rank() != 2) return false;
    // Output channel of element e: the innermost axis; of a depthwise filter the two innermost together.
    const int64_t inner = depthwise ? shape.back(0) * shape.back(1) : shape.back();
    const Storage::HostBytes weights = w.constant->read_host();
    const auto* from = reinterpret_cast<const float*>(weights.data);
    Ref<HostBuffer> buffer(new HostBuffer(w.constant->logical_bytes()));
    auto* to = reinterpret_cast<float*>(buffer->data());
    const int64_t n = shape.size();
    for (int64_t e = 0; e < n; ++e) to[e] = from[e] * s.at(transposed ? e / inner : e % inner);
    filter_[node] = Ref<Storage>(new Storage(DType::kFloat32, n));
    filter_[node]->set_host(std::move(buffer));
    return true;
  }

  static Ref<Storage> scaled_bias(const Factors& b, const Factors& s, int64_t channels) {
    Ref<Storage> out(new Storage(DType::kFloat32, channels));
    Ref<HostBuffer> buffer(new HostBuffer(out->logical_bytes()));
    for (int64_t c = 0; c < channels; ++c) reinterpret_cast<float*>(buffer->data())[c] = b.at(c) * s.at(c);
    out->set_host(std::move(buffer));
    return out;
  }

  void rebuild(FoldedGraph& out, std::span<const ValueId> outputs) {
    std::vector<ValueId> map(g_.num_values(), kNoValue);
    // Inputs keep their order; a value is made when it is first read.
    for (ValueId v : g_.inputs()) map[v] = out.graph.add_input("", g_.value(v).type);
    const auto mapped = [&](ValueId v) {
      while (becomes_[v] != kNoValue) v = becomes_[v];
      if (map[v] == kNoValue) map[v] = out.graph.add_constant(g_.value(v).type, g_.value(v).constant);
      return map[v];
    };
    for (uint32_t i = 0; i < g_.nodes().size(); ++i) {
      const Node& n = g_.node(i);
      if (!needed_[i] || skip_[i]) continue;
      InlineVec<ValueId, 4> in;
      for (size_t k = 0; k < n.inputs.size(); ++k) {
        if (k == 1 && filter_[i]) {
          in.push_back(out.graph.add_constant(g_.value(n.inputs[1]).type, filter_[i]));
        } else if (bias_[i] && n.inputs[k] == bias_value_[i]) {
          in.push_back(out.graph.add_constant(bias_type_[i], bias_[i]));
        } else {
          in.push_back(mapped(n.inputs[k]));
        }
      }
      std::vector<TensorType> types;
      for (uint32_t o = 0; o < n.num_outputs; ++o) types.push_back(g_.value(n.first_output + o).type);
      const ValueId first = out.graph.add_typed_op(*n.op, in, n.attrs, types);
      for (uint32_t o = 0; o < n.num_outputs; ++o) map[n.first_output + o] = first + o;
    }
    for (ValueId v : outputs) out.outputs.push_back(mapped(v));
  }

  const Graph& g_;
  std::vector<bool> needed_;
  std::vector<int> readers_;
  std::vector<bool> skip_;                 // mul nodes that are gone
  std::vector<Ref<Storage>> filter_;       // per node: its scaled weights
  std::vector<Ref<Storage>> bias_;         // per add node: its scaled bias
  std::vector<ValueId> becomes_;           // a folded product is what it multiplied
  std::vector<TensorType> bias_type_ = std::vector<TensorType>(bias_.size());
  std::vector<ValueId> bias_value_ = std::vector<ValueId>(bias_.size(), kNoValue);
};

}  // namespace

FoldedGraph fold_scale(const Graph& graph, std::span<const ValueId> outputs) { return Folder(graph, outputs).run(outputs); }

}  // namespace tsr
