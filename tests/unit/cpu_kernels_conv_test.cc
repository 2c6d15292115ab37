#include "backends/cpu/kernels/conv.h"

#include <gtest/gtest.h>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

std::vector<double> reference(const Conv2DParams& p, const float* x, const float* f, const Epilogue& e) {
  std::vector<double> y;
  const int64_t gi = p.in_c / p.groups, go = p.out_c / p.groups;
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t oy = 0; oy < p.out_h; ++oy)
      for (int64_t ox = 0; ox < p.out_w; ++ox)
        for (int64_t o = 0; o < p.out_c; ++o) {
          double sum = 0;
          for (int64_t ky = 0; ky < p.k_h; ++ky)
            for (int64_t kx = 0; kx < p.k_w; ++kx) {
              const int64_t iy = oy * p.stride_h + ky * p.dil_h - p.pad_top, ix = ox * p.stride_w + kx * p.dil_w - p.pad_left;
              if (iy < 0 || iy >= p.in_h || ix < 0 || ix >= p.in_w) continue;
              for (int64_t i = 0; i < gi; ++i)
                sum += static_cast<double>(x[((b * p.in_h + iy) * p.in_w + ix) * p.in_c + o / go * gi + i]) *
                       static_cast<double>(f[((ky * p.k_w + kx) * gi + i) * p.out_c + o]);
            }
          y.push_back(reference_epilogue(e, sum, (b * p.out_h + oy) * p.out_w + ox, o));
        }
  return y;
}

Conv2DParams same(int64_t batch, int64_t h, int64_t w, int64_t in_c, int64_t out_c, int64_t k_h, int64_t k_w, int64_t stride = 1,
                  int64_t dilation = 1, int64_t groups = 1) {
  Conv2DParams p;
  p.batch = batch, p.in_h = h, p.in_w = w, p.in_c = in_c, p.out_c = out_c, p.k_h = k_h, p.k_w = k_w;
  p.stride_h = p.stride_w = stride, p.dil_h = p.dil_w = dilation, p.groups = groups;
  p.out_h = (h + stride - 1) / stride, p.out_w = (w + stride - 1) / stride;
  p.pad_top = std::max<int64_t>(0, (p.out_h - 1) * stride + (k_h - 1) * dilation + 1 - h) / 2;
  p.pad_left = std::max<int64_t>(0, (p.out_w - 1) * stride + (k_w - 1) * dilation + 1 - w) / 2;
  return p;
}

void check_conv(const Conv2DPlan& plan, const Epilogue& e, int threads, double tolerance = 2e-6) {
  const Conv2DParams& p = plan.params;
  Random random(static_cast<uint64_t>(p.in_h * 131 + p.in_c * 17 + p.out_c));
  const auto x = exact(random.values(p.batch * p.in_h * p.in_w * p.in_c));
  const auto f = exact(random.values(p.k_h * p.k_w * p.in_c / p.groups * p.out_c));
  const auto y = exact(poisoned(p.batch * p.out_h * p.out_w * p.out_c));
  ThreadPool pool(threads);
  Scratch packed(conv2d_packed_size(plan)), scratch(conv2d_scratch_bytes(plan, pool.size()));
  conv2d_pack(plan, {f.get()}, packed.data(), pool);
  conv2d(plan, x.get(), packed.data(), y.get(), e, scratch.data(), pool);
  expect_near(reference(p, x.get(), f.get(), e), y.get(), tolerance, "conv2d");
}

KERNEL_TEST(CpuConv, Pointwise) {
  for (int64_t c : {1, 3, 16, 33})
    for (int64_t n : {1, 5, 32, 50}) check_conv(conv2d_plan(same(2, 5, 7, c, n, 1, 1)), {}, 1);
  EXPECT_EQ(conv2d_plan(same(1, 5, 7, 3, 4, 1, 1)).algorithm, ConvAlgorithm::kPointwise);
  EXPECT_EQ(conv2d_plan(same(1, 5, 7, 3, 4, 1, 1, 2)).algorithm, ConvAlgorithm::kBlocks);
}

KERNEL_TEST(CpuConv, Blocks) {
  for (int64_t c : {1, 3, 8, 30})
    for (int64_t n : {2, 17})
      for (int64_t stride : {1, 2, 3})
        for (int64_t dilation : {1, 2})
          for (auto [k_h, k_w] : {std::pair<int64_t, int64_t>{3, 3}, {1, 1}, {5, 3}, {1, 7}})
            check_conv(conv2d_plan(same(2, 9, 6, c, n, k_h, k_w, stride, dilation), ConvAlgorithm::kBlocks), {}, 1);
}

