#include <gtest/gtest.h>

#include "../models/synthetic.h"
#include "formats/tfjs/control_flow.h"
#include "formats/tfjs/convert.h"
#include "formats/tfjs/graphdef.h"
#include "formats/tfjs/loader.h"

namespace tsr::formats {
namespace {

// A graph of nodes "name:op:input,input".
JsonDoc topology(std::initializer_list<const char*> specs) {
  std::string nodes;
  for (const std::string spec : specs) {
    const size_t a = spec.find('|'), b = spec.find('|', a + 1);
    std::string inputs;
    for (size_t at = b + 1; at < spec.size();) {
      const size_t comma = std::min(spec.find(',', at), spec.size());
      inputs += (inputs.empty() ? "\"" : ", \"") + spec.substr(at, comma - at) + "\"";
      at = comma + 1;
    }
    nodes += std::string(nodes.empty() ? "" : ", ") + R"({"name": ")" + spec.substr(0, a) + R"(", "op": ")" +
             spec.substr(a + 1, b - a - 1) + R"(", "input": [)" + inputs + "]}";
  }
  return parse_json(R"({"node": [)" + nodes + "]}", "model.json");
}

std::string error_of(std::initializer_list<const char*> specs) {
  try {
    const auto doc = topology(specs);
    topological_order(parse_graphdef(doc).graph);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadFile);
    return e.what();
  }
  return "no error";
}

TEST(FormatsGraphDef, InputsByNameAndNumber) {
  const auto doc = topology({"b|Add|a:1,a,^c", "a|Split|", "c|NoOp|"});
  const TfGraph g = parse_graphdef(doc).graph;
  EXPECT_EQ(g.nodes[0].inputs, (std::vector<TfRef>{{1, 1}, {1, 0}}));
  EXPECT_EQ(g.nodes[0].controls, (std::vector<uint32_t>{2}));
  EXPECT_EQ(topological_order(g), (std::vector<uint32_t>{1, 2, 0}));
}

TEST(FormatsGraphDef, FaultsAreNamed) {
  EXPECT_EQ(error_of({"a|Relu|b"}), "node 'a' (Relu) takes its input from 'b', which does not exist");
  EXPECT_EQ(error_of({"a|Relu|a:x"}), "node 'a' (Relu) refers to 'a:x', where 'x' is not the number of an output");
  EXPECT_EQ(error_of({"a|Relu|", "a|Relu|"}), "modelTopology.node[1]: a node named 'a' exists already");
  EXPECT_EQ(error_of({"a|Relu|b", "b|Relu|c", "c|Relu|a"}),
            "the model's graph has a cycle: a node needs its own result ('a' <- 'c' <- 'b')");
  EXPECT_EQ(error_of({"a|Relu|a"}), "the model's graph has a cycle: a node needs its own result ('a')");
}

TEST(FormatsGraphDef, LongChainsAreFine) {
  std::string nodes = R"({"name": "n0", "op": "Placeholder"})";
  for (int i = 1; i < 20000; ++i) {
    nodes +=
        R"(, {"name": "n)" + std::to_string(i) + R"(", "op": "Relu", "input": ["n)" + std::to_string(i - 1) + R"("]})";
  }
  const auto doc = parse_json(R"({"node": [)" + nodes + "]}", "model.json");
  EXPECT_EQ(topological_order(parse_graphdef(doc).graph).size(), 20000u);
}

TEST(FormatsLoops, OneLoopBecomesWhile) {
  const auto doc = parse_json(testing::loop_model().json(), "model.json");
  TfGraph g = parse_graphdef(*member(doc, "modelTopology")).graph;
  recover_loops(g);
  const TfNode& loop = g.nodes.back();
  ASSERT_EQ(loop.op, "While");
  EXPECT_EQ(loop.inputs.size(), 3u);  // i, v, factor
  EXPECT_EQ(loop.cond->arguments.size(), 3u);
  EXPECT_EQ(loop.cond->results.size(), 1u);
  EXPECT_EQ(loop.body->results.size(), 3u);
  EXPECT_EQ(loop.body->results[2], (TfRef{loop.body->arguments[2], 0}));  // factor is handed on
  topological_order(*loop.body);
  topological_order(g);
}

TEST(FormatsLoops, InnerLoopsAreDoneFirst) {
  // i counts to a limit in the outer frame; the inner one runs on i.
  const auto frame = [](const char* name) { return std::string(R"("frame_name": {"s": ")") + name + "\"}"; };
  const std::string outer = frame("b3V0"),
                    inner = frame("YWlu");  // "out" sorts after "ain": order of names must not matter
  testing::ModelText m;
  m.weight_int("zero", {}, {0}).weight_int("one", {}, {1}).weight_int("ten", {}, {10});
  m.node("e1", "Enter", {"zero"}, outer)
      .node("m1", "Merge", {"e1", "n1"})
      .node("l1", "Less", {"m1", "ten"})
      .node("c1", "LoopCond", {"l1"});
  m.node("s1", "Switch", {"m1", "c1"}).node("x1", "Exit", {"s1"});
  m.node("e2", "Enter", {"s1:1"}, inner)
      .node("m2", "Merge", {"e2", "n2"})
      .node("l2", "Less", {"m2", "ten"})
      .node("c2", "LoopCond", {"l2"});
  m.node("s2", "Switch", {"m2", "c2"})
      .node("x2", "Exit", {"s2"})
      .node("a2", "Add", {"s2:1", "one"})
      .node("n2", "NextIteration", {"a2"});
  m.node("a1", "Add", {"x2", "one"}).node("n1", "NextIteration", {"a1"});
  const auto doc = parse_json(m.json(), "model.json");
  TfGraph g = parse_graphdef(*member(doc, "modelTopology")).graph;
  recover_loops(g);
  const TfNode& loop = g.nodes.back();
  EXPECT_EQ(loop.name, "out");
  int inner_loops = 0;
  for (const TfNode& n : loop.body->nodes) inner_loops += n.op == "While";
  EXPECT_EQ(inner_loops, 1);
  EXPECT_EQ(loop.body->depth, 2);
}

TEST(FormatsLoops, FaultsAreNamed) {
  const auto error = [](const testing::ModelText& m) -> std::string {
    try {
      TfjsLoader loader(m.json());
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  const std::string frame = R"("frame_name": {"s": "bG9vcA=="})";
  testing::ModelText no_condition;
  no_condition.weight_int("zero", {}, {0})
      .node("e", "Enter", {"zero"}, frame)
      .node("m", "Merge", {"e", "n"})
      .node("n", "NextIteration", {"m"});
  EXPECT_EQ(error(no_condition), "the loop of frame 'loop' has no condition (LoopCond)");
  testing::ModelText no_variable;
  no_variable.weight_int("zero", {}, {0}).node("e", "Enter", {"zero"}, frame).node("y", "Neg", {"e"});
  EXPECT_EQ(error(no_variable), "the loop of frame 'loop' has no loop variable");
}

TEST(FormatsOps, RowsNameOpsAndAttributesThatExist) {
  int supported = 0;
  for (const TfOp* op : all_tf_ops()) supported += find_tf_op(op->name) != nullptr;
  EXPECT_GE(supported, 150);
  EXPECT_EQ(find_tf_op("NoSuchOp"), nullptr);
}

}  // namespace
}  // namespace tsr::formats
