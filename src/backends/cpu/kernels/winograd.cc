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

// One step of the input transform, B^T d, over kOut + 2 vectors `step` apart.
template <int kOut>
HWY_INLINE void input_step(VF* d, int step) {
  if constexpr (kOut == 2) {
    const VF d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
    d[0] = hn::Sub(d[0], d2);
    d[step] = hn::Add(d1, d2);
    d[2 * step] = hn::Sub(d2, d1);
    d[3 * step] = hn::Sub(d1, d3);
    return;
  }
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

// One step of the output transform, A^T m: kOut + 2 vectors `from` apart to kOut vectors `step` apart.
template <int kOut>
HWY_INLINE void output_step(const VF* m, int from, VF* y, int step) {
  const VF m0 = m[0], m1 = m[from], m2 = m[2 * from], m3 = m[3 * from];
  if constexpr (kOut == 2) {
    y[0] = hn::Add(m0, hn::Add(m1, m2));
    y[step] = hn::Sub(hn::Sub(m1, m2), m3);
    return;
  }
  const VF m4 = m[4 * from], m5 = m[5 * from];
  const VF s1 = hn::Add(m1, m2), d1 = hn::Sub(m1, m2), s2 = hn::Add(m3, m4), d2 = hn::Sub(m3, m4);
  y[0] = hn::Add(m0, hn::Add(s1, s2));
  y[step] = madd(d2, splat(2.0f), d1);
  y[2 * step] = madd(s2, splat(4.0f), s1);
  y[3 * step] = hn::Add(madd(d2, splat(8.0f), d1), m5);
}

// Where in a row of n >= kLanes channels the vectors start: the last one overlaps the one before it.
HWY_INLINE ptrdiff_t vector_at(ptrdiff_t i, ptrdiff_t n) { return HWY_MIN(i, n - static_cast<ptrdiff_t>(kLanes)); }

// x -> v[points][step][in_c]
template <int kOut>
void TransformInputBy(const Conv2DParams& p, const TileRange& tiles, const float* x, const float* zeros, float* v) {
  constexpr int kSide = kOut + 2, kPoints = kSide * kSide;
  // ptrdiff_t: with 64-bit offsets WebAssembly would truncate each one in the inner loops.
  const ptrdiff_t c = static_cast<ptrdiff_t>(p.in_c), plane = static_cast<ptrdiff_t>(tiles.step) * c;
  for (int64_t t = 0; t < tiles.count; ++t) {
    const int64_t tile = tiles.t0 + t;
    const int64_t image = tile / (tiles.across * tiles.down), ty = tile / tiles.across % tiles.down, tx = tile % tiles.across;
    const int64_t y0 = ty * kOut - p.pad_top, x0 = tx * kOut - p.pad_left;
    const float* at[kPoints];
    for (int64_t i = 0; i < kSide; ++i)
      for (int64_t j = 0; j < kSide; ++j) {
        const int64_t iy = y0 + i, ix = x0 + j;
        const bool inside = iy >= 0 && iy < p.in_h && ix >= 0 && ix < p.in_w;
        at[i * kSide + j] = inside ? x + ((image * p.in_h + iy) * p.in_w + ix) * c : zeros;
      }
    float* out = v + t * c;
    for (ptrdiff_t i = 0; i < c; i += kLanes) {
      const ptrdiff_t channel = vector_at(i, c);
      VF d[kPoints];
#pragma GCC unroll 36
      for (int j = 0; j < kPoints; ++j) d[j] = load(at[j] + channel);
#pragma GCC unroll 6
      for (int j = 0; j < kSide; ++j) input_step<kOut>(d + j, kSide);
#pragma GCC unroll 6
      for (int j = 0; j < kSide; ++j) input_step<kOut>(d + j * kSide, 1);
#pragma GCC unroll 36
      for (int j = 0; j < kPoints; ++j) store(d[j], out + j * plane + channel);
    }
  }
}

// m[points][step][out_c] -> y
template <int kOut>
void TransformOutputBy(const Conv2DParams& p, const TileRange& tiles, const float* m, float* y, const Epilogue& epilogue) {
  constexpr int kSide = kOut + 2, kPoints = kSide * kSide;
  const SplitEpilogue split = split_epilogue(epilogue);
  const Epilogue& e = split.tile;
  const ptrdiff_t n = static_cast<ptrdiff_t>(p.out_c), plane = static_cast<ptrdiff_t>(tiles.step) * n;
  for (int64_t t = 0; t < tiles.count; ++t) {
    const int64_t tile = tiles.t0 + t;
    const int64_t image = tile / (tiles.across * tiles.down), ty = tile / tiles.across % tiles.down, tx = tile % tiles.across;
    const int64_t rows = HWY_MIN(int64_t{kOut}, p.out_h - ty * kOut), cols = HWY_MIN(int64_t{kOut}, p.out_w - tx * kOut);
    const int64_t pixel0 = (image * p.out_h + ty * kOut) * p.out_w + tx * kOut;
    for (ptrdiff_t i = 0; i < n; i += kLanes) {
      const ptrdiff_t channel = vector_at(i, n);
      const float* in = m + t * n + channel;
      VF sums[kPoints], half[kOut * kSide], out[kOut * kOut];
#pragma GCC unroll 36
      for (int j = 0; j < kPoints; ++j) sums[j] = load(in + j * plane);
#pragma GCC unroll 6
      for (int j = 0; j < kSide; ++j) output_step<kOut>(sums + j, kSide, half + j, kSide);
#pragma GCC unroll 4
      for (int j = 0; j < kOut; ++j) output_step<kOut>(half + j * kSide, 1, out + j * kOut, 1);
      const VF bias = e.bias ? load(e.bias + channel) : zero();
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t q = 0; q < cols; ++q) {
          const int64_t pixel = pixel0 + r * p.out_w + q;
          VF s = hn::Add(out[r * kOut + q], bias);
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

void TransformInput(const Conv2DParams& p, int out, const TileRange& tiles, const float* x, const float* zeros, float* v) {
  out == 2 ? TransformInputBy<2>(p, tiles, x, zeros, v) : TransformInputBy<4>(p, tiles, x, zeros, v);
}

void TransformOutput(const Conv2DParams& p, int out, const TileRange& tiles, const float* m, float* y, const Epilogue& epilogue) {
  out == 2 ? TransformOutputBy<2>(p, tiles, m, y, epilogue) : TransformOutputBy<4>(p, tiles, m, y, epilogue);
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::cpu {
HWY_EXPORT(TransformInput);
HWY_EXPORT(TransformOutput);

namespace {

// Tiles of out x out outputs that cover the images.
int64_t tiles_of(const Conv2DParams& p, int out) { return p.batch * ((p.out_h + out - 1) / out) * ((p.out_w + out - 1) / out); }

bool pays(const Conv2DParams& p, int out) {
  // With few tiles the transformed filters, 4 (F(4,3)) or 1.8 times (F(2,3)) larger, are read for too little work; and tiles that stick
  // out at the edges are wasted: 0.6 of the multiplications leave room for the transforms.
  const int64_t tiles = tiles_of(p, out), points = (out + 2) * (out + 2);
  return tiles >= 16 && tiles * points * 10 <= p.batch * p.out_h * p.out_w * 9 * 6;
}

struct Layout {
  int64_t points;  // (out + 2) squared
  int64_t across, down, tiles;
  int64_t step;  // tiles a task handles together
  bool shared;   // all threads work on one task: few tiles, of which each point is one thread's product, so that filters are read once
  size_t plane_bytes;
  int64_t slot_floats;  // scratch of a task: v, m, zeros
};

Layout layout_of(const Conv2DParams& p, int out, int threads) {
  Layout l;
  l.points = (out + 2) * (out + 2);
  l.across = (p.out_w + out - 1) / out;
  l.down = (p.out_h + out - 1) / out;
  l.tiles = tiles_of(p, out);
  // The two transformed blocks, 4 * points bytes a tile and channel, should stay in a level-2 cache together with a slice of the filters;
  // 24 tiles at least, to use each transformed filter (which streams past) often enough.
  constexpr int64_t kBlockBytes = 512 * 1024;
  const int64_t channels = p.in_c + p.out_c;
  constexpr int64_t kFewest = 24;
  const int64_t most = std::clamp<int64_t>(kBlockBytes / (4 * l.points * channels), kFewest, 96);
  l.shared = threads > 1 && threads * 2 <= l.points && l.tiles < kFewest * threads;
  // As many tasks as use all threads to the end, of equal size.
  const int64_t rounds = std::max<int64_t>(1, (l.tiles + most * threads - 1) / (most * threads));
  l.step = l.shared ? l.tiles : std::max<int64_t>(1, (l.tiles + rounds * threads - 1) / (rounds * threads));
  l.plane_bytes = packed_b_size(p.in_c, p.out_c);
  l.slot_floats = (l.points * l.step * channels + p.in_c + 15) / 16 * 16;
  return l;
}

// u = G g G^T of one filter, `step` floats from tap to tap, to (out + 2) squared points that are `step` apart as well.
template <int kOut>
void transform_filter(const float* g, int64_t step, float* u) {
  constexpr int kSide = kOut + 2;
  static constexpr double kTwo[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  static constexpr double kFour[6][3] = {{1.0 / 4, 0, 0},          {-1.0 / 6, -1.0 / 6, -1.0 / 6}, {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                         {1.0 / 24, 1.0 / 12, 1.0 / 6}, {1.0 / 24, -1.0 / 12, 1.0 / 6}, {0, 0, 1}};
  const double(*const by)[3] = kOut == 2 ? kTwo : kFour;
  for (int i = 0; i < kSide; ++i) {
    double half[3];
    for (int j = 0; j < 3; ++j) {
      half[j] = 0;
      for (int k = 0; k < 3; ++k) half[j] += by[i][k] * static_cast<double>(g[(k * 3 + j) * step]);
    }
    for (int j = 0; j < kSide; ++j) {
      double point = 0;
      for (int k = 0; k < 3; ++k) point += half[k] * by[j][k];
      u[(i * kSide + j) * step] = static_cast<float>(point);
    }
  }
}

}  // namespace

bool winograd_suits(const Conv2DParams& p) {
  return p.k_h == 3 && p.k_w == 3 && p.stride_h == 1 && p.stride_w == 1 && p.dil_h == 1 && p.dil_w == 1 && p.groups == 1 &&
         p.in_c >= kWinogradMinChannels && p.out_c >= kWinogradMinChannels;
}

int winograd_pays(const Conv2DParams& p) {
  if (!winograd_suits(p)) return 0;
  return pays(p, 4) ? 4 : pays(p, 2) ? 2 : 0;
}

size_t winograd_packed_size(const Conv2DParams& p, int out) {
  return static_cast<size_t>((out + 2) * (out + 2)) * packed_b_size(p.in_c, p.out_c);
}

void winograd_pack(const Conv2DParams& p, int out, const PackSource& filter, std::byte* packed, ThreadPool& pool) {
  const int64_t cn = p.in_c * p.out_c;
  const int points = (out + 2) * (out + 2);
  std::unique_ptr<float[]> wide(new float[static_cast<size_t>(9 * cn)]);
  std::unique_ptr<float[]> transformed(new float[static_cast<size_t>(points * cn)]);
  ThreadPool alone(1);
  ThreadPool& whole = pool.in_instalment() ? alone : pool;  // the two buffers do not outlive this call
  widen(filter.form, filter.data, 9 * cn, wide.get(), whole);
  whole.parallel_for(0, cn, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      out == 2 ? transform_filter<2>(wide.get() + e, cn, transformed.get() + e) : transform_filter<4>(wide.get() + e, cn, transformed.get() + e);
    }
  });
  const size_t plane = packed_b_size(p.in_c, p.out_c);
  for (int i = 0; i < points; ++i) {
    PackSource source;
    source.data = transformed.get() + i * cn;
    source.row_stride = p.out_c;
    pack_b(source, p.in_c, p.out_c, packed + static_cast<size_t>(i) * plane, pool);
  }
}

size_t winograd_scratch_bytes(const Conv2DParams& p, int out, int threads) {
  const Layout l = layout_of(p, out, threads);
  return static_cast<size_t>(l.slot_floats) * static_cast<size_t>(l.shared ? 1 : threads) * sizeof(float);
}

void winograd_conv2d(const Conv2DParams& p, int out, const float* x, const std::byte* packed, float* y, const Epilogue& epilogue,
                     std::byte* scratch, ThreadPool& pool) {
  if (tiles_of(p, out) == 0) return;
  const Layout l = layout_of(p, out, pool.size());
  auto transform_input = HWY_DYNAMIC_DISPATCH(TransformInput);
  auto transform_output = HWY_DYNAMIC_DISPATCH(TransformOutput);
  struct Places {
    float *v, *m, *zeros;
  };
  auto places_of = [&](int slot) {
    float* v = reinterpret_cast<float*>(scratch) + slot * l.slot_floats;
    float* m = v + l.points * l.step * p.in_c;
    const Places at{v, m, m + l.points * l.step * p.out_c};
    std::fill(at.zeros, at.zeros + p.in_c, 0.0f);
    return at;
  };
  auto product = [&](const Places& at, int64_t point, int64_t tiles) {
    gemm_serial(tiles, p.out_c, p.in_c, at.v + point * l.step * p.in_c, p.in_c,
                reinterpret_cast<const float*>(packed + static_cast<size_t>(point) * l.plane_bytes), at.m + point * l.step * p.out_c, p.out_c);
  };
  if (l.shared) {
    const Places at = places_of(0);
    auto range = [&](int64_t begin, int64_t end) { return TileRange{begin, end - begin, l.step, l.across, l.down}; };
    pool.parallel_for(0, l.tiles, 2, [&](int64_t begin, int64_t end) {
      transform_input(p, out, range(begin, end), x, at.zeros, at.v + begin * p.in_c);
    });
    pool.parallel_for(0, l.points, 1, [&](int64_t begin, int64_t end) {
      for (int64_t point = begin; point < end; ++point) product(at, point, l.tiles);
    });
    pool.parallel_for(0, l.tiles, 2, [&](int64_t begin, int64_t end) {
      transform_output(p, out, range(begin, end), at.m + begin * p.out_c, y, epilogue);
    });
    return;
  }
  pool.parallel_for_slots(0, (l.tiles + l.step - 1) / l.step, 1, [&](int64_t begin, int64_t end, int slot) {
    const Places at = places_of(slot);
    for (int64_t task = begin; task < end; ++task) {
      const TileRange range{task * l.step, std::min(l.step, l.tiles - task * l.step), l.step, l.across, l.down};
      transform_input(p, out, range, x, at.zeros, at.v);
      for (int64_t point = 0; point < l.points; ++point) product(at, point, range.count);
      transform_output(p, out, range, at.m, y, epilogue);
    }
  });
}

}  // namespace tsr::cpu
#endif  // HWY_ONCE
