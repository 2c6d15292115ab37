#include "backends/cpu/kernels/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#define TSR_KERNELS_WITHOUT_AVX3  // bound by memory, not by the width of vectors
#include "backends/cpu/kernels/targets.h"

#ifndef TSR_CPU_RESIZE_ONCE
#define TSR_CPU_RESIZE_ONCE
namespace tsr::cpu {
namespace {

// Where one output row or column comes from: between two input indices, `fraction` of the way.
struct Sample {
  int64_t low, high;
  float fraction;
};

}  // namespace
}  // namespace tsr::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/resize.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

// One output row from the input rows `top` and `bottom`. Columns are sampled first, then rows, as TensorFlow does it.
void BilinearRow(const float* top, const float* bottom, float fraction, const Sample* columns, int64_t out_w, int64_t channels, float* y) {
  const VF fy = splat(fraction);
  for (int64_t ox = 0; ox < out_w; ++ox, y += channels) {
    const Sample s = columns[ox];
    const float *a = top + s.low * channels, *b = top + s.high * channels;
    const float *c = bottom + s.low * channels, *d = bottom + s.high * channels;
    const VF fx = splat(s.fraction);
    int64_t i = 0;
    for (; i + kLanes <= channels; i += kLanes) {
      const VF va = load(a + i), vc = load(c + i);
      const VF upper = madd(hn::Sub(load(b + i), va), fx, va), lower = madd(hn::Sub(load(d + i), vc), fx, vc);
      store(madd(hn::Sub(lower, upper), fy, upper), y + i);
    }
    for (; i < channels; ++i) {
      const float upper = a[i] + (b[i] - a[i]) * s.fraction, lower = c[i] + (d[i] - c[i]) * s.fraction;
      y[i] = upper + (lower - upper) * fraction;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::cpu {
HWY_EXPORT(BilinearRow);

namespace {

double scale_of(int64_t in, int64_t out, bool align_corners) {
  return align_corners && out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1)
                                  : static_cast<double>(in) / static_cast<double>(out);
}

Sample bilinear_sample(const ResizeParams& p, int64_t o, int64_t in, int64_t out) {
  const double scale = scale_of(in, out, p.align_corners);
  const double at = p.half_pixel_centers ? (static_cast<double>(o) + 0.5) * scale - 0.5 : static_cast<double>(o) * scale;
  const int64_t low = std::clamp<int64_t>(static_cast<int64_t>(std::floor(at)), 0, in - 1);
  const int64_t high = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, in - 1);
  // Where both are the same pixel (beyond an edge) the fraction does not matter, but it must not lead outside of [0, 1].
  return {low, high, low == high ? 0.0f : static_cast<float>(at - static_cast<double>(low))};
}

int64_t nearest_sample(const ResizeParams& p, int64_t o, int64_t in, int64_t out) {
  const double scale = scale_of(in, out, p.align_corners);
  const double at = (static_cast<double>(o) + (p.half_pixel_centers ? 0.5 : 0.0)) * scale;
  return std::clamp<int64_t>(static_cast<int64_t>(p.align_corners ? std::floor(at + 0.5) : std::floor(at)), 0, in - 1);
}

bool is_empty(const ResizeParams& p) { return p.batch * p.out_h * p.out_w * p.channels == 0; }

template <typename Row>
void for_each_row(const ResizeParams& p, ThreadPool& pool, Row row) {
  const int64_t work = std::max<int64_t>(1, p.out_w * p.channels);
  pool.parallel_for(0, p.batch * p.out_h, std::max<int64_t>(1, 8192 / work), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) row(r / p.out_h, r % p.out_h);
  });
}

// Backward passes scatter, so a task takes an image, some channels wide.
constexpr int64_t kChannels = 64;

template <typename F>
void for_each_strip(const ResizeParams& p, float* dx, ThreadPool& pool, F f) {
  const int64_t ranges = (p.channels + kChannels - 1) / kChannels;
  pool.parallel_for(0, p.batch * ranges, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t image = t / ranges, c0 = t % ranges * kChannels, n = std::min(kChannels, p.channels - c0);
      float* strip = dx + image * p.in_h * p.in_w * p.channels + c0;
      for (int64_t i = 0; i < p.in_h * p.in_w; ++i) std::fill(strip + i * p.channels, strip + i * p.channels + n, 0.0f);
      f(image * p.out_h * p.out_w * p.channels + c0, strip, n);
    }
  });
}

}  // namespace

