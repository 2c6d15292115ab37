// Strided copies in any number of dimensions: what transpose, slice and their like come down to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/shape.h"
#include "base/thread_pool.h"

namespace tsr::cpu {

/// One axis of a copy: its extent, and the bytes from one index to the next on either side (negative or 0 allowed in the source).
struct CopyAxis {
  int64_t extent = 0;
  int64_t from = 0;
  int64_t to = 0;
};

/// Copies all elements of the box spanned by `axes` (outermost first in the target's order, at most kMaxRank), split over the pool.
/// Axes of extent 1 are dropped and neighbours that continue each other are merged first.
void nd_copy(size_t element_bytes, const CopyAxis* axes, int rank, const std::byte* from, std::byte* to, ThreadPool& pool);

/// to[c * to_stride + r] = from[r * from_stride + c], on this thread.
void transpose_floats(const float* from, int64_t from_stride, int64_t rows, int64_t cols, float* to, int64_t to_stride);

}  // namespace tsr::cpu
