// Depthwise 2-D convolution, NHWC, filter [k_h, k_w, channels, multiplier], float32; output channel = c * multiplier + q.
//
// The filter is used as it lies: no packing. Filters stored in narrower types are widened first (widen() in copy.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/epilogue.h"
#include "backends/cpu/kernels/image_rows.h"
#include "base/thread_pool.h"

namespace tsr::cpu {

struct DepthwiseParams {
  int64_t batch = 1, in_h = 0, in_w = 0, channels = 0;
  int64_t multiplier = 1;
  int64_t out_h = 0, out_w = 0;  ///< out channels = channels * multiplier
  int64_t k_h = 1, k_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dil_h = 1, dil_w = 1;
  int64_t pad_top = 0, pad_left = 0;
};

/// 0 when the multiplier is 1.
size_t depthwise_scratch_bytes(const DepthwiseParams& params, int threads);
/// `y` must not overlap `x`. Rows of the epilogue are output pixels, columns output channels.
void depthwise_conv2d(const DepthwiseParams& params, const float* x, const float* filter, float* y, const Epilogue& epilogue,
                      std::byte* scratch, ThreadPool& pool);

/// Output rows [first, last) of one image, on this thread; `x` holds at least the rows that they see and is only read. `scratch`
/// is of depthwise_scratch_bytes(params, 1).
void depthwise_rows(const DepthwiseParams& params, const ImageRows& x, const float* filter, const ImageRows& y,
                    const Epilogue& epilogue, int64_t image, int64_t first, int64_t last, std::byte* scratch);

/// dx[batch, in_h, in_w, channels] from dy; overwrites dx.
void depthwise_backprop_input(const DepthwiseParams& params, const float* dy, const float* filter, float* dx, ThreadPool& pool);

/// df[k_h, k_w, channels, multiplier] from x and dy; overwrites df.
void depthwise_backprop_filter(const DepthwiseParams& params, const float* x, const float* dy, float* df, ThreadPool& pool);

}  // namespace tsr::cpu