KERNEL_TEST(CpuConv, Strips) {
  for (int64_t c : {1, 3, 8, 28})
    for (int64_t n : {2, 8, 17})
      for (int64_t stride : {1, 2, 3})
        for (auto [k_h, k_w] : {std::pair<int64_t, int64_t>{3, 3}, {2, 2}, {5, 1}, {1, 7}})
          for (int64_t w : {1, 6, 13}) {
            Conv2DParams p = same(2, 9, w, c, n, k_h, k_w, stride);
            check_conv(conv2d_plan(p, ConvAlgorithm::kStrips), {}, 1);
            p.dil_h = 3;  // rows far outside the image
            check_conv(conv2d_plan(p, ConvAlgorithm::kStrips), {}, 3);
          }
  Conv2DParams valid = same(1, 40, 41, 3, 24, 5, 5, 2);
  valid.pad_top = valid.pad_left = 0, valid.out_h = 18, valid.out_w = 19;
  check_conv(conv2d_plan(valid, ConvAlgorithm::kStrips), {}, 2);
  valid.pad_left = 7, valid.out_w = 25;  // pixels that see nothing but padding, on either side
  check_conv(conv2d_plan(valid, ConvAlgorithm::kStrips), {}, 2);
}

KERNEL_TEST(CpuConv, DeepFiltersAreCutInsideATap) {
  check_conv(conv2d_plan(same(1, 6, 5, 100, 20, 3, 3), ConvAlgorithm::kBlocks), {}, 2, 4e-6);
  check_conv(conv2d_plan(same(1, 3, 4, 300, 9, 2, 2, 1, 2), ConvAlgorithm::kBlocks), {}, 2, 4e-6);
}

KERNEL_TEST(CpuConv, PaddingWiderThanTheFilter) {
  Conv2DParams p = same(1, 3, 4, 2, 3, 3, 3);
  p.pad_top = 4, p.pad_left = 5, p.out_h = 9, p.out_w = 12;
  check_conv(conv2d_plan(p), {}, 1);
}

KERNEL_TEST(CpuConv, Groups) {
  check_conv(conv2d_plan(same(2, 6, 5, 12, 18, 3, 3, 1, 1, 3)), {}, 1);
  check_conv(conv2d_plan(same(1, 6, 5, 12, 18, 1, 1, 1, 1, 6)), {}, 2);
  check_conv(conv2d_plan(same(1, 7, 5, 4, 8, 3, 3, 2, 1, 4)), {}, 1);
}

KERNEL_TEST(CpuConv, Winograd) {
  for (int64_t h : {1, 4, 7, 13})
    for (int64_t w : {1, 5, 12})
      for (auto [c, n] : {std::pair<int64_t, int64_t>{16, 16}, {21, 35}, {64, 17}})
        for (int threads : {1, 3}) {
          check_conv(conv2d_plan(same(2, h, w, c, n, 3, 3), ConvAlgorithm::kWinograd4), {}, threads, 1e-5);
          check_conv(conv2d_plan(same(2, h, w, c, n, 3, 3), ConvAlgorithm::kWinograd2), {}, threads, 3e-6);
        }
  Conv2DParams valid = same(1, 18, 19, 32, 32, 3, 3);
  valid.pad_top = valid.pad_left = 0, valid.out_h = 16, valid.out_w = 17;
  check_conv(conv2d_plan(valid, ConvAlgorithm::kWinograd4), {}, 1, 1e-5);
  check_conv(conv2d_plan(valid, ConvAlgorithm::kWinograd2), {}, 1, 3e-6);
  EXPECT_EQ(conv2d_plan(same(1, 56, 56, 64, 64, 3, 3)).algorithm, ConvAlgorithm::kWinograd4);
  EXPECT_EQ(conv2d_plan(same(1, 7, 7, 64, 64, 3, 3)).algorithm, ConvAlgorithm::kWinograd2);
  EXPECT_EQ(conv2d_plan(same(1, 56, 56, 64, 64, 3, 3, 2)).algorithm, ConvAlgorithm::kBlocks);
  EXPECT_EQ(conv2d_plan(same(1, 56, 56, 3, 64, 3, 3)).algorithm, ConvAlgorithm::kStrips);
}

