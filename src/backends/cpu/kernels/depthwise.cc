#include "backends/cpu/kernels/depthwise.h"

#include <algorithm>
#include <cmath>

#include "backends/cpu/kernels/targets.h"

#ifndef TSR_CPU_DEPTHWISE_ONCE
#define TSR_CPU_DEPTHWISE_ONCE
namespace tsr::cpu {
namespace {

// One row of the output, and the input rows it sees.
struct RowJob {
  const float* x = nullptr;  // input row of tap row ky0
  int64_t row_step = 0;      // floats from the input row of one tap row to that of the next
  int64_t ky0 = 0, ky1 = 0;  // tap rows that lie inside
  const float* filter = nullptr;  // [k_h][k_w][channels]
  float* y = nullptr;
  int64_t channels = 0;  // of the output
  int64_t c0 = 0, c1 = 0;  // those to compute
  int64_t in_w = 0, out_w = 0, k_w = 0, stride = 0, dilation = 0, pad = 0;

  const float* row(int64_t ky) const { return x + (ky - ky0) * row_step; }
};

// What a pixel's sums go through in registers, without a branch: y = min(max(sum + bias, least), most).
struct Plain {
  const float* bias = nullptr;
  float least = -HUGE_VALF, most = HUGE_VALF;
};

// An epilogue as what is done in registers and the rest, which follows row by row.
struct SplitPlain {
  Plain plain;
  Epilogue rest;
  bool has_rest = false;
};

inline SplitPlain split_plain(const Epilogue& epilogue) {
  SplitPlain s{{epilogue.bias}, epilogue};
  s.rest.bias = nullptr;
  const Activation act = epilogue.activation;
  const bool cheap = act == Activation::kNone || act == Activation::kRelu || act == Activation::kRelu6;
  if (cheap && !(epilogue.residual && epilogue.residual_before_activation)) {
    if (act != Activation::kNone) s.plain.least = 0.0f;
    if (act == Activation::kRelu6) s.plain.most = 6.0f;
    s.rest.activation = Activation::kNone;
  }
  s.has_rest = s.rest.fn || s.rest.residual || s.rest.activation != Activation::kNone;
  return s;
}

}  // namespace
}  // namespace tsr::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/depthwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

HWY_INLINE VF bias_of(const Plain& e, int64_t c) { return e.bias ? load(e.bias + c) : zero(); }
// NaN stays: neither bound is one.
HWY_INLINE VF finished(VF sum, VF bias, VF least, VF most) { return at_most(at_least(hn::Add(sum, bias), least), most); }

// The taps of one pixel that lie inside the image, for V vectors of channels from `c` on: sums that do not wait for one another.
template <int V>
HWY_INLINE void some_taps(const RowJob& job, const Plain& e, int64_t ox, int64_t kx0, int64_t kx1, int64_t c) {
  const ptrdiff_t channels = static_cast<ptrdiff_t>(job.channels);
  const ptrdiff_t across = static_cast<ptrdiff_t>(job.dilation) * channels;
  VF sum[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) sum[v] = zero();
  for (int64_t ky = job.ky0; ky < job.ky1; ++ky) {
    const float* x = job.row(ky) + (ox * job.stride - job.pad + kx0 * job.dilation) * job.channels + c;
    const float* f = job.filter + (ky * job.k_w + kx0) * job.channels + c;
    for (int64_t taps = kx1 - kx0; taps > 0; --taps, x += across, f += channels) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[v] = madd(load(x + v * kLanes), load(f + v * kLanes), sum[v]);
    }
  }
  float* y = job.y + ox * job.channels + c;
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) store(finished(sum[v], bias_of(e, c + v * kLanes), splat(e.least), splat(e.most)), y + v * kLanes);
}

