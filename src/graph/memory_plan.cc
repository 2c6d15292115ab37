#include "graph/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace tsr {
namespace {

constexpr size_t kAlign = 64;  // a cache line, and the widest vector

bool overlap(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

size_t aligned(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

}  // namespace

MemoryPlan plan_memory(std::span<Lifetime> blocks) {
  MemoryPlan plan;
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });

  std::vector<size_t> placed;  // ordered by offset
  for (size_t i : order) {
    Lifetime& block = blocks[i];
    const size_t bytes = aligned(block.bytes);
    size_t at = 0;
    for (size_t p : placed) {
      if (!overlap(blocks[p], block)) continue;
      if (blocks[p].offset >= at + bytes) break;
      at = std::max(at, blocks[p].offset + aligned(blocks[p].bytes));
    }
    constexpr size_t kMost = ~size_t{0} / 2;  // no sum of an offset and a size wraps
    if (bytes > kMost || at > kMost - bytes) {
      fail(ErrorCode::kOutOfMemory, "the intermediate results of this computation need more memory than there are addresses");
    }
    block.offset = at;
    plan.arena_bytes = std::max(plan.arena_bytes, at + bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](size_t a, size_t b) { return blocks[a].offset < blocks[b].offset; }),
                  i);
  }

  // Slots: in order of first use, the free slot whose size fits best; a new one when none is free.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a].first < blocks[b].first; });
  std::vector<uint32_t> busy_until;
  for (size_t i : order) {
    Lifetime& block = blocks[i];
    size_t best = busy_until.size();
    size_t best_waste = ~size_t{0};
    for (size_t s = 0; s < busy_until.size(); ++s) {
      if (busy_until[s] >= block.first) continue;
      const size_t have = plan.slot_bytes[s];
      const size_t waste = have > block.bytes ? have - block.bytes : block.bytes - have;
      if (waste < best_waste) {
        best = s;
        best_waste = waste;
      }
    }
    if (best == busy_until.size()) {
      busy_until.push_back(0);
      plan.slot_bytes.push_back(0);
    }
    block.slot = static_cast<uint32_t>(best);
    busy_until[best] = block.last;
    plan.slot_bytes[best] = std::max(plan.slot_bytes[best], block.bytes);
  }
  return plan;
}

}  // namespace tsr