KERNEL_TEST(CpuConv, Epilogues) {
  Random random(11);
  const Conv2DParams p = same(2, 9, 10, 18, 22, 3, 3);
  const int64_t pixels = p.batch * p.out_h * p.out_w;
  const auto bias = exact(random.values(p.out_c)), slope = exact(random.values(p.out_c)), residual = exact(random.values(pixels * p.out_c));
  Conv2DParams grouped = p;
  grouped.groups = 2;
  for (const Conv2DPlan& plan : {conv2d_plan(p, ConvAlgorithm::kBlocks), conv2d_plan(p, ConvAlgorithm::kWinograd4),
                                 conv2d_plan(p, ConvAlgorithm::kWinograd2),                                 conv2d_plan(p, ConvAlgorithm::kStrips), conv2d_plan(grouped)})
    for (Activation act : {Activation::kNone, Activation::kRelu6, Activation::kPrelu, Activation::kSwish, Activation::kHardSwish})
      for (bool before : {false, true}) {
        Epilogue e;
        e.bias = bias.get();
        e.activation = act;
        e.slope = slope.get();
        e.residual = residual.get();
        e.residual_stride = p.out_c;
        e.residual_before_activation = before;
        check_conv(plan, e, 2, 2e-5);
      }
}

// A narrow filter gives the very results of one widened before.
KERNEL_TEST(CpuConv, NarrowFilters) {
  Random random(12);
  const auto check = [&random](const Conv2DParams& p, ConvAlgorithm a, int threads) {
    const int64_t weights = p.k_h * p.k_w * p.in_c / p.groups * p.out_c, out = p.batch * p.out_h * p.out_w * p.out_c;
    const auto x = exact(random.values(p.batch * p.in_h * p.in_w * p.in_c));
    ThreadPool pool(threads);
    for (const StoredForm& form : kNarrowForms) {
      const std::vector<std::byte> stored = narrow_values(form, weights, random);
      std::vector<float> wide(static_cast<size_t>(weights));
      widen(form, stored.data(), wide.size(), wide.data());
      const auto run = [&](const PackSource& filter, const Conv2DPlan& plan) {
        Scratch packed(conv2d_packed_size(plan)), scratch(conv2d_scratch_bytes(plan, threads));
        conv2d_pack(plan, filter, packed.data(), pool);
        auto y = poisoned(out);
        conv2d(plan, x.get(), packed.data(), y.data(), {}, scratch.data(), pool);
        if (plan.packed_form.narrow() && conv2d_can_unpack(plan)) {
          std::vector<std::byte> again(stored.size());
          conv2d_unpack(plan, packed.data(), again.data());
          EXPECT_EQ(again, stored);
        }
        return std::vector<float>(y.begin(), y.end());
      };
      const Conv2DPlan plan = conv2d_plan(p, a, form);
      EXPECT_EQ(plan.packed_form.narrow(), a == ConvAlgorithm::kPointwise || a == ConvAlgorithm::kBlocks);
      EXPECT_EQ(run({stored.data(), form}, plan), run({wide.data()}, conv2d_plan(p, a))) << name_of(form.dtype);
    }
  };
  for (int threads : {1, 3}) {
    for (int64_t c : {5, 32, 600})  // 600: three blocks of k where patches are gathered, two where not
      for (int64_t n : {3, 33}) {
        check(same(1, 12, 13, c, n, 1, 1), ConvAlgorithm::kPointwise, threads);
        check(same(1, 12, 13, c, n, 1, 1, 2), ConvAlgorithm::kBlocks, threads);
        check(same(2, 5, 6, c, n, 3, 3), ConvAlgorithm::kBlocks, threads);
        check(same(1, 5, 7, c, n, 3, 3, 2), ConvAlgorithm::kBlocks, threads);
      }
    check(same(1, 8, 8, 16, 16, 3, 3), ConvAlgorithm::kWinograd4, threads);
    check(same(1, 8, 8, 16, 16, 3, 3), ConvAlgorithm::kWinograd2, threads);
    check(same(1, 8, 8, 3, 16, 3, 3, 2), ConvAlgorithm::kStrips, threads);
    check(same(1, 6, 5, 12, 18, 3, 3, 1, 1, 3), ConvAlgorithm::kBlocks, threads);
  }
}

}  // namespace
}  // namespace tsr::cpu::test
