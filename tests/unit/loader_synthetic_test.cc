// Small models with everything a graph model can hold, loaded from memory and run.
#include <gtest/gtest.h>

#include <cmath>

#include "../models/synthetic.h"
#include "graph/graph.h"

namespace tsr {
namespace {

using testing::ModelText;

std::vector<float> run(const Model& m, const std::string& input, std::vector<float> x, const Shape& shape,
                       const std::string& output) {
  const std::pair<std::string, Tensor> in[] = {{input, Tensor::from(std::span<const float>(x), shape)}};
  const std::string out[] = {output};
  return m.run(in, out)[0].to_vector<float>();
}

void expect_near(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-5 * std::max(1.0f, std::fabs(want[i]))) << "element " << i;
}

// Base64 of three bytes.
std::string base64(const std::string& three) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint32_t bits = static_cast<uint32_t>(three[0]) << 16 | static_cast<uint32_t>(three[1]) << 8 | static_cast<uint32_t>(three[2]);
  std::string out;
  for (int shift = 18; shift >= 0; shift -= 6) out += kDigits[bits >> shift & 63];
  return out;
}

TEST(LoaderSynthetic, InfoAndNames) {
  const Model m = testing::conv_model().load();
  const ModelInfo& info = m.info();
  ASSERT_EQ(info.inputs.size(), 1u);
  EXPECT_EQ(info.inputs[0].name, "x:0");
  EXPECT_EQ(info.inputs[0].signature_key, "image");
  EXPECT_EQ(info.inputs[0].shape, (std::vector<int64_t>{1, 4, 4, 2}));
  ASSERT_EQ(info.outputs.size(), 1u);
  EXPECT_EQ(info.outputs[0].name, "probabilities:0");
  EXPECT_EQ(info.op_counts.at("_FusedConv2D"), 1);
  EXPECT_EQ(info.parameters, 4 + 2 + 2 + 24);
  EXPECT_EQ(info.weight_bytes, 32 * 4);
  EXPECT_EQ(info.generated_by, "test");
  EXPECT_FALSE(m.dynamic());
  for (const char* name : {"x", "x:0", "image", "conv", "conv:0", "logits:0", "classes", "probabilities"}) {
    EXPECT_NE(m.graph().find(name), kNoValue) << name;
  }
}

TEST(LoaderSynthetic, Convolution) {
  const Model m = testing::conv_model().load();
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.125f - 1;
  // conv: y0 = 0.5 a + 2 b + 0.1, y1 = -a + 0.25 b - 0.2, clipped to [0, 6]
  std::vector<float> conv;
  for (size_t i = 0; i < 32; i += 2) {
    conv.push_back(std::clamp(0.5f * x[i] + 2 * x[i + 1] + 0.1f, 0.0f, 6.0f));
    conv.push_back(std::clamp(-x[i] + 0.25f * x[i + 1] - 0.2f, 0.0f, 6.0f));
  }
  expect_near(run(m, "x", x, {1, 4, 4, 2}, "conv"), conv);
  const std::vector<float> p = run(m, "image", x, {1, 4, 4, 2}, "classes");
  EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-5);
  expect_near(run(m, "x:0", x, {1, 4, 4, 2}, "probabilities:0"), p);
  // Kernels have packed the weights and let the originals go; whoever asks for them gets them, and plans go on.
  expect_near(run(m, "x", x, {1, 4, 4, 2}, "filter"), {0.5f, -1, 2, 0.25f});
  EXPECT_EQ(run(m, "x", x, {1, 4, 4, 2}, "dense")[23], 1);
  expect_near(run(m, "x", x, {1, 4, 4, 2}, "conv"), conv);
  expect_near(run(m, "x", x, {1, 4, 4, 2}, "probabilities"), p);
}

TEST(LoaderSynthetic, WrongUseIsNamed) {
  const Model m = testing::conv_model().load();
  EXPECT_THROW(run(m, "y", std::vector<float>(32), {1, 4, 4, 2}, "conv"), Error);
  EXPECT_THROW(run(m, "x", std::vector<float>(32), {1, 4, 2, 4}, "conv"), Error);
  EXPECT_THROW(run(m, "x", std::vector<float>(32), {1, 4, 4, 2}, "nothing"), Error);
}

