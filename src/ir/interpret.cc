// The reference implementation: follows expr.h word by word, one element at a time, f32 in double.
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>

#include "base/error.h"
#include "ir/kernel.h"
#include "ir/scalar.h"

namespace tsr::ir {
namespace {

float widen_half(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 31u;
  const uint32_t mantissa = h & 1023u;
  if (exponent == 0) {
    const float v = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -v : v;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

/// The expression as a list in which operands precede users; the body of a reduction is a list of its own, run once a
/// step.
struct Block;
struct Step {
  const Node* node;
  std::array<int, 3> args{};     // slots of operands
  std::vector<int> index;        // slots of a load's indices
  std::unique_ptr<Block> inner;  // of a reduction
  int slot = 0;
};
struct Block {
  std::vector<Step> steps;
  int var_slot = -1;
  int result = -1;
};

class Interpreter {
 public:
  Interpreter(const Kernel& k, std::span<const InputView> inputs, const Shape& out_shape)
      : k_(k), inputs_(inputs), out_shape_(out_shape) {
    for (const InputView& in : inputs) sizes_.push_back(in.shape.size()), strides_.push_back(in.shape.strides());
    Scope scope;
    build(k.body, scope, root_);
    root_.result = scope.slots.at(k.body.id());
    values_.resize(static_cast<size_t>(next_slot_));
  }

  Value at(const Shape& index) {
    index_ = &index;
    run(root_);
    return values_[static_cast<size_t>(root_.result)];
  }

 private:
  struct Scope {
    const Scope* parent = nullptr;
    std::unordered_map<const Node*, int> slots;
    int find(const Node* n) const {
      for (const Scope* s = this; s; s = s->parent) {
        if (auto it = s->slots.find(n); it != s->slots.end()) return it->second;
      }
      return -1;
    }
  };

  int build(const Expr& e, Scope& scope, Block& block) {
    if (const int s = scope.find(e.id()); s >= 0) return s;
    Step step;
    step.node = e.id();
    if (e->op() == Op::kReduce) {
      step.args[0] = build(e->arg(0), scope, block);
      step.inner = std::make_unique<Block>();
      Scope inner;
      inner.parent = &scope;
      step.inner->var_slot = next_slot_++;
      // The variable's node is shared with other reductions of this height, so it is bound in this scope alone.
      for_each_node(e->arg(1), [&](const Node& n) {
        if (n.op() == Op::kVar && n.a() == e->a()) inner.slots[&n] = step.inner->var_slot;
      });
      step.inner->result = build(e->arg(1), inner, *step.inner);
    } else if (e->op() == Op::kLoad) {
      for (const Expr& x : e->args()) step.index.push_back(build(x, scope, block));
    } else {
      for (size_t i = 0; i < e->args().size(); ++i) step.args[i] = build(e->arg(i), scope, block);
    }
    step.slot = next_slot_++;
    scope.slots[e.id()] = step.slot;
    const int slot = step.slot;
    block.steps.push_back(std::move(step));
    return slot;
  }

  Value& value(int slot) { return values_[static_cast<size_t>(slot)]; }

  void run(const Block& block) {
    for (const Step& s : block.steps) value(s.slot) = compute(s);
  }

  Value compute(const Step& s) {
    const Node& n = *s.node;
    switch (n.op()) {
      case Op::kConst:
        return n.type() == Type::f32 ? Value{n.f32(), 0} : Value{0, n.i32()};
      case Op::kAxis:
        return {0, static_cast<int32_t>((*index_)[n.a()])};
      case Op::kOutDim:
        return {0, static_cast<int32_t>(out_shape_[n.a()])};
      case Op::kDim:
        return {0, static_cast<int32_t>(inputs_[static_cast<size_t>(n.a())].shape[n.b()])};
      case Op::kParam: {
        const ParamValue& p = k_.params[static_cast<size_t>(n.a())];
        return {p.f, p.i};
      }
      case Op::kLoad:
        return load_at(s);
      case Op::kReduce:
        return reduce_over(s);
      default: {
        const size_t last = n.args().size() - 1;
        return evaluate(n.op(), n.arg(last).type(), value(s.args[0]), value(s.args[1]), value(s.args[2]));
      }
    }
  }

  Value load_at(const Step& s) {
    const size_t which = static_cast<size_t>(s.node->a());
    const InputView& in = inputs_[which];
    if (sizes_[which] == 0) return {};
    int64_t at = 0;
    for (size_t d = 0; d < s.index.size(); ++d) {
      const int64_t i = value(s.index[d]).i;
      const int64_t extent = in.shape[static_cast<int>(d)];
      check(i >= 0 && i < extent, "kernel ", k_.name, " reads index ", i, " of dimension ", d, " of input ", which,
            ", which has shape ", in.shape);
      at += i * strides_[which][static_cast<int>(d)];
    }
    switch (in.dtype) {
      case DType::kFloat32:
        return {static_cast<const float*>(in.data)[at], 0};
      case DType::kInt32:
        return {0, static_cast<const int32_t*>(in.data)[at]};
      case DType::kBool:
        return {0, static_cast<const uint8_t*>(in.data)[at] != 0};
      case DType::kFloat16:
        return {widen_half(static_cast<const uint16_t*>(in.data)[at]), 0};
      case DType::kInt8:
        return {static_cast<double>(static_cast<const int8_t*>(in.data)[at]), 0};
      case DType::kUint8:
        return {static_cast<double>(static_cast<const uint8_t*>(in.data)[at]), 0};
      case DType::kUint16:
        return {static_cast<double>(static_cast<const uint16_t*>(in.data)[at]), 0};
      default:
        return {};
    }
  }

  Value reduce_over(const Step& s) {
    const Block& body = *s.inner;
    const Reduce r = s.node->reduction();
    const Type t = s.node->arg(1).type();
    const int32_t extent = value(s.args[0]).i;
    Value acc;
    double lost = 0;  // Neumaier's compensation of f32 sums
    double best = 0;
    constexpr double kInf = std::numeric_limits<double>::infinity();
    switch (r) {
      case Reduce::prod:
        acc = {1, 1};
        break;
      case Reduce::max:
        acc = {-kInf, std::numeric_limits<int32_t>::min()};
        break;
      case Reduce::min:
        acc = {kInf, std::numeric_limits<int32_t>::max()};
        break;
      case Reduce::all:
        acc = {0, 1};
        break;
      default:
        break;
    }
    for (int32_t i = 0; i < extent; ++i) {
      value(body.var_slot) = {0, i};
      run(body);
      const Value v = value(body.result);
      switch (r) {
        case Reduce::sum:
          if (t == Type::f32) {
            const double next = acc.f + v.f;
            if (std::isfinite(next))
              lost += std::fabs(acc.f) >= std::fabs(v.f) ? (acc.f - next) + v.f : (v.f - next) + acc.f;
            acc.f = next;
          } else {
            acc.i = wrap(int64_t{acc.i} + v.i);
          }
          break;
        case Reduce::prod:
          acc = evaluate(Op::kMul, t, acc, v, {});
          break;
        case Reduce::max:
          acc = evaluate(Op::kMax, t, acc, v, {});
          break;
        case Reduce::min:
          acc = evaluate(Op::kMin, t, acc, v, {});
          break;
        case Reduce::argmax:
        case Reduce::argmin: {
          const double x = t == Type::f32 ? v.f : v.i;
          const bool better = r == Reduce::argmax ? x > best : x < best;
          if (i == 0 || (!std::isnan(best) && (std::isnan(x) || better))) best = x, acc.i = i;
          break;
        }
        case Reduce::any:
          acc.i |= v.i;
          break;
        case Reduce::all:
          acc.i &= v.i;
          break;
      }
    }
    if (std::isfinite(acc.f)) acc.f += lost;
    return acc;
  }

  const Kernel& k_;
  std::span<const InputView> inputs_;
  const Shape& out_shape_;
  std::vector<int64_t> sizes_;
  std::vector<Shape> strides_;
  Block root_;
  int next_slot_ = 0;
  std::vector<Value> values_;
  const Shape* index_ = nullptr;
};

}  // namespace

void interpret(const Kernel& k, std::span<const InputView> inputs, const Shape& out_shape, void* out) {
  verify(k);
  check(inputs.size() == k.inputs.size() && out_shape.rank() == k.out_rank, "interpret: ", k.name, " got ",
        inputs.size(), " inputs and an output of shape ", out_shape);
  for (size_t i = 0; i < inputs.size(); ++i) {
    check(inputs[i].dtype == k.inputs[i].dtype && inputs[i].shape.rank() == k.inputs[i].rank, "interpret: input ", i,
          " of ", k.name, " is ", tsr::name_of(inputs[i].dtype), inputs[i].shape);
  }
  Interpreter interpreter(k, inputs, out_shape);
  const int64_t n = out_shape.size();
  Shape index = Shape::filled(out_shape.rank(), 0);
  for (int64_t e = 0; e < n; ++e) {
    const Value v = interpreter.at(index);
    switch (k.out_dtype) {
      case DType::kFloat32:
        static_cast<float*>(out)[e] = static_cast<float>(v.f);
        break;
      case DType::kInt32:
        static_cast<int32_t*>(out)[e] = v.i;
        break;
      default:
        static_cast<uint8_t*>(out)[e] = v.i != 0;
        break;
    }
    for (int d = out_shape.rank() - 1; d >= 0; --d) {
      if (++index[d] < out_shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace tsr::ir
