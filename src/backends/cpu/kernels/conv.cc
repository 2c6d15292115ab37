#include "backends/cpu/kernels/conv.h"

#include <algorithm>
#include <memory>

#include "backends/cpu/kernels/copy.h"
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

// Neighbouring taps of a filter row are neighbours in the image, and the sums are short enough for one block of k.
bool strips_suit(const Conv2DParams& p) {
  return p.groups == 1 && p.dil_w == 1 && p.in_c > 0 && p.k_h * p.k_w > 1 && p.k_h * p.k_w * p.in_c <= kGatheredDepth;
}

// The outputs in a row of a tile of Winograd's algorithms; 0 for others.
int winograd_out(ConvAlgorithm a) { return a == ConvAlgorithm::kWinograd4 ? 4 : a == ConvAlgorithm::kWinograd2 ? 2 : 0; }

struct Group {
  int64_t in_c, out_c, depth;
  size_t packed_bytes;
};

Group group_of(const Conv2DPlan& plan) {
  const Conv2DParams& p = plan.params;
  Group g;
  g.in_c = p.in_c / p.groups;
  g.out_c = p.out_c / p.groups;
  g.depth = p.k_h * p.k_w * g.in_c;
  g.packed_bytes = packed_b_size(g.depth, g.out_c, plan.packed_form);
  return g;
}

bool stays_narrow(ConvAlgorithm a) { return a == ConvAlgorithm::kPointwise || a == ConvAlgorithm::kBlocks; }

}  // namespace

const char* name_of(ConvAlgorithm a) {
  switch (a) {
    case ConvAlgorithm::kPointwise: return "pointwise";
    case ConvAlgorithm::kStrips: return "strips";
    case ConvAlgorithm::kBlocks: return "blocks";
    case ConvAlgorithm::kWinograd4: return "winograd4";
    case ConvAlgorithm::kWinograd2: return "winograd2";
  }
  return "?";
}

Conv2DPlan conv2d_plan(const Conv2DParams& p, const StoredForm& filter) {
  const int winograd = winograd_pays(p);
  return conv2d_plan(p,
                     is_pointwise(p)  ? ConvAlgorithm::kPointwise
                     : winograd == 4  ? ConvAlgorithm::kWinograd4
                     : winograd == 2  ? ConvAlgorithm::kWinograd2
                     : strips_suit(p) ? ConvAlgorithm::kStrips
                                      : ConvAlgorithm::kBlocks,
                     packed_form_for(p.batch * p.out_h * p.out_w, filter));
}

Conv2DPlan conv2d_plan(const Conv2DParams& p, ConvAlgorithm algorithm, const StoredForm& filter) {
  const bool suits = algorithm == ConvAlgorithm::kPointwise ? is_pointwise(p)
                     : winograd_out(algorithm) != 0          ? winograd_suits(p)
                     : algorithm == ConvAlgorithm::kStrips   ? strips_suit(p)
                                                             : true;
  check(suits, "this convolution cannot be computed with the algorithm asked for");
  return {p, algorithm, stays_narrow(algorithm) ? filter : StoredForm{}};
}