TEST(LoaderSynthetic, Loop) {
  const Model m = testing::loop_model().load();
  expect_near(run(m, "v", {1, -3}, {2}, "result"), {15, -17});  // three times v * 2 + 1
  const std::pair<std::string, Tensor> in[] = {{"v", Tensor::from(std::vector<float>{0, 0}, {2})}};
  EXPECT_EQ(m.run(in)[1].to_vector<int32_t>(), std::vector<int32_t>{3});
}

// for (i = 0; i < 3; ++i) for (j = 0; j < i; ++j) v = v * 2 + i, with i and a limit handed into the inner frame.
TEST(LoaderSynthetic, NestedLoops) {
  const auto frame = [](const char* name, bool constant = false) {
    return std::string(R"("frame_name": {"s": ")") + name + "\"}" + (constant ? R"(, "is_constant": {"b": true})" : "");
  };
  const char *outer = "b3V0ZXI=", *inner = "aW5uZXI=";  // "outer", "inner"
  ModelText m;
  m.placeholder("v", {}).weight("zero", {}, {0}).weight("one", {}, {1}).weight("three", {}, {3}).weight("two", {}, {2});
  m.node("e_i", "Enter", {"zero"}, frame(outer)).node("e_v", "Enter", {"v"}, frame(outer));
  m.node("e_n", "Enter", {"three"}, frame(outer, true));
  m.node("m_i", "Merge", {"e_i", "n_i"}).node("m_v", "Merge", {"e_v", "n_v"});
  m.node("less", "Less", {"m_i", "e_n"}).node("cond", "LoopCond", {"less"});
  m.node("s_i", "Switch", {"m_i", "cond"}).node("s_v", "Switch", {"m_v", "cond"});
  m.node("e_j", "Enter", {"zero"}, frame(inner)).node("e_w", "Enter", {"s_v:1"}, frame(inner));
  m.node("e_k", "Enter", {"s_i:1"}, frame(inner, true));
  m.node("m_j", "Merge", {"e_j", "n_j"}).node("m_w", "Merge", {"e_w", "n_w"});
  m.node("less2", "Less", {"m_j", "e_k"}).node("cond2", "LoopCond", {"less2"});
  m.node("s_j", "Switch", {"m_j", "cond2"}).node("s_w", "Switch", {"m_w", "cond2"});
  m.node("add_j", "Add", {"s_j:1", "one"}).node("twice", "Mul", {"s_w:1", "two"}).node("more", "Add", {"twice", "e_k"});
  m.node("n_j", "NextIteration", {"add_j"}).node("n_w", "NextIteration", {"more"}).node("x_w", "Exit", {"s_w"});
  m.node("add_i", "Add", {"s_i:1", "one"})
      .node("n_i", "NextIteration", {"add_i"})
      .node("n_v", "NextIteration", {"x_w"});
  m.node("out", "Exit", {"s_v"});
  // i = 1: v * 2 + 1; i = 2: twice v * 2 + 2
  expect_near(run(m.load(), "v", {1}, {}, "out"), {(3 * 2 + 2) * 2 + 2});
}

// Thirty loops, each inside the condition and the body of the one around it: while (inner(v) < 10) v = inner(v) + 1. Loading must
// not double with each level.
TEST(LoaderSynthetic, LoopsNestedInConditionAndBody) {
  ModelText m;
  m.placeholder("v", {}).weight("one", {}, {1}).weight("ten", {}, {10});
  constexpr int kDepth = 30;
  for (int d = 0; d < kDepth; ++d) {
    const auto at = [&](const char* name, int level) { return name + std::to_string(level); };
    const std::string digits = {static_cast<char>('0' + d / 10), static_cast<char>('0' + d % 10)};
    const std::string frame = R"("frame_name": {"s": ")" + base64("l" + digits) + "\"}";
    const std::string from = d == 0 ? "v" : at("m", d - 1);
    const std::string value = d + 1 < kDepth ? at("x", d + 1) : at("m", d);
    m.node(at("e", d), "Enter", {from.c_str()}, frame);
    m.node(at("m", d), "Merge", {at("e", d).c_str(), at("n", d).c_str()});
    m.node(at("less", d), "Less", {value.c_str(), "ten"}).node(at("c", d), "LoopCond", {at("less", d).c_str()});
    m.node(at("s", d), "Switch", {at("m", d).c_str(), at("c", d).c_str()});
    m.node(at("a", d), "Add", {value.c_str(), "one"}).node(at("n", d), "NextIteration", {at("a", d).c_str()});
    m.node(at("x", d), "Exit", {at("s", d).c_str()});
  }
  expect_near(run(m.load(), "v", {100}, {}, "x0"), {100});
}

