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
  const float* x = nullptr;  // input row of tap row 0, which may lie outside; only rows [ky0, ky1) are read
  int64_t row_step = 0;      // floats from the input row of one tap row to that of the next
  int64_t ky0 = 0, ky1 = 0;
  const float* filter = nullptr;  // [k_h][k_w][channels]
  float* y = nullptr;
  int64_t channels = 0;  // of the output
  int64_t pixel = 0;     // the epilogue's name of the first output pixel
  int64_t in_w = 0, out_w = 0, k_w = 0, stride = 0, dilation = 0, pad = 0;
};

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

// What a pixel's sums go through in registers, without a branch: y = min(max(sum + bias, least), most). The rest of an epilogue follows
// row by row.
struct Plain {
  const float* bias = nullptr;
  float least = -HUGE_VALF, most = HUGE_VALF;
};

HWY_INLINE VF bias_of(const Plain& e, int64_t c) { return e.bias ? load(e.bias + c) : zero(); }
// NaN stays: neither bound is one.
HWY_INLINE VF finished(VF sum, VF bias, VF least, VF most) { return at_most(at_least(hn::Add(sum, bias), least), most); }

// Any pixel, any channels: taps outside the image are left out.
void any_pixel(const RowJob& job, const Plain& e, int64_t ox) {
  const int64_t x0 = ox * job.stride - job.pad;
  const int64_t channels = job.channels;
  int64_t kx0 = 0, kx1 = job.k_w;
  while (kx0 < kx1 && x0 + kx0 * job.dilation < 0) ++kx0;
  while (kx1 > kx0 && x0 + (kx1 - 1) * job.dilation >= job.in_w) --kx1;
  const int64_t whole = channels / kLanes * kLanes;
  const VF least = splat(e.least), most = splat(e.most);
  float* y = job.y + ox * channels;
  for (int64_t c = 0; c < whole; c += kLanes) {
    VF sum = zero();
    for (int64_t ky = job.ky0; ky < job.ky1; ++ky)
      for (int64_t kx = kx0; kx < kx1; ++kx)
        sum = madd(load(job.x + ky * job.row_step + (x0 + kx * job.dilation) * channels + c),
                   load(job.filter + (ky * job.k_w + kx) * channels + c), sum);
    store(finished(sum, bias_of(e, c), least, most), y + c);
  }
  if (whole == channels) return;
  const int64_t n = channels - whole;
  VF sum = zero();
  for (int64_t ky = job.ky0; ky < job.ky1; ++ky)
    for (int64_t kx = kx0; kx < kx1; ++kx)
      sum = madd(load_n(job.x + ky * job.row_step + (x0 + kx * job.dilation) * channels + whole, n),
                 load_n(job.filter + (ky * job.k_w + kx) * channels + whole, n), sum);
  store_n(finished(sum, e.bias ? load_n(e.bias + whole, n) : zero(), least, most), y + whole, n);
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
  for (ptrdiff_t i = 0; i < channels; i += kLanes) {
    const ptrdiff_t c = HWY_MIN(i, channels - static_cast<ptrdiff_t>(kLanes));
    VF sum[N];
#pragma GCC unroll 8
    for (int p = 0; p < N; ++p) sum[p] = zero();
    const float* x = x0 + static_cast<ptrdiff_t>(job.ky0) * row_step + c;
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
  const float* x0 = job.x + (ox * job.stride - job.pad) * channels;
  float* y0 = job.y + ox * channels;
  const VF least = splat(e.least), most = splat(e.most);
  for (int64_t i = 0; i < channels; i += kLanes) {
    const int64_t c = HWY_MIN(i, channels - kLanes);
    VF s0 = zero(), s1 = zero(), s2 = zero(), s3 = zero();
    for (int64_t ky = job.ky0; ky < job.ky1; ++ky) {
      const float* x = x0 + ky * job.row_step + c;
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

void Row(const RowJob& job, const Epilogue& epilogue) {
  Plain e{epilogue.bias};
  Epilogue rest = epilogue;
  rest.bias = nullptr;
  if (is_cheap(epilogue.activation) && !(epilogue.residual && epilogue.residual_before_activation)) {
    if (epilogue.activation != Activation::kNone) e.least = 0.0f;
    if (epilogue.activation == Activation::kRelu6) e.most = 6.0f;
    rest.activation = Activation::kNone;
  }
  // Pixels [first, last) see no column outside.
  const int64_t reach = (job.k_w - 1) * job.dilation;
  int64_t first = HWY_MIN(job.out_w, (job.pad + job.stride - 1) / job.stride);
  const int64_t room = job.in_w - 1 - reach + job.pad;
  int64_t last = room < 0 ? 0 : HWY_MIN(job.out_w, room / job.stride + 1);
  if (last < first || job.channels < kLanes) last = first;
  int64_t ox = 0;
  for (; ox < first; ++ox) any_pixel(job, e, ox);
  auto run = [&](auto fn, int64_t n) {
    for (; ox + n <= last; ox += n) fn(job, e, ox);
  };
  if (job.dilation == 1 && job.k_w == 3 && job.stride == 1) {
    run(near_pixels<3, 1, 4>, 4);
    run(near_pixels<3, 1, 1>, 1);
  } else if (job.dilation == 1 && job.k_w == 3 && job.stride == 2) {
    run(near_pixels<3, 2, 4>, 4);
    run(near_pixels<3, 2, 1>, 1);
  } else if (job.dilation == 1 && job.k_w == 5 && job.stride == 1) {
    run(near_pixels<5, 1, 4>, 4);
    run(near_pixels<5, 1, 1>, 1);
  } else if (job.dilation == 1 && job.k_w == 5 && job.stride == 2) {
    run(near_pixels<5, 2, 4>, 4);
    run(near_pixels<5, 2, 1>, 1);
  } else {
    run(four_pixels, 4);
  }
  for (; ox < job.out_w; ++ox) any_pixel(job, e, ox);
  if (rest.fn || rest.residual || rest.activation != Activation::kNone) finish_rows(rest, job.y, job.channels, job.pixel, 1, job.out_w, 0, job.channels);
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
HWY_EXPORT(MultiplyAddRow);

namespace {

// Rows worth a few microseconds together.
int64_t row_grain(int64_t row_products) { return std::max<int64_t>(1, 32768 / std::max<int64_t>(1, row_products)); }

// Tap rows [ky0, ky1) that fall inside for output row oy.
void valid_rows(const DepthwiseParams& p, int64_t oy, int64_t* ky0, int64_t* ky1) {
  const int64_t y0 = oy * p.stride_h - p.pad_top;
  *ky0 = 0, *ky1 = p.k_h;
  while (*ky0 < *ky1 && y0 + *ky0 * p.dil_h < 0) ++*ky0;
  while (*ky1 > *ky0 && y0 + (*ky1 - 1) * p.dil_h >= p.in_h) --*ky1;
}

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

void depthwise_conv2d(const DepthwiseParams& p, const float* x, const float* filter, float* y, const Epilogue& epilogue,
                      std::byte* scratch, ThreadPool& pool) {
  const int64_t out_c = p.channels * p.multiplier;
  if (out_c == 0 || p.out_w == 0) return;
  auto run = HWY_DYNAMIC_DISPATCH(Row);
  const int64_t grain = row_grain(p.out_w * out_c * p.k_h * p.k_w);
  pool.parallel_for_slots(0, p.batch * p.out_h, grain, [&](int64_t begin, int64_t end, int slot) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t image = row / p.out_h, oy = row % p.out_h;
      RowJob job;
      valid_rows(p, oy, &job.ky0, &job.ky1);
      job.filter = filter;
      job.y = y + row * p.out_w * out_c;
      job.channels = out_c;
      job.pixel = row * p.out_w;
      job.in_w = p.in_w, job.out_w = p.out_w, job.k_w = p.k_w, job.stride = p.stride_w, job.dilation = p.dil_w, job.pad = p.pad_left;
      const int64_t iy0 = oy * p.stride_h - p.pad_top;
      const float* first = x + (image * p.in_h + iy0) * p.in_w * p.channels;
      const int64_t step = p.dil_h * p.in_w * p.channels;
      if (p.multiplier == 1) {
        job.x = first;
        job.row_step = step;
      } else {  // the rows with each channel repeated, then as above
        float* wide = reinterpret_cast<float*>(scratch) + slot * slot_floats(p);
        for (int64_t ky = job.ky0; ky < job.ky1; ++ky)
          repeat_channels(first + ky * step, p.in_w * p.channels, p.multiplier, wide + ky * p.in_w * out_c);
        job.x = wide;
        job.row_step = p.in_w * out_c;
      }
      run(job, epilogue);
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
