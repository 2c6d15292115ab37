#include "ir/expr.h"
#include "ir/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "base/error.h"

namespace tsr::ir {
namespace {

TEST(IrExpr, EqualStructureIsOneNode) {
  const Expr a = load(0, Type::f32, {axis(0), axis(1)}) * 2.0 + exp(param(0, Type::f32));
  const Expr b = load(0, Type::f32, {axis(0), axis(1)}) * 2 + exp(param(0, Type::f32));
  EXPECT_EQ(a.id(), b.id());
  EXPECT_NE(a.id(), (load(0, Type::f32, {axis(1), axis(0)}) * 2.0 + exp(param(0, Type::f32))).id());
}

TEST(IrExpr, ReductionsAreNamedByHeight) {
  const auto row_sum = [] {
    return reduce(Reduce::sum, dim(0, 1), [](Expr v) { return load(0, Type::f32, {axis(0), v}); });
  };
  EXPECT_EQ(row_sum().id(), row_sum().id());
  const auto nested = [] {
    return reduce(Reduce::max, dim(0, 0), [](Expr u) {
      return reduce(Reduce::sum, dim(0, 1), [&](Expr v) { return load(0, Type::f32, {u, v}) * to_f32(u); });
    });
  };
  const Expr n = nested();
  EXPECT_EQ(n.id(), nested().id());
  EXPECT_EQ(n->height(), 2);
  EXPECT_EQ(n->depends().vars, 0u);
}

TEST(IrExpr, FoldsConstantsAndExactIdentities) {
  const Expr i = axis(0);
  const Expr x = load(0, Type::f32, {i});
  EXPECT_EQ((i + 0).id(), i.id());
  EXPECT_EQ((i * 0).id(), i32(0).id());
  EXPECT_EQ((x * 1.0).id(), x.id());
  EXPECT_NE((x + 0.0).id(), x.id());  // -0 + 0 is +0
  EXPECT_NE((x * 0.0).id(), f32(0).id());
  EXPECT_EQ((f32(3) * f32(4)).id(), f32(12).id());
  EXPECT_EQ((i32(INT32_MAX) + 1).id(), i32(INT32_MIN).id());
  EXPECT_EQ((i32(7) / 0).id(), i32(0).id());
  EXPECT_EQ(floor_div(i32(-7), 2).id(), i32(-4).id());
  EXPECT_EQ(floor_mod(i32(-7), 3).id(), i32(2).id());
  EXPECT_EQ((i32(-7) % 3).id(), i32(-1).id());
  EXPECT_EQ(select(b1(true), x, f32(0)).id(), x.id());
  EXPECT_EQ(shift_right_logical(i32(-1), 28).id(), i32(15).id());
  EXPECT_EQ((i32(-16) >> 2).id(), i32(-4).id());
  EXPECT_EQ(to_i32(f32(3e10)).id(), i32(INT32_MAX).id());
  EXPECT_EQ(to_i32(f32(NAN)).id(), i32(0).id());
  uint32_t power = 1;
  for (int k = 0; k < 41; ++k) power *= 3;
  EXPECT_EQ(pow(i32(3), 41).id(), i32(power).id());
  EXPECT_EQ(pow(i32(-1), -3).id(), i32(-1).id());
  EXPECT_EQ(pow(i32(2), -3).id(), i32(0).id());
  EXPECT_EQ(round(f32(2.5)).id(), f32(2).id());
  EXPECT_EQ(bitcast_i32(f32(1)).id(), i32(0x3f800000).id());
  EXPECT_EQ(f32(NAN).id(), f32(-NAN).id());
}

TEST(IrExpr, TypeErrorsNameTheNode) {
  const Expr x = load(0, Type::f32, {axis(0)});
  try {
    (void)(x + axis(0));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInternal);
    EXPECT_NE(std::string(e.what()).find("operands of add are f32 and i32"), std::string::npos) << e.what();
  }
  EXPECT_THROW((void)(x & x), Error);
  EXPECT_THROW((void)select(x, x, x), Error);
  EXPECT_THROW((void)!x, Error);
  EXPECT_THROW((void)load(0, Type::f32, {x}), Error);
  EXPECT_THROW((void)reduce(Reduce::sum, axis(0), [](Expr v) { return v; }), Error);
  EXPECT_THROW((void)reduce(Reduce::any, i32(3), [](Expr v) { return v; }), Error);
  EXPECT_THROW((void)(Expr() + x), Error);
}

TEST(IrExpr, RewriteDoesNotCapture) {
  // y[i] = sum_v x[i, v]; x[i, k] = sum_v w[k, v]: the index v must stay apart from the inner v.
  const Expr y = reduce(Reduce::sum, dim(0, 1), [](Expr v) { return load(0, Type::f32, {axis(0), v}); });
  const Expr got = rewrite(y, [](const Node& n, std::span<const Expr> index) -> Expr {
    if (n.op() != Op::kLoad) return {};
    return reduce(Reduce::sum, i32(5), [&](Expr v) { return load(1, Type::f32, {index[1], v}); });
  });
  const Expr want = reduce(Reduce::sum, dim(0, 1), [](Expr u) {
    return reduce(Reduce::sum, i32(5), [&](Expr v) { return load(1, Type::f32, {u, v}); });
  });
  EXPECT_EQ(got.id(), want.id()) << print(got) << print(want);
}

TEST(IrExpr, LongChainsAreRefusedNotOverflowed) {
  Expr x = axis(0);
  EXPECT_THROW(
      {
        for (int i = 0; i < 10000; ++i) x = x * 3 + 1;
      },
      Error);
}

TEST(IrExpr, ThreadsShareTheTable) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        Expr e = load(0, Type::f32, {axis(0)});
        for (int j = 0; j < 5; ++j) e = e * static_cast<double>(j + 2) + exp(e);
        EXPECT_GT(e->depth(), 5);
      }
    });
  }
  for (auto& t : threads) t.join();
}

TEST(IrExpr, CollectingKeepsWhatKernelsHold) {
  Kernel kernel;
  kernel.name = "held";
  kernel.inputs = {{DType::kFloat32, 1}};
  kernel.out_rank = 1;
  kernel.body = load(0, Type::f32, {axis(0)}) * f32(12345.5) + f32(-777.25);
  const std::string before = print(kernel);
  for (int i = 0; i < 40000; ++i) (void)(f32(i + 0.25) + f32(0.125));
  const size_t many = node_count();
  collect();
  EXPECT_LT(node_count(), many / 2);
  EXPECT_EQ(print(kernel), before);
  // The same expression built again is the same node, which is only so when the node was kept.
  EXPECT_EQ((load(0, Type::f32, {axis(0)}) * f32(12345.5) + f32(-777.25)).id(), kernel.body.id());
  const HeldExpr copy = kernel.body;
  kernel.body = f32(1);
  EXPECT_EQ(copy->op(), Op::kAdd);
}

}  // namespace
}  // namespace tsr::ir