// while (i < 4) v = i > 1 ? v * 10 : 7, as Switch and Merge inside the loop; one branch is a constant with a control
// input.
TEST(LoaderSynthetic, ConditionalInLoop) {
  const std::string frame = R"("frame_name": {"s": "bG9vcA=="})";
  ModelText m;
  m.placeholder("v", {}).weight("zero", {}, {0}).weight("one", {}, {1}).weight("four", {}, {4}).weight("ten", {}, {10});
  m.node("e_i", "Enter", {"zero"}, frame).node("e_v", "Enter", {"v"}, frame);
  m.node("m_i", "Merge", {"e_i", "n_i"}).node("m_v", "Merge", {"e_v", "n_v"});
  m.node("less", "Less", {"m_i", "four"}).node("cond", "LoopCond", {"less"});
  m.node("s_i", "Switch", {"m_i", "cond"}).node("s_v", "Switch", {"m_v", "cond"});
  m.node("big", "Greater", {"s_i:1", "one"})
      .node("branch", "Switch", {"s_v:1", "big"})
      .node("f", "Identity", {"branch"});
  const float seven = 7;
  m.node("seven", "Const", {"^f"}).data("seven", "float32", {}, &seven, 4).node("times", "Mul", {"branch:1", "ten"});
  m.node("either", "Merge", {"seven", "times"}).node("n_v", "NextIteration", {"either"});
  m.node("add_i", "Add", {"s_i:1", "one"}).node("n_i", "NextIteration", {"add_i"}).node("out", "Exit", {"s_v"});
  expect_near(run(m.load(), "v", {1}, {}, "out"), {700});
}

// TensorArray: squares of the rows of x, written in a loop, then stacked.
TEST(LoaderSynthetic, TensorArrays) {
  const std::string frame = R"("frame_name": {"s": "bG9vcA=="})", fixed = frame + R"(, "is_constant": {"b": true})";
  ModelText m;
  m.placeholder("x", {3, 2}).weight_int("zero", {}, {0}).weight_int("one", {}, {1}).weight_int("three", {}, {3});
  m.weight_int("all", {3}, {0, 1, 2});
  m.node("in", "TensorArrayV3", {"three"})
      .node("rows", "TensorArrayScatterV3", {"in", "all", "x", "in:1"})
      .node("made", "TensorArrayV3", {"three"});
  m.node("e_i", "Enter", {"zero"}, frame).node("e_flow", "Enter", {"made:1"}, frame);
  m.node("e_in", "Enter", {"in"}, fixed)
      .node("e_rows", "Enter", {"rows"}, fixed)
      .node("e_made", "Enter", {"made"}, fixed);
  m.node("m_i", "Merge", {"e_i", "n_i"}).node("m_flow", "Merge", {"e_flow", "n_flow"});
  m.node("less", "Less", {"m_i", "three"}).node("cond", "LoopCond", {"less"});
  m.node("s_i", "Switch", {"m_i", "cond"}).node("s_flow", "Switch", {"m_flow", "cond"});
  m.node("row", "TensorArrayReadV3", {"e_in", "s_i:1", "e_rows"}).node("square", "Square", {"row"});
  m.node("write", "TensorArrayWriteV3", {"e_made", "s_i:1", "square", "s_flow:1"});
  m.node("add_i", "Add", {"s_i:1", "one"})
      .node("n_i", "NextIteration", {"add_i"})
      .node("n_flow", "NextIteration", {"write"});
  m.node("x_flow", "Exit", {"s_flow"}).node("size", "TensorArraySizeV3", {"made", "x_flow"});
  m.node("out", "TensorArrayGatherV3", {"made", "all", "x_flow"});
  m.signature(R"({"outputs": {"out": {"name": "out"}, "size": {"name": "size"}}})");
  expect_near(run(m.load(), "x", {1, 2, 3, 4, 5, 6}, {3, 2}, "out"), {1, 4, 9, 16, 25, 36});
}

TEST(LoaderSynthetic, Functions) {
  const Model m = testing::function_model().load();
  expect_near(run(m, "v", {1, 2}, {2}, "out"), {300, 400});  // +1, +1, *10, *10
}

