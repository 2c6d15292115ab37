#include "backends/gpu/buffer_pool.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace tsr::gpu {
namespace {

/// The next number of the form m * 2^k with m in 4..7.
uint64_t quarter_power(uint64_t n) {
  if (n <= 4) return n;
  const int shift = std::bit_width(n - 1) - 3;
  return shift <= 0 ? n : (((n - 1) >> shift) + 1) << shift;
}

}  // namespace

MemoryDesc BufferPool::describe(Element element, uint64_t count, uint32_t max_texture_size) {
  const uint64_t texels = std::max<uint64_t>(1, (count + 3) / 4);
  MemoryDesc d;
  d.element = element;
  if (max_texture_size == 0) {
    // 256 bytes: what WebGPU implementations align buffers to anyway.
    const uint64_t bytes = quarter_power(std::max<uint64_t>(256, texels * 16));
    require(bytes <= 0xFFFFFFF0u, "a GPU tensor of ", bytes, " bytes is too large");
    d.bytes = static_cast<uint32_t>(bytes);
    return d;
  }
  // Small tensors are one row. From 64 texels on the width is the power of two at or above the square root: rows stay short
  // enough that the last one wastes little, and a power of two turns the shader's division into a shift on most compilers.
  uint64_t width = texels <= 64 ? std::bit_ceil(texels) : uint64_t{1} << ((std::bit_width(texels - 1) + 1) / 2);
  width = std::min<uint64_t>(width, std::bit_floor(max_texture_size));
  const uint64_t height = quarter_power((texels + width - 1) / width);
  d.width = static_cast<uint32_t>(width);
  d.height = static_cast<uint32_t>(std::min<uint64_t>(height, std::max<uint64_t>(max_texture_size, (texels + width - 1) / width)));
  require(uint64_t{d.width} * d.height * 16 <= 0xFFFFFFF0u, "a GPU tensor of ", count, " elements is too large");
  d.bytes = d.width * d.height * 16;
  return d;
}

Memory BufferPool::take(Element element, uint64_t count) {
  const Limits& limits = driver_->limits();
  const MemoryDesc desc = describe(element, count, limits.max_texture_size);
  if (limits.max_texture_size > 0 && desc.height > limits.max_texture_size) {
    fail(ErrorCode::kOutOfMemory, "a tensor of ", count, " elements does not fit into the largest texture of this GPU (",
         limits.max_texture_size, "x", limits.max_texture_size, ")");
  }
  if (limits.max_memory_bytes > 0 && desc.bytes > limits.max_memory_bytes) {
    fail(ErrorCode::kOutOfMemory, "a tensor of ", desc.bytes, " bytes is larger than this GPU's largest buffer (",
         limits.max_memory_bytes, " bytes)");
  }
  const std::lock_guard lock(mutex_);
  if (const auto it = free_.find(desc); it != free_.end() && !it->second.empty()) {
    const Memory memory = it->second.back().memory;
    it->second.pop_back();
    free_bytes_ -= desc.bytes;
    return memory;
  }
  Memory memory{.id = next_id_++, .desc = desc, .epoch = epoch_};
  driver_->create_memory(memory.id, desc);
  bytes_ += desc.bytes;
  return memory;
}

void BufferPool::give(const Memory& memory) {
  const std::lock_guard lock(mutex_);
  if (driver_ == nullptr || memory.epoch != epoch_) return;
  free_[memory.desc].push_back({memory, clock_++});
  free_bytes_ += memory.desc.bytes;
}

bool BufferPool::alive(const Memory& memory) const {
  const std::lock_guard lock(mutex_);
  return driver_ != nullptr && driver_->epoch() == memory.epoch && !driver_->lost();
}

void BufferPool::trim() {
  const std::lock_guard lock(mutex_);
  if (driver_ == nullptr || free_bytes_ <= kMaxFreeBytes) return;
  // Oldest first. Each class is a stack whose front is its oldest.
  std::vector<std::pair<uint64_t, Memory>> all;
  for (const auto& [desc, stack] : free_)
    for (const Free& f : stack) all.emplace_back(f.age, f.memory);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  // Down to half the cap, so that the sorting above is rare.
  for (const auto& [age, memory] : all) {
    if (free_bytes_ <= kMaxFreeBytes / 2) break;
    auto& stack = free_[memory.desc];
    stack.erase(stack.begin());
    driver_->destroy_memory(memory.id);
    free_bytes_ -= memory.desc.bytes;
    bytes_ -= memory.desc.bytes;
  }
}

void BufferPool::forget(uint32_t epoch) {
  const std::lock_guard lock(mutex_);
  free_.clear();
  bytes_ = free_bytes_ = 0;
  epoch_ = epoch;
}

void BufferPool::close() {
  const std::lock_guard lock(mutex_);
  driver_ = nullptr;
  free_.clear();
}

size_t BufferPool::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

size_t BufferPool::free_bytes() const {
  const std::lock_guard lock(mutex_);
  return free_bytes_;
}

}  // namespace tsr::gpu
