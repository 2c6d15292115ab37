#include "backends/cpu/kernels/conv.h"

#include <algorithm>

#include "backends/cpu/kernels/gemm_core.h"
#include "backends/cpu/kernels/patches.h"
#include "backends/cpu/kernels/winograd.h"
#include "base/error.h"

namespace tsr::cpu {
namespace {

bool is_pointwise(const Conv2DParams& p) {
  return p.k_h == 1 && p.k_w == 1 && p.stride_h == 1 && p.stride_w == 1 && p.pad_top == 0 && p.pad_left == 0 && p.in_h == p.out_h &&
         p.in_w == p.out_w;
}

struct Group {
  int64_t in_c, out_c, depth;
  size_t packed_bytes;
};

Group group_of(const Conv2DParams& p) {
  Group g;
  g.in_c = p.in_c / p.groups;
  g.out_c = p.out_c / p.groups;
  g.depth = p.k_h * p.k_w * g.in_c;
  g.packed_bytes = packed_b_size(g.depth, g.out_c);
  return g;
}

}  // namespace

Conv2DPlan conv2d_plan(const Conv2DParams& p) {
  return {p, is_pointwise(p)     ? ConvAlgorithm::kPointwise
             : winograd_pays(p) ? ConvAlgorithm::kWinograd
                                : ConvAlgorithm::kBlocks};
}

Conv2DPlan conv2d_plan(const Conv2DParams& p, ConvAlgorithm algorithm) {
  check(algorithm == ConvAlgorithm::kBlocks || (algorithm == ConvAlgorithm::kPointwise ? is_pointwise(p) : winograd_suits(p)),
        "this convolution cannot be computed with the algorithm asked for");
  return {p, algorithm};
}

size_t conv2d_packed_size(const Conv2DPlan& plan) {
  if (plan.algorithm == ConvAlgorithm::kWinograd) return winograd_packed_size(plan.params);
  return static_cast<size_t>(plan.params.groups) * group_of(plan.params).packed_bytes;
}

void conv2d_pack(const Conv2DPlan& plan, const PackSource& filter, std::byte* packed, ThreadPool& pool) {
  const Conv2DParams& p = plan.params;
  if (plan.algorithm == ConvAlgorithm::kWinograd) return winograd_pack(p, filter, packed, pool);
  const Group g = group_of(p);
  for (int64_t i = 0; i < p.groups; ++i) {
    PackSource source = filter;
    source.data = static_cast<const std::byte*>(filter.data) + static_cast<size_t>(i * g.out_c) * size_of(filter.dtype);
    source.row_stride = p.out_c;
    source.transposed = false;
    pack_b(source, g.depth, g.out_c, packed + static_cast<size_t>(i) * g.packed_bytes, pool);
  }
}

size_t conv2d_scratch_bytes(const Conv2DPlan& plan, int threads) {
  switch (plan.algorithm) {
    case ConvAlgorithm::kPointwise: return 0;
    case ConvAlgorithm::kWinograd: return winograd_scratch_bytes(plan.params, threads);
    case ConvAlgorithm::kBlocks: break;
  }
  return static_cast<size_t>(threads) * kBlockFloats * sizeof(float);
}

void conv2d(const Conv2DPlan& plan, const float* x, const std::byte* packed, float* y, const Epilogue& epilogue, std::byte* scratch,
            ThreadPool& pool) {
  const Conv2DParams& p = plan.params;
  if (plan.algorithm == ConvAlgorithm::kWinograd) return winograd_conv2d(p, x, packed, y, epilogue, scratch, pool);
  const Group g = group_of(p);
  for (int64_t i = 0; i < p.groups; ++i) {
    CoreArgs core;
    core.m = p.batch * p.out_h * p.out_w;
    core.n = g.out_c;
    core.k = g.depth;
    core.packed_b = reinterpret_cast<const float*>(packed + static_cast<size_t>(i) * g.packed_bytes);
    core.c = y + i * g.out_c;
    core.c_stride = p.out_c;
    core.epilogue = epilogue;
    core.first_col = i * g.out_c;
    if (plan.algorithm == ConvAlgorithm::kPointwise) {
      const float* a = x + i * g.in_c;
      auto block = [a, &p](int64_t m0, int64_t, int64_t k0, int64_t, float*, int64_t* stride) {
        *stride = p.in_c;
        return a + m0 * p.in_c + k0;
      };
      gemm_core(core, block, nullptr, pool);
    } else {
      core.gathers = true;
      const Patches patches{p, x, i * g.in_c, g.in_c};
      auto block = [&patches](int64_t m0, int64_t rows, int64_t k0, int64_t depth, float* buffer, int64_t* stride) {
        *stride = depth;
        patches.copy(m0, rows, k0, depth, buffer);
        return static_cast<const float*>(buffer);
      };
      gemm_core(core, block, reinterpret_cast<float*>(scratch), pool);
    }
  }
}

}  // namespace tsr::cpu
