// Groups run together in bands of rows give what they give one by one, to the bit.
#include "backends/cpu/bands.h"

#include <gtest/gtest.h>

#include <cstring>

#include "graph_builder.h"
#include "runtime/plan.h"

namespace tsr::cpu {
namespace {

// Runs every group by itself.
class Singly : public CpuDevice {
 public:
  size_t joins(std::span<const Group* const>) const override { return 1; }
};

// Joins images of any size, in bands as low as the limit makes them.
class Together : public CpuDevice {
 public:
  explicit Together(size_t memory) { limits_ = {1, memory, 1 << 20}; }
  size_t joins(std::span<const Group* const> groups) const override { return bands_join(groups, limits_); }
  std::unique_ptr<Launch> compile_joined(std::span<const Group* const> groups) override {
    return make_bands(groups, limits_, pool());
  }

 private:
  BandLimits limits_;
};

class Net : public test::GraphBuilder {
 public:
  ValueId input(const Shape& shape) {
    inputs.push_back(storage(shape));
    return g.add_input("x" + std::to_string(inputs.size()), {shape, DType::kFloat32});
  }

  // What MobileNets are made of.
  ValueId pointwise(ValueId x, int64_t channels) {
    const int64_t in = g.value(x).type.shape.back();
    return node("add", {node("conv2d", {x, constant({1, 1, in, channels})}), constant({channels})});
  }
  ValueId depthwise(ValueId x, int64_t k, int64_t stride, const char* pad = "same", int64_t dilation = 1,
                    int64_t multiplier = 1) {
    const int64_t c = g.value(x).type.shape.back();
    const std::vector<AttrValue> attrs{std::vector<int64_t>{stride, stride}, std::string(pad), std::vector<int64_t>{},
                                       std::vector<int64_t>{dilation, dilation}};
    return node("add", {node("depthwiseConv2d", {x, constant({k, k, c, multiplier})}, attrs), constant({c * multiplier})});
  }
  ValueId stem(ValueId x, int64_t k, int64_t stride, int64_t channels) {
    const int64_t in = g.value(x).type.shape.back();
    const std::vector<AttrValue> attrs{std::vector<int64_t>{stride, stride}, std::string("same")};
    return node("conv2d", {x, constant({k, k, in, channels})}, attrs);
  }
  ValueId relu6(ValueId x) { return node("relu6", {x}); }

