#include "backends/cpu/kernels/depthwise.h"

#include <gtest/gtest.h>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

// Calls f(x index, y index, filter index) for every product of the convolution.
template <typename F>
void for_each_product(const DepthwiseParams& p, F f) {
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t oy = 0; oy < p.out_h; ++oy)
      for (int64_t ox = 0; ox < p.out_w; ++ox)
        for (int64_t ky = 0; ky < p.k_h; ++ky)
          for (int64_t kx = 0; kx < p.k_w; ++kx) {
            const int64_t iy = oy * p.stride_h + ky * p.dil_h - p.pad_top, ix = ox * p.stride_w + kx * p.dil_w - p.pad_left;
            if (iy < 0 || iy >= p.in_h || ix < 0 || ix >= p.in_w) continue;
            for (int64_t c = 0; c < p.channels; ++c)
              for (int64_t q = 0; q < p.multiplier; ++q)
                f(static_cast<size_t>(((b * p.in_h + iy) * p.in_w + ix) * p.channels + c),
                  static_cast<size_t>((((b * p.out_h + oy) * p.out_w + ox) * p.channels + c) * p.multiplier + q),
                  static_cast<size_t>(((ky * p.k_w + kx) * p.channels + c) * p.multiplier + q));
          }
}

DepthwiseParams same(int64_t batch, int64_t h, int64_t w, int64_t c, int64_t multiplier, int64_t k_h, int64_t k_w, int64_t stride,
                     int64_t dilation) {
  DepthwiseParams p;
  p.batch = batch, p.in_h = h, p.in_w = w, p.channels = c, p.multiplier = multiplier, p.k_h = k_h, p.k_w = k_w;
  p.stride_h = p.stride_w = stride, p.dil_h = p.dil_w = dilation;
  p.out_h = (h + stride - 1) / stride, p.out_w = (w + stride - 1) / stride;
  p.pad_top = std::max<int64_t>(0, (p.out_h - 1) * stride + (k_h - 1) * dilation + 1 - h) / 2;
  p.pad_left = std::max<int64_t>(0, (p.out_w - 1) * stride + (k_w - 1) * dilation + 1 - w) / 2;
  return p;
}

void check(const DepthwiseParams& p, const Epilogue& e, int threads) {
  Random random(static_cast<uint64_t>(p.in_w * 7 + p.channels));
  const int64_t out_c = p.channels * p.multiplier, xs = p.batch * p.in_h * p.in_w * p.channels, ys = p.batch * p.out_h * p.out_w * out_c,
                fs = p.k_h * p.k_w * out_c;
  const auto x = exact(random.values(xs)), f = exact(random.values(fs)), dy = exact(random.values(ys));
  ThreadPool pool(threads);

  std::vector<double> want(static_cast<size_t>(ys));
  for_each_product(p, [&](size_t i, size_t o, size_t w) { want[o] += static_cast<double>(x[i]) * static_cast<double>(f[w]); });
  for (size_t i = 0; i < want.size(); ++i)
    want[i] = reference_epilogue(e, want[i], static_cast<int64_t>(i) / out_c, static_cast<int64_t>(i) % out_c);
  const auto y = exact(poisoned(ys));
  Scratch scratch(depthwise_scratch_bytes(p, pool.size()));
  depthwise_conv2d(p, x.get(), f.get(), y.get(), e, scratch.data(), pool);
  expect_near(want, y.get(), 2e-6, "depthwise");

  std::vector<double> want_dx(static_cast<size_t>(xs)), want_df(static_cast<size_t>(fs));
  for_each_product(p, [&](size_t i, size_t o, size_t w) {
    want_dx[i] += static_cast<double>(dy[o]) * static_cast<double>(f[w]);
    want_df[w] += static_cast<double>(dy[o]) * static_cast<double>(x[i]);
  });
  const auto dx = exact(poisoned(xs)), df = exact(poisoned(fs));
  depthwise_backprop_input(p, dy.get(), f.get(), dx.get(), pool);
  expect_near(want_dx, dx.get(), 2e-6, "depthwise_backprop_input");
  depthwise_backprop_filter(p, x.get(), dy.get(), df.get(), pool);
  expect_near(want_df, df.get(), 3e-6, "depthwise_backprop_filter");
}

KERNEL_TEST(CpuDepthwise, AllWindows) {
  for (int64_t c : {1, 4, 7, 16, 35})
    for (auto [k_h, k_w] : {std::pair<int64_t, int64_t>{3, 3}, {5, 5}, {1, 1}, {2, 4}, {7, 3}})
      for (int64_t stride : {1, 2, 3})
        for (int64_t dilation : {1, 2}) check(same(2, 9, 11, c, 1, k_h, k_w, stride, dilation), {}, 1);
}

KERNEL_TEST(CpuDepthwise, Sizes) {
  for (int64_t w : {1, 2, 3, 4, 6, 13})
    for (int threads : {1, 3}) {
      check(same(1, 5, w, 20, 1, 3, 3, 1, 1), {}, threads);
      check(same(1, w, w, 16, 1, 5, 5, 2, 1), {}, threads);
    }
  DepthwiseParams valid = same(1, 8, 9, 18, 1, 3, 3, 1, 1);
  valid.pad_top = valid.pad_left = 0, valid.out_h = 6, valid.out_w = 7;
  check(valid, {}, 1);
  DepthwiseParams wide = same(1, 4, 4, 17, 1, 3, 3, 2, 1);
  wide.pad_top = 5, wide.pad_left = 4, wide.out_h = 6, wide.out_w = 6;
  check(wide, {}, 1);
}

KERNEL_TEST(CpuDepthwise, Multiplier) {
  for (int64_t c : {1, 3, 10})
    for (int64_t multiplier : {2, 3, 8})
      for (int64_t stride : {1, 2}) check(same(2, 6, 7, c, multiplier, 3, 3, stride, 1), {}, 2);
}

KERNEL_TEST(CpuDepthwise, Epilogues) {
  Random random(2);
  const DepthwiseParams p = same(2, 6, 9, 21, 1, 3, 3, 1, 1);
  const auto bias = exact(random.values(21)), residual = exact(random.values(2 * 6 * 9 * 21));
  for (int act = 0; act <= static_cast<int>(Activation::kTanh); ++act)
    for (bool before : {false, true}) {
      Epilogue e;
      e.bias = e.slope = bias.get();
      e.activation = static_cast<Activation>(act);
      e.residual = residual.get();
      e.residual_stride = 21;
      e.residual_before_activation = before;
      check(p, e, 2);
    }
}

}  // namespace
}  // namespace tsr::cpu::test