// Any pixel, any channels: taps outside the image are left out.
HWY_NOINLINE void any_pixel(const RowJob& job, const Plain& e, int64_t ox) {
  const int64_t x0 = ox * job.stride - job.pad;
  const int64_t channels = job.channels;
  int64_t kx0 = 0, kx1 = job.k_w;
  while (kx0 < kx1 && x0 + kx0 * job.dilation < 0) ++kx0;
  while (kx1 > kx0 && x0 + (kx1 - 1) * job.dilation >= job.in_w) --kx1;
  int64_t whole = job.c0;
  for (; whole + 4 * kLanes <= job.c1; whole += 4 * kLanes) some_taps<4>(job, e, ox, kx0, kx1, whole);
  for (; whole + kLanes <= job.c1; whole += kLanes) some_taps<1>(job, e, ox, kx0, kx1, whole);
  if (whole == job.c1) return;
  const int64_t n = job.c1 - whole;
  VF sum = zero();
  for (int64_t ky = job.ky0; ky < job.ky1; ++ky)
    for (int64_t kx = kx0; kx < kx1; ++kx)
      sum = madd(load_n(job.row(ky) + (x0 + kx * job.dilation) * channels + whole, n),
                 load_n(job.filter + (ky * job.k_w + kx) * channels + whole, n), sum);
  store_n(finished(sum, e.bias ? load_n(e.bias + whole, n) : zero(), splat(e.least), splat(e.most)), job.y + ox * channels + whole, n);
}

// N neighbouring pixels whose taps all lie inside: each input vector is loaded once and serves every pixel that sees it.
// K taps across without dilation, pixels S apart; channels >= kLanes (the last vector overlaps the one before it).
template <int K, int S, int N>
HWY_NOINLINE void near_pixels(const RowJob& job, const Plain& e, int64_t ox) {
  // ptrdiff_t: with 64-bit offsets WebAssembly would truncate each one in the loop.
  const ptrdiff_t channels = static_cast<ptrdiff_t>(job.channels), row_step = static_cast<ptrdiff_t>(job.row_step);
  const float* x0 = job.x + static_cast<ptrdiff_t>(ox * S - job.pad) * channels;
  float* y0 = job.y + static_cast<ptrdiff_t>(ox) * channels;
  const VF least = splat(e.least), most = splat(e.most);
  const ptrdiff_t end = static_cast<ptrdiff_t>(job.c1);
  for (ptrdiff_t i = static_cast<ptrdiff_t>(job.c0); i < end; i += kLanes) {
    const ptrdiff_t c = HWY_MIN(i, end - static_cast<ptrdiff_t>(kLanes));
    VF sum[N];
#pragma GCC unroll 8
    for (int p = 0; p < N; ++p) sum[p] = zero();
    const float* x = x0 + c;
    const float* f = job.filter + static_cast<ptrdiff_t>(job.ky0) * K * channels + c;
    for (ptrdiff_t rows = static_cast<ptrdiff_t>(job.ky1 - job.ky0); rows > 0; --rows, x += row_step, f += K * channels) {
      VF w[K];
#pragma GCC unroll 8
      for (int k = 0; k < K; ++k) w[k] = load(f + k * channels);
#pragma GCC unroll 24
      for (int j = 0; j < (N - 1) * S + K; ++j) {
        const VF v = load(x + j * channels);
#pragma GCC unroll 8
        for (int p = 0; p < N; ++p)
          if (j - p * S >= 0 && j - p * S < K) sum[p] = madd(v, w[j - p * S], sum[p]);
      }
    }
    const VF bias = bias_of(e, c);
#pragma GCC unroll 8
    for (int p = 0; p < N; ++p) store(finished(sum[p], bias, least, most), y0 + p * channels + c);
  }
}

// Four pixels whose taps all lie inside, for any width, stride and dilation.
HWY_NOINLINE void four_pixels(const RowJob& job, const Plain& e, int64_t ox) {
  const int64_t channels = job.channels, step = job.stride * channels;
  const int64_t x0 = (ox * job.stride - job.pad) * channels;
  float* y0 = job.y + ox * channels;
  const VF least = splat(e.least), most = splat(e.most);
  for (int64_t i = job.c0; i < job.c1; i += kLanes) {
    const int64_t c = HWY_MIN(i, job.c1 - kLanes);
    VF s0 = zero(), s1 = zero(), s2 = zero(), s3 = zero();
    for (int64_t ky = job.ky0; ky < job.ky1; ++ky) {
      const float* x = job.row(ky) + x0 + c;
      const float* f = job.filter + ky * job.k_w * channels + c;
      for (int64_t kx = 0; kx < job.k_w; ++kx, x += job.dilation * channels, f += channels) {
        const VF w = load(f);
        s0 = madd(load(x), w, s0);
        s1 = madd(load(x + step), w, s1);
        s2 = madd(load(x + 2 * step), w, s2);
        s3 = madd(load(x + 3 * step), w, s3);
      }
    }
    const VF bias = bias_of(e, c);
    store(finished(s0, bias, least, most), y0 + c);
    store(finished(s1, bias, least, most), y0 + channels + c);
    store(finished(s2, bias, least, most), y0 + 2 * channels + c);
    store(finished(s3, bias, least, most), y0 + 3 * channels + c);
  }
}