TEST(LoaderSynthetic, Lists) {
  const Model m = testing::list_model().load();
  expect_near(run(m, "x", {1, 2, 3, 4, 5, 6}, {3, 2}, "stacked"), {1, 2, 4, 5, 7, 8});
  expect_near(run(m, "x", {1, 2}, {1, 2}, "stacked"), {1, 2});
}

TEST(LoaderSynthetic, DataDependent) {
  const Model m = testing::dynamic_model().load();
  EXPECT_TRUE(m.dynamic());
  expect_near(run(m, "x", {1, -2, 3}, {3}, "picked"), {1, 3});
  expect_near(run(m, "x", {1, -2, 3}, {3}, "branch"), {1, 4, 9});
  expect_near(run(m, "x", {1, -2, -3}, {3}, "branch"), {-1, 2, 3});
  expect_near(run(m, "x", {1, -2, 3, 4}, {4}, "row"), {1, 3, 4});
  EXPECT_TRUE(run(m, "x", {-1, -2}, {2}, "picked").empty());
}

TEST(LoaderSynthetic, Storage) {
  const Model m = testing::storage_model().load();
  // a {-1, -0.5, 63, 126.5}, b {3, 3.25, 253, 16386.75}, c {1, -2, 2^-24, 65504}, e {1, 0, 0, 1}, g {0, 2, 256, 510}
  expect_near(run(m, "x", {0, 1, 2, 3}, {4}, "sum"), {4, 3.75f, 574, 82531.25f});
}

// A conditional whose branches are constants: they carry no data from the Switch, only a control input.
TEST(LoaderSynthetic, ConstantBranches) {
  ModelText m;
  m.placeholder("x", {})
      .weight("limit", {}, {0})
      .node("pred", "Greater", {"x", "limit"})
      .node("switch", "Switch", {"pred", "pred"});
  m.node("t", "Identity", {"switch:1"}).node("f", "Identity", {"switch"});
  m.node("yes", "Const", {"^t"}).node("no", "Const", {"^f"});
  const float yes = 1, no = 2;
  m.data("yes", "float32", {}, &yes, 4).data("no", "float32", {}, &no, 4).node("out", "Merge", {"no", "yes"});
  const Model model = m.load();
  expect_near(run(model, "x", {5}, {}, "out"), {1});
  expect_near(run(model, "x", {-5}, {}, "out"), {2});
}

TEST(LoaderSynthetic, ChannelsFirst) {
  ModelText m;
  m.placeholder("x", {1, 2, 2, 2}).weight("filter", {1, 1, 2, 1}, {1, 10}).weight("bias", {1}, {0.5f});
  m.node(
      "conv", "_FusedConv2D", {"x", "filter", "bias"},
      R"("strides": {"list": {"i": ["1","1","1","1"]}}, "padding": {"s": "VkFMSUQ="}, "data_format": {"s": "TkNIVw=="},
            "fused_ops": {"list": {"s": ["Qmlhc0FkZA=="]}})");
  expect_near(run(m.load(), "x", {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 2, 2}, "conv"), {51.5f, 62.5f, 73.5f, 84.5f});
}

TEST(LoaderSynthetic, BatchNorm) {
  ModelText m;
  m.placeholder("x", {1, 1, 1, 2})
      .weight("scale", {2}, {2, 1})
      .weight("offset", {2}, {1, 0})
      .weight("mean", {2}, {3, -1});
  m.weight("variance", {2}, {4, 0.25f})
      .node("y", "FusedBatchNormV3", {"x", "scale", "offset", "mean", "variance"}, R"("epsilon": {"f": 0})");
  expect_near(run(m.load(), "x", {5, 1}, {1, 1, 1, 2}, "y"), {3, 4});
}

TEST(LoaderSynthetic, EmbeddedConstants) {
  ModelText m;
  m.placeholder("x", {2});
  m.node(
      "c", "Const", {},
      R"("value": {"tensor": {"dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": "2"}]}, "floatVal": [1.5, 2]}})");
  m.node("one", "Const", {},
         R"("value": {"tensor": {"dtype": "DT_FLOAT", "tensorShape": {}, "tensorContent": "AACAPw=="}})");
  m.node("sum", "Add", {"x", "c"}).node("out", "Add", {"sum", "one"});
  expect_near(run(m.load(), "x", {1, 1}, {2}, "out"), {3.5f, 4});
}

}  // namespace
}  // namespace tsr
