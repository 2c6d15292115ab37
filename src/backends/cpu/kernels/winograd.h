// Winograd's F(4x4, 3x3): a 3x3 convolution of stride 1 with 36 multiplications for 16 outputs instead of 144.
//
// Every 6x6 patch of the input and every filter is transformed, products of the 36 elements are summed over the channels as 36
// matrix products, and each 6x6 result is transformed to 4x4 outputs. The transforms lose about three bits.
#pragma once

#include "backends/cpu/kernels/conv.h"

namespace tsr::cpu {

/// Channels below this are not worth the transforms (and the vector code wants at least one whole vector).
inline constexpr int64_t kWinogradMinChannels = 16;

bool winograd_suits(const Conv2DParams& params);
/// Whether it is also likely to be faster.
bool winograd_pays(const Conv2DParams& params);
size_t winograd_packed_size(const Conv2DParams& params);
void winograd_pack(const Conv2DParams& params, const PackSource& filter, std::byte* packed, ThreadPool& pool);
size_t winograd_scratch_bytes(const Conv2DParams& params, int threads);
void winograd_conv2d(const Conv2DParams& params, const float* x, const std::byte* packed, float* y, const Epilogue& epilogue,
                     std::byte* scratch, ThreadPool& pool);

}  // namespace tsr::cpu
