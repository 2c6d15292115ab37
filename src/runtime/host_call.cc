#include "runtime/host_call.h"

namespace tsr {
namespace {

bool is_static(const Shape& s) {
  for (int64_t d : s) {
    if (d < 0) return false;
  }
  return true;
}

class AllocatingCtx : public HostCtx {
 public:
  AllocatingCtx(const OpDef& op, const Attrs& attrs, std::span<const TypedStorage> inputs, std::span<const TensorType> types)
      : op_(op), attrs_(attrs), made_(types.size()), out_(types.size()) {
    for (const TypedStorage& t : inputs) {
      HostTensor h{t.type, t.storage->host(), nullptr};
      if (t.type.dtype == DType::kString) h.strings = &t.storage->strings();
      in_.push_back(h);
    }
    for (size_t i = 0; i < types.size(); ++i) {
      out_[i].type = types[i];
      if (is_static(types[i].shape)) allocate(static_cast<int>(i), types[i].shape);
    }
  }
  int num_inputs() const override { return static_cast<int>(in_.size()); }
  const HostTensor& in(int k) const override { return in_.at(static_cast<size_t>(k)); }
  HostTensor& out(int k) override { return out_.at(static_cast<size_t>(k)); }
  HostTensor& allocate(int k, const Shape& shape) override {
    HostTensor& t = out(k);
    t.type.shape = shape;
    TypedStorage& made = made_.at(static_cast<size_t>(k));
    made.type = t.type;
    made.storage = Ref<Storage>(new Storage(t.type.dtype, shape.size()));
    if (t.type.dtype == DType::kString) {
      made.storage->set_strings(std::vector<std::string>(static_cast<size_t>(shape.size())));
      t.strings = &made.storage->strings();
    } else if (shape.size() > 0) {
      Ref<HostBuffer> buffer(new HostBuffer(made.storage->logical_bytes()));
      t.bytes = buffer->data();
      made.storage->set_host(std::move(buffer));
    }
    return t;
  }
  const Attrs& raw_attrs() const override { return attrs_; }
  std::vector<TypedStorage> take() {
    for (TypedStorage& t : made_) {
      check(static_cast<bool>(t.storage), "host op '", op_.name, "' left an output unallocated");
      if (t.type.dtype == DType::kString) t.storage->set_strings(std::vector<std::string>(t.storage->strings()));
    }
    return std::move(made_);
  }

 private:
  const OpDef& op_;
  const Attrs& attrs_;
  std::vector<HostTensor> in_;
  std::vector<TypedStorage> made_;
  std::vector<HostTensor> out_;
};

}  // namespace

std::vector<TypedStorage> call_host_op(const OpDef& op, const Attrs& attrs, std::span<const TypedStorage> inputs,
                                       std::span<const TensorType> types) {
  check(op.host != nullptr, "op '", op.name, "' is not a host op");
  AllocatingCtx ctx(op, attrs, inputs, types);
  op.host(ctx);
  return ctx.take();
}

}  // namespace tsr
