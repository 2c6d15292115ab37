#include "backends/cpu/kernels/winograd.h"

#include <algorithm>
#include <memory>

#include "backends/cpu/kernels/copy.h"
#include "backends/cpu/kernels/gemm_core.h"
#include "backends/cpu/kernels/targets.h"

#ifndef TSR_CPU_WINOGRAD_ONCE
#define TSR_CPU_WINOGRAD_ONCE
namespace tsr::cpu {
namespace {

// Tiles [t0, t0 + count) of a convolution; `step` is the number of tiles that a block of scratch holds.
struct TileRange {
  int64_t t0, count, step;
  int64_t across, down;  // tiles in a row and in a column of one image
};

}  // namespace
}  // namespace tsr::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/winograd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

// One step of the input transform, B^T d, over six vectors `step` apart.
HWY_INLINE void input_step(VF* d, int step) {
  const VF d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
  const VF four = splat(4.0f), minus5 = splat(-5.0f), minus4 = splat(-4.0f), two = splat(2.0f);
  const VF t0 = madd(minus4, d2, d4), t1 = madd(minus4, d1, d3), t2 = hn::Sub(d4, d2), t3 = hn::Mul(two, hn::Sub(d3, d1));
  d[0] = madd(four, d0, madd(minus5, d2, d4));
  d[step] = hn::Add(t0, t1);
  d[2 * step] = hn::Sub(t0, t1);
  d[3 * step] = hn::Add(t2, t3);
  d[4 * step] = hn::Sub(t2, t3);
  d[5 * step] = madd(four, d1, madd(minus5, d3, d5));
}

// One step of the output transform, A^T m: six to four.
HWY_INLINE void output_step(VF m0, VF m1, VF m2, VF m3, VF m4, VF m5, VF* y, int step) {
  const VF s1 = hn::Add(m1, m2), d1 = hn::Sub(m1, m2), s2 = hn::Add(m3, m4), d2 = hn::Sub(m3, m4);
  y[0] = hn::Add(m0, hn::Add(s1, s2));
  y[step] = madd(d2, splat(2.0f), d1);
  y[2 * step] = madd(s2, splat(4.0f), s1);
  y[3 * step] = hn::Add(madd(d2, splat(8.0f), d1), m5);
}

// Where in a row of n >= kLanes channels the vectors start: the last one overlaps the one before it.
HWY_INLINE ptrdiff_t vector_at(ptrdiff_t i, ptrdiff_t n) { return HWY_MIN(i, n - static_cast<ptrdiff_t>(kLanes)); }

// x -> v[36][step][in_c]
void TransformInput(const Conv2DParams& p, const TileRange& tiles, const float* x, const float* zeros, float* v) {
  // ptrdiff_t: with 64-bit offsets WebAssembly would truncate each one in the inner loops.
  const ptrdiff_t c = static_cast<ptrdiff_t>(p.in_c), plane = static_cast<ptrdiff_t>(tiles.step) * c;
  for (int64_t t = 0; t < tiles.count; ++t) {
    const int64_t tile = tiles.t0 + t;
    const int64_t image = tile / (tiles.across * tiles.down), ty = tile / tiles.across % tiles.down, tx = tile % tiles.across;
    const int64_t y0 = ty * 4 - p.pad_top, x0 = tx * 4 - p.pad_left;
    const float* at[36];
    for (int64_t i = 0; i < 6; ++i)
      for (int64_t j = 0; j < 6; ++j) {
        const int64_t iy = y0 + i, ix = x0 + j;
        const bool inside = iy >= 0 && iy < p.in_h && ix >= 0 && ix < p.in_w;
        at[i * 6 + j] = inside ? x + ((image * p.in_h + iy) * p.in_w + ix) * c : zeros;
      }
    float* out = v + t * c;
    for (ptrdiff_t i = 0; i < c; i += kLanes) {
      const ptrdiff_t channel = vector_at(i, c);
      VF d[36];
#pragma GCC unroll 36
      for (int j = 0; j < 36; ++j) d[j] = load(at[j] + channel);
#pragma GCC unroll 6
      for (int j = 0; j < 6; ++j) input_step(d + j, 6);
#pragma GCC unroll 6
      for (int j = 0; j < 6; ++j) input_step(d + j * 6, 1);
#pragma GCC unroll 36
      for (int j = 0; j < 36; ++j) store(d[j], out + j * plane + channel);
    }
  }
}

