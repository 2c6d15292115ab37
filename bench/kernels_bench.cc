// Speed of the CPU kernels on shapes of real networks: bench_kernels [all|gemm|conv|depthwise] [threads] [AVX3|AVX2|SSE4|SCALAR].
//
// Each line: the best of several short runs, GFLOP/s (two operations a multiply-add, counted for the direct algorithm).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "backends/cpu/kernels/targets.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "backends/cpu/kernels/conv.h"
#include "backends/cpu/kernels/depthwise.h"
#include "backends/cpu/kernels/gemm.h"

namespace {

using namespace tsr;
using namespace tsr::cpu;

struct Buffer {
  explicit Buffer(size_t bytes) : memory(new std::byte[bytes + 64]) {
    data = memory.get() + (64 - reinterpret_cast<uintptr_t>(memory.get()) % 64) % 64;
    std::memset(data, 0, bytes);
  }
  float* floats() { return reinterpret_cast<float*>(data); }
  std::unique_ptr<std::byte[]> memory;
  std::byte* data;
};

Buffer seeded(int64_t n) {
  Buffer b(static_cast<size_t>(n) * sizeof(float));
  uint32_t s = 1;
  for (int64_t i = 0; i < n; ++i) b.floats()[i] = static_cast<float>((s = s * 1664525u + 1013904223u) >> 9) / 4194304.0f - 1.0f;
  return b;
}

void report(const char* name, double operations, const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  // JavaScript engines compile hot code better after a while, on another thread.
  for (const auto start = Clock::now(); std::chrono::duration<double>(Clock::now() - start).count() < 0.05;) run();
  double best = 1e9, total = 0;
  for (int i = 0; i < 1000 && (total < 0.1 || i < 3); ++i) {
    const auto t0 = Clock::now();
    run();
    const double s = std::chrono::duration<double>(Clock::now() - t0).count();
    best = s < best ? s : best;
    total += s;
  }
  std::printf("%-44s %9.1f us %8.1f GFLOP/s\n", name, best * 1e6, operations / best * 1e-9);
}

void bench_gemm(int64_t m, int64_t n, int64_t k, ThreadPool& pool) {
  Buffer a = seeded(m * k), b = seeded(k * n), c(static_cast<size_t>(m * n) * 4), bias = seeded(n), packed(packed_b_size(k, n));
  pack_b({b.floats(), {}, n}, k, n, packed.data, pool);
  GemmArgs args{m, n, k, a.floats(), k, false, packed.data, c.floats(), n, {}};
  args.epilogue.bias = bias.floats();
  args.epilogue.activation = Activation::kRelu6;
  char name[80];
  std::snprintf(name, sizeof name, "gemm %lldx%lldx%lld", static_cast<long long>(m), static_cast<long long>(n), static_cast<long long>(k));
  report(name, 2.0 * static_cast<double>(m * n * k), [&] { gemm(args, nullptr, pool); });
}

void gemms(ThreadPool& pool) {
  bench_gemm(96, 96, 256, pool);  // in cache: the micro-kernel alone
  bench_gemm(512, 512, 512, pool);
  bench_gemm(1, 1000, 1280, pool);
  // MobileNetV2's 1x1 convolutions
  bench_gemm(112 * 112, 96, 16, pool);
  bench_gemm(56 * 56, 144, 24, pool);
  bench_gemm(56 * 56, 24, 144, pool);
  bench_gemm(28 * 28, 192, 32, pool);
  bench_gemm(14 * 14, 384, 64, pool);
  bench_gemm(14 * 14, 64, 384, pool);
  bench_gemm(14 * 14, 576, 96, pool);
  bench_gemm(7 * 7, 960, 160, pool);
  bench_gemm(7 * 7, 160, 960, pool);
  bench_gemm(7 * 7, 1280, 320, pool);
  bench_gemm(128, 1536, 384, pool);
  bench_gemm(128, 384, 1536, pool);
  bench_gemm(128, 384, 384, pool);
}

void bench_conv(int64_t size, int64_t in_c, int64_t out_c, int64_t k, int64_t stride, ThreadPool& pool) {
  Conv2DParams p;
  p.in_h = p.in_w = size;
  p.in_c = in_c;
  p.out_c = out_c;
  p.k_h = p.k_w = k;
  p.stride_h = p.stride_w = stride;
  p.out_h = p.out_w = (size + stride - 1) / stride;
  p.pad_top = p.pad_left = ((p.out_h - 1) * stride + k - size) / 2;
  Buffer x = seeded(size * size * in_c), f = seeded(k * k * in_c * out_c), bias = seeded(out_c);
  Buffer y(static_cast<size_t>(p.out_h * p.out_w * out_c) * 4);
  Epilogue e;
  e.bias = bias.floats();
  e.activation = Activation::kRelu6;
  auto run = [&](const Conv2DPlan& plan) {
    Buffer packed(conv2d_packed_size(plan)), scratch(conv2d_scratch_bytes(plan, pool.size()));
    conv2d_pack(plan, {f.floats()}, packed.data, pool);
    char name[80];
    std::snprintf(name, sizeof name, "conv %lldx%lld/%lld %lldx%lld %lld->%lld %s", static_cast<long long>(k), static_cast<long long>(k),
                  static_cast<long long>(stride), static_cast<long long>(size), static_cast<long long>(size), static_cast<long long>(in_c),
                  static_cast<long long>(out_c), name_of(plan.algorithm));
    report(name, 2.0 * static_cast<double>(p.out_h * p.out_w * k * k * in_c * out_c),
           [&] { conv2d(plan, x.floats(), packed.data, y.floats(), e, scratch.data, pool); });
  };
  run(conv2d_plan(p));
  if (k == 3 && stride == 1 && in_c >= 16) {  // the others that suit
    for (ConvAlgorithm a : {ConvAlgorithm::kWinograd4, ConvAlgorithm::kWinograd2, ConvAlgorithm::kBlocks})
      if (a != conv2d_plan(p).algorithm) run(conv2d_plan(p, a));
  }
}

void convs(ThreadPool& pool) {
  bench_conv(224, 3, 32, 3, 2, pool);
  bench_conv(56, 24, 144, 1, 1, pool);
  bench_conv(112, 32, 32, 3, 1, pool);
  bench_conv(8, 32, 32, 3, 1, pool);
  bench_conv(8, 96, 96, 3, 1, pool);
  bench_conv(10, 16, 16, 3, 1, pool);
  bench_conv(56, 64, 64, 3, 1, pool);
  bench_conv(56, 64, 128, 3, 2, pool);
  bench_conv(28, 128, 128, 3, 1, pool);
  bench_conv(14, 256, 256, 3, 1, pool);
  bench_conv(7, 512, 512, 3, 1, pool);
  bench_conv(28, 32, 64, 5, 1, pool);
}

void bench_depthwise(int64_t size, int64_t channels, int64_t k, int64_t stride, ThreadPool& pool) {
  DepthwiseParams p;
  p.in_h = p.in_w = size;
  p.channels = channels;
  p.k_h = p.k_w = k;
  p.stride_h = p.stride_w = stride;
  p.out_h = p.out_w = (size + stride - 1) / stride;
  p.pad_top = p.pad_left = ((p.out_h - 1) * stride + k - size) / 2;
  Buffer x = seeded(size * size * channels), f = seeded(k * k * channels), bias = seeded(channels);
  Buffer y(static_cast<size_t>(p.out_h * p.out_w * channels) * 4);
  Epilogue e;
  e.bias = bias.floats();
  e.activation = Activation::kRelu6;
  char name[80];
  std::snprintf(name, sizeof name, "depthwise %lldx%lld/%lld %lldx%lldx%lld", static_cast<long long>(k), static_cast<long long>(k),
                static_cast<long long>(stride), static_cast<long long>(size), static_cast<long long>(size),
                static_cast<long long>(channels));
  report(name, 2.0 * static_cast<double>(p.out_h * p.out_w * k * k * channels),
         [&] { depthwise_conv2d(p, x.floats(), f.floats(), y.floats(), e, nullptr, pool); });
}

void depthwises(ThreadPool& pool) {
  bench_depthwise(112, 32, 3, 1, pool);
  bench_depthwise(112, 96, 3, 2, pool);
  bench_depthwise(56, 144, 3, 1, pool);
  bench_depthwise(28, 192, 3, 1, pool);
  bench_depthwise(14, 384, 3, 1, pool);
  bench_depthwise(14, 576, 3, 2, pool);
  bench_depthwise(7, 960, 3, 1, pool);
  bench_depthwise(28, 192, 5, 1, pool);
  bench_depthwise(28, 192, 7, 1, pool);
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "all";
  ThreadPool pool(argc > 2 ? std::atoi(argv[2]) : 1);
#if HWY_ARCH_X86
  if (argc > 3) {
    hwy::SetSupportedTargetsForTest(!std::strcmp(argv[3], "AVX3")   ? HWY_AVX3
                                    : !std::strcmp(argv[3], "AVX2") ? HWY_AVX2
                                    : !std::strcmp(argv[3], "SSE4") ? HWY_SSE4
                                                                    : HWY_SCALAR);
    hwy::GetChosenTarget().DeInit();
  }
#endif
  std::printf("%s, %d thread(s)\n", kernel_target_name(), pool.size());
  auto wants = [&](const char* name) { return !std::strcmp(what, "all") || !std::strcmp(what, name); };
  if (wants("gemm")) gemms(pool);
  if (wants("conv")) convs(pool);
  if (wants("depthwise")) depthwises(pool);
  return 0;
}
