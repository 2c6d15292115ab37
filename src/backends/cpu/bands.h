// Bands: groups that follow one another, run together a few rows at a time.
//
// A large image between two layers goes out to a slow cache or to memory and comes back. Here the last group's rows are made band
// by band, and each group before it makes just the rows that the next one needs, into memory that stays in the level-2 cache.
// Each row is made once (by each thread, at the edges of its part), so results are those of the groups run singly. See decision
// 0010.
#pragma once

#include <memory>
#include <span>

#include "backends/cpu/cpu_device.h"

namespace tsr::cpu {

struct BandLimits {
  /// Bytes of an intermediate image from which on it is worth keeping it in the cache: more than many level-2 caches hold.
  size_t least_between = size_t{1280} << 10;
  /// Bytes of rows held for each thread: half of a level-2 cache of today. With half of that, bands are so low that some layers lose a
  /// fifth (measured in WebAssembly).
  size_t memory = size_t{512} << 10;
  /// Bytes of packed weights of a group: with more, its products take so long that memory does not matter.
  size_t weights = size_t{32} << 10;
};

/// How many of the groups, from the first on, are run together: 1 when the first is better run alone. groups[i + 1] reads the
/// result of groups[i] as its anchor's first input, and nothing else does. Costs no more than looking at shapes.
size_t bands_join(std::span<const Group* const> groups, const BandLimits& limits);

/// These groups as one launch; bands_join() gave their number. Operands: those of each group in turn, without the results in
/// between.
std::unique_ptr<Launch> make_bands(std::span<const Group* const> groups, const BandLimits& limits, ThreadPool& pool);

}  // namespace tsr::cpu
