#include "backends/cpu/kernels/gemm.h"

#include <gtest/gtest.h>

#include <array>

#include <atomic>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

// Products in double, with the epilogue.
std::vector<double> reference(int64_t m, int64_t n, int64_t k, const float* a, int64_t as, bool at, const float* b, int64_t bs, bool bt,
                              const Epilogue& e, int64_t first_row = 0) {
  std::vector<double> c(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += static_cast<double>(at ? a[p * as + i] : a[i * as + p]) * static_cast<double>(bt ? b[j * bs + p] : b[p * bs + j]);
      c[static_cast<size_t>(i * n + j)] = reference_epilogue(e, sum, first_row + i, j);
    }
  return c;
}

struct Size {
  int64_t m, n, k;
};

void check_gemm(Size s, bool at, bool bt, const Epilogue& e, int threads, double tolerance = 2e-6) {
  Random random(static_cast<uint64_t>(s.m * 1000003 + s.n * 1009 + s.k));
  const auto a = exact(random.values(s.m * s.k)), b = exact(random.values(s.k * s.n));
  const int64_t as = at ? s.m : s.k, bs = bt ? s.k : s.n;
  ThreadPool pool(threads);
  PackSource source{b.get(), {}, bs, bt};
  Scratch packed(packed_b_size(s.k, s.n));
  pack_b(source, s.k, s.n, packed.data(), pool);
  const auto c = exact(poisoned(s.m * s.n));
  GemmArgs args{s.m, s.n, s.k, a.get(), as, at, packed.data(), c.get(), s.n, e};
  Scratch scratch(gemm_scratch_bytes(args, pool.size()));
  gemm(args, scratch.data(), pool);
  const auto want = reference(s.m, s.n, s.k, a.get(), as, at, b.get(), bs, bt, e);
  expect_near(want, c.get(), tolerance, ("gemm " + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k)).c_str());
}

KERNEL_TEST(CpuGemm, OddSizesAroundTheTiles) {
  for (int64_t m : {1, 2, 5, 6, 7, 12, 13, 25, 130})
    for (int64_t n : {1, 3, 4, 8, 9, 15, 16, 17, 31, 32, 33, 47, 70})
      for (int64_t k : {1, 2, 7, 64}) check_gemm({m, n, k}, false, false, {}, 1);
}

KERNEL_TEST(CpuGemm, DeepAndTransposed) {
  for (bool at : {false, true})
    for (bool bt : {false, true})
      for (Size s : {Size{7, 19, 255}, Size{13, 33, 256}, Size{131, 40, 257}, Size{3, 5, 1000}, Size{300, 20, 513}})
        for (int threads : {1, 3}) check_gemm(s, at, bt, {}, threads);
}

// One row meets several panels at once, in all blocks of k; what is left of the columns goes the usual way.
KERNEL_TEST(CpuGemm, OneRow) {
  for (int64_t n : {64, 127, 128, 129, 161, 400})
    for (int64_t k : {1, 64, 513, 1100})
      for (int threads : {1, 3}) check_gemm({1, n, k}, false, false, {}, threads);
}

KERNEL_TEST(CpuGemm, EmptyDepthGivesTheEpilogueOfZero) {
  const std::vector<float> bias = {1, -2, 3};
  Epilogue e;
  e.bias = bias.data();
  e.activation = Activation::kRelu;
  check_gemm({2, 3, 0}, false, false, e, 1);
}

KERNEL_TEST(CpuGemm, Epilogues) {
  Random random(5);
  for (const auto [m, n] : {std::array<int64_t, 2>{30, 45}, {1, 161}}) {
    const auto bias = exact(random.values(n)), slope = exact(random.values(n)), residual = exact(random.values(m * n));
    for (int act = 0; act <= static_cast<int>(Activation::kTanh); ++act)
      for (bool with_bias : {false, true})
        for (int with_residual : {0, 1, 2})
          for (int64_t k : {20, 300}) {
            Epilogue e;
            e.activation = static_cast<Activation>(act);
            e.alpha = 0.3f;
            e.slope = slope.get();
            if (with_bias) e.bias = bias.get();
            if (with_residual) e.residual = residual.get(), e.residual_stride = n, e.residual_before_activation = with_residual == 1;
            check_gemm({m, n, k}, false, false, e, 2, 1e-5);
          }
  }
}