// Pixels [ox, last), four at a time; gives the first that is left.
template <int K, int S>
HWY_INLINE int64_t inner_pixels(const RowJob& job, const Plain& e, int64_t ox, int64_t last) {
  for (; ox + 4 <= last; ox += 4) near_pixels<K, S, 4>(job, e, ox);
  for (; ox < last; ++ox) near_pixels<K, S, 1>(job, e, ox);
  return ox;
}

void Row(const RowJob& job, const Plain& e) {
  // Pixels [first, last) see no column outside.
  const int64_t reach = (job.k_w - 1) * job.dilation;
  int64_t first = HWY_MIN(job.out_w, (job.pad + job.stride - 1) / job.stride);
  const int64_t room = job.in_w - 1 - reach + job.pad;
  int64_t last = room < 0 ? 0 : HWY_MIN(job.out_w, room / job.stride + 1);
  if (last < first || job.c1 - job.c0 < kLanes) last = first;
  int64_t ox = 0;
  for (; ox < first; ++ox) any_pixel(job, e, ox);
  const bool dense = job.dilation == 1;
  if (dense && job.k_w == 3 && job.stride == 1) {
    ox = inner_pixels<3, 1>(job, e, ox, last);
  } else if (dense && job.k_w == 3 && job.stride == 2) {
    ox = inner_pixels<3, 2>(job, e, ox, last);
  } else if (dense && job.k_w == 5 && job.stride == 1) {
    ox = inner_pixels<5, 1>(job, e, ox, last);
  } else if (dense && job.k_w == 5 && job.stride == 2) {
    ox = inner_pixels<5, 2>(job, e, ox, last);
  } else {
    for (; ox + 4 <= last; ox += 4) four_pixels(job, e, ox);
  }
  for (; ox < job.out_w; ++ox) any_pixel(job, e, ox);
}

// What follows for a whole row.
void FinishRow(const Epilogue& rest, float* y, int64_t channels, int64_t pixel, int64_t pixels) {
  finish_rows(rest, y, channels, pixel, 1, pixels, 0, channels);
}

