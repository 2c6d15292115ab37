#include "backends/cpu/cpu_device.h"

#include "backends/cpu/chain.h"
#include "backends/cpu/generic_launch.h"

namespace tsr::cpu {
namespace {

// A tuned kernel for the anchor, its epilogue, and what is left of the tail as a generic launch over the result, in place.
class TunedLaunch : public Launch {
 public:
  TunedLaunch(const Group& group, std::unique_ptr<TunedKernel> kernel, EpiloguePlan epilogue, bool in_epilogue, ThreadPool& pool)
      : kernel_(std::move(kernel)), epilogue_(std::move(epilogue)) {
    if (epilogue_.consumed == group.nodes.size()) return;
    const Group tail = tail_group(group);
    // Best applied while a part of the result is in the cache; else in a pass of its own.
    if (in_epilogue && group.result().dtype == DType::kFloat32) {
      chain_ = Chain::compile(tail);
      if (chain_ && chain_->scratch_bytes() <= kTailScratch) {
        for (const GroupNode& n : tail.nodes) tail_names_ += (tail_names_.empty() ? "" : "+") + std::string(n.op->name);
        return;
      }
      chain_ = nullptr;
    }
    tail_ = make_generic_launch(tail, pool);
  }

  size_t scratch_bytes() const override {
    return std::max(kernel_->scratch_bytes(), tail_ ? tail_->scratch_bytes() : size_t{0});
  }

  void run(std::span<const BufferView> operands, BufferView out, std::byte* scratch) override {
    Epilogue e = epilogue_.fixed;
    const auto floats = [&](int i) { return i < 0 ? nullptr : reinterpret_cast<const float*>(operands[static_cast<size_t>(i)].host); };
    e.bias = floats(epilogue_.bias);
    e.residual = floats(epilogue_.residual);
    e.slope = floats(epilogue_.slope);
    e.residual_stride = columns_;
    if (chain_ || tail_) {
      tail_operands_.assign(operands.begin(), operands.end());
      tail_operands_.push_back(out);  // the anchor's result is the tail's last operand
    }
    if (chain_) {
      chain_->warm();
      e.fn = apply_chain;
      e.ctx = this;
    }
    kernel_->run(operands, out.host, e, scratch);
    if (tail_) tail_->run(tail_operands_, out, scratch);
  }

  void update(const Group& group) override {
    kernel_->update(group.nodes[0]);
    epilogue_.fixed = match_epilogue(group).fixed;
    if (tail_) tail_->update(tail_group(group));
    if (chain_) chain_->update(tail_group(group));
  }

  bool reads_operand(int i) const override {
    return kernel_->reads_operand(i) || tail_ || chain_ || i == epilogue_.bias || i == epilogue_.residual || i == epilogue_.slope;
  }
  std::string describe() const override {
    if (chain_) return kernel_->describe() + epilogue_.text + "+" + tail_names_ + (chain_->emitted() ? "[emitted]" : "");
    return kernel_->describe() + epilogue_.text + (tail_ ? " then " + tail_->describe() : "");
  }

  void set_columns(int64_t columns) { columns_ = columns; }

 private:
  // A chain's memory during a call from within a kernel, on the stack of whichever thread runs it.
  static constexpr size_t kTailScratch = size_t{48} << 10;

  static void apply_chain(void* self, float* values, int64_t row, int64_t col, int64_t n) {
    const auto& launch = *static_cast<TunedLaunch*>(self);
    const int64_t begin = row * launch.columns_ + col;
    alignas(64) std::byte scratch[kTailScratch];
    std::byte* out = launch.tail_operands_.back().host;
    check(reinterpret_cast<std::byte*>(values) == out + begin * static_cast<int64_t>(sizeof(float)), "a kernel passed other values to its epilogue than those of its result");
    launch.chain_->run(launch.tail_operands_, out, begin, begin + n, scratch);
  }