KERNEL_TEST(CpuGemm, CallbackSeesEachValueOnce) {
  struct Context {
    std::vector<std::atomic<int>> hits;
    int64_t n;
  } context{std::vector<std::atomic<int>>(static_cast<size_t>(37 * 83)), 83};
  Epilogue e;
  e.activation = Activation::kRelu;
  e.ctx = &context;
  e.fn = [](void* ctx, float* values, int64_t row, int64_t col, int64_t count) {
    auto& c = *static_cast<Context*>(ctx);
    for (int64_t i = 0; i < count; ++i) {
      c.hits[static_cast<size_t>(row * c.n + col + i)]++;
      values[i] = values[i] * 2 + static_cast<float>(row * c.n + col + i);
    }
  };
  Random random(9);
  for (int threads : {1, 3}) {
    for (auto& h : context.hits) h = 0;
    const int64_t m = 37, n = 83, k = 300;
    const auto a = random.values(m * k), b = random.values(k * n);
    auto c = poisoned(m * n);
    ThreadPool pool(threads);
    Scratch packed(packed_b_size(k, n));
    pack_b({b.data(), {}, n}, k, n, packed.data(), pool);
    gemm({m, n, k, a.data(), k, false, packed.data(), c.data(), n, e}, nullptr, pool);
    Epilogue plain;
    plain.activation = Activation::kRelu;
    auto want = reference(m, n, k, a.data(), k, false, b.data(), n, false, plain);
    for (size_t i = 0; i < want.size(); ++i) want[i] = want[i] * 2 + static_cast<double>(i);
    expect_near(want, c.data(), 2e-6, "callback");
    for (auto& h : context.hits) ASSERT_EQ(h.load(), 1);
  }
}

KERNEL_TEST(CpuGemm, UnpackGivesBackWhatWasPacked) {
  Random random(21);
  for (int64_t k : {1, 7, 64})
    for (int64_t n : {1, 4, 8, 31, 33, 70})
      for (bool transposed : {false, true}) {
        const auto b = random.values(k * n);
        ThreadPool pool(1);
        Scratch packed(packed_b_size(k, n));
        pack_b({b.data(), {}, transposed ? k : n, transposed}, k, n, packed.data(), pool);
        auto again = poisoned(k * n);
        unpack_b(packed.data(), {}, k, n, transposed, again.data());
        ASSERT_EQ(std::vector<float>(again.begin(), again.end()), std::vector<float>(b.begin(), b.end()));
      }
}

// A narrow B gives the very results of one widened before, and comes back as it was.
KERNEL_TEST(CpuGemm, NarrowB) {
  Random random(22);
  for (int64_t m : {1, 4, 13, 100, 300})
    for (int64_t n : {1, 4, 9, 31, 33, 70})
      for (int64_t k : {1, 7, 512, 700})
        for (const StoredForm& form : kNarrowForms) {
          const bool transposed = (m + n + k) % 2 != 0;
          const std::vector<std::byte> stored = narrow_values(form, k * n, random);
          std::vector<float> wide(static_cast<size_t>(k * n));
          widen(form, stored.data(), wide.size(), wide.data());
          const auto a = exact(random.values(m * k));
          ThreadPool pool(m == 300 ? 3 : 1);
          const auto product = [&](const void* data, const StoredForm& f) {
            Scratch packed(packed_b_size(k, n, f));
            pack_b({data, f, transposed ? k : n, transposed}, k, n, packed.data(), pool);
            auto c = poisoned(m * n);
            gemm({m, n, k, a.get(), k, false, packed.data(), c.data(), n, {}, f}, nullptr, pool);
            std::vector<std::byte> again(static_cast<size_t>(k * n) * f.element_bytes());
            unpack_b(packed.data(), f, k, n, transposed, again.data());
            EXPECT_EQ(std::memcmp(again.data(), data, again.size()), 0);
            return std::vector<float>(c.begin(), c.end());
          };
          ASSERT_EQ(product(stored.data(), form), product(wide.data(), {})) << m << "x" << n << "x" << k << " " << name_of(form.dtype);
        }
}

