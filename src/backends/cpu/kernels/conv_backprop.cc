#include "backends/cpu/kernels/conv_backprop.h"

#include <algorithm>
#include <memory>

#include "backends/cpu/kernels/conv_narrow.h"
#include "backends/cpu/kernels/copy.h"
#include "backends/cpu/kernels/gemm_core.h"
#include "backends/cpu/kernels/nd_copy.h"
#include "backends/cpu/kernels/patches.h"

namespace tsr::cpu {
namespace {

// With stride 1 the transposed convolution is a convolution of dy with the filter turned around.
bool is_plain(const Conv2DParams& p) { return p.stride_h == 1 && p.stride_w == 1; }

Conv2DPlan plain_plan(const Conv2DParams& p) {
  Conv2DParams q = p;
  q.in_h = p.out_h, q.in_w = p.out_w, q.in_c = p.out_c;
  q.out_h = p.in_h, q.out_w = p.in_w, q.out_c = p.in_c;
  q.pad_top = p.dil_h * (p.k_h - 1) - p.pad_top;
  q.pad_left = p.dil_w * (p.k_w - 1) - p.pad_left;
  return conv2d_plan(q);
}

// With larger strides, the pixels of dx fall into stride_h * stride_w phases by their coordinates modulo the strides; each phase
// sees its own subset of the taps, and is a matrix product of patches of dy by the filters of these taps.
//
// The taps of phase f along one axis: those k with (f + pad - k * dilation) divisible by the stride.
struct AxisTaps {
  int64_t phase, pad, dilation, stride, taps;
  bool has(int64_t k) const { return (phase + pad - k * dilation) % stride == 0; }
  int64_t count() const {
    int64_t n = 0;
    for (int64_t k = 0; k < taps; ++k) n += has(k);
    return n;
  }
};

struct Phase {
  AxisTaps y, x;
  int64_t depth;  // columns of the patch matrix: (ky, kx, output channel)
  size_t packed_bytes;
};

Phase phase_at(const Conv2DParams& p, int64_t f_y, int64_t f_x) {
  Phase f{{f_y, p.pad_top, p.dil_h, p.stride_h, p.k_h}, {f_x, p.pad_left, p.dil_w, p.stride_w, p.k_w}, 0, 0};
  f.depth = f.y.count() * f.x.count() * p.out_c;
  f.packed_bytes = packed_b_size(f.depth, p.in_c);
  return f;
}

// Where the packed filters of a phase begin.
size_t packed_offset(const Conv2DParams& p, int64_t f_y, int64_t f_x) {
  size_t offset = 0;
  for (int64_t i = 0; i < f_y * p.stride_w + f_x; ++i) offset += phase_at(p, i / p.stride_w, i % p.stride_w).packed_bytes;
  return offset;
}

// Columns [k0, k0 + depth) of the patch matrix for pixels [m0, m0 + rows) of one row of a phase.
void copy_patches(const Conv2DParams& p, const Phase& f, const float* dy_image, int64_t iy, int64_t m0, int64_t rows, int64_t k0,
                  int64_t depth, float* out) {
  for (int64_t m = m0; m < m0 + rows; ++m) {
    const int64_t ix = f.x.phase + m * p.stride_w;
    int64_t column = 0;  // of the tap's first channel
    for (int64_t ky = 0; ky < p.k_h; ++ky) {
      if (!f.y.has(ky)) continue;
      const int64_t oy = (iy + p.pad_top - ky * p.dil_h) / p.stride_h;
      for (int64_t kx = 0; kx < p.k_w; ++kx) {
        if (!f.x.has(kx)) continue;
        const int64_t a = std::max(k0, column), b = std::min(k0 + depth, column + p.out_c);
        if (a < b) {
          const int64_t ox = (ix + p.pad_left - kx * p.dil_w) / p.stride_w;
          if (oy >= 0 && oy < p.out_h && ox >= 0 && ox < p.out_w) {
            copy_floats(out, dy_image + (oy * p.out_w + ox) * p.out_c + (a - column), b - a);
          } else {
            clear_floats(out, b - a);
          }
          out += b - a;
        }
        column += p.out_c;
      }
    }
  }
}

constexpr size_t kBlockBytes = static_cast<size_t>(kBlockFloats) * sizeof(float);

}  // namespace

size_t conv2d_backprop_input_packed_size(const Conv2DParams& p) {
  if (is_plain(p)) return conv2d_packed_size(plain_plan(p));
  if (conv_narrow_suits(p)) return conv_narrow_packed_size(p);
  return packed_offset(p, p.stride_h, 0);
}

void conv2d_backprop_input_pack(const Conv2DParams& p, const PackSource& filter, std::byte* packed, ThreadPool& pool) {
  const int64_t plane = p.in_c * p.out_c;
  std::unique_ptr<float[]> wide(new float[static_cast<size_t>(p.k_h * p.k_w * plane)]);
  std::unique_ptr<float[]> chosen(new float[static_cast<size_t>(p.k_h * p.k_w * plane)]);
  ThreadPool alone(1);  // the buffer does not outlive this call
  widen(filter.form, filter.data, p.k_h * p.k_w * plane, wide.get(), pool.in_instalment() ? alone : pool);
  if (conv_narrow_suits(p)) return conv_narrow_pack(p, wide.get(), packed, pool);
  if (is_plain(p)) {
    const int64_t taps = p.k_h * p.k_w;
    for (int64_t t = 0; t < taps; ++t)
      transpose_floats(wide.get() + (taps - 1 - t) * plane, p.out_c, p.in_c, p.out_c, chosen.get() + t * plane, p.in_c);
    PackSource source;
    source.data = chosen.get();
    conv2d_pack(plain_plan(p), source, packed, pool);
    return;
  }
  for (int64_t f_y = 0; f_y < p.stride_h; ++f_y)
    for (int64_t f_x = 0; f_x < p.stride_w; ++f_x) {
      const Phase f = phase_at(p, f_y, f_x);
      int64_t n = 0;
      for (int64_t ky = 0; ky < p.k_h; ++ky)
        for (int64_t kx = 0; kx < p.k_w; ++kx)
          if (f.y.has(ky) && f.x.has(kx))
            transpose_floats(wide.get() + (ky * p.k_w + kx) * plane, p.out_c, p.in_c, p.out_c, chosen.get() + n++ * plane, p.in_c);
      PackSource source;
      source.data = chosen.get();
      source.row_stride = p.in_c;
      pack_b(source, f.depth, p.in_c, packed, pool);
      packed += f.packed_bytes;
    }
}

size_t conv2d_backprop_input_scratch_bytes(const Conv2DParams& p, int threads) {
  if (is_plain(p)) return conv2d_scratch_bytes(plain_plan(p), threads);
  if (conv_narrow_suits(p)) return conv_narrow_scratch_bytes(p, threads);
  return static_cast<size_t>(threads) * kBlockBytes;
}

void conv2d_backprop_input(const Conv2DParams& p, const float* dy, const std::byte* packed, float* dx, const Epilogue& epilogue,
                           std::byte* scratch, ThreadPool& pool) {
  if (is_plain(p)) return conv2d(plain_plan(p), dy, packed, dx, epilogue, scratch, pool);
  if (conv_narrow_suits(p)) return conv_narrow(p, dy, packed, dx, epilogue, scratch, pool);
  // A task is one phase of one row of dx.
  pool.parallel_for_slots(0, p.batch * p.in_h * p.stride_w, 1, [&](int64_t begin, int64_t end, int slot) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t f_x = t % p.stride_w, row = t / p.stride_w, iy = row % p.in_h;
      const Phase f = phase_at(p, iy % p.stride_h, f_x);
      const float* dy_image = dy + row / p.in_h * p.out_h * p.out_w * p.out_c;
      CoreArgs core;
      core.m = (p.in_w - f_x + p.stride_w - 1) / p.stride_w;
      core.n = p.in_c;
      core.k = f.depth;
      core.packed_b = reinterpret_cast<const float*>(packed + packed_offset(p, iy % p.stride_h, f_x));
      core.c = dx + (row * p.in_w + f_x) * p.in_c;
      core.c_stride = p.stride_w * p.in_c;
      core.epilogue = epilogue;
      core.first_row = row * p.in_w + f_x;
      core.row_step = p.stride_w;
      core.gathers = true;
      auto block = [&](int64_t m0, int64_t rows, int64_t k0, int64_t depth, float* buffer, int64_t* stride) {
        *stride = depth;
        copy_patches(p, f, dy_image, iy, m0, rows, k0, depth, buffer);
        return static_cast<const float*>(buffer);
      };
      gemm_core(core, block, reinterpret_cast<float*>(scratch + static_cast<size_t>(slot) * kBlockBytes), pool);  // runs inline
    }
  });
}

