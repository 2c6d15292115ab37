// 2-D convolution, NHWC, filter [k_h, k_w, in_c / groups, out_c] (TensorFlow's HWIO), float32.
//
// y[b, oy, ox, o] = epilogue(sum over ky, kx, i of x[b, oy*stride_h + ky*dil_h - pad_top, ox*stride_w + kx*dil_w - pad_left, i]
//                            * f[ky, kx, i, o]), where x outside the image is 0.
//
// The filter is packed once, for a plan; the plan says how the convolution is computed. A narrow filter (quantised weights) stays
// narrow in kPointwise and kBlocks. Winograd's transform gives 1.8 (out 2) or 4 times as many values, no integers any more; kStrips
// reads it for a few pixels at a time, and it is tiny: these pack float32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/epilogue.h"
#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/kernels/image_rows.h"
#include "base/thread_pool.h"

namespace tsr::cpu {

struct Conv2DParams {
  int64_t batch = 1, in_h = 0, in_w = 0, in_c = 0;
  int64_t out_h = 0, out_w = 0, out_c = 0;
  int64_t k_h = 1, k_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dil_h = 1, dil_w = 1;
  int64_t pad_top = 0, pad_left = 0;  ///< what lies beyond at the bottom and right follows from out_h and out_w
  int64_t groups = 1;                 ///< divides in_c and out_c; output channel o belongs to group o / (out_c / groups)
};

enum class ConvAlgorithm : uint8_t {
  kPointwise,  ///< 1x1, stride 1, no padding: one matrix product over the pixels, nothing copied
  kStrips,     ///< shallow filters (first layers): tiles of pixels read the image in place, a filter row at a time
  kBlocks,     ///< any: patches of a block of pixels are gathered into scratch (in cache), then a matrix product
  kWinograd4,  ///< 3x3, stride 1: F(4x4, 3x3), a quarter of the multiplications; relative error about 1e-5
  kWinograd2,  ///< 3x3, stride 1: F(2x2, 3x3), 4/9 of the multiplications; relative error about 1e-6
};

/// "pointwise", "winograd4", ...
const char* name_of(ConvAlgorithm algorithm);

struct Conv2DPlan {
  Conv2DParams params;
  ConvAlgorithm algorithm = ConvAlgorithm::kBlocks;
  StoredForm packed_form = {};  ///< of the packed filter
};

/// Chooses the algorithm, for a filter of that form. Plans of equal filter sizes, algorithm and packed_form can share one packed filter.
Conv2DPlan conv2d_plan(const Conv2DParams& params, const StoredForm& filter = {});
/// The same with the algorithm given, which must suit (kBlocks always does): for tests and benchmarks.
Conv2DPlan conv2d_plan(const Conv2DParams& params, ConvAlgorithm algorithm, const StoredForm& filter = {});

/// Bytes of the packed filter.
size_t conv2d_packed_size(const Conv2DPlan& plan);
/// Packs the filter, stored densely as [k_h, k_w, in_c / groups, out_c] (`transposed` and `row_stride` of the source are ignored),
/// in the form that the plan was made for.
void conv2d_pack(const Conv2DPlan& plan, const PackSource& filter, std::byte* packed, ThreadPool& pool);

/// Whether conv2d_unpack gives back exactly what was packed (Winograd's transform rounds).
bool conv2d_can_unpack(const Conv2DPlan& plan);
/// The filter again, dense [k_h, k_w, in_c / groups, out_c] in packed_form: if that is the form it came in, what conv2d_pack was given.
void conv2d_unpack(const Conv2DPlan& plan, const std::byte* packed, void* filter);

size_t conv2d_scratch_bytes(const Conv2DPlan& plan, int threads);
/// `y` must not overlap `x`. Rows of the epilogue are pixels, b * out_h * out_w + oy * out_w + ox; columns are channels.
void conv2d(const Conv2DPlan& plan, const float* x, const std::byte* packed, float* y, const Epilogue& epilogue, std::byte* scratch,
            ThreadPool& pool);

/// Whether conv2d_rows computes this one: 1x1 without groups (kPointwise), and kStrips.
bool conv2d_has_rows(const Conv2DPlan& plan);
/// Output rows [first, last) of one image, on this thread; `x` holds at least the rows that they see (kStrips: the whole image)
/// and is only read. `scratch` is of conv2d_scratch_bytes(plan, 1).
void conv2d_rows(const Conv2DPlan& plan, const ImageRows& x, const std::byte* packed, const ImageRows& y,
                 const Epilogue& epilogue, int64_t image, int64_t first, int64_t last, std::byte* scratch);

}  // namespace tsr::cpu