// Every value that a narrow element can have: multiplied by 1, it is what core/stored_form.h says.
KERNEL_TEST(CpuGemm, EachNarrowValueIsExact) {
  Random random(23);
  for (StoredForm form : kNarrowForms)
    for (int trial = 0; trial < 20; ++trial) {
      if (trial > 0) form.scale = std::abs(random.value()) * 0.1, form.min = random.value() * 3;
      const int64_t n = int64_t{1} << (8 * form.element_bytes());
      std::vector<std::byte> stored(static_cast<size_t>(n) * form.element_bytes());
      for (int64_t i = 0; i < n; ++i) std::memcpy(stored.data() + static_cast<size_t>(i) * form.element_bytes(), &i, form.element_bytes());
      std::vector<float> wide(static_cast<size_t>(n)), c(static_cast<size_t>(n));
      widen(form, stored.data(), wide.size(), wide.data());
      const float one = 1;
      ThreadPool pool(1);
      Scratch packed(packed_b_size(1, n, form));
      pack_b({stored.data(), form, n}, 1, n, packed.data(), pool);
      gemm({1, n, 1, &one, 1, false, packed.data(), c.data(), n, {}, form}, nullptr, pool);
      for (size_t i = 0; i < c.size(); ++i)
        ASSERT_TRUE(c[i] == wide[i] || (std::isnan(c[i]) && std::isnan(wide[i]))) << name_of(form.dtype) << " " << i;
      if (form.dtype == DType::kFloat16) break;  // without scale and min
    }
}

KERNEL_TEST(CpuGemm, NanAndInfinityPassThrough) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (int act = 0; act <= static_cast<int>(Activation::kTanh); ++act) {
    const std::vector<float> slope(20, 0.5f);
    std::vector<float> row(20, 0.25f);
    row[0] = nan, row[1] = inf, row[2] = -inf, row[19] = nan, row[3] = -100.0f, row[4] = -0.0f;
    Epilogue e;
    e.activation = static_cast<Activation>(act);
    e.slope = slope.data();
    std::vector<double> want;
    for (size_t i = 0; i < row.size(); ++i) want.push_back(reference_epilogue(e, row[i], 0, static_cast<int64_t>(i)));
    // A product with the identity, so that the register tile applies it as well; infinities would meet zeros there.
    std::vector<float> finite = row;
    finite[1] = finite[2] = 1.0f;
    apply_epilogue_row(e, row.data(), 0, 0, 20);
    expect_near(want, row.data(), 1e-6, "epilogue row");

    ThreadPool pool(1);
    std::vector<float> one = {1.0f}, c = poisoned(20);
    Scratch packed(packed_b_size(1, 20));
    pack_b({finite.data(), {}, 20}, 1, 20, packed.data(), pool);
    gemm({1, 20, 1, one.data(), 1, false, packed.data(), c.data(), 20, e}, nullptr, pool);
    EXPECT_TRUE(std::isnan(c[0])) << act;
    EXPECT_TRUE(std::isnan(c[19])) << act;
  }
}

KERNEL_TEST(CpuGemm, ActivationsAreAccurate) {
  std::vector<float> xs;
  for (float x = -110.0f; x < 100.0f; x += 0.37f) xs.push_back(x);
  for (float x = -1.0f; x < 1.0f; x += 0.0103f) xs.push_back(x);
  for (float x : {1e-30f, -1e-30f, 1e-4f, -1e-4f, 3e38f, -3e38f}) xs.push_back(x);
  for (Activation act : {Activation::kSigmoid, Activation::kElu, Activation::kTanh, Activation::kSwish}) {
    Epilogue e;
    e.activation = act;
    std::vector<float> y = xs;
    apply_epilogue_row(e, y.data(), 0, 0, static_cast<int64_t>(y.size()));
    for (size_t i = 0; i < xs.size(); ++i) {
      const double want = reference_epilogue(e, xs[i], 0, 0);
      ASSERT_NEAR(y[i], want, std::fabs(want) * 4e-7 + 1e-36) << static_cast<int>(act) << " of " << xs[i];
    }
  }
}

