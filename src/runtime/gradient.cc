// Reverse-mode differentiation over the trace: one walk from y to the xs, each op's vjp recorded by ordinary ops into the same
// trace, so that gradients of gradients need nothing more.
#include <algorithm>
#include <string_view>

#include "runtime/engine.h"
#include "runtime/trace.h"
#include "tessera/grad.h"

namespace tsr {
namespace {

class Backward {
 public:
  Backward(TraceGraph& trace, ValueId y) : t_(trace), end_(trace.num_nodes()), y_(y), grads_(trace.graph().num_values()) {}

  std::vector<Tensor> run(const Tensor& dy, std::span<const ValueId> xs) {
    if (y_ == kNoValue) return std::vector<Tensor>(xs.size());
    mark(xs);
    if (depends_[y_]) {
      grads_[y_] = dy;
      for (uint32_t i = end_; i-- > 0;) visit(i);
    }
    const std::vector<bool> read = read_by_y();
    std::vector<Tensor> out;
    for (ValueId x : xs) {
      Tensor g = x == kNoValue ? Tensor() : grads_[x];
      // Only steps, signs or indices lead from x to y: the gradient exists, and is 0.
      if (!g.defined() && x != kNoValue && read[x] && t_.graph().value(x).type.dtype == DType::kFloat32) {
        g = apply1(get_op("zerosLike"), {t_.tensor_of(x)});
      }
      out.push_back(g);
    }
    return out;
  }

 private:
  // depends_[v]: v is one of the xs or computed from one.
  void mark(std::span<const ValueId> xs) {
    depends_.assign(grads_.size(), false);
    for (ValueId x : xs) {
      if (x != kNoValue) depends_[x] = true;
    }
    for (uint32_t i = 0; i < end_; ++i) {
      const Node& n = t_.graph().node(i);
      bool any = false;
      if (const CustomGradient* c = custom_at(i)) {
        for (ValueId v : c->inputs) any = any || depends_[v];
      } else if (!(n.op && n.op->zero_gradient)) {
        for (ValueId v : n.inputs) any = any || depends_[v];
      }
      if (!any) continue;
      for (uint32_t o = 0; o < n.num_outputs; ++o) depends_[n.first_output + o] = true;
    }
  }

  // Values that y was computed from, by whatever ops but stopGradient.
  std::vector<bool> read_by_y() const {
    std::vector<bool> read(grads_.size());
    read[y_] = true;
    for (uint32_t i = end_; i-- > 0;) {
      const Node& n = t_.graph().node(i);
      bool any = false;
      for (uint32_t o = 0; o < n.num_outputs; ++o) any = any || read[n.first_output + o];
      if (!any || (n.op && std::string_view(n.op->name) == "stopGradient")) continue;
      if (const CustomGradient* c = custom_at(i)) {
        for (ValueId v : c->inputs) read[v] = true;
      } else {
        for (ValueId v : n.inputs) read[v] = true;
      }
    }
    return read;
  }

  const CustomGradient* custom_at(uint32_t node) const {
    for (const CustomGradient& c : t_.custom_gradients) {
      if (node >= c.first_node && node < c.first_node + c.count) return &c;
    }
    return nullptr;
  }

  void visit(uint32_t i) {
    const Node n = t_.graph().node(i);  // a copy: recording below may move the graph's nodes
    if (const CustomGradient* c = custom_at(i)) {
      if (i == c->first_node) visit_custom(*c);
      return;
    }
    std::vector<Tensor> out_grads;
    bool any = false;
    for (uint32_t o = 0; o < n.num_outputs; ++o) {
      out_grads.push_back(grads_[n.first_output + o]);
      any = any || out_grads.back().defined();
    }
    if (!any) return;
    const size_t count = n.inputs.size();
    const auto needs = std::make_unique<bool[]>(count);
    bool wanted = false;
    for (size_t k = 0; k < count; ++k) {
      needs[k] = depends_[n.inputs[k]];
      wanted = wanted || needs[k];
    }
    if (!wanted || (n.op && n.op->zero_gradient)) return;
    if (!n.op || !n.op->vjp) {
      fail(ErrorCode::kUnsupported, "[grad] op '", n.op ? n.op->name : "call",
           "' has no gradient, but the result depends on it");
    }
    std::vector<Tensor> in, out;
    for (ValueId v : n.inputs) in.push_back(t_.tensor_of(v));
    for (uint32_t o = 0; o < n.num_outputs; ++o) out.push_back(t_.tensor_of(n.first_output + o));
    const std::vector<Tensor> dx =
        n.op->vjp(VjpCtx{in, out, out_grads, n.attrs, std::span<const bool>(needs.get(), count)});
    check(dx.size() <= count, "the gradient of '", n.op->name, "' gives more results than the op has inputs");
    for (size_t k = 0; k < dx.size(); ++k) {
      if (!needs[k] || !dx[k].defined()) continue;
      check(dx[k].shape() == in[k].shape(), "the gradient of '", n.op->name, "' for input ", k, " has shape ", dx[k].shape(),
            ", wanted ", in[k].shape());
      accumulate(n.inputs[k], dx[k]);
    }
  }

