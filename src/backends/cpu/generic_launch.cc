#include "backends/cpu/generic_launch.h"

#include <algorithm>
#include <vector>

#include "backends/cpu/chain.h"
#include "ir/kernel.h"
#include "simd/tile_program.h"

namespace tsr::cpu {
namespace {

// Elementwise ops by their ahead-of-time code.
class ChainLaunch : public Launch {
 public:
  ChainLaunch(const Group& group, std::unique_ptr<Chain> chain, ThreadPool& pool) : chain_(std::move(chain)), pool_(pool) {
    for (const GroupNode& n : group.nodes) name_ += (name_.empty() ? "" : "+") + std::string(n.op->name);
  }
  size_t scratch_bytes() const override { return chain_->scratch_bytes() * static_cast<size_t>(pool_.size()); }
  void run(std::span<const BufferView> operands, BufferView out, std::byte* scratch) override {
    chain_->warm();
    // 16 K elements of one op take a few microseconds: less is not worth another thread.
    const int64_t grain = std::max<int64_t>(2048, 16384 / static_cast<int64_t>(chain_->ops()));
    pool_.parallel_for_slots(0, chain_->size(), grain, [&](int64_t begin, int64_t end, int slot) {
      chain_->run(operands, out.host, begin, end, scratch + static_cast<size_t>(slot) * chain_->scratch_bytes());
    });
  }
  void update(const Group& group) override { chain_->update(group); }
  int in_place_operand() const override { return chain_->in_place_operand(); }
  std::string describe() const override { return chain_->emitted() ? name_ + "[emitted]" : name_; }

 private:
  std::unique_ptr<Chain> chain_;
  ThreadPool& pool_;
  std::string name_;
};

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
  if (std::unique_ptr<Chain> chain = Chain::compile(group)) return std::make_unique<ChainLaunch>(group, std::move(chain), pool);
  return std::make_unique<TileLaunch>(group, pool);
}

}  // namespace tsr::cpu
