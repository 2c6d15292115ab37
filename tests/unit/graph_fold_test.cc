// Folding of per-channel factors into weights: same results, fewer nodes; left alone where somebody else reads the value.
#include <gtest/gtest.h>

#include "graph/fold_idioms.h"
#include "graph/fold_scale.h"
#include "graph_builder.h"
#include "runtime/device.h"
#include "runtime/plan.h"

namespace tsr {
namespace {

using Builder = test::GraphBuilder;

std::vector<float> run(const Graph& g, std::vector<ValueId> outputs, const Ref<Storage>& x) {
  const TensorType& t = g.value(outputs[0]).type;
  Ref<Storage> out(new Storage(t.dtype, t.shape.size()));
  PlanRun plan_run(Plan::compile(g, outputs, get_device("cpu"), true), {x}, {out});
  while (plan_run.advance(Deadline()) != Progress::kDone) {
  }
  EXPECT_EQ(plan_run.output_error(0), nullptr);
  const auto* p = reinterpret_cast<const float*>(out->host());
  return {p, p + t.shape.size()};
}

void expect_same(Builder& b, ValueId y, const Ref<Storage>& x, int folded) {
  const FoldedGraph f = fold_scale(b.g, std::vector<ValueId>{y});
  EXPECT_EQ(f.folded, folded);
  const auto want = run(b.g, {y}, x);
  const auto got = run(f.graph, f.outputs, x);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 2e-5) << i;
}

const std::vector<AttrValue> kSame{std::vector<int64_t>{1, 1}, std::string("same")};

TEST(FoldScale, ConvolutionAndBatchNorm) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{1, 5, 5, 3}, DType::kFloat32});
  ValueId y = b.node("conv2d", {x, b.constant({3, 3, 3, 4})}, kSame);
  y = b.node("mul", {y, b.constant({4})});
  y = b.node("relu", {b.node("add", {y, b.constant({4})})});
  expect_same(b, y, b.storage({1, 5, 5, 3}), 1);
}

TEST(FoldScale, BiasBeforeTheFactor) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{1, 4, 4, 3}, DType::kFloat32});
  ValueId y = b.node("depthwiseConv2d", {x, b.constant({3, 3, 3, 2})}, kSame);
  y = b.node("add", {b.constant({6}), y});
  y = b.node("mul", {b.constant({1, 1, 1, 6}), y});
  expect_same(b, y, b.storage({1, 4, 4, 3}), 1);
}

TEST(FoldScale, TransposedMatrixAndOneNumber) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{2, 3}, DType::kFloat32});
  ValueId y = b.node("matMul", {x, b.constant({5, 3})}, {false, true});
  y = b.node("mul", {y, b.constant({5})});
  expect_same(b, y, b.storage({2, 3}), 1);
  Builder c;
  const ValueId z = c.g.add_input("x", {{2, 3}, DType::kFloat32});
  expect_same(c, c.node("mul", {c.node("matMul", {z, c.constant({3, 4})}), c.constant({})}), c.storage({2, 3}), 1);
}

TEST(FoldScale, AValueThatIsReadTwiceStays) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{1, 3, 3, 2}, DType::kFloat32});
  const ValueId conv = b.node("conv2d", {x, b.constant({1, 1, 2, 2})}, kSame);
  expect_same(b, b.node("add", {b.node("mul", {conv, b.constant({2})}), conv}), b.storage({1, 3, 3, 2}), 0);
}

TEST(FoldScale, AFactorForEachRowStays) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{2, 3}, DType::kFloat32});
  expect_same(b, b.node("mul", {b.node("matMul", {x, b.constant({3, 4})}), b.constant({2, 1})}), b.storage({2, 3}), 0);
}

// ---- Idioms