size_t resize_scratch_bytes(const ResizeParams& p) { return static_cast<size_t>(p.out_w) * sizeof(Sample); }

void resize_bilinear(const ResizeParams& p, const float* x, float* y, std::byte* scratch, ThreadPool& pool) {
  if (is_empty(p)) return;
  Sample* columns = reinterpret_cast<Sample*>(scratch);
  for (int64_t i = 0; i < p.out_w; ++i) columns[i] = bilinear_sample(p, i, p.in_w, p.out_w);
  auto run = HWY_DYNAMIC_DISPATCH(BilinearRow);
  const int64_t row = p.in_w * p.channels;
  for_each_row(p, pool, [&](int64_t image, int64_t oy) {
    const Sample s = bilinear_sample(p, oy, p.in_h, p.out_h);
    const float* from = x + image * p.in_h * row;
    run(from + s.low * row, from + s.high * row, s.fraction, columns, p.out_w, p.channels,
        y + (image * p.out_h + oy) * p.out_w * p.channels);
  });
}

void resize_nearest(const ResizeParams& p, const float* x, float* y, std::byte* scratch, ThreadPool& pool) {
  if (is_empty(p)) return;
  Sample* columns = reinterpret_cast<Sample*>(scratch);
  for (int64_t i = 0; i < p.out_w; ++i) columns[i] = {nearest_sample(p, i, p.in_w, p.out_w) * p.channels, 0, 0};
  for_each_row(p, pool, [&](int64_t image, int64_t oy) {
    const float* from = x + (image * p.in_h + nearest_sample(p, oy, p.in_h, p.out_h)) * p.in_w * p.channels;
    float* to = y + (image * p.out_h + oy) * p.out_w * p.channels;
    for (int64_t ox = 0; ox < p.out_w; ++ox, to += p.channels) {
      const float* pixel = from + columns[ox].low;
      if (p.channels < 16) {
        for (int64_t c = 0; c < p.channels; ++c) to[c] = pixel[c];
      } else {
        std::memcpy(to, pixel, static_cast<size_t>(p.channels) * sizeof(float));
      }
    }
  });
}

void resize_bilinear_backprop(const ResizeParams& p, const float* dy, float* dx, ThreadPool& pool) {
  for_each_strip(p, dx, pool, [&](int64_t offset, float* strip, int64_t n) {
    const float* from = dy + offset;
    for (int64_t oy = 0; oy < p.out_h; ++oy) {
      const Sample sy = bilinear_sample(p, oy, p.in_h, p.out_h);
      for (int64_t ox = 0; ox < p.out_w; ++ox, from += p.channels) {
        const Sample sx = bilinear_sample(p, ox, p.in_w, p.out_w);
        auto add = [&](int64_t iy, int64_t ix, float weight) {
          float* to = strip + (iy * p.in_w + ix) * p.channels;
          for (int64_t c = 0; c < n; ++c) to[c] += from[c] * weight;
        };
        add(sy.low, sx.low, (1 - sy.fraction) * (1 - sx.fraction));
        add(sy.low, sx.high, (1 - sy.fraction) * sx.fraction);
        add(sy.high, sx.low, sy.fraction * (1 - sx.fraction));
        add(sy.high, sx.high, sy.fraction * sx.fraction);
      }
    }
  });
}

void resize_nearest_backprop(const ResizeParams& p, const float* dy, float* dx, ThreadPool& pool) {
  for_each_strip(p, dx, pool, [&](int64_t offset, float* strip, int64_t n) {
    const float* from = dy + offset;
    for (int64_t oy = 0; oy < p.out_h; ++oy)
      for (int64_t ox = 0; ox < p.out_w; ++ox, from += p.channels) {
        float* to = strip + (nearest_sample(p, oy, p.in_h, p.out_h) * p.in_w + nearest_sample(p, ox, p.in_w, p.out_w)) * p.channels;
        for (int64_t c = 0; c < n; ++c) to[c] += from[c];
      }
  });
}

}  // namespace tsr::cpu
#endif  // HWY_ONCE
