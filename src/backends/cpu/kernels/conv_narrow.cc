#include "backends/cpu/kernels/conv_narrow.h"

#include <algorithm>
#include <vector>

#include "backends/cpu/kernels/gemm_core.h"
#include "backends/cpu/kernels/nd_copy.h"
#include "backends/cpu/kernels/patches.h"

namespace tsr::cpu {
namespace {

int64_t columns(const Conv2DParams& p) { return p.k_w * p.in_c; }
int64_t row_floats(const Conv2DParams& p) { return (p.in_w * p.in_c + 15) / 16 * 16; }
int64_t product_floats(const Conv2DParams& p) { return (p.out_w * columns(p) + 15) / 16 * 16; }

// Adds products [out_w, kx, channel] into a row of dx.
void scatter(const Conv2DParams& p, const float* products, float* row) {
  for (int64_t kx = 0; kx < p.k_w; ++kx) {
    // The pixels of dy whose tap kx lands inside the row: ix = ox * stride + offset.
    const int64_t offset = kx * p.dil_w - p.pad_left;
    const int64_t first = offset >= 0 ? 0 : (-offset + p.stride_w - 1) / p.stride_w;
    const int64_t last = std::min(p.out_w, offset < p.in_w ? (p.in_w - 1 - offset) / p.stride_w + 1 : 0);
    const float* from = products + kx * p.in_c;
    for (int64_t ox = first; ox < last; ++ox) {
      float* to = row + (ox * p.stride_w + offset) * p.in_c;
      for (int64_t c = 0; c < p.in_c; ++c) to[c] += from[ox * columns(p) + c];
    }
  }
}

// One value a channel, repeated along a row of pixels.
const float* repeat(const Conv2DParams& p, const float* channels, float* out) {
  if (!channels) return nullptr;
  for (int64_t i = 0; i < p.in_w * p.in_c; ++i) out[i] = channels[i % p.in_c];
  return out;
}

}  // namespace

bool conv_narrow_suits(const Conv2DParams& p) {
  constexpr int64_t kNarrow = 8;  // columns of a tile on most machines
  return (p.stride_h > 1 || p.stride_w > 1) && p.in_c < kNarrow && p.groups == 1;
}

size_t conv_narrow_packed_size(const Conv2DParams& p) {
  return static_cast<size_t>(p.k_h) * packed_b_size(p.out_c, columns(p));
}

void conv_narrow_pack(const Conv2DParams& p, const float* filter, std::byte* packed, ThreadPool& pool) {
  std::vector<float> turned(static_cast<size_t>(columns(p) * p.out_c));
  for (int64_t ky = 0; ky < p.k_h; ++ky) {
    transpose_floats(filter + ky * columns(p) * p.out_c, p.out_c, columns(p), p.out_c, turned.data(), columns(p));
    PackSource source;
    source.data = turned.data();
    source.row_stride = columns(p);
    pack_b(source, p.out_c, columns(p), packed + static_cast<size_t>(ky) * packed_b_size(p.out_c, columns(p)), pool);
  }
}

size_t conv_narrow_scratch_bytes(const Conv2DParams& p, int threads) {
  return sizeof(float) * static_cast<size_t>(2 * row_floats(p) + threads * product_floats(p));
}

void conv_narrow(const Conv2DParams& p, const float* dy, const std::byte* packed, float* dx, const Epilogue& epilogue,
                 std::byte* scratch, ThreadPool& pool) {
  float* repeated = reinterpret_cast<float*>(scratch);
  float* products = repeated + 2 * row_floats(p);
  // Whole rows at once, so that the epilogue's vectors are full.
  Epilogue wide = epilogue;
  wide.bias = repeat(p, epilogue.bias, repeated);
  wide.slope = repeat(p, epilogue.slope, repeated + row_floats(p));
  wide.residual_stride = p.in_w * p.in_c;
  const bool by_row = !epilogue.fn && (!epilogue.residual || epilogue.residual_stride == p.in_c);
  const size_t panel = packed_b_size(p.out_c, columns(p));
  const int64_t row_products = std::max<int64_t>(1, p.out_w * p.out_c * columns(p));
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 15) / row_products);  // some microseconds of work
  pool.parallel_for_slots(0, p.batch * p.in_h, grain, [&](int64_t begin, int64_t end, int slot) {
    float* mine = products + slot * product_floats(p);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t image = r / p.in_h, iy = r % p.in_h;
      float* row = dx + r * p.in_w * p.in_c;
      clear_floats(row, p.in_w * p.in_c);
      for (int64_t ky = 0; ky < p.k_h; ++ky) {
        const int64_t at = iy + p.pad_top - ky * p.dil_h;
        if (at < 0 || at % p.stride_h != 0 || at / p.stride_h >= p.out_h) continue;
        const float* a = dy + (image * p.out_h + at / p.stride_h) * p.out_w * p.out_c;
        gemm_serial(p.out_w, columns(p), p.out_c, a, p.out_c,
                    reinterpret_cast<const float*>(packed + static_cast<size_t>(ky) * panel), mine, columns(p));
        scatter(p, mine, row);
      }
      if (by_row) {
        apply_epilogue_row(wide, row, r, 0, p.in_w * p.in_c);
        continue;
      }
      for (int64_t ix = 0; ix < p.in_w; ++ix) apply_epilogue_row(epilogue, row + ix * p.in_c, r * p.in_w + ix, 0, p.in_c);
    }
  });
}

}  // namespace tsr::cpu
