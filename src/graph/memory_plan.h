// Memory planning: where each intermediate of a plan lies in the arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tsr {

/// A block that must exist from step `first` to step `last`, both included.
struct Lifetime {
  size_t bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  size_t offset = 0;  ///< result, for devices with one linear arena; a multiple of 64
  uint32_t slot = 0;  ///< result, for devices with separate buffers: blocks of one slot never live at the same time
};

struct MemoryPlan {
  size_t arena_bytes = 0;
  std::vector<size_t> slot_bytes;  ///< size of each slot: that of its largest block
};

/// Places blocks so that those alive at once do not overlap. Largest first, each at the lowest offset where it fits: within a
/// few percent of the optimum on convolutional nets. O(n^2) in the number of blocks, run once a plan.
MemoryPlan plan_memory(std::span<Lifetime> blocks);

}  // namespace tsr
