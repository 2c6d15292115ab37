// Max and average pooling over windows of an NHWC image, float32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"

namespace tsr::cpu {

struct PoolParams {
  int64_t batch = 1, in_h = 0, in_w = 0, channels = 0;
  int64_t out_h = 0, out_w = 0;
  int64_t k_h = 1, k_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dil_h = 1, dil_w = 1;
  int64_t pad_top = 0, pad_left = 0;
};

/// The largest value of each window inside the image; NaN if there is one. A window wholly outside gives -infinity.
void max_pool(const PoolParams& params, const float* x, float* y, ThreadPool& pool);
/// The mean of each window's values inside the image (padding does not count). A window wholly outside gives NaN.
void avg_pool(const PoolParams& params, const float* x, float* y, ThreadPool& pool);

/// dx from dy: each dy goes to the first largest value of its window (in row-major order; NaN counts as largest). Overwrites dx.
void max_pool_backprop(const PoolParams& params, const float* x, const float* dy, float* dx, ThreadPool& pool);
/// dx from dy: each dy is shared equally by its window's values inside the image. Overwrites dx.
void avg_pool_backprop(const PoolParams& params, const float* dy, float* dx, ThreadPool& pool);

}  // namespace tsr::cpu