// m[36][step][out_c] -> y
void TransformOutput(const Conv2DParams& p, const TileRange& tiles, const float* m, float* y, const Epilogue& epilogue) {
  const SplitEpilogue split = split_epilogue(epilogue);
  const Epilogue& e = split.tile;
  const ptrdiff_t n = static_cast<ptrdiff_t>(p.out_c), plane = static_cast<ptrdiff_t>(tiles.step) * n;
  for (int64_t t = 0; t < tiles.count; ++t) {
    const int64_t tile = tiles.t0 + t;
    const int64_t image = tile / (tiles.across * tiles.down), ty = tile / tiles.across % tiles.down, tx = tile % tiles.across;
    const int64_t rows = HWY_MIN(int64_t{4}, p.out_h - ty * 4), cols = HWY_MIN(int64_t{4}, p.out_w - tx * 4);
    const int64_t pixel0 = (image * p.out_h + ty * 4) * p.out_w + tx * 4;
    for (ptrdiff_t i = 0; i < n; i += kLanes) {
      const ptrdiff_t channel = vector_at(i, n);
      const float* in = m + t * n + channel;
      VF half[24], out[16];
#pragma GCC unroll 6
      for (int j = 0; j < 6; ++j) {
        output_step(load(in + j * plane), load(in + (6 + j) * plane), load(in + (12 + j) * plane), load(in + (18 + j) * plane),
                    load(in + (24 + j) * plane), load(in + (30 + j) * plane), half + j, 6);
      }
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const VF* h = half + j * 6;
        output_step(h[0], h[1], h[2], h[3], h[4], h[5], out + j * 4, 1);
      }
      const VF bias = e.bias ? load(e.bias + channel) : zero();
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t q = 0; q < cols; ++q) {
          const int64_t pixel = pixel0 + r * p.out_w + q;
          VF s = hn::Add(out[r * 4 + q], bias);
          const float* residual = e.residual ? e.residual + pixel * e.residual_stride + channel : nullptr;
          if (residual && e.residual_before_activation) s = hn::Add(s, load(residual));
          s = cheap_activation(e.activation, s);
          if (residual && !e.residual_before_activation) s = hn::Add(s, load(residual));
          store(s, y + pixel * n + channel);
        }
    }
    if (split.has_rows) {
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t pixel = pixel0 + r * p.out_w;
        finish_rows(split.rows, y + pixel * n, n, pixel, 1, cols, 0, n);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::cpu {
HWY_EXPORT(TransformInput);
HWY_EXPORT(TransformOutput);

namespace {

struct Layout {
  int64_t across, down, tiles;
  int64_t step;  // tiles a task handles together
  size_t plane_bytes;
  int64_t slot_floats;  // scratch of one thread: v, m, zeros
};

Layout layout_of(const Conv2DParams& p, int threads) {
  Layout l;
  l.across = (p.out_w + 3) / 4;
  l.down = (p.out_h + 3) / 4;
  l.tiles = p.batch * l.across * l.down;
  // The two transformed blocks, 144 bytes a tile and channel, should stay in a level-2 cache together with a slice of the filters;
  // 24 tiles at least, to use each transformed filter (which streams past) often enough.
  constexpr int64_t kBlockBytes = 512 * 1024;
  const int64_t channels = p.in_c + p.out_c;
  l.step = std::clamp<int64_t>(kBlockBytes / (144 * channels), 24, 96);
  // Rather fewer tiles than idle threads.
  if (threads > 1) l.step = std::min(l.step, std::max<int64_t>(8, (l.tiles + 2 * threads - 1) / (2 * threads)));
  l.step = std::min(l.step, l.tiles);
  l.plane_bytes = packed_b_size(p.in_c, p.out_c);
  l.slot_floats = (36 * l.step * channels + p.in_c + 15) / 16 * 16;
  return l;
}

}  // namespace

bool winograd_suits(const Conv2DParams& p) {
  return p.k_h == 3 && p.k_w == 3 && p.stride_h == 1 && p.stride_w == 1 && p.dil_h == 1 && p.dil_w == 1 && p.groups == 1 &&
         p.in_c >= kWinogradMinChannels && p.out_c >= kWinogradMinChannels;
}

bool winograd_pays(const Conv2DParams& p) {
  if (!winograd_suits(p)) return false;
  // With few tiles the transformed filters, four times larger, are read for too little work; and tiles that stick out at the
  // edges are wasted.
  const int64_t tiles = p.batch * ((p.out_h + 3) / 4) * ((p.out_w + 3) / 4);
  return tiles >= 16 && tiles * 36 * 10 <= p.batch * p.out_h * p.out_w * 9 * 6;
}

size_t winograd_packed_size(const Conv2DParams& p) { return 36 * packed_b_size(p.in_c, p.out_c); }

void winograd_pack(const Conv2DParams& p, const PackSource& filter, std::byte* packed, ThreadPool& pool) {
  const int64_t cn = p.in_c * p.out_c;
  std::unique_ptr<float[]> wide(new float[static_cast<size_t>(9 * cn)]);
  std::unique_ptr<float[]> transformed(new float[static_cast<size_t>(36 * cn)]);
  ThreadPool alone(1);
  ThreadPool& whole = pool.in_instalment() ? alone : pool;  // the two buffers do not outlive this call
  widen(filter.form, filter.data, 9 * cn, wide.get(), whole);
  static constexpr double kG[6][3] = {{1.0 / 4, 0, 0},          {-1.0 / 6, -1.0 / 6, -1.0 / 6}, {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                      {1.0 / 24, 1.0 / 12, 1.0 / 6}, {1.0 / 24, -1.0 / 12, 1.0 / 6}, {0, 0, 1}};
  whole.parallel_for(0, cn, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      double half[6][3];
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 3; ++j) {
          half[i][j] = 0;
          for (int k = 0; k < 3; ++k) half[i][j] += kG[i][k] * static_cast<double>(wide[static_cast<size_t>((k * 3 + j) * cn + e)]);
        }
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
          double u = 0;
          for (int k = 0; k < 3; ++k) u += half[i][k] * kG[j][k];
          transformed[static_cast<size_t>((i * 6 + j) * cn + e)] = static_cast<float>(u);
        }
    }
  });
  const size_t plane = packed_b_size(p.in_c, p.out_c);
  for (int i = 0; i < 36; ++i) {
    PackSource source;
    source.data = transformed.get() + i * cn;
    source.row_stride = p.out_c;
    pack_b(source, p.in_c, p.out_c, packed + static_cast<size_t>(i) * plane, pool);
  }
}

