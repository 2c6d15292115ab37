#include "backends/cpu/kernels/pool.h"

#include <gtest/gtest.h>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

void check(const PoolParams& p, int threads, bool with_nan = false) {
  Random random(static_cast<uint64_t>(p.in_h * 31 + p.channels));
  const int64_t xs = p.batch * p.in_h * p.in_w * p.channels, ys = p.batch * p.out_h * p.out_w * p.channels;
  std::vector<float> values = random.values(xs);
  for (float& v : values) v = std::round(v * 4) / 4;  // ties
  if (with_nan)
    for (int64_t i = 3; i < xs; i += 17) values[static_cast<size_t>(i)] = std::numeric_limits<float>::quiet_NaN();
  const auto x = exact(values), dy = exact(random.values(ys));
  std::vector<double> want_max, want_avg, want_dmax(static_cast<size_t>(xs)), want_davg(static_cast<size_t>(xs));
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t oy = 0; oy < p.out_h; ++oy)
      for (int64_t ox = 0; ox < p.out_w; ++ox)
        for (int64_t c = 0; c < p.channels; ++c) {
          double best = -std::numeric_limits<double>::infinity(), sum = 0;
          std::vector<size_t> seen;
          size_t where = 0;
          for (int64_t ky = 0; ky < p.k_h; ++ky)
            for (int64_t kx = 0; kx < p.k_w; ++kx) {
              const int64_t iy = oy * p.stride_h + ky * p.dil_h - p.pad_top, ix = ox * p.stride_w + kx * p.dil_w - p.pad_left;
              if (iy < 0 || iy >= p.in_h || ix < 0 || ix >= p.in_w) continue;
              const size_t at = static_cast<size_t>(((b * p.in_h + iy) * p.in_w + ix) * p.channels + c);
              const double v = x[at];
              if (seen.empty() || v > best || (std::isnan(v) && !std::isnan(best))) best = v, where = at;
              sum += v;
              seen.push_back(at);
            }
          const double d = dy[want_max.size()];
          want_max.push_back(best);
          want_avg.push_back(sum / static_cast<double>(seen.size()));
          if (!seen.empty()) want_dmax[where] += d;
          for (size_t at : seen) want_davg[at] += d / static_cast<double>(seen.size());
        }
  ThreadPool pool(threads);
  const auto y = exact(poisoned(ys)), dx = exact(poisoned(xs));
  max_pool(p, x.get(), y.get(), pool);
  expect_near(want_max, y.get(), 0, "max_pool");
  avg_pool(p, x.get(), y.get(), pool);
  expect_near(want_avg, y.get(), 1e-6, "avg_pool");
  max_pool_backprop(p, x.get(), dy.get(), dx.get(), pool);
  expect_near(want_dmax, dx.get(), 1e-6, "max_pool_backprop");
  avg_pool_backprop(p, dy.get(), dx.get(), pool);
  expect_near(want_davg, dx.get(), 1e-6, "avg_pool_backprop");
}

PoolParams params(int64_t h, int64_t w, int64_t c, int64_t k, int64_t stride, int64_t dilation, int64_t pad) {
  PoolParams p;
  p.batch = 2, p.in_h = h, p.in_w = w, p.channels = c, p.k_h = k, p.k_w = k + 1;
  p.stride_h = p.stride_w = stride, p.dil_h = p.dil_w = dilation, p.pad_top = pad, p.pad_left = pad + 1;
  p.out_h = (h + 2 * pad) / stride, p.out_w = (w + 2 * pad) / stride;
  return p;
}

KERNEL_TEST(CpuPool, Windows) {
  for (int64_t c : {1, 3, 4, 17, 70})
    for (int64_t k : {1, 2, 3})
      for (int64_t stride : {1, 2, 3})
        for (int64_t dilation : {1, 2})
          for (int64_t pad : {0, 1}) check(params(7, 9, c, k, stride, dilation, pad), 1);
}

KERNEL_TEST(CpuPool, NanAndWindowsOutside) {
  check(params(7, 9, 5, 3, 2, 1, 1), 2, true);
  check(params(4, 4, 20, 2, 1, 1, 5), 3, true);
}

KERNEL_TEST(CpuPool, Global) {
  PoolParams p;
  p.in_h = p.k_h = 23, p.in_w = p.k_w = 31, p.channels = 19, p.out_h = p.out_w = 1;
  check(p, 2);
}

}  // namespace
}  // namespace tsr::cpu::test
