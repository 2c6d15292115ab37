// One model on the CPU, driven through pipes: bench_native_models MODEL.json INPUT OUTPUT THREADS, or bench_native_models peaks.
//
// INPUT holds the float32 values of the model's one input; OUTPUT gets those of its first output. Then each line "run N" on the
// standard input is answered by one of wall milliseconds and CPU milliseconds (of all threads) that N runs took, as JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "backends/cpu/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "../bench/native_models.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tessera/model.h"
#include "tessera/tensor.h"
#include "tessera/tessera.h"

#ifndef TESSERA_BENCH_CLOCK
#define TESSERA_BENCH_CLOCK
namespace {
double wall_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace
#endif

HWY_BEFORE_NAMESPACE();
namespace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// GFLOP/s of multiply-adds on full vectors in registers.
double flops_once() {
  constexpr int kSteps = 4'000'000, kChains = 10;  // enough independent sums to hide the latency
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  V sums[kChains];
  for (V& s : sums) s = hn::Set(d, 1.0f);
  const V a = hn::Set(d, 0.999f), b = hn::Set(d, 0.001f);
  const double start = wall_ms();
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 16
    for (V& s : sums) s = hn::MulAdd(s, a, b);
  }
  const double ms = wall_ms() - start;
  for (int i = 1; i < kChains; ++i) sums[0] = hn::Add(sums[0], sums[i]);
  if (hn::GetLane(sums[0]) == 0.0f) std::printf(" ");  // keeps the sums alive
  return 2.0 * static_cast<double>(hn::Lanes(d)) * kChains * kSteps / ms * 1e-6;
}

}  // namespace HWY_NAMESPACE
}  // namespace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace {

HWY_EXPORT(flops_once);

double cpu_ms() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

std::vector<float> run(const tsr::Model& model, const std::string& name, const tsr::Tensor& x) {
  return model.run({{{name, x}}})[0].to_vector<float>();
}

int serve(const char* path, const char* input_path, const char* output_path, int threads) {
  if (tsr_set_threads(threads) != 0) {
    std::fprintf(stderr, "cannot use %d threads\n", threads);
    return 1;
  }
  const tsr::Model model = tsr::load_model(path);
  const tsr::ModelInfo::Port& port = model.info().inputs.at(0);
  std::ifstream in(input_path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  const tsr::Tensor x = tsr::Tensor::from(std::span<const float>(values), tsr::Shape(port.shape));

  const std::vector<float> y = run(model, port.name, x);
  std::ofstream(output_path, std::ios::binary).write(reinterpret_cast<const char*>(y.data()), static_cast<std::streamsize>(y.size() * sizeof(float)));
  std::printf("ready\n");
  std::fflush(stdout);
  int n = 0;
  while (std::scanf(" run %d", &n) == 1) {
    const double wall = wall_ms(), cpu = cpu_ms();
    for (int i = 0; i < n; ++i) run(model, port.name, x);
    std::printf("{\"wall\":%.6f,\"cpu\":%.6f}\n", wall_ms() - wall, cpu_ms() - cpu);
    std::fflush(stdout);
  }
  return 0;
}

// --- peaks of one core: what no kernel can exceed -------------------------------------------------------------------------
double flops() {
  double best = 0;
  for (int i = 0; i < 5; ++i) best = std::max(best, HWY_DYNAMIC_DISPATCH(flops_once)());
  return best;
}

/// GB/s of y = a * x over n floats each.
double scale_bandwidth(size_t n) {
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  const int times = static_cast<int>(std::max<size_t>(1, (1 << 24) / n));
  double best = 0;
  for (int i = 0; i < 15; ++i) {
    const double start = wall_ms();
    for (int t = 0; t < times; ++t) {
      const float a = 1.0f + static_cast<float>(t) * 1e-3f;
      for (size_t k = 0; k < n; ++k) y[k] = a * x[k];
      x[static_cast<size_t>(t) % n] = y[n - 1];
    }
    best = std::max(best, 8.0 * static_cast<double>(n) * times / (wall_ms() - start) * 1e-6);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "peaks") {
      std::printf("{\"gflops\":%.1f,\"gbs\":{\"4 K\":%.1f,\"64 K\":%.1f,\"1 M\":%.1f,\"16 M\":%.1f}}\n", flops(), scale_bandwidth(4096),
                  scale_bandwidth(65536), scale_bandwidth(1 << 20), scale_bandwidth(1 << 24));
      return 0;
    }
    if (argc == 5) return serve(argv[1], argv[2], argv[3], std::atoi(argv[4]));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  std::fprintf(stderr, "usage: bench_native_models MODEL.json INPUT OUTPUT THREADS | peaks\n");
  return 2;
}
#endif  // HWY_ONCE
