#include "reference.h"

#include <cstring>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "core/tensor_impl.h"
#include "ir/body.h"
#include "ir/kernel.h"

namespace tsr::cases {
namespace {

Reference* g_reference = nullptr;

// Memory nobody wrote reads as this.
constexpr int kPoison = 0xFB;

const std::byte* host_data(const Tensor& t) { return t.impl()->storage->host(); }

class HostCall : public HostCtx {
 public:
  HostCall(std::span<const Tensor> inputs, std::span<const TensorType> types, const Attrs& attrs, bool dynamic)
      : attrs_(attrs), out_(types.size()), bytes_(types.size()), strings_(types.size()) {
    for (const Tensor& t : inputs) {
      in_.push_back({t.type(), t.impl()->storage->host(),
                     t.dtype() == DType::kString ? &t.impl()->storage->strings() : nullptr});
    }
    for (size_t k = 0; k < types.size(); ++k) {
      out_[k].type = types[k];
      if (!dynamic) allocate(static_cast<int>(k), types[k].shape);
    }
  }
  int num_inputs() const override { return static_cast<int>(in_.size()); }
  const HostTensor& in(int k) const override { return in_[static_cast<size_t>(k)]; }
  HostTensor& out(int k) override { return out_[static_cast<size_t>(k)]; }
  HostTensor& allocate(int k, const Shape& shape) override {
    const auto i = static_cast<size_t>(k);
    out_[i].type.shape = shape;
    const auto n = static_cast<size_t>(shape.size());
    if (out_[i].type.dtype == DType::kString) {
      strings_[i].assign(n, "never written");
      out_[i].strings = &strings_[i];
    } else {
      bytes_[i].assign(n * size_of(out_[i].type.dtype) + 16, std::byte{kPoison});
      out_[i].bytes = bytes_[i].data();
    }
    return out_[i];
  }
  const Attrs& raw_attrs() const override { return attrs_; }

  std::vector<Tensor> take() {
    std::vector<Tensor> result;
    for (size_t i = 0; i < out_.size(); ++i) {
      const TensorType& t = out_[i].type;
      if (t.dtype == DType::kString) {
        result.push_back(Tensor::from_strings(strings_[i], t.shape));
        continue;
      }
      const size_t size = static_cast<size_t>(t.shape.size()) * size_of(t.dtype);
      for (size_t g = size; g < bytes_[i].size(); ++g) {
        check(bytes_[i][g] == std::byte{kPoison}, "a host op wrote beyond its output");
      }
      result.push_back(Tensor::from_bytes({bytes_[i].data(), size}, t.dtype, t.shape));
    }
    return result;
  }

 private:
  const Attrs& attrs_;
  std::vector<HostTensor> in_, out_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<std::vector<std::string>> strings_;
};

}  // namespace

std::vector<Tensor> run_on_reference(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
                                     std::span<const TensorType> out_types) {
  if (op.host) {
    HostCall call(inputs, out_types, attrs, op.dynamic_outputs);
    op.host(call);
    return call.take();
  }
  if (op.alias) {
    const TensorType& t = out_types[0];
    if (t.dtype == DType::kString) return {Tensor::from_strings(inputs[0].to_strings(), t.shape)};
    return {Tensor::from_bytes(inputs[0].to_bytes(), t.dtype, t.shape)};
  }
  check(op.body != nullptr, "op '", op.name, "' has neither body nor host function");
  std::vector<TensorType> types;
  std::vector<ir::InputView> views;
  for (const Tensor& t : inputs) {
    types.push_back(t.type());
    views.push_back({host_data(t), t.dtype(), t.shape()});
  }
  std::vector<Tensor> out;
  for (size_t k = 0; k < out_types.size(); ++k) {
    const TensorType& t = out_types[k];
    const ir::Kernel kernel = ir::make_kernel(op, types, t, attrs, static_cast<int>(k));
    std::vector<std::byte> bytes(static_cast<size_t>(t.shape.size()) * size_of(t.dtype), std::byte{kPoison});
    if (t.shape.size() > 0) ir::interpret(kernel, views, t.shape, bytes.data());
    out.push_back(Tensor::from_bytes(bytes, t.dtype, t.shape));
  }
  return out;
}

Reference::Reference() {
  check(g_reference == nullptr, "two reference engines at once");
  g_reference = this;
  previous_ = set_recorder(&Reference::record);
}

Reference::~Reference() {
  set_recorder(previous_);
  g_reference = nullptr;
}

std::vector<Tensor> Reference::record(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs, std::vector<TensorType>& out_types) {
  std::vector<Tensor> out = run_on_reference(op, inputs, attrs, out_types);
  g_reference->tape_.push_back({&op, {inputs.begin(), inputs.end()}, out, std::move(attrs)});
  return out;
}

std::vector<Tensor> Reference::run(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs) {
  return apply(op, inputs, attrs);
}

std::vector<Tensor> Reference::grad(std::span<const Tensor> ys, std::span<const Tensor> dys, std::span<const Tensor> xs) {
  const OpDef& add = get_op("add");
  std::unordered_map<const TensorImpl*, Tensor> grads;
  const auto accumulate = [&](const Tensor& of, const Tensor& g) {
    Tensor& slot = grads[of.impl()];
    slot = slot.defined() ? apply1(add, {slot, g}) : g;
  };
  for (size_t i = 0; i < ys.size(); ++i) accumulate(ys[i], dys[i]);

  std::unordered_set<const TensorImpl*> active;
  for (const Tensor& x : xs) active.insert(x.impl());
  const size_t end = tape_.size();
  for (size_t r = 0; r < end; ++r) {
    bool depends = false;
    for (const Tensor& t : tape_[r].in) depends = depends || active.count(t.impl());
    if (!depends) continue;
    for (const Tensor& t : tape_[r].out) active.insert(t.impl());
  }
  for (size_t r = end; r-- > 0;) {
    const Record rec = tape_[r];  // a copy: vjps append to the tape
    std::vector<Tensor> g;
    bool any = false;
    for (const Tensor& t : rec.out) {
      const auto it = grads.find(t.impl());
      g.push_back(it == grads.end() ? Tensor() : it->second);
      any = any || g.back().defined();
    }
    auto needs = std::make_unique<bool[]>(rec.in.size() + 1);
    bool wanted = false;
    for (size_t i = 0; i < rec.in.size(); ++i) {
      needs[i] = active.count(rec.in[i].impl()) != 0 && rec.in[i].dtype() == DType::kFloat32;
      wanted = wanted || needs[i];
    }
    if (!any || !wanted || rec.op->zero_gradient) continue;
    if (!rec.op->vjp) fail(ErrorCode::kUnsupported, "op '", rec.op->name, "' is not differentiable");
    const VjpCtx ctx{rec.in, rec.out, g, rec.attrs, {needs.get(), rec.in.size()}};
    const std::vector<Tensor> dx = rec.op->vjp(ctx);
    for (size_t i = 0; i < rec.in.size() && i < dx.size(); ++i) {
      if (!needs[i] || !dx[i].defined()) continue;
      check(dx[i].shape() == rec.in[i].shape(), "the gradient of '", rec.op->name, "' in input ", i, " has shape ", dx[i].shape(),
            ", the input ", rec.in[i].shape());
      accumulate(rec.in[i], dx[i]);
    }
  }
  std::vector<Tensor> out;
  for (const Tensor& x : xs) {
    const auto it = grads.find(x.impl());
    out.push_back(it == grads.end() ? Tensor() : it->second);
  }
  return out;
}

}  // namespace tsr::cases
