#include "backends/cpu/generic_launch.h"

#include <algorithm>
#include <vector>

#include "ir/kernel.h"
#include "simd/tile_program.h"

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

// Any group as a tile program.
class TileLaunch : public Launch {
 public:
  TileLaunch(const Group& group, ThreadPool& pool) : pool_(pool) {
    kernel_ = lower(group);
    std::vector<Shape> shapes;
    for (const GroupOperand& o : group.operands) shapes.push_back(o.type.shape);
    program_ = simd::TileProgram::compile(kernel_, shapes, group.result().shape);
    part_ = (program_.scratch_bytes() + 63) / 64 * 64;
    // Parts of about 20 us: long enough to be worth a thread's attention, short enough to balance.
    const double per_part = 20000.0 / std::max(program_.cost(), 0.01);
    const int64_t grain = std::max<int64_t>(program_.grain(), 1);
    grain_ = std::max<int64_t>(1, static_cast<int64_t>(per_part) / grain) * grain;
    if (ir::is_elementwise(kernel_)) {
      for (size_t i = 0; i < group.operands.size() && in_place_ < 0; ++i) {
        const TensorType& t = group.operands[i].type;
        if (t.shape == group.result().shape && size_of(t.dtype) == size_of(group.result().dtype)) in_place_ = static_cast<int>(i);
      }
    }
  }
  size_t scratch_bytes() const override { return part_ * static_cast<size_t>(pool_.size()); }
  void run(std::span<const BufferView> operands, BufferView out, std::byte* scratch) override {
    constexpr size_t kInline = 16;
    const void* small[kInline];
    std::vector<const void*> large;
    std::span<const void*> in(small, operands.size());
    if (operands.size() > kInline) {
      large.resize(operands.size());
      in = large;
    }
    for (size_t i = 0; i < operands.size(); ++i) in[i] = operands[i].host;
    pool_.parallel_for_slots(0, program_.size(), grain_, [&](int64_t begin, int64_t end, int slot) {
      program_.run(in, out.host, kernel_.params, begin, end, scratch + static_cast<size_t>(slot) * part_);
    });
  }
  void update(const Group& group) override { kernel_.params = lower(group).params; }
  int in_place_operand() const override { return in_place_; }
  std::string describe() const override { return kernel_.name; }

 private:
  ThreadPool& pool_;
  ir::Kernel kernel_;
  simd::TileProgram program_;
  size_t part_ = 0;
  int64_t grain_ = 1;
  int in_place_ = -1;
};

}  // namespace

std::unique_ptr<Launch> make_generic_launch(const Group& group, ThreadPool& pool) {
  if (const ElementwiseFn fn = elementwise_code(group)) return std::make_unique<ElementwiseLaunch>(group, fn, pool);
  return std::make_unique<TileLaunch>(group, pool);
}

}  // namespace tsr::cpu
