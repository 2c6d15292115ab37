// Helpers of the CPU kernels' tests: seeded values, guarded buffers, comparison with sums in double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "backends/cpu/kernels/targets.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "backends/cpu/kernels/epilogue.h"
#include "base/thread_pool.h"
#include "core/stored_form.h"

namespace tsr::cpu::test {

/// Exactly n elements on the heap of their own, so that the address sanitizer sees any access beyond them.
template <typename T>
std::unique_ptr<T[]> exact(const std::vector<T>& values) {
  std::unique_ptr<T[]> out(new T[values.size()]);
  if (!values.empty()) std::memcpy(out.get(), values.data(), values.size() * sizeof(T));
  return out;
}

/// Uniform in [-1, 1), the same on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2862933555777941757ull + 3037000493ull) {}
  uint32_t bits() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(state_ >> 32);
  }
  float value() { return static_cast<float>(bits() >> 8) * (2.0f / 16777216.0f) - 1.0f; }
  std::vector<float> values(int64_t n) {
    std::vector<float> v(static_cast<size_t>(n));
    for (float& x : v) x = value();
    return v;
  }

 private:
  uint64_t state_;
};

/// The forms that weights can have, with factors that nothing rounds away.
inline constexpr StoredForm kNarrowForms[] = {{DType::kUint8, 0.0123456789, -1.2345678}, {DType::kInt8, 0.0076543, 0.0},
                                              {DType::kUint16, 3.14159265e-5, -0.98765432}, {DType::kFloat16}};

/// n elements of that form, all values finite.
inline std::vector<std::byte> narrow_values(const StoredForm& form, int64_t n, Random& random) {
  std::vector<std::byte> out(static_cast<size_t>(n) * form.element_bytes());
  for (size_t i = 0; i < out.size(); ++i) {
    // Halves below 2, denormal ones among them: the exponent's upper bit is 0.
    const uint32_t mask = form.dtype == DType::kFloat16 && i % 2 == 1 ? 0xbf : 0xff;
    out[i] = static_cast<std::byte>(random.bits() & mask);
  }
  return out;
}

/// Memory for scratch, 64-byte aligned and filled with NaN: a kernel that reads what it has not written shows it.
class Scratch {
 public:
  explicit Scratch(size_t bytes) : memory_(new std::byte[bytes + 64]) {
    const auto address = reinterpret_cast<uintptr_t>(memory_.get());
    data_ = memory_.get() + (64 - address % 64) % 64;
    std::memset(data_, 0xff, bytes);
  }
  std::byte* data() { return data_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::byte* data_;
};

inline std::vector<float> poisoned(int64_t n) { return std::vector<float>(static_cast<size_t>(n), std::numeric_limits<float>::quiet_NaN()); }

/// The epilogue in double precision.
inline double reference_epilogue(const Epilogue& e, double v, int64_t row, int64_t col) {
  if (e.bias) v += e.bias[col];
  const double residual = e.residual ? e.residual[row * e.residual_stride + col] : 0.0;
  if (e.residual_before_activation) v += residual;
  auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  switch (e.activation) {
    case Activation::kNone: break;
    case Activation::kRelu: v = v < 0 ? 0 : v; break;
    case Activation::kRelu6: v = v < 0 ? 0 : v > 6 ? 6 : v; break;
    case Activation::kSigmoid: v = sigmoid(v); break;
    case Activation::kElu: v = v >= 0 ? v : std::expm1(v); break;
    case Activation::kLeakyRelu: v = v >= 0 ? v : static_cast<double>(e.alpha) * v; break;
    case Activation::kPrelu: v = v >= 0 ? v : static_cast<double>(e.slope[col]) * v; break;
    case Activation::kSwish: v = v * sigmoid(v); break;
    case Activation::kHardSwish: v = v * (v < -3 ? 0 : v > 3 ? 6 : v + 3) * static_cast<double>(e.alpha); break;
    case Activation::kTanh: v = std::tanh(v); break;
  }
  if (!e.residual_before_activation) v += residual;
  return v;
}

/// Runs `body` once for every instruction set that this machine has and the kernels know. Packed data must not outlive the body.
template <typename Body>
void for_each_target(Body body) {
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
  body();  // chosen when this was compiled
#else
  const int64_t supported = hwy::SupportedTargets();
  for (int64_t target : {HWY_SCALAR, HWY_EMU128, HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON}) {
    if (!(supported & HWY_TARGETS & target)) continue;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    body();
    if (::testing::Test::HasFailure()) break;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
#endif
}

/// A test that runs on every instruction set.
#define KERNEL_TEST(suite, name)                            \
  void suite##_##name();                                    \
  TEST(suite, name) { for_each_target(suite##_##name); }    \
  void suite##_##name()

/// Equal within `tolerance` of the largest magnitude around 1; NaN equals NaN.
inline void expect_near(const std::vector<double>& want, const float* got, double tolerance, const char* what) {
  double scale = 1.0;
  for (double w : want)
    if (std::isfinite(w)) scale = std::max(scale, std::fabs(w));
  for (size_t i = 0; i < want.size(); ++i) {
    const double g = got[i];
    if (std::isnan(want[i]) ? std::isnan(g) : want[i] == g || std::fabs(want[i] - g) <= tolerance * scale) continue;
    ADD_FAILURE() << what << ": element " << i << " of " << want.size() << " is " << g << ", want " << want[i];
    return;
  }
}

}  // namespace tsr::cpu::test