size_t conv2d_backprop_filter_scratch_bytes(const Conv2DParams& p, int threads) {
  return packed_b_size(p.batch * p.out_h * p.out_w, p.out_c) + static_cast<size_t>(threads) * 2 * kBlockBytes;
}

void conv2d_backprop_filter(const Conv2DParams& p, const float* x, const float* dy, float* df, std::byte* scratch, ThreadPool& pool) {
  // df = patches of x, transposed, times dy; the sum runs over the pixels of dy.
  const int64_t pixels = p.batch * p.out_h * p.out_w;
  PackSource source;
  source.data = dy;
  source.row_stride = p.out_c;
  pack_b(source, pixels, p.out_c, scratch, pool);
  float* blocks = reinterpret_cast<float*>(scratch + packed_b_size(pixels, p.out_c));
  float* patches_of_slots = blocks + static_cast<int64_t>(pool.size()) * kBlockFloats;
  CoreArgs core;
  core.m = p.k_h * p.k_w * p.in_c;
  core.n = p.out_c;
  core.k = pixels;
  core.packed_b = reinterpret_cast<const float*>(scratch);
  core.c = df;
  core.c_stride = p.out_c;
  core.gathers = true;
  const Patches patches{p, x, 0, p.in_c};
  auto block = [&](int64_t m0, int64_t rows, int64_t k0, int64_t depth, float* buffer, int64_t* stride) {
    float* untransposed = patches_of_slots + (buffer - blocks);
    patches.copy(k0, depth, m0, rows, untransposed);
    transpose_floats(untransposed, rows, depth, rows, buffer, depth);
    *stride = depth;
    return static_cast<const float*>(buffer);
  };
  gemm_core(core, block, blocks, pool);
}

}  // namespace tsr::cpu
