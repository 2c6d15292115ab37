#include "backends/cpu/kernels/pool.h"

#include <algorithm>
#include <limits>

#define TSR_KERNELS_WITHOUT_AVX3  // bound by memory, not by the width of vectors
#include "backends/cpu/kernels/targets.h"

#ifndef TSR_CPU_POOL_ONCE
#define TSR_CPU_POOL_ONCE
namespace tsr::cpu {
namespace {

// Taps [y0, y1) x [x0, x1) of a window that lie inside the image, and the input pixel of tap (0, 0), which may not.
struct Window {
  int64_t y0, y1, x0, x1;
  int64_t iy, ix;
};

inline Window window_at(const PoolParams& p, int64_t oy, int64_t ox) {
  Window w;
  w.iy = oy * p.stride_h - p.pad_top;
  w.ix = ox * p.stride_w - p.pad_left;
  auto clip = [](int64_t first, int64_t dilation, int64_t taps, int64_t extent, int64_t* from, int64_t* to) {
    *from = first < 0 ? std::min(taps, (-first + dilation - 1) / dilation) : 0;
    const int64_t room = extent - 1 - first;  // the last tap is the last one not beyond this distance
    *to = room < 0 ? *from : std::max(*from, std::min(taps, room / dilation + 1));
  };
  clip(w.iy, p.dil_h, p.k_h, p.in_h, &w.y0, &w.y1);
  clip(w.ix, p.dil_w, p.k_w, p.in_w, &w.x0, &w.x1);
  return w;
}

}  // namespace
}  // namespace tsr::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/pool.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

// One window for n channels (a whole vector, or the last few) from x, the channels of tap (0, 0).
template <bool kMax>
HWY_INLINE VF pool_vector(const Window& w, const float* x, ptrdiff_t row, ptrdiff_t col, ptrdiff_t n) {
  VF result = splat(kMax ? -std::numeric_limits<float>::infinity() : 0.0f);
  for (int64_t ky = w.y0; ky < w.y1; ++ky) {
    const float* tap = x + static_cast<ptrdiff_t>(ky) * row + static_cast<ptrdiff_t>(w.x0) * col;
    VF sum = zero();  // row by row, so that sums over large windows stay short
    for (int64_t kx = w.x0; kx < w.x1; ++kx, tap += col) {
      const VF v = load_some(tap, n);
      if constexpr (kMax) {
        result = max_nan(result, v);
      } else {
        sum = hn::Add(sum, v);
      }
    }
    if constexpr (!kMax) result = hn::Add(result, sum);
  }
  if constexpr (!kMax) result = hn::Div(result, splat(static_cast<float>((w.y1 - w.y0) * (w.x1 - w.x0))));
  return result;
}

template <bool kMax>
HWY_INLINE void pool_row(const PoolParams& p, const float* image, int64_t oy, float* y) {
  const ptrdiff_t channels = static_cast<ptrdiff_t>(p.channels);
  const ptrdiff_t col = static_cast<ptrdiff_t>(p.dil_w) * channels, row = static_cast<ptrdiff_t>(p.dil_h * p.in_w) * channels;
  for (int64_t ox = 0; ox < p.out_w; ++ox, y += channels) {
    const Window w = window_at(p, oy, ox);
    const float* x = image + static_cast<ptrdiff_t>(w.iy * p.in_w + w.ix) * channels;
    ptrdiff_t c = 0;
    for (; c + static_cast<ptrdiff_t>(kLanes) <= channels; c += kLanes) store(pool_vector<kMax>(w, x + c, row, col, kLanes), y + c);
    if (c < channels) store_n(pool_vector<kMax>(w, x + c, row, col, channels - c), y + c, channels - c);
  }
}

