// Kernels that move elements without arithmetic: transpose, concat, slice, pad, gather; and widening of narrow storage.
//
// They work on elements of 1, 2, 4 or 8 bytes, whatever those mean, in dense row-major tensors of rank up to kMaxRank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/shape.h"
#include "base/thread_pool.h"
#include "core/stored_form.h"

namespace tsr::cpu {

/// y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]: y's axis d is x's axis perm[d]. y must not overlap x.
void transpose(const Shape& x_shape, std::span<const int> perm, size_t element_bytes, const void* x, void* y, ThreadPool& pool);

/// One input of a concat, seen as [outer, bytes].
struct ConcatInput {
  const void* data = nullptr;
  int64_t row_bytes = 0;  ///< bytes of one outer row: the product of the axes from the concat axis on, times the element size
};
/// Lays the rows of the inputs one after another: y is [outer, sum of row_bytes].
void concat(int64_t outer, std::span<const ConcatInput> inputs, void* y, ThreadPool& pool);

/// y[i] = x[begin + i * step] for each axis; y has shape `size`. Steps may be negative, but not 0. The caller has checked the range.
void strided_slice(const Shape& x_shape, const Shape& begin, const Shape& step, const Shape& size, size_t element_bytes, const void* x,
                   void* y, ThreadPool& pool);

/// Writes x (of shape `size`) into y at begin + i * step: the reverse of strided_slice; elements between are left alone.
void strided_write(const Shape& y_shape, const Shape& begin, const Shape& step, const Shape& size, size_t element_bytes, const void* x,
                   void* y, ThreadPool& pool);

/// y has `before[d]` elements more before x and `after[d]` behind it in each axis, all of them `value` (element_bytes bytes).
/// Negative counts crop.
void pad_constant(const Shape& x_shape, const Shape& before, const Shape& after, size_t element_bytes, const void* value, const void* x,
                  void* y, ThreadPool& pool);

enum class MirrorMode : uint8_t {
  kReflect,    ///< the edge is not repeated: c b | a b c | b a
  kSymmetric,  ///< the edge is repeated: b a | a b c | c b
};
/// Counts must not exceed the extent (kSymmetric), or the extent less 1 (kReflect).
void pad_mirror(const Shape& x_shape, const Shape& before, const Shape& after, MirrorMode mode, size_t element_bytes, const void* x,
                void* y, ThreadPool& pool);

/// y[o, i, :] = x[o, indices[i], :]: x is [outer, axis, row_bytes], y [outer, count, row_bytes]. An index outside [0, axis) gives
/// zero bytes.
void gather(int64_t outer, int64_t axis, int64_t row_bytes, std::span<const int32_t> indices, const void* x, void* y, ThreadPool& pool);

/// tsr::widen (core/stored_form.h) over the pool.
void widen(const StoredForm& form, const void* x, int64_t n, float* y, ThreadPool& pool);

}  // namespace tsr::cpu
