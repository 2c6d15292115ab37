// Transposed convolution with few channels in its result (masks, depth maps): a product of rows of dy by the filter, scattered.
//
// With in_c below a vector's width a product with in_c columns would leave most lanes empty. Here the columns are (kx, channel), and
// each pixel of dy is read once for each ky. Parameters as in conv_backprop.h.
#pragma once

#include <cstddef>

#include "backends/cpu/kernels/conv.h"

namespace tsr::cpu {

/// Whether this way is the faster one.
bool conv_narrow_suits(const Conv2DParams& forward);
size_t conv_narrow_packed_size(const Conv2DParams& forward);
/// filter: float32 [k_h, k_w, in_c, out_c].
void conv_narrow_pack(const Conv2DParams& forward, const float* filter, std::byte* packed, ThreadPool& pool);
size_t conv_narrow_scratch_bytes(const Conv2DParams& forward, int threads);
void conv_narrow(const Conv2DParams& forward, const float* dy, const std::byte* packed, float* dx, const Epilogue& epilogue,
                 std::byte* scratch, ThreadPool& pool);

}  // namespace tsr::cpu