  std::vector<Ref<Storage>> inputs;
};

std::vector<Ref<Storage>> run(const Net& net, const std::shared_ptr<Plan>& plan, std::span<const ValueId> outputs,
                              double slice_ms) {
  std::vector<Ref<Storage>> out;
  for (ValueId v : outputs) out.emplace_back(new Storage(DType::kFloat32, net.g.value(v).type.shape.size()));
  PlanRun plan_run(plan, net.inputs, out);
  while (plan_run.advance(slice_ms < 0 ? Deadline() : Deadline::after_ms(slice_ms)) != Progress::kDone) {
  }
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(plan_run.output_error(i), nullptr);
  return out;
}

size_t joined_steps(Plan& plan) {
  size_t n = 0;
  for (const Plan::Step& step : plan.steps()) n += step.launch->describe().find(" > ") != std::string::npos;
  return n;
}

// The net in as many steps, with all kinds of bands, threads and instalments.
void expect_joined(const Net& net, const std::vector<ValueId>& outputs, size_t steps) {
  Singly singly;
  singly.set_threads(1);
  const auto want = run(net, Plan::compile(net.g, outputs, singly, true), outputs, -1);
  for (size_t memory : {size_t{1} << 30, size_t{6000}, size_t{2500}}) {
    for (int threads : {1, 2, 3}) {
      Together together(memory);
      together.set_threads(threads);
      const auto plan = Plan::compile(net.g, outputs, together, true);
      if (memory > 6000) {
        EXPECT_EQ(plan->steps().size(), steps);
      }
      for (double slice : {-1.0, 0.0, -1.0}) {  // a plan runs again, and after a run that was cut into slices
        const auto got = run(net, plan, outputs, slice);
        for (size_t i = 0; i < want.size(); ++i) {
          const auto bytes = want[i]->logical_bytes();
          EXPECT_EQ(std::memcmp(want[i]->host(), got[i]->host(), bytes), 0)
              << "memory " << memory << ", threads " << threads << ", slice " << slice;
        }
      }
    }
  }
}

TEST(Bands, InvertedResidual) {
  Net net;
  const ValueId x = net.input({1, 13, 11, 5}), residual = net.input({1, 13, 11, 3});
  ValueId y = net.relu6(net.pointwise(x, 7));
  y = net.relu6(net.depthwise(y, 3, 1));
  expect_joined(net, {net.node("add", {net.pointwise(y, 3), residual})}, 1);
}

TEST(Bands, FirstLayersOfABatch) {
  Net net;
  const ValueId x = net.input({3, 37, 29, 3});
  ValueId y = net.relu6(net.stem(x, 3, 2, 6));
  y = net.relu6(net.depthwise(y, 5, 2));
  y = net.relu6(net.pointwise(y, 9));
  expect_joined(net, {net.depthwise(y, 3, 1, "valid")}, 1);
}

TEST(Bands, RowsThatNobodySees) {
  Net net;
  const ValueId x = net.input({2, 23, 9, 4});
  ValueId y = net.pointwise(x, 6);
  y = net.depthwise(y, 1, 3);             // skips two rows of three
  y = net.depthwise(y, 3, 1, "same", 3);  // at the bottom and top, tap rows lie outside
  expect_joined(net, {net.pointwise(y, 2)}, 1);
}

TEST(Bands, ChannelsThatMultiply) {
  Net net;
  const ValueId x = net.input({1, 17, 8, 3});
  const ValueId y = net.node("prelu", {net.depthwise(x, 3, 1, "same", 1, 4), net.constant({12})});
  expect_joined(net, {net.node("sigmoid", {net.pointwise(y, 5)})}, 1);
}

// Two runs of one plan take turns between instalments, each with memory of its own.
TEST(Bands, RunsThatAlternate) {
  Net net;
  const ValueId x = net.input({1, 40, 9, 4});
  const std::vector<ValueId> outputs{net.depthwise(net.relu6(net.pointwise(x, 8)), 3, 1)};
  Net other;
  other.inputs.push_back(net.storage({1, 40, 9, 4}));
  other.g = net.g;
  Singly singly;
  singly.set_threads(1);
  const auto plain = Plan::compile(net.g, outputs, singly, true);
  const Ref<Storage> want_a = run(net, plain, outputs, -1)[0], want_b = run(other, plain, outputs, -1)[0];
  for (size_t memory : {size_t{1200}, size_t{2500}, size_t{5000}}) {
    for (int lead = 0; lead < 6; ++lead) {
      Together together(memory);
      together.set_threads(1);
      const auto plan = Plan::compile(net.g, outputs, together, true);
      const Ref<Storage> a(new Storage(DType::kFloat32, net.g.value(outputs[0]).type.shape.size())),
          b(new Storage(DType::kFloat32, net.g.value(outputs[0]).type.shape.size()));
      PlanRun first(plan, net.inputs, {a}), second(plan, other.inputs, {b});
      bool first_done = false, second_done = false;
      for (int turn = 0; !first_done || !second_done; ++turn) {
        if (!first_done) first_done = first.advance(Deadline::after_ms(0)) == Progress::kDone;
        if (turn >= lead && !second_done) second_done = second.advance(Deadline::after_ms(0)) == Progress::kDone;
      }
      EXPECT_EQ(std::memcmp(a->host(), want_a->host(), want_a->logical_bytes()), 0) << "memory " << memory << ", lead " << lead;
      EXPECT_EQ(std::memcmp(b->host(), want_b->host(), want_b->logical_bytes()), 0) << "memory " << memory << ", lead " << lead;
    }
  }
}

TEST(Bands, WhatIsReadElsewhereIsMade) {
  Net net;
  const ValueId x = net.input({1, 12, 10, 4});
  const ValueId kept = net.relu6(net.pointwise(x, 8));
  const ValueId y = net.depthwise(kept, 3, 1);
  expect_joined(net, {y, kept}, 2);  // wanted itself

  Net twice;
  const ValueId a = twice.relu6(twice.pointwise(twice.input({1, 12, 10, 4}), 8));
  expect_joined(twice, {twice.node("add", {twice.depthwise(a, 3, 1), a})}, 2);  // read again, as a residual

  Net branches;
  const ValueId b = branches.relu6(branches.pointwise(branches.input({1, 12, 10, 4}), 8));
  expect_joined(branches, {branches.depthwise(b, 3, 1), branches.depthwise(b, 5, 1)}, 3);
}

TEST(Bands, WhatHasNoRowsEndsAJoin) {
  Net net;
  ValueId y = net.depthwise(net.pointwise(net.input({1, 12, 10, 4}), 8), 3, 1);
  y = net.pointwise(net.stem(y, 3, 1, 8), 4);  // a filter that reads its image in place begins a launch
  expect_joined(net, {y}, 2);
}

TEST(Bands, LimitsDecide) {
  Net net;
  const ValueId x = net.input({1, 40, 16, 4});
  const ValueId y = net.pointwise(net.depthwise(net.pointwise(x, 16), 3, 1), 4);
  const std::vector<ValueId> outputs{y};
  CpuDevice usual;  // nothing here is larger than a level-2 cache
  const auto plan = Plan::compile(net.g, outputs, usual, true);
  EXPECT_EQ(plan->steps().size(), 3u);
  EXPECT_EQ(joined_steps(*plan), 0u);
  // Three rows of 1 KB and one: too many for 3000 bytes, where the launches are cut.
  Together little(3000);
  EXPECT_EQ(Plan::compile(net.g, outputs, little, true)->steps().size(), 2u);
}

TEST(Bands, LargeImagesAreJoinedAsTheyAre) {
  Net net;
  const ValueId x = net.input({1, 120, 112, 8});
  const ValueId y = net.depthwise(net.relu6(net.pointwise(x, 32)), 3, 2);
  CpuDevice usual;
  const auto plan = Plan::compile(net.g, std::vector<ValueId>{y}, usual, true);
  EXPECT_EQ(joined_steps(*plan), 1u);
  EXPECT_EQ(plan->arena_bytes(), 0u);  // what is in between is nowhere in full
}

}  // namespace
}  // namespace tsr::cpu