// sum[i] += a[i] * b[i]
void MultiplyAddRow(const float* a, const float* b, float* sum, int64_t n) {
  map_row(sum, n, [a, b](VF s, int64_t i, int64_t count) HWY_ATTR { return madd(load_some(a + i, count), load_some(b + i, count), s); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::cpu {
HWY_EXPORT(Row);
HWY_EXPORT(FinishRow);
HWY_EXPORT(MultiplyAddRow);

namespace {

// Rows worth a few microseconds together.
int64_t row_grain(int64_t row_products) { return std::max<int64_t>(1, 32768 / std::max<int64_t>(1, row_products)); }

// out[i * multiplier + q] = x[i]
void repeat_channels(const float* x, int64_t n, int64_t multiplier, float* out) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t q = 0; q < multiplier; ++q) *out++ = x[i];
}

int64_t slot_floats(const DepthwiseParams& p) { return (p.k_h * p.in_w * p.channels * p.multiplier + 15) / 16 * 16; }

}  // namespace

size_t depthwise_scratch_bytes(const DepthwiseParams& p, int threads) {
  return p.multiplier == 1 ? 0 : static_cast<size_t>(slot_floats(p)) * static_cast<size_t>(threads) * sizeof(float);
}

void depthwise_rows(const DepthwiseParams& p, const ImageRows& x, const float* filter, const ImageRows& y,
                    const Epilogue& epilogue, int64_t image, int64_t first, int64_t last, std::byte* scratch) {
  const int64_t out_c = p.channels * p.multiplier;
  if (out_c == 0 || p.out_w == 0) return;
  auto run = HWY_DYNAMIC_DISPATCH(Row);
  auto finish = HWY_DYNAMIC_DISPATCH(FinishRow);
  const SplitPlain e = split_plain(epilogue);
  // A block of channels goes through all its rows before the next one, so that what a row shares with the one before it is still in
  // the level-1 cache: there the rows of a filter's height and one of the output should fit. At least 64 floats: with fewer neighbours
  // in memory, reading is slower than what is saved (measured with AVX-512 and WebAssembly).
  constexpr int64_t kBlockBytes = 32 * 1024, kFewest = 64;
  int64_t block = kBlockBytes / (4 * (p.k_h * p.in_w + p.out_w)) / kFewest * kFewest;
  block = p.multiplier == 1 ? std::min(out_c, std::max(block, kFewest)) : out_c;
  // Rows with something to follow are finished while they are in the level-2 cache.
  constexpr int64_t kBandBytes = 128 * 1024;
  const int64_t band = e.has_rest ? std::max<int64_t>(1, kBandBytes / (4 * p.out_w * out_c)) : last - first;
  for (int64_t begin = first; begin < last; begin += band) {
    const int64_t end = std::min(last, begin + band);
    // The last block takes what is left beside it, for a block of less than a vector is slow.
    for (int64_t c0 = 0; c0 < out_c;) {
      const int64_t c1 = c0 + 2 * block > out_c ? out_c : c0 + block;
      for (int64_t oy = begin; oy < end; ++oy) {
        RowJob job;
        const int64_t iy = oy * p.stride_h - p.pad_top;  // of tap row 0
        job.ky1 = p.k_h;
        while (job.ky0 < job.ky1 && iy + job.ky0 * p.dil_h < 0) ++job.ky0;
        while (job.ky1 > job.ky0 && iy + (job.ky1 - 1) * p.dil_h >= p.in_h) --job.ky1;
        job.filter = filter;
        job.y = y.row(oy);
        job.channels = out_c;
        job.c0 = c0, job.c1 = c1;
        job.in_w = p.in_w, job.out_w = p.out_w, job.k_w = p.k_w, job.stride = p.stride_w, job.dilation = p.dil_w,
        job.pad = p.pad_left;
        job.row_step = p.dil_h * x.row_floats;
        job.x = job.ky0 < job.ky1 ? x.row(iy + job.ky0 * p.dil_h) : x.data;
        if (p.multiplier != 1) {  // the rows with each channel repeated, then as above
          float* wide = reinterpret_cast<float*>(scratch);
          for (int64_t ky = job.ky0; ky < job.ky1; ++ky)
            repeat_channels(job.row(ky), p.in_w * p.channels, p.multiplier, wide + (ky - job.ky0) * p.in_w * out_c);
          job.x = wide;
          job.row_step = p.in_w * out_c;
        }
        run(job, e.plain);
      }
      c0 = c1;
    }
    for (int64_t oy = begin; oy < end && e.has_rest; ++oy)
      finish(e.rest, y.row(oy), out_c, (image * p.out_h + oy) * p.out_w, p.out_w);
  }
}

void depthwise_conv2d(const DepthwiseParams& p, const float* x, const float* filter, float* y, const Epilogue& epilogue,
                      std::byte* scratch, ThreadPool& pool) {
  const int64_t in_row = p.in_w * p.channels, out_row = p.out_w * p.channels * p.multiplier;
  const int64_t grain = row_grain(out_row * p.k_h * p.k_w);
  pool.parallel_for_slots(0, p.batch * p.out_h, grain, [&](int64_t row, int64_t end, int slot) {
    std::byte* wide = scratch + static_cast<size_t>(slot) * depthwise_scratch_bytes(p, 1);
    while (row < end) {
      const int64_t image = row / p.out_h, first = row % p.out_h, rows = std::min(end - row, p.out_h - first);
      const ImageRows in{const_cast<float*>(x) + image * p.in_h * in_row, in_row};  // only read
      depthwise_rows(p, in, filter, {y + image * p.out_h * out_row, out_row}, epilogue, image, first, first + rows, wide);
      row += rows;
    }
  });
}

void depthwise_backprop_input(const DepthwiseParams& p, const float* dy, const float* filter, float* dx, ThreadPool& pool) {
  const int64_t out_c = p.channels * p.multiplier;
  auto multiply_add = HWY_DYNAMIC_DISPATCH(MultiplyAddRow);
  const int64_t grain = row_grain(p.in_w * out_c * p.k_h * p.k_w);
  pool.parallel_for(0, p.batch * p.in_h, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t image = row / p.in_h, iy = row % p.in_h;
      float* dx_row = dx + row * p.in_w * p.channels;
      std::fill(dx_row, dx_row + p.in_w * p.channels, 0.0f);
      for (int64_t ky = 0; ky < p.k_h; ++ky) {
        const int64_t ys = iy + p.pad_top - ky * p.dil_h;
        if (ys < 0 || ys % p.stride_h != 0 || ys / p.stride_h >= p.out_h) continue;
        const float* dy_row = dy + (image * p.out_h + ys / p.stride_h) * p.out_w * out_c;
        for (int64_t kx = 0; kx < p.k_w; ++kx) {
          const float* f = filter + (ky * p.k_w + kx) * out_c;
          for (int64_t ix = 0; ix < p.in_w; ++ix) {
            const int64_t xs = ix + p.pad_left - kx * p.dil_w;
            if (xs < 0 || xs % p.stride_w != 0 || xs / p.stride_w >= p.out_w) continue;
            const float* d = dy_row + xs / p.stride_w * out_c;
            float* out = dx_row + ix * p.channels;
            if (p.multiplier == 1) {
              multiply_add(d, f, out, p.channels);
            } else {
              for (int64_t c = 0; c < p.channels; ++c)
                for (int64_t q = 0; q < p.multiplier; ++q) out[c] += d[c * p.multiplier + q] * f[c * p.multiplier + q];
            }
          }
        }
      }
    }
  });
}