  void visit_custom(const CustomGradient& custom) {
    const CustomGradient c = custom;
    std::vector<Tensor> dys;
    bool any = false;
    for (uint32_t k = 0; k < c.count; ++k) {
      dys.push_back(grads_[t_.graph().node(c.first_node + k).first_output]);
      any = any || dys.back().defined();
    }
    if (!any) return;
    const std::vector<Tensor> dx = c.fn(dys);
    require(dx.size() == c.inputs.size(), "[customGrad] the gradient function must return ", c.inputs.size(),
            " tensors, one for each input, got ", dx.size());
    for (size_t k = 0; k < dx.size(); ++k) {
      if (!dx[k].defined() || !depends_[c.inputs[k]]) continue;
      const Shape& wanted = t_.graph().value(c.inputs[k]).type.shape;
      require(dx[k].shape() == wanted, "[customGrad] the gradient for input ", k, " must have shape ", wanted, ", got ",
              dx[k].shape());
      accumulate(c.inputs[k], dx[k]);
    }
  }

  void accumulate(ValueId v, const Tensor& g) {
    grads_[v] = grads_[v].defined() ? apply1(get_op("add"), {grads_[v], g}) : g;
  }

  TraceGraph& t_;
  uint32_t end_;
  ValueId y_;
  std::vector<Tensor> grads_;
  std::vector<bool> depends_;
};

}  // namespace

std::vector<Tensor> Engine::grad(const Tensor& y, const Tensor& dy, std::span<const Tensor> xs) {
  TraceGraph& t = tape();
  require(y.defined(), "[grad] y is not a tensor");
  require(y.dtype() == DType::kFloat32, "[grad] y must be float32, got ", name_of(y.dtype()));
  if (dy.defined()) {
    require(dy.shape() == y.shape(), "[grad] dy must have y's shape ", y.shape(), ", got ", dy.shape());
  }
  std::vector<ValueId> ids;
  for (const Tensor& x : xs) {
    require(x.defined(), "[grad] one of the xs is not a tensor");
    ids.push_back(t.value_of(x));  // known to the trace even if nothing used it: y may be x itself
  }
  const ValueId y_id = t.value_of(y);
  Tensor seed = dy;
  if (!seed.defined()) seed = apply1(get_op("onesLike"), {y});
  // Backward's tables cover the values recorded so far; what its own ops add lies beyond and is never visited.
  return Backward(t, y_id).run(seed, ids);
}

std::vector<Tensor> Engine::custom_grad(std::span<const Tensor> inputs, std::span<const Tensor> outputs, CustomGradFn fn) {
  if (!tape_open()) return {outputs.begin(), outputs.end()};
  TraceGraph& t = tape();
  CustomGradient c;
  for (const Tensor& x : inputs) c.inputs.push_back(t.value_of(x));
  std::vector<Tensor> out;
  for (const Tensor& y : outputs) t.value_of(y);  // captures first, so that the identity nodes are consecutive
  c.first_node = t.num_nodes();
  c.count = static_cast<uint32_t>(outputs.size());
  for (const Tensor& y : outputs) out.push_back(apply1(get_op("identity"), {y}));
  c.fn = std::move(fn);
  t.custom_gradients.push_back(std::move(c));
  return out;
}

}  // namespace tsr

// ---- The public functions (tessera/grad.h) ---------------------------------------------------------------------------------

namespace tsr {
namespace {

class TapeScope {
 public:
  TapeScope() { Engine::get().begin_tape(); }
  ~TapeScope() { Engine::get().end_tape(); }
  TapeScope(const TapeScope&) = delete;
  TapeScope& operator=(const TapeScope&) = delete;
};

}  // namespace

ValueAndGrads value_and_grads(const TensorsFn& f, std::span<const Tensor> xs, const Tensor& dy) {
  TapeScope tape;
  ValueAndGrads out;
  out.value = f(xs);
  out.grads = Engine::get().grad(out.value, dy, xs);
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!out.grads[i].defined()) out.grads[i] = apply1(get_op("zerosLike"), {xs[i]});
  }
  return out;
}

ValueAndGrad value_and_grad(const TensorFn& f, const Tensor& x, const Tensor& dy) {
  ValueAndGrads both = value_and_grads([&](std::span<const Tensor> xs) { return f(xs[0]); }, {&x, 1}, dy);
  return {std::move(both.value), std::move(both.grads[0])};
}

Tensor grad(const TensorFn& f, const Tensor& x, const Tensor& dy) { return value_and_grad(f, x, dy).grad; }

Tensor custom_gradient(const TensorsFn& f, GradientFn gradient, std::span<const Tensor> inputs) {
  const Tensor result = f(inputs);
  const auto fn = [gradient = std::move(gradient), result](std::span<const Tensor> dys) { return gradient(dys[0], result); };
  return Engine::get().custom_grad(inputs, {&result, 1}, fn).at(0);
}

}  // namespace tsr
