// Transposed convolution (the gradient of conv2d in its input) and the gradient in its filter. NHWC, HWIO, float32.
//
// Parameters are those of the *forward* convolution: for conv2dTranspose, in_* describes the transposed op's output, and out_*
// its input. Groups must be 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/conv.h"

namespace tsr::cpu {

/// Bytes of the packed filter for conv2d_backprop_input.
size_t conv2d_backprop_input_packed_size(const Conv2DParams& forward);
/// Packs a filter that lies as [k_h, k_w, in_c, out_c]: for conv2dTranspose that is TensorFlow's [h, w, output depth, input depth].
void conv2d_backprop_input_pack(const Conv2DParams& forward, const PackSource& filter, std::byte* packed, ThreadPool& pool);
size_t conv2d_backprop_input_scratch_bytes(const Conv2DParams& forward, int threads);
/// dx[batch, in_h, in_w, in_c] = epilogue(transposed convolution of dy[batch, out_h, out_w, out_c]); overwrites dx. Rows of the
/// epilogue are dx's pixels, columns its in_c channels.
void conv2d_backprop_input(const Conv2DParams& forward, const float* dy, const std::byte* packed, float* dx, const Epilogue& epilogue,
                           std::byte* scratch, ThreadPool& pool);

size_t conv2d_backprop_filter_scratch_bytes(const Conv2DParams& forward, int threads);
/// df[k_h, k_w, in_c, out_c] from x[batch, in_h, in_w, in_c] and dy[batch, out_h, out_w, out_c]; overwrites df.
void conv2d_backprop_filter(const Conv2DParams& forward, const float* x, const float* dy, float* df, std::byte* scratch,
                            ThreadPool& pool);

}  // namespace tsr::cpu