void expect_idiom(Builder& b, ValueId y, const Ref<Storage>& x, int folded, size_t nodes) {
  const FoldedGraph f = fold_idioms(b.g, std::vector<ValueId>{y});
  EXPECT_EQ(f.folded, folded);
  EXPECT_EQ(f.graph.nodes().size(), nodes);
  const auto want = run(b.g, {y}, x);
  const auto got = run(f.graph, f.outputs, x);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << i;
}

ValueId single(Builder& b, float value) {
  Ref<Storage> s = b.storage({});
  *reinterpret_cast<float*>(s->host()) = value;
  return b.g.add_constant({{}, DType::kFloat32}, s);
}

TEST(FoldIdioms, Prelu) {
  for (int order = 0; order < 4; ++order) {
    Builder b;
    const ValueId x = b.g.add_input("x", {{2, 3, 5}, DType::kFloat32});
    const ValueId relu = b.node("relu", {x});
    const ValueId negative = b.node("sub", {x, b.node("abs", {x})});
    const ValueId c = b.constant({5});
    const ValueId scaled = order & 1 ? b.node("mul", {c, negative}) : b.node("mul", {negative, c});
    const ValueId y = order & 2 ? b.node("add", {relu, scaled}) : b.node("add", {scaled, relu});
    expect_idiom(b, y, b.storage({2, 3, 5}), 1, 1);
  }
}

TEST(FoldIdioms, PreluOfAnotherValueIsLeftAlone) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{2, 5}, DType::kFloat32});
  const ValueId z = b.node("square", {x});
  const ValueId scaled = b.node("mul", {b.node("sub", {x, b.node("abs", {z})}), b.constant({5})});
  expect_idiom(b, b.node("add", {b.node("relu", {x}), scaled}), b.storage({2, 5}), 0, 6);
}

TEST(FoldIdioms, PreluOfWhatIsNotNegative) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{2, 5}, DType::kFloat32});
  const ValueId y = b.node("relu", {x});
  const ValueId scaled = b.node("mul", {b.node("sub", {y, b.node("abs", {y})}), b.constant({5})});
  expect_idiom(b, b.node("square", {b.node("add", {y, scaled})}), b.storage({2, 5}), 1, 3);
}

TEST(FoldIdioms, HardSwish) {
  for (int shape = 0; shape < 4; ++shape) {
    Builder b;
    const ValueId x = b.g.add_input("x", {{3, 4}, DType::kFloat32});
    const ValueId gate = b.node("relu6", {b.node("add", {x, single(b, 3)})});
    const ValueId sixth = single(b, 1.0f / 6);
    ValueId y = kNoValue;
    if (shape == 0) y = b.node("mul", {b.node("mul", {x, gate}), sixth});
    if (shape == 1) y = b.node("mul", {b.node("mul", {x, sixth}), gate});
    if (shape == 2) y = b.node("mul", {x, b.node("mul", {sixth, gate})});
    if (shape == 3) y = b.node("mul", {x, b.node("div", {gate, single(b, 6)})});
    expect_idiom(b, y, b.storage({3, 4}), 1, 1);
  }
}

TEST(FoldIdioms, HardSwishOfAFactorInFloat16) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{3, 4}, DType::kFloat32});
  const ValueId halved = b.node("mul", {x, single(b, 0.5f)});  // a factor that belongs to x, not to the activation
  const ValueId gate = b.node("relu6", {b.node("add", {halved, single(b, 3)})});
  expect_idiom(b, b.node("mul", {b.node("mul", {halved, single(b, 0.16662598f)}), gate}), b.storage({3, 4}), 1, 2);
}

TEST(FoldIdioms, WhatOthersReadStays) {
  Builder b;
  const ValueId x = b.g.add_input("x", {{3, 4}, DType::kFloat32});
  const ValueId gate = b.node("relu6", {b.node("add", {x, single(b, 3)})});
  const ValueId y = b.node("mul", {b.node("mul", {x, gate}), single(b, 1.0f / 6)});
  expect_idiom(b, b.node("add", {y, gate}), b.storage({3, 4}), 1, 4);
}

}  // namespace
}  // namespace tsr