namespace {

CoreArgs whole_depth_args(const Conv2DParams& p, const float* packed, const Epilogue& epilogue) {
  CoreArgs args;
  args.n = p.out_c;
  args.k = p.k_h * p.k_w * p.in_c;
  args.packed_b = packed;
  args.epilogue = epilogue;
  return args;
}

// Output rows [begin, end) of an image, which must hold all its rows. Output pixels whose taps all lie inside the image across
// its width read it in place, row by row; those at the left and right edges are gathered column by column. Filter rows above or
// below the image are left out. `buffer` has kBlockFloats.
void strips_rows(const Conv2DParams& p, const float* x, const float* packed, const ImageRows& y, const Epilogue& epilogue,
                 int64_t image, int64_t begin, int64_t end, float* buffer) {
  CoreArgs args = whole_depth_args(p, packed, epilogue);
  const int64_t first = std::min(p.out_w, (p.pad_left + p.stride_w - 1) / p.stride_w);
  const int64_t room = p.in_w - p.k_w + p.pad_left;  // of the leftmost tap, counted from the padding's edge
  const int64_t last = room < 0 ? first : std::clamp(room / p.stride_w + 1, first, p.out_w);
  const int64_t run = p.k_w * p.in_c, row_step = p.dil_h * p.in_w * p.in_c;
  args.c_stride = p.out_c;
  for (int64_t row = begin; row < end && first < last; ++row) {
    const int64_t y0 = row * p.stride_h - p.pad_top;
    int64_t ky0 = 0, ky1 = p.k_h;
    while (ky0 < ky1 && y0 + ky0 * p.dil_h < 0) ++ky0;
    while (ky1 > ky0 && y0 + (ky1 - 1) * p.dil_h >= p.in_h) --ky1;
    const int64_t at = ((y0 + ky0 * p.dil_h) * p.in_w + first * p.stride_w - p.pad_left) * p.in_c;
    args.c = y.row(row) + first * p.out_c;
    args.first_row = (image * p.out_h + row) * p.out_w + first;
    gemm_strips(args, {x + at, p.stride_w * p.in_c, run, ky1 - ky0, row_step, ky0 * run}, 0, last - first);
  }
  const Patches patches{p, x, 0, p.in_c};
  const int64_t batch_rows = std::clamp<int64_t>(kBlockFloats / args.k, 1, kRowBlock);  // pixels of an edge gathered at a time
  args.row_step = p.out_w;
  args.c_stride = y.row_floats;
  for (int64_t ox = 0; ox < p.out_w; ++ox) {
    if (ox == first) ox = last;
    if (ox == p.out_w) break;
    for (int64_t row = begin; row < end; row += batch_rows) {
      const int64_t rows = std::min(batch_rows, end - row);
      for (int64_t r = 0; r < rows; ++r) patches.copy((row + r) * p.out_w + ox, 1, 0, args.k, buffer + r * args.k);
      args.c = y.row(row) + ox * p.out_c;
      args.first_row = (image * p.out_h + row) * p.out_w + ox;
      gemm_strips(args, {buffer, args.k, args.k, 1, 0, 0}, 0, rows);
    }
  }
}

void strips_conv2d(const Conv2DParams& p, const float* x, const float* packed, float* y, const Epilogue& epilogue, float* buffers,
                   ThreadPool& pool) {
  const int64_t in_image = p.in_h * p.in_w * p.in_c, out_row = p.out_w * p.out_c;
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 18) / std::max<int64_t>(1, out_row * p.k_h * p.k_w * p.in_c));
  pool.parallel_for_slots(0, p.batch * p.out_h, grain, [&](int64_t row, int64_t end, int slot) {
    while (row < end) {
      const int64_t image = row / p.out_h, first = row % p.out_h, rows = std::min(end - row, p.out_h - first);
      const ImageRows to{y + image * p.out_h * out_row, out_row};
      strips_rows(p, x + image * in_image, packed, to, epilogue, image, first, first + rows, buffers + slot * kBlockFloats);
      row += rows;
    }
  });
}

void pointwise_rows(const Conv2DPlan& plan, const ImageRows& x, const std::byte* packed, const ImageRows& y,
                    const Epilogue& epilogue, int64_t image, int64_t first, int64_t last) {
  const Conv2DParams& p = plan.params;
  CoreArgs args = whole_depth_args(p, reinterpret_cast<const float*>(packed), epilogue);
  args.c_stride = p.out_c;
  args.b_form = plan.packed_form;
  args.m = (last - first) * p.out_w;
  args.c = y.row(first);
  args.first_row = (image * p.out_h + first) * p.out_w;
  const float* a = x.row(first);
  auto block = [a, &p](int64_t m0, int64_t, int64_t k0, int64_t, float*, int64_t* stride) {
    *stride = p.in_c;
    return a + m0 * p.in_c + k0;
  };
  ThreadPool alone(1);
  gemm_core(args, block, nullptr, alone);
}

}  // namespace

