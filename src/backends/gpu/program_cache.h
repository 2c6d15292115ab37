// ProgramCache: compiled shaders by the structure of their kernel. Shapes and parameter values are not part of it, so one
// program serves every size; a hit is verified, never trusted to its hash.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "backends/gpu/driver.h"
#include "backends/gpu/target.h"
#include "ir/kernel.h"

namespace tsr::gpu {

/// A program on the device. Shared by launches; the cache lets go of it last.
struct Program {
  uint32_t id = 0;
  uint32_t epoch = 0;
  emit::LaunchLayout layout;
  ir::Kernel kernel;  ///< what it was compiled from
};

class ProgramCache {
 public:
  /// Unused programs beyond this many are dropped, least recently used first. A large model has some two hundred.
  static constexpr size_t kMaxPrograms = 1024;

  ProgramCache(GpuDriver& driver, const Target& target) : driver_(&driver), target_(&target) {}
  ~ProgramCache();

  /// The program of a kernel of this structure. Throws kUnsupported when it needs more inputs or parameters than the device has.
  std::shared_ptr<const Program> get(const ir::Kernel& kernel, uint32_t epoch);
  /// Drops what is unused over the cap. Call when no unsent command names a program.
  void trim();
  /// The driver lost them.
  void forget();
  size_t size() const { return lru_.size(); }

 private:
  using Entry = std::shared_ptr<const Program>;
  GpuDriver* driver_;
  const Target* target_;
  std::list<Entry> lru_;  // most recently used first
  std::unordered_multimap<uint64_t, std::list<Entry>::iterator> index_;
  uint32_t next_id_ = 1;
};

}  // namespace tsr::gpu
