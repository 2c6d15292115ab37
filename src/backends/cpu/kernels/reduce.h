// Reductions over the middle of [outer, reduce, inner], to [outer, inner].
//
// A reduction over several axes is brought to this form by merging neighbouring axes, else by a transpose (transpose.h).
// Float sums are pairwise over short runs, so the error grows with the logarithm of the count; the order depends on the shape
// alone, never on the number of threads. int32 is exact and wraps. Over nothing (reduce = 0): sum 0, product 1, max and min the
// lowest and highest value of the type (infinities for floats), any false, all true, mean NaN, argmax and argmin 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"

namespace tsr::cpu {

struct ReduceShape {
  int64_t outer = 1, reduce = 1, inner = 1;
};

enum class ReduceOp : uint8_t { kSum, kMean, kProd, kMax, kMin };  ///< max and min: NaN if there is one

/// For reduce_f32, reduce_i32 and arg_reduce_*. Depends on the shape only.
size_t reduce_scratch_bytes(const ReduceShape& shape, int threads);

void reduce_f32(ReduceOp op, const ReduceShape& shape, const float* x, float* y, std::byte* scratch, ThreadPool& pool);
/// kMean is not defined for int32 (throws).
void reduce_i32(ReduceOp op, const ReduceShape& shape, const int32_t* x, int32_t* y, std::byte* scratch, ThreadPool& pool);

/// Index along `reduce` of the first largest (or smallest) value. NaN counts as both; the first NaN wins.
void arg_max_f32(const ReduceShape& shape, const float* x, int32_t* y, ThreadPool& pool);
void arg_min_f32(const ReduceShape& shape, const float* x, int32_t* y, ThreadPool& pool);
void arg_max_i32(const ReduceShape& shape, const int32_t* x, int32_t* y, ThreadPool& pool);
void arg_min_i32(const ReduceShape& shape, const int32_t* x, int32_t* y, ThreadPool& pool);

/// Of bools, one byte each; any byte but 0 is true, results are 0 or 1.
void reduce_any(const ReduceShape& shape, const uint8_t* x, uint8_t* y, ThreadPool& pool);
void reduce_all(const ReduceShape& shape, const uint8_t* x, uint8_t* y, ThreadPool& pool);

}  // namespace tsr::cpu