  // The nodes after the epilogue, over the same operands and the anchor's result.
  Group tail_group(const Group& group) const {
    Group tail;
    tail.operands = group.operands;
    const auto c = static_cast<uint32_t>(epilogue_.consumed);
    tail.operands.push_back({group.nodes[c - 1].type, {}});
    for (size_t i = c; i < group.nodes.size(); ++i) {
      GroupNode n = group.nodes[i];
      for (GroupRef& r : n.inputs) {
        if (!r.internal) continue;
        r = r.index == c - 1 ? GroupRef{false, static_cast<uint32_t>(group.operands.size())} : GroupRef{true, r.index - c};
      }
      tail.nodes.push_back(std::move(n));
    }
    return tail;
  }

  std::unique_ptr<TunedKernel> kernel_;
  EpiloguePlan epilogue_;
  std::unique_ptr<Launch> tail_;
  std::unique_ptr<Chain> chain_;
  std::string tail_names_;
  std::vector<BufferView> tail_operands_;
  int64_t columns_ = 0;
};

}  // namespace

std::map<std::string_view, TunedEntry>& tuned_table() {
  static std::map<std::string_view, TunedEntry> table;
  return table;
}

CpuDevice::CpuDevice() : pool_(std::make_unique<ThreadPool>(0)) {}

void CpuDevice::set_threads(int n) {
  const int wanted = n == 0 ? ThreadPool::available_cores() : n;
  if (wanted == pool_->size()) return;
  const int before = pool_->size();
  // Launches refer to the pool object by address: replace its insides, not the object.
  std::destroy_at(pool_.get());
  std::construct_at(pool_.get(), wanted);
  if (pool_->size() != before) ++epoch_;  // a build without threads keeps the one it has
}

Progress CpuDevice::run(Launch& launch, std::span<const BufferView> operands, BufferView out, std::byte* scratch,
                        const Deadline& deadline, int64_t& resume) {
  if (deadline.is_never() || pool_->size() > 1) {
    launch.run(operands, out, scratch);
    return Progress::kDone;
  }
  ThreadPool::Instalments state{resume};
  const auto budget = std::chrono::microseconds(static_cast<int64_t>(deadline.left_ms() * 1000));
  const bool done = pool_->run_instalment(state, budget, [&] { launch.run(operands, out, scratch); });
  resume = state.chunks_done;
  return done ? Progress::kDone : Progress::kMore;
}

std::unique_ptr<Launch> CpuDevice::compile(const Group& group) {
  const auto it = tuned_table().find(group.anchor().op->name);
  if (it != tuned_table().end()) {
    // Values of the anchor that a later node reads again must survive: the matcher stops there, and so does the tail, which
    // sees the anchor's result alone. A group whose tail needs an earlier value goes to the generic launch.
    EpiloguePlan epilogue;
    if (it->second.takes_epilogue) epilogue = match_epilogue(group);
    const auto c = static_cast<uint32_t>(epilogue.consumed);
    bool tail_ok = true;
    for (size_t i = c; i < group.nodes.size(); ++i) {
      for (GroupRef r : group.nodes[i].inputs) tail_ok = tail_ok && !(r.internal && r.index + 1 < c);
    }
    const bool same_size = group.nodes[c - 1].type.dtype == group.result().dtype ||
                           size_of(group.nodes[c - 1].type.dtype) == size_of(group.result().dtype);
    if (tail_ok && same_size) {
      if (std::unique_ptr<TunedKernel> kernel = it->second.make(group, *pool_)) {
        auto launch = std::make_unique<TunedLaunch>(group, std::move(kernel), std::move(epilogue), it->second.takes_epilogue, *pool_);
        const Shape& out = group.result().shape;
        launch->set_columns(out.rank() ? out.back() : 1);
        return launch;
      }
    }
  }
  return make_generic_launch(group, *pool_);
}

namespace {
const bool kRegistered = [] {
  register_device("cpu", [] { return std::make_unique<CpuDevice>(); });
  return true;
}();
}  // namespace

}  // namespace tsr::cpu
