// Comparisons, logic, selection.
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/elementwise_logic.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "ops/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tsr::ops {
namespace HWY_NAMESPACE {

#define TSR_FN(Name, expression)                 \
  struct Name {                                  \
    template <typename T>                        \
    HWY_INLINE auto operator()(T a, T b) const { \
      return expression;                         \
    }                                            \
  };
#define TSR_COMPARISON(id, Fn, text) \
  TSR_ELEMENTWISE(id, BinaryCompare, Fn, .doc = text, .zero_gradient = true, .tolerance = 0)

TSR_FN(Equal, a == b)
TSR_COMPARISON(equal, Equal, "True where a and b are equal.")
TSR_FN(NotEqual, a != b)
TSR_COMPARISON(notEqual, NotEqual, "True where a and b differ (NaN differs from everything).")
TSR_FN(Less, a < b)
TSR_COMPARISON(less, Less, "True where a is less than b.")
TSR_FN(LessEqual, a <= b)
TSR_COMPARISON(lessEqual, LessEqual, "True where a is less than b or equal.")
TSR_FN(Greater, a > b)
TSR_COMPARISON(greater, Greater, "True where a is greater than b.")
TSR_FN(GreaterEqual, a >= b)
TSR_COMPARISON(greaterEqual, GreaterEqual, "True where a is greater than b or equal.")

#define TSR_LOGICAL(id, Fn, text) \
  TSR_ELEMENTWISE(id, BinaryLogical, Fn, .doc = text, .zero_gradient = true, .tolerance = 0)

TSR_FN(LogicalAnd, a&& b)
TSR_LOGICAL(logicalAnd, LogicalAnd, "True where a and b both are.")
TSR_FN(LogicalOr, a || b)
TSR_LOGICAL(logicalOr, LogicalOr, "True where a or b is.")
TSR_FN(LogicalXor, a != b)
TSR_LOGICAL(logicalXor, LogicalXor, "True where exactly one of a and b is.")

struct LogicalNot {
  template <typename T>
  HWY_INLINE T operator()(T x) const {
    return !x;
  }
};
TSR_ELEMENTWISE(logicalNot, UnaryLogical, LogicalNot, .doc = "True where x is false.", .zero_gradient = true,
                .tolerance = 0)

// bool, then two tensors of one dtype.
template <typename Fn>
struct WhereRule {
  static constexpr size_t kArity = 3;
  static constexpr auto kInfer = &infer_elementwise_where;
  static ir::Expr body(ir::BodyCtx& c) {
    const ir::Type t = ir::type_of(c.out_dtype());
    return ir::select(c.in(0).broadcast(ir::Type::b1), c.in(1).broadcast(t), c.in(2).broadcast(t));
  }
  static bool run(const ElementwiseArgs& a) {
    return try_stream<F32, Fn, Mask, F32, F32>(a) || try_stream<I32, Fn, Mask, I32, I32>(a) ||
           try_stream<Mask, Fn, Mask, Mask, Mask>(a);
  }
};
struct Where {
  template <typename T>
  HWY_INLINE T operator()(Mask condition, T a, T b) const {
    return select(condition, a, b);
  }
};
TSR_ELEMENTWISE(
    where, WhereRule, Where, .doc = "a where the condition is true, b elsewhere; all three broadcast.",
    .inputs = {{"condition", "bool"}, {"a", "values where true"}, {"b", "values where false"}},
    .vjp = [](const VjpCtx& c) -> std::vector<Tensor> {
      std::vector<Tensor> out(3);
      if (c.needs[1]) out[1] = sum_to(where(c.in[0], c.grad[0], 0.0f), c.in[1].shape());
      if (c.needs[2]) out[2] = sum_to(where(c.in[0], 0.0f, c.grad[0]), c.in[2].shape());
      return out;
    },
    .tolerance = 0)

}  // namespace HWY_NAMESPACE
}  // namespace tsr::ops
HWY_AFTER_NAMESPACE();
