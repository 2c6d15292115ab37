// ArenaPool: host memory for the intermediates of running plans, kept between runs.
#pragma once

#include <cstddef>
#include <vector>

#include "core/storage.h"

namespace tsr {

/// Plans run one after another, nested ones inside: a few blocks serve them all. Blocks that are not in use count as held memory
/// and are dropped first when memory is short.
class ArenaPool {
 public:
  static ArenaPool& get();
  /// A block of at least `bytes`: the smallest free one that fits, or a new one.
  Ref<HostBuffer> take(size_t bytes);
  void give_back(Ref<HostBuffer> block);
  void trim() { free_.clear(); }

 private:
  std::vector<Ref<HostBuffer>> free_;
};

}  // namespace tsr
