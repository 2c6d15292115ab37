#include "emit/launch.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"

namespace tsr::emit {
namespace {

std::vector<uint32_t> words_of(const ir::Kernel& k, std::span<const Shape> inputs, const Shape& out, uint32_t row,
                               std::span<const int> widths) {
  check(inputs.size() == k.inputs.size() && out.rank() == k.out_rank, "launch of ", k.name,
        ": wrong number of inputs or output rank");
  const LaunchLayout layout = launch_layout(k);
  std::vector<uint32_t> words(static_cast<size_t>(layout.words), 0);
  words[0] = static_cast<uint32_t>(out.size());
  words[1] = row;
  const auto put = [&words](int at, const Shape& values) {
    for (int d = 0; d < values.rank(); ++d) words[static_cast<size_t>(at + d)] = static_cast<uint32_t>(values[d]);
  };
  put(layout.out_dims, out);
  for (size_t i = 0; i < inputs.size(); ++i) {
    check(inputs[i].rank() == k.inputs[i].rank, "launch of ", k.name, ": input ", i, " has shape ", inputs[i]);
    put(layout.input_dims[i], inputs[i]);
    put(layout.input_dims[i] + inputs[i].rank(), inputs[i].strides());
    if (widths.empty()) continue;
    const auto width = static_cast<uint32_t>(widths[i]);
    check(std::has_single_bit(width), "launch of ", k.name, ": the width of a texture is ", width,
          ", not a power of two");
    words[static_cast<size_t>(layout.input_shifts[i])] = static_cast<uint32_t>(std::countr_zero(width));
  }
  for (size_t p = 0; p < k.params.size(); ++p) words[static_cast<size_t>(layout.params) + p] = k.params[p].bits();
  return words;
}

}  // namespace

LaunchLayout launch_layout(const ir::Kernel& k) {
  LaunchLayout l;
  int at = l.out_dims + k.out_rank;
  for (const ir::KernelInput& in : k.inputs) {
    l.input_dims.push_back(at);
    at += 2 * in.rank;
    l.input_shifts.push_back(at++);
  }
  l.params = at;
  at += static_cast<int>(k.params.size());
  l.words = (at + 3) / 4 * 4;
  return l;
}

Grid grid_for(int64_t elements) {
  const int64_t groups = std::max<int64_t>(1, (elements + kWorkgroup - 1) / kWorkgroup);
  if (groups <= kMaxWorkgroups) return {static_cast<uint32_t>(groups), 1};
  // Rows of equal length, as few as possible.
  const int64_t rows = (groups + kMaxWorkgroups - 1) / kMaxWorkgroups;
  return {static_cast<uint32_t>((groups + rows - 1) / rows), static_cast<uint32_t>(rows)};
}

std::vector<uint32_t> wgsl_words(const ir::Kernel& k, std::span<const Shape> inputs, const Shape& out) {
  return words_of(k, inputs, out, grid_for(out.size()).x * kWorkgroup, {});
}

std::vector<uint32_t> glsl_words(const ir::Kernel& k, std::span<const Shape> inputs, const Shape& out,
                                 std::span<const int> input_widths, int out_width) {
  check(input_widths.size() == inputs.size(), "launch of ", k.name, ": a texture width for each input is wanted");
  return words_of(k, inputs, out, static_cast<uint32_t>(out_width), input_widths);
}

TextureSize texture_for(int64_t elements, int max_width) {
  const int64_t texels = std::max<int64_t>(1, (elements + kTexel - 1) / kTexel);
  const auto side = static_cast<uint32_t>(std::ceil(std::sqrt(static_cast<double>(texels))));
  TextureSize t;
  t.width = static_cast<int>(std::min(std::bit_ceil(side), std::bit_floor(static_cast<uint32_t>(max_width))));
  t.height = static_cast<int>((texels + t.width - 1) / t.width);
  return t;
}

}  // namespace tsr::emit