KERNEL_TEST(CpuGemm, ThreadsDoNotChangeResults) {
  Random random(3);
  for (Size s : {Size{129, 70, 300}, Size{49, 200, 513}, Size{1, 1000, 300}, Size{257, 5, 40}}) {
    const auto a = random.values(s.m * s.k), b = random.values(s.k * s.n);
    std::vector<float> first;
    for (int threads : {1, 2, 4, 7}) {
      ThreadPool pool(threads);
      Scratch packed(packed_b_size(s.k, s.n));
      pack_b({b.data(), {}, s.n}, s.k, s.n, packed.data(), pool);
      auto c = poisoned(s.m * s.n);
      gemm({s.m, s.n, s.k, a.data(), s.k, false, packed.data(), c.data(), s.n, {}}, nullptr, pool);
      if (first.empty()) first = c;
      EXPECT_EQ(std::memcmp(first.data(), c.data(), c.size() * sizeof(float)), 0);
    }
  }
}

KERNEL_TEST(CpuGemm, BatchedMatmul) {
  Random random(4);
  for (bool at : {false, true})
    for (bool bt : {false, true})
      for (int threads : {1, 3})
        for (auto [batch, m, n, k] : {std::array<int64_t, 4>{1, 14, 18, 270}, {3, 14, 18, 270}, {8, 14, 18, 270}, {1, 1, 80, 600},
                                      {3, 5, 48, 7}, {1, 8, 16, 1}, {2, 3, 50, 20}}) {  // few rows read B in place where vectors fit
          const auto a = exact(random.values(batch * m * k)), b = exact(random.values(batch * k * n));
          const auto bias = exact(random.values(n));
          const auto c = exact(poisoned(batch * m * n));
          std::vector<int64_t> b_offsets;  // in reverse
          for (int64_t i = 0; i < batch; ++i) b_offsets.push_back((batch - 1 - i) * k * n);
          ThreadPool pool(threads);
          MatmulArgs args;
          args.batch = batch, args.m = m, args.n = n, args.k = k;
          args.a = a.get(), args.a_stride = at ? m : k, args.a_transposed = at, args.a_batch_stride = m * k;
          args.b = b.get(), args.b_stride = bt ? k : n, args.b_transposed = bt, args.b_offsets = b_offsets.data();
          args.c = c.get(), args.c_stride = n, args.c_batch_stride = m * n;
          args.epilogue.bias = bias.get();
          Scratch scratch(matmul_scratch_bytes(args, pool.size()));
          matmul(args, scratch.data(), pool);
          for (int64_t i = 0; i < batch; ++i)
            expect_near(reference(m, n, k, a.get() + i * m * k, args.a_stride, at, b.get() + b_offsets[static_cast<size_t>(i)],
                                  args.b_stride, bt, args.epilogue),
                        c.get() + i * m * n, 2e-6, "matmul");
        }
}

KERNEL_TEST(CpuGemm, InstalmentsGiveTheSame) {
  Random random(6);
  const int64_t m = 300, n = 64, k = 300;
  const auto a = random.values(m * k), b = random.values(k * n);
  ThreadPool pool(1);
  Scratch packed(packed_b_size(k, n));
  pack_b({b.data(), {}, n}, k, n, packed.data(), pool);
  auto whole = poisoned(m * n), parts = poisoned(m * n);
  GemmArgs args{m, n, k, a.data(), k, false, packed.data(), whole.data(), n, {}};
  gemm(args, nullptr, pool);
  args.c = parts.data();
  ThreadPool::Instalments state;
  int calls = 1;
  while (!pool.run_instalment(state, std::chrono::microseconds(0), [&] { gemm(args, nullptr, pool); })) ++calls;
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(whole, parts);
}

}  // namespace
}  // namespace tsr::cpu::test