void depthwise_backprop_filter(const DepthwiseParams& p, const float* x, const float* dy, float* df, ThreadPool& pool) {
  const int64_t out_c = p.channels * p.multiplier;
  auto multiply_add = HWY_DYNAMIC_DISPATCH(MultiplyAddRow);
  // A task is one tap and a range of channels, summed over all pixels: row by row, so that sums stay short.
  constexpr int64_t kChannels = 64;
  const int64_t ranges = (p.channels + kChannels - 1) / kChannels;
  pool.parallel_for(0, p.k_h * p.k_w * ranges, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t tap = task / ranges, c0 = task % ranges * kChannels, n = std::min(kChannels, p.channels - c0);
      const int64_t ky = tap / p.k_w, kx = tap % p.k_w;
      float* out = df + tap * out_c + c0 * p.multiplier;
      std::fill(out, out + n * p.multiplier, 0.0f);
      for (int64_t image = 0; image < p.batch; ++image)
        for (int64_t oy = 0; oy < p.out_h; ++oy) {
          const int64_t iy = oy * p.stride_h + ky * p.dil_h - p.pad_top;
          if (iy < 0 || iy >= p.in_h) continue;
          const float* x_row = x + (image * p.in_h + iy) * p.in_w * p.channels + c0;
          const float* dy_row = dy + (image * p.out_h + oy) * p.out_w * out_c + c0 * p.multiplier;
          if (p.multiplier == 1) {
            float sum[kChannels] = {};
            for (int64_t ox = 0; ox < p.out_w; ++ox) {
              const int64_t ix = ox * p.stride_w + kx * p.dil_w - p.pad_left;
              if (ix >= 0 && ix < p.in_w) multiply_add(x_row + ix * p.channels, dy_row + ox * out_c, sum, n);
            }
            for (int64_t c = 0; c < n; ++c) out[c] += sum[c];
          } else {
            for (int64_t c = 0; c < n; ++c)
              for (int64_t q = 0; q < p.multiplier; ++q) {
                float sum = 0;
                for (int64_t ox = 0; ox < p.out_w; ++ox) {
                  const int64_t ix = ox * p.stride_w + kx * p.dil_w - p.pad_left;
                  if (ix >= 0 && ix < p.in_w) sum += x_row[ix * p.channels + c] * dy_row[ox * out_c + c * p.multiplier + q];
                }
                out[c * p.multiplier + q] += sum;
              }
          }
        }
    }
  });
}

}  // namespace tsr::cpu
#endif  // HWY_ONCE
