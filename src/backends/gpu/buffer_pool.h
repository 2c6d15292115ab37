// BufferPool: device memory by size class, reused most recently freed first, so that a plan that runs again gets the same ids
// (which lets drivers keep bind groups and framebuffers).
//
// A freed buffer may be handed out while commands that use it are still queued: the queue runs in order, so that is safe, except
// for uploads, which drivers carry out at once. Whoever uploads looks at Memory::last_use first (see GpuDevice::upload).
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/gpu/driver.h"

namespace tsr::gpu {

struct Memory {
  uint32_t id = 0;
  MemoryDesc desc;
  uint32_t epoch = 0;
  uint64_t last_use = 0;  ///< serial number of the last command list that names it
};

class BufferPool {
 public:
  /// Free memory kept: enough for the intermediates of an image model, little enough for a phone.
  static constexpr size_t kMaxFreeBytes = size_t{128} << 20;

  explicit BufferPool(GpuDriver& driver) : driver_(&driver) {}

  /// Memory for `count` elements (0 is fine), contents undefined. Throws kOutOfMemory naming the size when it cannot be had.
  Memory take(Element element, uint64_t count);
  /// Gives it back. May be called on any thread, also after the device is gone.
  void give(const Memory& memory);
  /// Whether its contents are still there: the device has not been lost since, nor closed.
  bool alive(const Memory& memory) const;
  /// Really frees what is over the cap. Call when no unsent command names free memory.
  void trim();
  /// Forgets everything: the driver lost it.
  void forget(uint32_t epoch);
  /// The driver is about to go: later calls of give() do nothing.
  void close();

  /// Bytes held on the device, free ones included.
  size_t bytes() const;
  size_t free_bytes() const;

  /// How the memory for `count` elements looks. Linear buffers: rounded up to a quarter of a power of two, so that at most a
  /// fifth is wasted and sizes that differ little share a class. Textures: the width is a power of two near the square root.
  static MemoryDesc describe(Element element, uint64_t count, uint32_t max_texture_size);

 private:
  struct KeyHash {
    size_t operator()(const MemoryDesc& d) const {
      return (static_cast<size_t>(d.bytes) * 31 + d.width) * 31 + static_cast<size_t>(d.element);
    }
  };
  struct Free {
    Memory memory;
    uint64_t age;
  };

  mutable std::mutex mutex_;
  GpuDriver* driver_;
  std::unordered_map<MemoryDesc, std::vector<Free>, KeyHash> free_;
  size_t bytes_ = 0, free_bytes_ = 0;
  uint32_t next_id_ = 1, epoch_ = 0;
  uint64_t clock_ = 0;
};

}  // namespace tsr::gpu
