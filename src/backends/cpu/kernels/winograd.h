// Winograd's F(out x out, 3x3) for out 4 or 2: a 3x3 convolution of stride 1 with 36 multiplications for 16 outputs instead of 144, or 16
// for 4 instead of 36.
//
// Every patch of (out + 2) x (out + 2) pixels and every filter is transformed, products of the elements are summed over the channels
// as that many matrix products, and each result is transformed to out x out outputs. Transforms of 4 lose about three bits, those
// of 2 (which halve and add only) less than one. Small images want 2: tiles of 4 would stick out of a 7x7 image by a quarter and use
// each transformed filter, 4 times as large as the filter itself, four times.
#pragma once

#include "backends/cpu/kernels/conv.h"

namespace tsr::cpu {

/// Channels below this are not worth the transforms (and the vector code wants at least one whole vector).
inline constexpr int64_t kWinogradMinChannels = 16;

bool winograd_suits(const Conv2DParams& params);
/// The outputs in a row of a tile, 4 or 2, that are likely to be fastest; 0 where another algorithm is.
int winograd_pays(const Conv2DParams& params);
size_t winograd_packed_size(const Conv2DParams& params, int out);
void winograd_pack(const Conv2DParams& params, int out, const PackSource& filter, std::byte* packed, ThreadPool& pool);
size_t winograd_scratch_bytes(const Conv2DParams& params, int out, int threads);
void winograd_conv2d(const Conv2DParams& params, int out, const float* x, const std::byte* packed, float* y, const Epilogue& epilogue,
                     std::byte* scratch, ThreadPool& pool);

}  // namespace tsr::cpu
