#include "backends/cpu/tuned_launch.h"

#include "backends/cpu/generic_launch.h"

namespace tsr::cpu {

TunedLaunch::TunedLaunch(const Group& group, std::unique_ptr<TunedKernel> kernel, EpiloguePlan epilogue, bool in_epilogue,
                         ThreadPool& pool)
    : kernel_(std::move(kernel)), epilogue_(std::move(epilogue)) {
  const Shape& out = group.result().shape;
  columns_ = out.rank() ? out.back() : 1;
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

std::unique_ptr<TunedLaunch> TunedLaunch::make(const Group& group, ThreadPool& pool) {
  const auto it = tuned_table().find(group.anchor().op->name);
  if (it == tuned_table().end()) return nullptr;
  // Values of the anchor that a later node reads again must survive: the matcher stops there, and so does the tail, which
  // sees the anchor's result alone. A group whose tail needs an earlier value goes to the generic launch.
  EpiloguePlan epilogue;
  if (it->second.takes_epilogue) epilogue = match_epilogue(group);
  const auto c = static_cast<uint32_t>(epilogue.consumed);
  for (size_t i = c; i < group.nodes.size(); ++i) {
    for (GroupRef r : group.nodes[i].inputs) {
      if (r.internal && r.index + 1 < c) return nullptr;
    }
  }
  if (size_of(group.nodes[c - 1].type.dtype) != size_of(group.result().dtype)) return nullptr;
  std::unique_ptr<TunedKernel> kernel = it->second.make(group, pool);
  if (!kernel) return nullptr;
  return std::unique_ptr<TunedLaunch>(
      new TunedLaunch(group, std::move(kernel), std::move(epilogue), it->second.takes_epilogue, pool));
}

size_t TunedLaunch::scratch_bytes() const {
  return std::max(kernel_->scratch_bytes(), tail_ ? tail_->scratch_bytes() : size_t{0});
}

Epilogue TunedLaunch::epilogue(std::span<const BufferView> operands) const {
  Epilogue e = epilogue_.fixed;
  const auto floats = [&](int i) {
    return i < 0 ? nullptr : reinterpret_cast<const float*>(operands[static_cast<size_t>(i)].host);
  };
  e.bias = floats(epilogue_.bias);
  e.residual = floats(epilogue_.residual);
  e.slope = floats(epilogue_.slope);
  e.residual_stride = columns_;
  return e;
}

void TunedLaunch::run(std::span<const BufferView> operands, BufferView out, std::byte* scratch) {
  Epilogue e = epilogue(operands);
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

void TunedLaunch::update(const Group& group) {
  kernel_->update(group.nodes[0]);
  epilogue_.fixed = match_epilogue(group).fixed;
  if (tail_) tail_->update(tail_group(group));
  if (chain_) chain_->update(tail_group(group));
}

bool TunedLaunch::reads_operand(int i) const {
  return kernel_->reads_operand(i) || tail_ || chain_ || i == epilogue_.bias || i == epilogue_.residual || i == epilogue_.slope;
}

std::string TunedLaunch::describe() const {
  if (chain_) return kernel_->describe() + epilogue_.text + "+" + tail_names_ + (chain_->emitted() ? "[emitted]" : "");
  return kernel_->describe() + epilogue_.text + (tail_ ? " then " + tail_->describe() : "");
}

void TunedLaunch::apply_chain(void* self, float* values, int64_t row, int64_t col, int64_t n) {
  const auto& launch = *static_cast<TunedLaunch*>(self);
  const int64_t begin = row * launch.columns_ + col;
  alignas(64) std::byte scratch[kTailScratch];
  std::byte* out = launch.tail_operands_.back().host;
  check(reinterpret_cast<std::byte*>(values) == out + begin * static_cast<int64_t>(sizeof(float)),
        "a kernel passed other values to its epilogue than those of its result");
  launch.chain_->run(launch.tail_operands_, out, begin, begin + n, scratch);
}

// The nodes after the epilogue, over the same operands and the anchor's result.
Group TunedLaunch::tail_group(const Group& group) const {
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

}  // namespace tsr::cpu