size_t conv2d_packed_size(const Conv2DPlan& plan) {
  if (const int out = winograd_out(plan.algorithm)) return winograd_packed_size(plan.params, out);
  return static_cast<size_t>(plan.params.groups) * group_of(plan).packed_bytes;
}

void conv2d_pack(const Conv2DPlan& plan, const PackSource& filter, std::byte* packed, ThreadPool& pool) {
  const Conv2DParams& p = plan.params;
  if (const int out = winograd_out(plan.algorithm)) return winograd_pack(p, out, filter, packed, pool);
  const Group g = group_of(plan);
  std::unique_ptr<float[]> wide;
  PackSource source = filter;
  if (filter.form.narrow() && !plan.packed_form.narrow()) {
    const int64_t n = g.depth * p.out_c;
    wide.reset(new float[static_cast<size_t>(n)]);
    ThreadPool alone(1);  // the buffer does not outlive this call
    widen(filter.form, filter.data, n, wide.get(), alone);
    source.form = {};
    source.data = wide.get();
  }
  const auto* data = static_cast<const std::byte*>(source.data);
  for (int64_t i = 0; i < p.groups; ++i) {
    source.data = data + static_cast<size_t>(i * g.out_c) * source.form.element_bytes();
    source.row_stride = p.out_c;
    source.transposed = false;
    pack_b(source, g.depth, g.out_c, packed + static_cast<size_t>(i) * g.packed_bytes, pool);
  }
}

bool conv2d_can_unpack(const Conv2DPlan& plan) { return winograd_out(plan.algorithm) == 0 && plan.params.groups == 1; }

void conv2d_unpack(const Conv2DPlan& plan, const std::byte* packed, void* filter) {
  const Group g = group_of(plan);
  unpack_b(packed, plan.packed_form, g.depth, g.out_c, false, filter);
}

size_t conv2d_scratch_bytes(const Conv2DPlan& plan, int threads) {
  switch (plan.algorithm) {
    case ConvAlgorithm::kPointwise: return 0;
    case ConvAlgorithm::kWinograd4:
    case ConvAlgorithm::kWinograd2: return winograd_scratch_bytes(plan.params, winograd_out(plan.algorithm), threads);
    case ConvAlgorithm::kStrips:
    case ConvAlgorithm::kBlocks: break;
  }
  return static_cast<size_t>(threads) * kBlockFloats * sizeof(float);
}

void conv2d(const Conv2DPlan& plan, const float* x, const std::byte* packed, float* y, const Epilogue& epilogue, std::byte* scratch,
            ThreadPool& pool) {
  const Conv2DParams& p = plan.params;
  if (const int out = winograd_out(plan.algorithm)) return winograd_conv2d(p, out, x, packed, y, epilogue, scratch, pool);
  if (plan.algorithm == ConvAlgorithm::kStrips) {
    return strips_conv2d(p, x, reinterpret_cast<const float*>(packed), y, epilogue, reinterpret_cast<float*>(scratch), pool);
  }
  const Group g = group_of(plan);
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
    core.b_form = plan.packed_form;
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

bool conv2d_has_rows(const Conv2DPlan& plan) {
  return (plan.algorithm == ConvAlgorithm::kPointwise && plan.params.groups == 1) || plan.algorithm == ConvAlgorithm::kStrips;
}

void conv2d_rows(const Conv2DPlan& plan, const ImageRows& x, const std::byte* packed, const ImageRows& y,
                 const Epilogue& epilogue, int64_t image, int64_t first, int64_t last, std::byte* scratch) {
  if (plan.algorithm == ConvAlgorithm::kPointwise) return pointwise_rows(plan, x, packed, y, epilogue, image, first, last);
  check(plan.algorithm == ConvAlgorithm::kStrips && x.first == 0, "this convolution cannot be computed row by row");
  strips_rows(plan.params, x.data, reinterpret_cast<const float*>(packed), y, epilogue, image, first, last,
              reinterpret_cast<float*>(scratch));
}

}  // namespace tsr::cpu
