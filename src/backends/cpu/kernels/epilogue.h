// What a heavy kernel does to a finished part of its output before it leaves the cache.
//
// The output is seen as a matrix of `row`s (a pixel, a matrix row) by `col`s (output channels, matrix columns). In order:
//   y = sum (+ bias[col]) ; (+ residual if it comes before the activation) ; activation ; (+ residual otherwise) ; fn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tsr::cpu {

/// NaN goes through every one of them.
enum class Activation : uint8_t {
  kNone,
  kRelu,       ///< max(x, 0)
  kRelu6,      ///< min(max(x, 0), 6)
  kSigmoid,    ///< 1 / (1 + exp(-x))
  kElu,        ///< x >= 0 ? x : exp(x) - 1
  kLeakyRelu,  ///< x >= 0 ? x : alpha * x
  kPrelu,      ///< x >= 0 ? x : slope[col] * x
  kSwish,      ///< x * sigmoid(x)
  kHardSwish,  ///< alpha * x * min(max(x + 3, 0), 6)
  kTanh,
};

struct Epilogue {
  const float* bias = nullptr;  ///< [columns], or null
  Activation activation = Activation::kNone;
  float alpha = 0.2f;            ///< for kLeakyRelu and kHardSwish
  const float* slope = nullptr;  ///< [columns], for kPrelu

  /// A matrix like the output, its rows `residual_stride` floats apart, or null. It must not overlap the output.
  const float* residual = nullptr;
  int64_t residual_stride = 0;
  bool residual_before_activation = false;

  /// Any further elementwise tail, or null: called with n finished values that are neighbours in the output, from y[row, col] on,
  /// which it may change in place: a part of one row, or several whole rows. Each value is passed exactly once, from the thread that
  /// computed it (so `ctx` is shared between threads), while it is in the cache.
  void (*fn)(void* ctx, float* values, int64_t row, int64_t col, int64_t n) = nullptr;
  void* ctx = nullptr;
};

/// Applies all of `e` to n values of one row, in place: for kernels and reference code that have only raw sums.
void apply_epilogue_row(const Epilogue& e, float* values, int64_t row, int64_t col, int64_t n);

}  // namespace tsr::cpu
