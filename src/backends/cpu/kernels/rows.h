// Kernels over the rows of a matrix [rows, n], float32: softmax, layer norm, running sums.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"

namespace tsr::cpu {

/// exp(x - max) / sum of the same, per row. y may be x. NaN anywhere in a row, or +infinity, makes the row NaN.
void softmax_rows(int64_t rows, int64_t n, const float* x, float* y, ThreadPool& pool);
/// x - max - log(sum of exp(x - max)), per row. y may be x.
void log_softmax_rows(int64_t rows, int64_t n, const float* x, float* y, ThreadPool& pool);

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta per row; gamma and beta [n] or null. y may be x.
void layer_norm_rows(int64_t rows, int64_t n, const float* x, const float* gamma, const float* beta, float epsilon, float* y,
                     ThreadPool& pool);

/// Running sums (or products) along the middle of [outer, n, inner]. `exclusive` leaves out the element itself, `reverse` runs
/// from the end. Floats are summed in double. y may be x.
void cumsum_f32(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const float* x, float* y, ThreadPool& pool);
void cumsum_i32(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const int32_t* x, int32_t* y, ThreadPool& pool);
void cumprod_f32(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const float* x, float* y, ThreadPool& pool);
void cumprod_i32(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const int32_t* x, int32_t* y, ThreadPool& pool);

}  // namespace tsr::cpu
