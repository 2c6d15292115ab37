#include "backends/cpu/kernels/reduce.h"

#include <gtest/gtest.h>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// f(o, i, j -> element index of reduce position r)
template <typename T>
const T& at(const ReduceShape& s, const T* x, int64_t o, int64_t r, int64_t i) { return x[(o * s.reduce + r) * s.inner + i]; }

const std::vector<ReduceShape>& shapes() {
  static const std::vector<ReduceShape> all = {
      {1, 1, 1},  {1, 1000, 1}, {3, 17, 1},  {5, 64, 1},    {2, 7, 3},     {1, 1000, 3},  {2, 33, 8},        {1, 100, 17},
      {3, 5, 40}, {2, 37, 100}, {1, 2, 700}, {1, 70000, 1}, {2, 40000, 3}, {1, 3000, 33}, {1, 100003, 1},    {0, 4, 3},
      {3, 0, 4},  {2, 0, 1},    {4, 3, 0},   {1, 129, 5},   {7, 1, 1},     {2, 31, 16},   {1, 2000, 130},
  };
  return all;
}

void check_f32(const ReduceShape& s, const std::vector<float>& values, int threads, bool products = true) {
  const auto x = exact(values);
  ThreadPool pool(threads);
  for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin}) {
    if (op == ReduceOp::kProd && !products) continue;
    std::vector<double> want;
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t i = 0; i < s.inner; ++i) {
        double r = op == ReduceOp::kProd  ? 1
                   : op == ReduceOp::kMax ? -std::numeric_limits<double>::infinity()
                   : op == ReduceOp::kMin ? std::numeric_limits<double>::infinity()
                                          : 0;
        for (int64_t k = 0; k < s.reduce; ++k) {
          const double v = at(s, x.get(), o, k, i);
          if (op == ReduceOp::kProd) r *= v;
          else if (op == ReduceOp::kMax) r = v > r || std::isnan(v) ? v : r;
          else if (op == ReduceOp::kMin) r = v < r || std::isnan(v) ? v : r;
          else r += v;
        }
        want.push_back(op == ReduceOp::kMean ? r / static_cast<double>(s.reduce) : r);
      }
    const auto y = exact(poisoned(s.outer * s.inner));
    Scratch scratch(reduce_scratch_bytes(s, pool.size()));
    reduce_f32(op, s, x.get(), y.get(), scratch.data(), pool);
    expect_near(want, y.get(), op == ReduceOp::kMax || op == ReduceOp::kMin ? 0 : 1e-6,
                ("reduce " + std::to_string(static_cast<int>(op)) + " of " + std::to_string(s.outer) + "," + std::to_string(s.reduce) + "," +
                 std::to_string(s.inner))
                    .c_str());
  }
  for (bool max : {true, false}) {
    const auto y = exact(std::vector<int32_t>(static_cast<size_t>(s.outer * s.inner), -7));
    max ? arg_max_f32(s, x.get(), y.get(), pool) : arg_min_f32(s, x.get(), y.get(), pool);
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t i = 0; i < s.inner; ++i) {
        int64_t where = 0;
        for (int64_t k = 1; k < s.reduce; ++k) {
          const float v = at(s, x.get(), o, k, i), b = at(s, x.get(), o, where, i);
          if ((max ? v > b : v < b) || (std::isnan(v) && !std::isnan(b))) where = k;
        }
        ASSERT_EQ(y[static_cast<size_t>(o * s.inner + i)], where) << s.outer << "," << s.reduce << "," << s.inner << " max " << max;
      }
  }
}

KERNEL_TEST(CpuReduce, Float) {
  Random random(1);
  for (const ReduceShape& s : shapes())
    for (int threads : {1, 3}) {
      std::vector<float> values = random.values(s.outer * s.reduce * s.inner);
      for (float& v : values) v = std::round(v * 64) / 64;  // ties
      check_f32(s, values, threads);
    }
}

KERNEL_TEST(CpuReduce, NanAndInfinity) {
  Random random(2);
  for (ReduceShape s : {ReduceShape{3, 50, 1}, {2, 50, 3}, {2, 40, 20}, {1, 70000, 1}}) {
    for (float special : {kNan, kInf, -kInf})
      for (int64_t step : {7, 1001}) {
        std::vector<float> values = random.values(s.outer * s.reduce * s.inner);
        for (int64_t i = 5; i < static_cast<int64_t>(values.size()); i += step) values[static_cast<size_t>(i)] = special;
        check_f32(s, values, 2, false);  // a float product that has underflowed meets infinity where one in double has not
      }
  }
}

KERNEL_TEST(CpuReduce, LongSumsStayAccurate) {
  // A running float sum of these would be off by far more than 1e-7.
  const int64_t n = 4000000;
  std::vector<float> x(static_cast<size_t>(n), 0.1f);
  ThreadPool pool(2);
  for (ReduceShape s : {ReduceShape{1, n, 1}, {1, n / 4, 4}, {1, n / 100, 100}}) {
    std::vector<float> y(static_cast<size_t>(s.inner));
    Scratch scratch(reduce_scratch_bytes(s, pool.size()));
    reduce_f32(ReduceOp::kSum, s, x.data(), y.data(), scratch.data(), pool);
    const double want = static_cast<double>(s.reduce) * static_cast<double>(0.1f);
    for (float v : y) EXPECT_NEAR(v, want, want * 3e-7);
  }
}

