#include "backends/gpu/target.h"

#include <algorithm>
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

std::unique_ptr<Target> make_target(Language) {
  fail(ErrorCode::kUnsupported, "no shader emitter yet");
}

}  // namespace tsr::gpu
