#include "backends/cpu/kernels/rows.h"

#include <gtest/gtest.h>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

KERNEL_TEST(CpuRows, Softmax) {
  ThreadPool pool(2);
  Random random(1);
  for (int64_t n : {1, 2, 3, 4, 7, 8, 15, 16, 33, 1000})
    for (float spread : {1.0f, 100.0f}) {
      const int64_t rows = 5;
      std::vector<float> values = random.values(rows * n);
      for (float& v : values) v *= spread;
      const auto x = exact(values), y = exact(poisoned(rows * n));
      std::vector<double> want, want_log;
      for (int64_t r = 0; r < rows; ++r) {
        double max = -1e30, sum = 0;
        for (int64_t i = 0; i < n; ++i) max = std::max(max, static_cast<double>(x[r * n + i]));
        for (int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<double>(x[r * n + i]) - max);
        for (int64_t i = 0; i < n; ++i) {
          want.push_back(std::exp(static_cast<double>(x[r * n + i]) - max) / sum);
          want_log.push_back(static_cast<double>(x[r * n + i]) - max - std::log(sum));
        }
      }
      softmax_rows(rows, n, x.get(), y.get(), pool);
      expect_near(want, y.get(), 4e-7, "softmax");
      log_softmax_rows(rows, n, x.get(), y.get(), pool);
      expect_near(want_log, y.get(), 1e-6, "log_softmax");
      const auto in_place = exact(values);
      softmax_rows(rows, n, in_place.get(), in_place.get(), pool);
      expect_near(want, in_place.get(), 4e-7, "softmax in place");
    }
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> row = {1, -inf, 2, 3, 4}, out(5);
  softmax_rows(1, 5, row.data(), out.data(), pool);
  EXPECT_EQ(out[1], 0.0f);
  EXPECT_NEAR(out[4], 0.6439f, 1e-4);
  for (float bad : {inf, std::nanf("")}) {
    row[2] = bad;
    softmax_rows(1, 5, row.data(), out.data(), pool);
    EXPECT_TRUE(std::isnan(out[2]));
  }
}

KERNEL_TEST(CpuRows, LayerNorm) {
  ThreadPool pool(2);
  Random random(2);
  for (int64_t n : {1, 5, 16, 100})
    for (bool affine : {false, true}) {
      const int64_t rows = 4;
      const auto x = exact(random.values(rows * n)), gamma = exact(random.values(n)), beta = exact(random.values(n)),
                 y = exact(poisoned(rows * n));
      std::vector<double> want;
      for (int64_t r = 0; r < rows; ++r) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < n; ++i) mean += static_cast<double>(x[r * n + i]) / static_cast<double>(n);
        for (int64_t i = 0; i < n; ++i) variance += std::pow(static_cast<double>(x[r * n + i]) - mean, 2) / static_cast<double>(n);
        for (int64_t i = 0; i < n; ++i) {
          const double v = (static_cast<double>(x[r * n + i]) - mean) / std::sqrt(variance + 1e-3);
          want.push_back(affine ? v * static_cast<double>(gamma[i]) + static_cast<double>(beta[i]) : v);
        }
      }
      layer_norm_rows(rows, n, x.get(), affine ? gamma.get() : nullptr, affine ? beta.get() : nullptr, 1e-3f, y.get(), pool);
      expect_near(want, y.get(), 2e-6, "layer_norm");
    }
}

TEST(CpuRows, Scans) {
  ThreadPool pool(2);
  Random random(3);
  for (int64_t n : {0, 1, 6, 50})
    for (int64_t inner : {1, 3, 70})
      for (bool exclusive : {false, true})
        for (bool reverse : {false, true}) {
          const int64_t outer = 2, size = outer * n * inner;
          const auto x = exact(random.values(size));
          std::vector<int32_t> ints;
          for (int64_t i = 0; i < size; ++i) ints.push_back(static_cast<int32_t>(random.bits()));
          std::vector<double> sums(static_cast<size_t>(size)), products(static_cast<size_t>(size));
          std::vector<int32_t> int_sums(static_cast<size_t>(size)), int_products(static_cast<size_t>(size));
          for (int64_t o = 0; o < outer; ++o)
            for (int64_t c = 0; c < inner; ++c) {
              double sum = 0, product = 1;
              uint32_t int_sum = 0, int_product = 1;
              for (int64_t k = 0; k < n; ++k) {
                const size_t i = static_cast<size_t>((o * n + (reverse ? n - 1 - k : k)) * inner + c);
                auto put = [&] {
                  sums[i] = sum, products[i] = product;
                  int_sums[i] = static_cast<int32_t>(int_sum), int_products[i] = static_cast<int32_t>(int_product);
                };
                if (exclusive) put();
                sum += x[i], product *= x[i], int_sum += static_cast<uint32_t>(ints[i]), int_product *= static_cast<uint32_t>(ints[i]);
                if (!exclusive) put();
              }
            }
          const auto y = exact(poisoned(size));
          cumsum_f32(outer, n, inner, exclusive, reverse, x.get(), y.get(), pool);
          expect_near(sums, y.get(), 1e-6, "cumsum");
          cumprod_f32(outer, n, inner, exclusive, reverse, x.get(), y.get(), pool);
          expect_near(products, y.get(), 1e-6, "cumprod");
          std::vector<int32_t> got(static_cast<size_t>(size));
          cumsum_i32(outer, n, inner, exclusive, reverse, ints.data(), got.data(), pool);
          EXPECT_EQ(got, int_sums);
          cumprod_i32(outer, n, inner, exclusive, reverse, ints.data(), got.data(), pool);
          EXPECT_EQ(got, int_products);
        }
}

}  // namespace
}  // namespace tsr::cpu::test
