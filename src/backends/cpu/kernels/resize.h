// Resizing of NHWC images, float32, with TensorFlow's two sampling conventions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"

namespace tsr::cpu {

struct ResizeParams {
  int64_t batch = 1, in_h = 0, in_w = 0, channels = 0;
  int64_t out_h = 0, out_w = 0;
  bool align_corners = false;       ///< corners map to corners: scale (in - 1) / (out - 1)
  bool half_pixel_centers = false;  ///< samples lie at pixel centres; not together with align_corners
};

/// Room for the column table.
size_t resize_scratch_bytes(const ResizeParams& params);
void resize_bilinear(const ResizeParams& params, const float* x, float* y, std::byte* scratch, ThreadPool& pool);
/// Nearest: floor of the source position, or round (half away from zero) with align_corners.
void resize_nearest(const ResizeParams& params, const float* x, float* y, std::byte* scratch, ThreadPool& pool);

/// dx from dy for both; overwrites dx.
void resize_bilinear_backprop(const ResizeParams& params, const float* dy, float* dx, ThreadPool& pool);
void resize_nearest_backprop(const ResizeParams& params, const float* dy, float* dx, ThreadPool& pool);

}  // namespace tsr::cpu