void MaxPoolRow(const PoolParams& p, const float* image, int64_t oy, float* y) { pool_row<true>(p, image, oy, y); }
void AvgPoolRow(const PoolParams& p, const float* image, int64_t oy, float* y) { pool_row<false>(p, image, oy, y); }

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::cpu {
HWY_EXPORT(MaxPoolRow);
HWY_EXPORT(AvgPoolRow);

namespace {

// Channels that a task of a backward pass handles: windows overlap, so a task takes whole images, a few channels wide.
constexpr int64_t kChannels = 64;

template <typename Row>
void for_each_row(const PoolParams& p, const float* x, float* y, ThreadPool& pool, Row run) {
  const int64_t row_reads = std::max<int64_t>(1, p.out_w * p.channels * p.k_h * p.k_w);
  pool.parallel_for(0, p.batch * p.out_h, std::max<int64_t>(1, 32768 / row_reads), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      run(p, x + r / p.out_h * p.in_h * p.in_w * p.channels, r % p.out_h, y + r * p.out_w * p.channels);
  });
}

// f(window, dy offset, dx offset of tap (0, 0), channels) for all windows of an image's channel range, dx cleared before.
template <typename F>
void for_each_window(const PoolParams& p, float* dx, ThreadPool& pool, F f) {
  const int64_t ranges = (p.channels + kChannels - 1) / kChannels;
  pool.parallel_for(0, p.batch * ranges, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t image = task / ranges, c0 = task % ranges * kChannels, n = std::min(kChannels, p.channels - c0);
      for (int64_t i = 0; i < p.in_h * p.in_w; ++i) {
        float* at = dx + (image * p.in_h * p.in_w + i) * p.channels + c0;
        std::fill(at, at + n, 0.0f);
      }
      for (int64_t oy = 0; oy < p.out_h; ++oy)
        for (int64_t ox = 0; ox < p.out_w; ++ox) {
          const Window w = window_at(p, oy, ox);
          if (w.y0 == w.y1 || w.x0 == w.x1) continue;
          f(w, ((image * p.out_h + oy) * p.out_w + ox) * p.channels + c0,
            ((image * p.in_h + w.iy) * p.in_w + w.ix) * p.channels + c0, n);
        }
    }
  });
}

}  // namespace

void max_pool(const PoolParams& p, const float* x, float* y, ThreadPool& pool) {
  for_each_row(p, x, y, pool, HWY_DYNAMIC_DISPATCH(MaxPoolRow));
}

void avg_pool(const PoolParams& p, const float* x, float* y, ThreadPool& pool) {
  for_each_row(p, x, y, pool, HWY_DYNAMIC_DISPATCH(AvgPoolRow));
}

void max_pool_backprop(const PoolParams& p, const float* x, const float* dy, float* dx, ThreadPool& pool) {
  for_each_window(p, dx, pool, [&](const Window& w, int64_t from, int64_t to, int64_t n) {
    float best[kChannels];
    int64_t where[kChannels];
    bool first = true;
    for (int64_t ky = w.y0; ky < w.y1; ++ky)
      for (int64_t kx = w.x0; kx < w.x1; ++kx) {
        const int64_t at = to + (ky * p.dil_h * p.in_w + kx * p.dil_w) * p.channels;
        for (int64_t c = 0; c < n; ++c) {
          const float v = x[at + c];
          if (first || v > best[c] || (v != v && best[c] == best[c])) best[c] = v, where[c] = at + c;
        }
        first = false;
      }
    for (int64_t c = 0; c < n; ++c) dx[where[c]] += dy[from + c];
  });
}

void avg_pool_backprop(const PoolParams& p, const float* dy, float* dx, ThreadPool& pool) {
  for_each_window(p, dx, pool, [&](const Window& w, int64_t from, int64_t to, int64_t n) {
    const float share = 1.0f / static_cast<float>((w.y1 - w.y0) * (w.x1 - w.x0));
    for (int64_t ky = w.y0; ky < w.y1; ++ky)
      for (int64_t kx = w.x0; kx < w.x1; ++kx) {
        float* at = dx + to + (ky * p.dil_h * p.in_w + kx * p.dil_w) * p.channels;
        for (int64_t c = 0; c < n; ++c) at[c] += dy[from + c] * share;
      }
  });
}

}  // namespace tsr::cpu
#endif  // HWY_ONCE
