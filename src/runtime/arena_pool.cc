#include "runtime/arena_pool.h"

#include "base/error.h"

namespace tsr {
namespace {
// Nesting depth of calls in practice; more would only hold memory.
constexpr size_t kMaxFree = 3;
}  // namespace

ArenaPool& ArenaPool::get() {
  static ArenaPool pool;
  return pool;
}

Ref<HostBuffer> ArenaPool::take(size_t bytes) {
  size_t best = free_.size();
  for (size_t i = 0; i < free_.size(); ++i) {
    if (free_[i]->size() >= bytes && (best == free_.size() || free_[i]->size() < free_[best]->size())) best = i;
  }
  if (best < free_.size()) {
    Ref<HostBuffer> block = std::move(free_[best]);
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
    return block;
  }
  try {
    return Ref<HostBuffer>(new HostBuffer(bytes));
  } catch (const Error&) {
    if (free_.empty()) throw;
    trim();
    return Ref<HostBuffer>(new HostBuffer(bytes));
  }
}

void ArenaPool::give_back(Ref<HostBuffer> block) {
  if (!block) return;
  if (free_.size() == kMaxFree) {  // keep the larger ones
    size_t smallest = 0;
    for (size_t i = 1; i < free_.size(); ++i) {
      if (free_[i]->size() < free_[smallest]->size()) smallest = i;
    }
    if (free_[smallest]->size() >= block->size()) return;
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(smallest));
  }
  free_.push_back(std::move(block));
}

}  // namespace tsr
