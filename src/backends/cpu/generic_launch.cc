#include "backends/cpu/generic_launch.h"

#include "ir/kernel.h"

namespace tsr::cpu {
namespace {

// Ahead-of-time code of a single elementwise op whose inputs are whole tensors of the result's shape or single elements.
class ElementwiseLaunch : public Launch {
 public:
  ElementwiseLaunch(const Group& group, ElementwiseFn fn, ThreadPool& pool)
      : fn_(fn), pool_(pool), name_(group.anchor().op->name), attrs_(group.anchor().attrs), out_(group.result()) {
    for (GroupRef r : group.anchor().inputs) {
      operands_.push_back(r.index);
      const TensorType& t = group.operands[r.index].type;
      dtypes_.push_back(t.dtype);
      steps_.push_back(t.shape.size() == 1 && out_.shape.size() != 1 ? 0 : 1);
      if (steps_.back() == 1 && size_of(t.dtype) == size_of(out_.dtype) && in_place_ < 0) in_place_ = static_cast<int>(r.index);
    }
    if (group.operands.size() != operands_.size()) in_place_ = -1;  // an operand is read twice: keep it simple
  }
  void run(std::span<const BufferView> operands, BufferView out, std::byte*) override {
    // 16 K elements take a few microseconds: less is not worth another thread.
    pool_.parallel_for(0, out_.shape.size(), 16384, [&](int64_t begin, int64_t end) {
      const void* in[kMaxInputs];
      for (size_t i = 0; i < operands_.size(); ++i) {
        in[i] = operands[operands_[i]].host + (steps_[i] ? static_cast<size_t>(begin) * size_of(dtypes_[i]) : 0);
      }
      ElementwiseArgs args;
      args.in = in;
      args.step = steps_.data();
      args.in_dtype = dtypes_.data();
      args.out = out.host + static_cast<size_t>(begin) * size_of(out_.dtype);
      args.out_dtype = out_.dtype;
      args.n = end - begin;
      args.attrs = &attrs_;
      check(fn_(args), "elementwise code of '", name_, "' refused dtypes that it took before");
    });
  }
  void update(const Group& group) override { attrs_ = group.anchor().attrs; }
  int in_place_operand() const override { return in_place_; }
  std::string describe() const override { return name_; }

  static constexpr size_t kMaxInputs = 4;

 private:
  ElementwiseFn fn_;
  ThreadPool& pool_;
  const char* name_;
  Attrs attrs_;
  TensorType out_;
  std::vector<uint32_t> operands_;
  std::vector<DType> dtypes_;
  std::vector<uint8_t> steps_;
  int in_place_ = -1;
};

// The ahead-of-time code of a group that is one elementwise op over fitting shapes, or null.
ElementwiseFn elementwise_code(const Group& group) {
  if (group.nodes.size() != 1) return nullptr;
  const GroupNode& n = group.anchor();
  if (!n.op->elementwise || !n.op->elementwise_fn || n.inputs.size() > ElementwiseLaunch::kMaxInputs) return nullptr;
  std::vector<DType> dtypes;
  std::vector<uint8_t> steps;
  for (GroupRef r : n.inputs) {
    const TensorType& t = group.operands[r.index].type;
    if (t.shape.size() != 1 && !(t.shape == n.type.shape)) return nullptr;
    dtypes.push_back(t.dtype);
    steps.push_back(t.shape.size() == 1 && n.type.shape.size() != 1 ? 0 : 1);
  }
  const ElementwiseFn fn = n.op->elementwise_fn();
  if (!fn) return nullptr;
  // Asked with nothing to do, it says whether it has code for these dtypes.
  ElementwiseArgs probe;
  const void* none[ElementwiseLaunch::kMaxInputs] = {};
  probe.in = none;
  probe.step = steps.data();
  probe.in_dtype = dtypes.data();
  probe.out_dtype = n.type.dtype;
  probe.attrs = &n.attrs;
  return fn(probe) ? fn : nullptr;
}

class InterpretedLaunch : public Launch {
 public:
  explicit InterpretedLaunch(const Group& group) { update(group); }
  void run(std::span<const BufferView> operands, BufferView out, std::byte*) override {
    std::vector<ir::InputView> in;
    for (size_t i = 0; i < types_.size(); ++i) in.push_back({operands[i].host, types_[i].dtype, types_[i].shape});
    ir::interpret(kernel_, in, out_.shape, out.host);
  }
  void update(const Group& group) override {
    kernel_ = lower(group);
    types_.clear();
    for (const GroupOperand& o : group.operands) types_.push_back(o.type);
    out_ = group.result();
  }
  std::string describe() const override { return kernel_.name + "[interpreted]"; }

 private:
  ir::Kernel kernel_;
  std::vector<TensorType> types_;
  TensorType out_;
};

}  // namespace

std::unique_ptr<Launch> make_generic_launch(const Group& group, ThreadPool& pool) {
  if (const ElementwiseFn fn = elementwise_code(group)) return std::make_unique<ElementwiseLaunch>(group, fn, pool);
  return std::make_unique<InterpretedLaunch>(group);
}

}  // namespace tsr::cpu
