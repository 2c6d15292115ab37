#include "backends/cpu/kernels/conv_backprop.h"

#include <gtest/gtest.h>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

void check(const Conv2DParams& p, const Epilogue& e, int threads) {
  Random random(static_cast<uint64_t>(p.in_h * 3 + p.out_c));
  const int64_t xs = p.batch * p.in_h * p.in_w * p.in_c, ys = p.batch * p.out_h * p.out_w * p.out_c, fs = p.k_h * p.k_w * p.in_c * p.out_c;
  const auto x = exact(random.values(xs)), dy = exact(random.values(ys)), f = exact(random.values(fs));
  std::vector<double> want_dx(static_cast<size_t>(xs)), want_df(static_cast<size_t>(fs));
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t oy = 0; oy < p.out_h; ++oy)
      for (int64_t ox = 0; ox < p.out_w; ++ox)
        for (int64_t ky = 0; ky < p.k_h; ++ky)
          for (int64_t kx = 0; kx < p.k_w; ++kx) {
            const int64_t iy = oy * p.stride_h + ky * p.dil_h - p.pad_top, ix = ox * p.stride_w + kx * p.dil_w - p.pad_left;
            if (iy < 0 || iy >= p.in_h || ix < 0 || ix >= p.in_w) continue;
            for (int64_t i = 0; i < p.in_c; ++i)
              for (int64_t o = 0; o < p.out_c; ++o) {
                const size_t at_x = static_cast<size_t>(((b * p.in_h + iy) * p.in_w + ix) * p.in_c + i);
                const size_t at_y = static_cast<size_t>(((b * p.out_h + oy) * p.out_w + ox) * p.out_c + o);
                const size_t at_f = static_cast<size_t>(((ky * p.k_w + kx) * p.in_c + i) * p.out_c + o);
                want_dx[at_x] += static_cast<double>(dy[at_y]) * static_cast<double>(f[at_f]);
                want_df[at_f] += static_cast<double>(dy[at_y]) * static_cast<double>(x[at_x]);
              }
          }
  for (size_t i = 0; i < want_dx.size(); ++i)
    want_dx[i] = reference_epilogue(e, want_dx[i], static_cast<int64_t>(i) / p.in_c, static_cast<int64_t>(i) % p.in_c);
  ThreadPool pool(threads);
  const auto dx = exact(poisoned(xs)), df = exact(poisoned(fs));
  Scratch packed(conv2d_backprop_input_packed_size(p)), scratch(conv2d_backprop_input_scratch_bytes(p, pool.size()));
  conv2d_backprop_input_pack(p, {f.get()}, packed.data(), pool);
  conv2d_backprop_input(p, dy.get(), packed.data(), dx.get(), e, scratch.data(), pool);
  expect_near(want_dx, dx.get(), 1e-5, "conv2d_backprop_input");
  Scratch filter_scratch(conv2d_backprop_filter_scratch_bytes(p, pool.size()));
  conv2d_backprop_filter(p, x.get(), dy.get(), df.get(), filter_scratch.data(), pool);
  expect_near(want_df, df.get(), 3e-6, "conv2d_backprop_filter");
}

Conv2DParams params(int64_t h, int64_t w, int64_t in_c, int64_t out_c, int64_t k_h, int64_t k_w, int64_t stride, int64_t dilation, bool same) {
  Conv2DParams p;
  p.batch = 2, p.in_h = h, p.in_w = w, p.in_c = in_c, p.out_c = out_c, p.k_h = k_h, p.k_w = k_w;
  p.stride_h = p.stride_w = stride, p.dil_h = p.dil_w = dilation;
  const int64_t reach_h = (k_h - 1) * dilation + 1, reach_w = (k_w - 1) * dilation + 1;
  p.out_h = same ? (h + stride - 1) / stride : (h - reach_h) / stride + 1;
  p.out_w = same ? (w + stride - 1) / stride : (w - reach_w) / stride + 1;
  if (same) {
    p.pad_top = std::max<int64_t>(0, (p.out_h - 1) * stride + reach_h - h) / 2;
    p.pad_left = std::max<int64_t>(0, (p.out_w - 1) * stride + reach_w - w) / 2;
  }
  return p;
}

KERNEL_TEST(CpuConvBackprop, Windows) {
  for (bool same : {true, false})
    for (int64_t stride : {1, 2, 3})
      for (int64_t dilation : {1, 2})
        for (auto [k_h, k_w] : {std::pair<int64_t, int64_t>{3, 3}, {1, 1}, {2, 4}})
          for (int64_t in_c : {1, 3, 11}) check(params(9, 11, in_c, 5, k_h, k_w, stride, dilation, same), {}, 1);
}

KERNEL_TEST(CpuConvBackprop, WiderThanTheBlocks) {
  check(params(10, 9, 40, 70, 3, 3, 2, 1, true), {}, 3);
  check(params(10, 9, 33, 20, 3, 3, 1, 1, true), {}, 2);
  check(params(5, 6, 7, 300, 2, 2, 2, 1, false), {}, 2);
}

KERNEL_TEST(CpuConvBackprop, Epilogue) {
  Random random(1);
  const auto bias = exact(random.values(20)), residual = exact(random.values(2 * 8 * 7 * 20));
  const auto slope = exact(random.values(20));
  for (int64_t stride : {1, 2})
    for (int64_t in_c : {3, 20})
      for (Activation act : {Activation::kRelu, Activation::kSigmoid, Activation::kPrelu}) {
        struct Epilogue e;
        e.bias = bias.get();
        e.slope = slope.get();
        e.activation = act;
        e.residual = residual.get();
        e.residual_stride = in_c;
        check(params(8, 7, in_c, 6, 3, 3, stride, 1, true), e, 2);
      }
}

}  // namespace
}  // namespace tsr::cpu::test