KERNEL_TEST(CpuReduce, ThreadsDoNotChangeResults) {
  Random random(3);
  for (ReduceShape s : {ReduceShape{1, 100003, 1}, {1, 40000, 7}, {3, 3000, 50}}) {
    const auto x = random.values(s.outer * s.reduce * s.inner);
    std::vector<float> first;
    for (int threads : {1, 2, 5}) {
      ThreadPool pool(threads);
      auto y = poisoned(s.outer * s.inner);
      Scratch scratch(reduce_scratch_bytes(s, pool.size()));
      reduce_f32(ReduceOp::kSum, s, x.data(), y.data(), scratch.data(), pool);
      if (first.empty()) first = y;
      EXPECT_EQ(first, y);
    }
  }
}

KERNEL_TEST(CpuReduce, IntegersWrap) {
  Random random(4);
  ThreadPool pool(2);
  for (const ReduceShape& s : shapes()) {
    std::vector<int32_t> values;
    for (int64_t i = 0; i < s.outer * s.reduce * s.inner; ++i) values.push_back(static_cast<int32_t>(random.bits() | 1));
    const auto x = exact(values);
    for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin}) {
      const auto y = exact(std::vector<int32_t>(static_cast<size_t>(s.outer * s.inner), 77));
      Scratch scratch(reduce_scratch_bytes(s, pool.size()));
      reduce_i32(op, s, x.get(), y.get(), scratch.data(), pool);
      for (int64_t o = 0; o < s.outer; ++o)
        for (int64_t i = 0; i < s.inner; ++i) {
          int64_t want = op == ReduceOp::kProd  ? 1
                         : op == ReduceOp::kMax ? std::numeric_limits<int32_t>::lowest()
                         : op == ReduceOp::kMin ? std::numeric_limits<int32_t>::max()
                                                : 0;
          for (int64_t k = 0; k < s.reduce; ++k) {
            const int64_t v = at(s, x.get(), o, k, i);
            if (op == ReduceOp::kSum) want = static_cast<int32_t>(static_cast<uint32_t>(want + v));
            if (op == ReduceOp::kProd) want = static_cast<int32_t>(static_cast<uint32_t>(want * v));
            if (op == ReduceOp::kMax) want = std::max(want, v);
            if (op == ReduceOp::kMin) want = std::min(want, v);
          }
          ASSERT_EQ(y[static_cast<size_t>(o * s.inner + i)], want) << static_cast<int>(op);
        }
    }
    for (bool max : {true, false}) {
      const auto y = exact(std::vector<int32_t>(static_cast<size_t>(s.outer * s.inner), -7));
      max ? arg_max_i32(s, x.get(), y.get(), pool) : arg_min_i32(s, x.get(), y.get(), pool);
      for (int64_t o = 0; o < s.outer; ++o)
        for (int64_t i = 0; i < s.inner; ++i) {
          int64_t where = 0;
          for (int64_t k = 1; k < s.reduce; ++k)
            if (max ? at(s, x.get(), o, k, i) > at(s, x.get(), o, where, i) : at(s, x.get(), o, k, i) < at(s, x.get(), o, where, i)) where = k;
          ASSERT_EQ(y[static_cast<size_t>(o * s.inner + i)], where);
        }
    }
  }
}

KERNEL_TEST(CpuReduce, Bools) {
  Random random(5);
  ThreadPool pool(2);
  for (const ReduceShape& s : shapes())
    for (uint32_t rarity : {1u, 2u, 5000u}) {
      std::vector<uint8_t> values;
      for (int64_t i = 0; i < s.outer * s.reduce * s.inner; ++i) values.push_back(random.bits() % rarity == 0 ? 3 : 0);
      const auto x = exact(values);
      const auto any = exact(std::vector<uint8_t>(static_cast<size_t>(s.outer * s.inner), 9)), all = exact(std::vector<uint8_t>(static_cast<size_t>(s.outer * s.inner), 9));
      reduce_any(s, x.get(), any.get(), pool);
      reduce_all(s, x.get(), all.get(), pool);
      for (int64_t o = 0; o < s.outer; ++o)
        for (int64_t i = 0; i < s.inner; ++i) {
          bool want_any = false, want_all = true;
          for (int64_t k = 0; k < s.reduce; ++k) want_any |= at(s, x.get(), o, k, i) != 0, want_all &= at(s, x.get(), o, k, i) != 0;
          ASSERT_EQ(any[static_cast<size_t>(o * s.inner + i)], want_any);
          ASSERT_EQ(all[static_cast<size_t>(o * s.inner + i)], want_all);
        }
    }
}

}  // namespace
}  // namespace tsr::cpu::test
