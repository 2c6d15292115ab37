#include "backends/gpu/target.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "emit/glsl.h"
#include "emit/wgsl.h"

namespace tsr::gpu {
namespace {

/// The value of a uniform i32 expression, where it is plain arithmetic.
class Evaluate {
 public:
  Evaluate(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out)
      : kernel_(kernel), inputs_(inputs), out_(out) {}

  std::optional<int64_t> operator()(const ir::Node& n) const {
    switch (n.op()) {
      case ir::Op::kConst: return n.type() == ir::Type::i32 ? std::optional<int64_t>(n.i32()) : std::nullopt;
      case ir::Op::kDim: return inputs_[static_cast<size_t>(n.a())][n.b()];
      case ir::Op::kOutDim: return out_[n.a()];
      case ir::Op::kParam: return kernel_.params[static_cast<size_t>(n.a())].i;
      case ir::Op::kAdd: return two(n, [](int64_t x, int64_t y) { return x + y; });
      case ir::Op::kSub: return two(n, [](int64_t x, int64_t y) { return x - y; });
      case ir::Op::kMul: return two(n, [](int64_t x, int64_t y) { return x * y; });
      case ir::Op::kDiv:
      case ir::Op::kFloorDiv: return two(n, [](int64_t x, int64_t y) { return y == 0 ? 0 : x / y; });
      case ir::Op::kMin: return two(n, [](int64_t x, int64_t y) { return std::min(x, y); });
      case ir::Op::kMax: return two(n, [](int64_t x, int64_t y) { return std::max(x, y); });
      default: return std::nullopt;
    }
  }

 private:
  template <typename F>
  std::optional<int64_t> two(const ir::Node& n, F f) const {
    const auto x = (*this)(n.arg(0).node()), y = (*this)(n.arg(1).node());
    return x && y ? std::optional<int64_t>(f(*x, *y)) : std::nullopt;
  }
  const ir::Kernel& kernel_;
  std::span<const Shape> inputs_;
  const Shape& out_;
};

std::vector<uint32_t> ids_of(std::span<const Memory* const> memories) {
  std::vector<uint32_t> ids;
  for (const Memory* m : memories) ids.push_back(m->id);
  return ids;
}

class WgslTarget final : public Target {
 public:
  emit::Shader emit(const ir::Kernel& kernel) const override { return emit::emit_wgsl(kernel); }
  std::vector<uint32_t> words(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out) const override {
    return emit::wgsl_words(kernel, inputs, out);
  }
  void record(CommandList& list, uint32_t program, const emit::LaunchLayout& layout, std::span<const Memory* const> in,
              const Memory& out, int64_t elements, int64_t max_elements, std::vector<uint32_t>& words) const override {
    const std::vector<uint32_t> ids = ids_of(in);
    // Whole workgroups, so that no element is computed twice.
    const int64_t per_run = std::max<int64_t>(1, max_elements / emit::kWorkgroup) * emit::kWorkgroup;
    for (int64_t first = 0; first < elements; first += per_run) {
      const int64_t end = std::min(elements, first + per_run);
      const emit::Grid grid = emit::grid_for(end - first);
      words[0] = static_cast<uint32_t>(end);
      words[1] = grid.x * emit::kWorkgroup;
      words[static_cast<size_t>(layout.first)] = static_cast<uint32_t>(first);
      list.run(program, out.id, ids, words, {grid.x, grid.y, 1});
    }
  }
};

class GlslTarget final : public Target {
 public:
  emit::Shader emit(const ir::Kernel& kernel) const override { return emit::emit_glsl(kernel); }
  std::vector<uint32_t> words(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out) const override {
    const std::vector<int> widths(inputs.size(), 1);
    return emit::glsl_words(kernel, inputs, out, widths, 1);
  }
  void record(CommandList& list, uint32_t program, const emit::LaunchLayout& layout, std::span<const Memory* const> in,
              const Memory& out, int64_t elements, int64_t max_elements, std::vector<uint32_t>& words) const override {
    // A tensor may lie in any texture with enough texels: the widths are known only now.
    for (size_t k = 0; k < in.size(); ++k) {
      words[static_cast<size_t>(layout.input_shifts[k])] = static_cast<uint32_t>(std::countr_zero(in[k]->desc.width));
    }
    words[1] = out.desc.width;
    const int64_t row = int64_t{out.desc.width} * emit::kTexel;
    const int64_t rows = (elements + row - 1) / row;
    const int64_t rows_per_run = std::max<int64_t>(1, max_elements / row);
    const std::vector<uint32_t> ids = ids_of(in);
    for (int64_t first = 0; first < rows; first += rows_per_run) {
      list.run(program, out.id, ids, words,
               {out.desc.width, static_cast<uint32_t>(first), static_cast<uint32_t>(std::min(rows_per_run, rows - first))});
    }
  }
};

}  // namespace

int64_t steps_per_element(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out) {
  const Evaluate value(kernel, inputs, out);
  // Loops one after another add up, loops within loops multiply. A node's own cost counts once wherever it is used.
  std::unordered_map<const ir::Node*, int64_t> steps;
  int64_t total = 1;
  ir::for_each_node(kernel.body, [&](const ir::Node& n) {
    int64_t inner = 0;
    for (const ir::Expr& arg : n.args()) inner = std::max(inner, steps[arg.id()]);
    if (n.op() == ir::Op::kReduce) {
      constexpr int64_t kUnknownExtent = 64;
      const int64_t extent = std::max<int64_t>(0, value(n.arg(0).node()).value_or(kUnknownExtent));
      inner = std::min<int64_t>(extent * (1 + inner), int64_t{1} << 40);
      if (n.height() == kernel.body->height()) total += inner;
    }
    steps[&n] = inner;
  });
  return total;
}

std::unique_ptr<Target> make_target(Language language) {
  if (language == Language::kWgsl) return std::make_unique<WgslTarget>();
  return std::make_unique<GlslTarget>();
}

}  // namespace tsr::gpu
