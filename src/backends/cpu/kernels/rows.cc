#include "backends/cpu/kernels/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#define TSR_KERNELS_WITHOUT_AVX3  // rows are short; wider vectors would gain little
#include "backends/cpu/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::cpu {
namespace HWY_NAMESPACE {

// Sum of f(vector) over a row, in runs of 64 vectors whose sums are then added: errors stay those of short sums.
template <class F>
HWY_INLINE float sum_row(const float* x, int64_t n, F f) {
  VF total = zero();
  int64_t i = 0;
  while (i + kLanes <= n) {
    const int64_t end = HWY_MIN(n, i + 64 * kLanes);
    VF sum = zero();
    for (; i + kLanes <= end; i += kLanes) sum = hn::Add(sum, f(load(x + i), i));
    total = hn::Add(total, sum);
  }
  HWY_ALIGN float lanes[kLanes];
  hn::Store(total, DF(), lanes);
  if (i < n) {
    HWY_ALIGN float last[kLanes];
    hn::Store(f(load_n(x + i, n - i), i), DF(), last);
    for (int64_t l = 0; l < n - i; ++l) lanes[l] += last[l];
  }
  float sum = 0;
  for (int64_t l = 0; l < kLanes; ++l) sum += lanes[l];
  return sum;
}

HWY_INLINE float max_row(const float* x, int64_t n) {
  const float lowest = -std::numeric_limits<float>::infinity();
  VF best = splat(lowest);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) best = max_nan(best, load(x + i));
  if (i < n) best = max_nan(best, load_n(DF(), x + i, n - i, lowest));
  HWY_ALIGN float lanes[kLanes];
  hn::Store(best, DF(), lanes);
  float max = lanes[0];
  for (int64_t l = 1; l < kLanes; ++l) max = max > lanes[l] || max != max ? max : lanes[l];
  return max;
}

void Softmax(const float* x, int64_t n, float* y) {
  const VF max = splat(max_row(x, n));
  const float sum = sum_row(x, n, [&](VF v, int64_t i) HWY_ATTR {
    const VF e = exp(hn::Sub(v, max));
    if (i + kLanes <= n) {
      store(e, y + i);
    } else {
      store_n(e, y + i, n - i);
    }
    return e;
  });
  const VF scale = splat(1.0f / sum);
  map_row(y, n, [scale](VF v, int64_t, int64_t) HWY_ATTR { return hn::Mul(v, scale); });
}

void LogSoftmax(const float* x, int64_t n, float* y) {
  const float max = max_row(x, n);
  const VF vmax = splat(max);
  const float log_sum = std::log(sum_row(x, n, [vmax](VF v, int64_t) HWY_ATTR { return exp(hn::Sub(v, vmax)); }));
  const VF vlog = splat(log_sum);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(hn::Sub(hn::Sub(load(x + i), vmax), vlog), y + i);
  if (i < n) store_n(hn::Sub(hn::Sub(load_n(x + i, n - i), vmax), vlog), y + i, n - i);
}

void LayerNorm(const float* x, int64_t n, const float* gamma, const float* beta, float epsilon, float* y) {
  const float mean = sum_row(x, n, [](VF v, int64_t) HWY_ATTR { return v; }) / static_cast<float>(n);
  const VF vmean = splat(mean);
  const float square = sum_row(x, n, [vmean](VF v, int64_t) HWY_ATTR {
    const VF d = hn::Sub(v, vmean);
    return hn::Mul(d, d);
  });
  const VF scale = splat(1.0f / std::sqrt(square / static_cast<float>(n) + epsilon));
  auto apply = [&](VF v, int64_t i, int64_t count) HWY_ATTR {
    VF r = hn::Mul(hn::Sub(v, vmean), scale);
    if (gamma) r = hn::Mul(r, load_some(gamma + i, count));
    if (beta) r = hn::Add(r, load_some(beta + i, count));
    return r;
  };
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(apply(load(x + i), i, kLanes), y + i);
  if (i < n) store_n(apply(load_n(x + i, n - i), i, n - i), y + i, n - i);
}

}  // namespace HWY_NAMESPACE
}  // namespace tsr::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tsr::cpu {
HWY_EXPORT(Softmax);
HWY_EXPORT(LogSoftmax);
HWY_EXPORT(LayerNorm);

namespace {

template <typename F>
void for_each_row(int64_t rows, int64_t n, ThreadPool& pool, F f) {
  if (n <= 0) return;
  pool.parallel_for(0, rows, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) f(r);
  });
}

// Running results over [n, inner] for a range of columns: the state of up to kColumns columns at a time.
template <typename T, typename State, typename Combine>
void scan(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const T* x, T* y, ThreadPool& pool, State start,
          Combine combine) {
  constexpr int64_t kColumns = 64;
  const int64_t ranges = (inner + kColumns - 1) / kColumns;
  const int64_t work = std::max<int64_t>(1, n * std::min(inner, kColumns));
  pool.parallel_for(0, outer * ranges, std::max<int64_t>(1, 4096 / work), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t c0 = t % ranges * kColumns, count = std::min(kColumns, inner - c0);
      const int64_t base = t / ranges * n * inner + c0;
      State state[kColumns];
      std::fill(state, state + count, start);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = base + (reverse ? n - 1 - i : i) * inner;
        for (int64_t c = 0; c < count; ++c) {
          const State before = state[c];
          state[c] = combine(before, static_cast<State>(x[at + c]));
          y[at + c] = static_cast<T>(exclusive ? before : state[c]);
        }
      }
    }
  });
}

}  // namespace

void softmax_rows(int64_t rows, int64_t n, const float* x, float* y, ThreadPool& pool) {
  auto run = HWY_DYNAMIC_DISPATCH(Softmax);
  for_each_row(rows, n, pool, [=](int64_t r) { run(x + r * n, n, y + r * n); });
}

void log_softmax_rows(int64_t rows, int64_t n, const float* x, float* y, ThreadPool& pool) {
  auto run = HWY_DYNAMIC_DISPATCH(LogSoftmax);
  for_each_row(rows, n, pool, [=](int64_t r) { run(x + r * n, n, y + r * n); });
}

void layer_norm_rows(int64_t rows, int64_t n, const float* x, const float* gamma, const float* beta, float epsilon, float* y,
                     ThreadPool& pool) {
  auto run = HWY_DYNAMIC_DISPATCH(LayerNorm);
  for_each_row(rows, n, pool, [=](int64_t r) { run(x + r * n, n, gamma, beta, epsilon, y + r * n); });
}

void cumsum_f32(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const float* x, float* y, ThreadPool& pool) {
  scan(outer, n, inner, exclusive, reverse, x, y, pool, 0.0, [](double a, double b) { return a + b; });
}
void cumprod_f32(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const float* x, float* y, ThreadPool& pool) {
  scan(outer, n, inner, exclusive, reverse, x, y, pool, 1.0, [](double a, double b) { return a * b; });
}
void cumsum_i32(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const int32_t* x, int32_t* y, ThreadPool& pool) {
  scan(outer, n, inner, exclusive, reverse, x, y, pool, uint32_t{0}, [](uint32_t a, uint32_t b) { return a + b; });
}
void cumprod_i32(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, const int32_t* x, int32_t* y, ThreadPool& pool) {
  scan(outer, n, inner, exclusive, reverse, x, y, pool, uint32_t{1}, [](uint32_t a, uint32_t b) { return a * b; });
}

}  // namespace tsr::cpu
#endif  // HWY_ONCE