size_t winograd_scratch_bytes(const Conv2DParams& p, int threads) {
  return static_cast<size_t>(layout_of(p, threads).slot_floats) * static_cast<size_t>(threads) * sizeof(float);
}

void winograd_conv2d(const Conv2DParams& p, const float* x, const std::byte* packed, float* y, const Epilogue& epilogue,
                     std::byte* scratch, ThreadPool& pool) {
  const Layout l = layout_of(p, pool.size());
  auto transform_input = HWY_DYNAMIC_DISPATCH(TransformInput);
  auto transform_output = HWY_DYNAMIC_DISPATCH(TransformOutput);
  pool.parallel_for_slots(0, (l.tiles + l.step - 1) / l.step, 1, [&](int64_t begin, int64_t end, int slot) {
    float* v = reinterpret_cast<float*>(scratch) + slot * l.slot_floats;
    float* m = v + 36 * l.step * p.in_c;
    float* zeros = m + 36 * l.step * p.out_c;
    std::fill(zeros, zeros + p.in_c, 0.0f);
    for (int64_t task = begin; task < end; ++task) {
      const TileRange range{task * l.step, std::min(l.step, l.tiles - task * l.step), l.step, l.across, l.down};
      transform_input(p, range, x, zeros, v);
      for (int64_t i = 0; i < 36; ++i)
        gemm_serial(range.count, p.out_c, p.in_c, v + i * l.step * p.in_c, p.in_c,
                    reinterpret_cast<const float*>(packed + static_cast<size_t>(i) * l.plane_bytes), m + i * l.step * p.out_c, p.out_c);
      transform_output(p, range, m, y, epilogue);
    }
  });
}

}  // namespace tsr::cpu
#endif  // HWY_ONCE
