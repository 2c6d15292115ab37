// Small TensorFlow.js models written by the tests themselves: one for each thing that a graph model can hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/model.h"

namespace tsr::testing {

/// Writes model.json and its one shard, "weights.bin".
class ModelText {
 public:
  /// attrs: JSON members, like R"("T": {"type": "DT_FLOAT"})".
  ModelText& node(const std::string& name, const std::string& op, std::initializer_list<const char*> inputs = {},
                  const std::string& attrs = "") {
    nodes_ += separator(nodes_) + node_text(name, op, inputs, attrs);
    return *this;
  }
  ModelText& placeholder(const std::string& name, const std::vector<int64_t>& shape, const char* type = "DT_FLOAT") {
    std::string dims;
    for (int64_t d : shape) dims += separator(dims) + "{\"size\": \"" + std::to_string(d) + "\"}";
    return node(
        name, "Placeholder", {},
        std::string("\"dtype\": {\"type\": \"") + type + "\"}, \"shape\": {\"shape\": {\"dim\": [" + dims + "]}}");
  }
  /// A weight and its Const node.
  ModelText& weight(const std::string& name, std::initializer_list<int64_t> shape,
                    std::initializer_list<float> values) {
    return node(name, "Const").data(name, "float32", shape, values.begin(), values.size() * 4);
  }
  ModelText& weight_int(const std::string& name, std::initializer_list<int64_t> shape,
                        std::initializer_list<int32_t> values) {
    return node(name, "Const").data(name, "int32", shape, values.begin(), values.size() * 4);
  }
  /// A manifest entry alone; `extra`: JSON members ("quantization").
  ModelText& data(const std::string& name, const char* dtype, const std::vector<int64_t>& shape, const void* bytes,
                  size_t size, const std::string& extra = "") {
    std::string dims;
    for (int64_t d : shape) dims += separator(dims) + std::to_string(d);
    weights_ += separator(weights_) + "{\"name\": \"" + name + "\", \"shape\": [" + dims + "], \"dtype\": \"" + dtype +
                "\"" + (extra.empty() ? "" : ", " + extra) + "}";
    const auto* p = static_cast<const std::byte*>(bytes);
    shard_.insert(shard_.end(), p, p + size);
    return *this;
  }
  /// A function of the library. nodes: node_text(...) joined by commas; rets: {output name, "node:output:0"}.
  ModelText& function(const std::string& name, std::initializer_list<const char*> args, const std::string& nodes,
                      std::initializer_list<std::pair<const char*, const char*>> rets) {
    std::string in, out, ret;
    for (const char* a : args) in += separator(in) + "{\"name\": \"" + a + "\", \"type\": \"DT_FLOAT\"}";
    for (const auto& [key, value] : rets) {
      out += separator(out) + "{\"name\": \"" + key + "\", \"type\": \"DT_FLOAT\"}";
      ret += separator(ret) + "\"" + key + "\": \"" + value + "\"";
    }
    functions_ += separator(functions_) + "{\"signature\": {\"name\": \"" + name + "\", \"inputArg\": [" + in +
                  "], \"outputArg\": [" + out + "]}, \"nodeDef\": [" + nodes + "], \"ret\": {" + ret + "}}";
    return *this;
  }
  /// signature: JSON of the whole signature.
  ModelText& signature(std::string text) {
    signature_ = std::move(text);
    return *this;
  }

  static std::string node_text(const std::string& name, const std::string& op,
                               std::initializer_list<const char*> inputs, const std::string& attrs = "") {
    std::string in;
    for (const char* i : inputs) in += separator(in) + "\"" + i + "\"";
    return "{\"name\": \"" + name + "\", \"op\": \"" + op + "\", \"input\": [" + in + "], \"attr\": {" + attrs + "}}";
  }

  std::string json() const {
    return "{\"format\": \"graph-model\", \"generatedBy\": \"test\", \"modelTopology\": {\"node\": [" + nodes_ +
           "], \"library\": {\"function\": [" + functions_ + "]}, \"versions\": {\"producer\": 808}}" +
           (signature_.empty() ? "" : ", \"signature\": " + signature_) +
           ", \"weightsManifest\": [{\"paths\": [\"weights.bin\"], \"weights\": [" + weights_ + "]}]}";
  }
  const std::vector<std::byte>& shard() const { return shard_; }
  Model load() const {
    const NamedBytes shards[] = {{"weights.bin", shard_}};
    return load_model(std::string_view(json()), shards);
  }

 private:
  static std::string separator(const std::string& list) { return list.empty() ? "" : ", "; }
  std::string nodes_, weights_, functions_, signature_;
  std::vector<std::byte> shard_;
};

/// Convolution with fused bias and relu6, pooling, reshape, matrix product, softmax. x [1,4,4,2] -> "probabilities"
/// [1,3].
inline ModelText conv_model() {
  const std::string same =
      R"("strides": {"list": {"i": ["1","1","1","1"]}}, "padding": {"s": "U0FNRQ=="}, "data_format": {"s": "TkhXQw=="})";
  ModelText m;
  m.placeholder("x", {1, 4, 4, 2});
  m.weight("filter", {1, 1, 2, 2}, {0.5f, -1, 2, 0.25f}).weight("bias", {2}, {0.1f, -0.2f});
  m.node("conv", "_FusedConv2D", {"x", "filter", "bias"},
         same + R"(, "fused_ops": {"list": {"s": ["Qmlhc0FkZA==","UmVsdTY="]}}, "num_args": {"i": "1"})");
  m.node(
      "pool", "MaxPool", {"conv"},
      R"("ksize": {"list": {"i": ["1","2","2","1"]}}, "strides": {"list": {"i": ["1","2","2","1"]}}, "padding": {"s": "VkFMSUQ="})");
  m.weight_int("flat", {2}, {1, 8}).node("rows", "Reshape", {"pool", "flat"});
  m.weight("dense", {8, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0.5f, 0.5f, 0.5f, -1, 2, 1});
  m.node("logits", "MatMul", {"rows", "dense"}, R"("transpose_a": {"b": false}, "transpose_b": {"b": false})");
  m.node("probabilities", "Softmax", {"logits"});
  m.signature(R"({"inputs": {"image": {"name": "x:0", "dtype": "DT_FLOAT"}},
                  "outputs": {"classes": {"name": "probabilities:0", "dtype": "DT_FLOAT"}}})");
  return m;
}

/// TensorFlow 1's while loop: i from 0 to `count`, v = v * factor + 1, with factor a constant of the loop. -> "result".
inline ModelText loop_model() {
  const std::string frame = R"("frame_name": {"s": "bG9vcA=="})";  // "loop"
  ModelText m;
  m.placeholder("v", {2})
      .weight_int("zero", {}, {0})
      .weight_int("one", {}, {1})
      .weight_int("count", {}, {3})
      .weight("factor", {}, {2});
  m.weight("step", {}, {1});
  m.node("enter_i", "Enter", {"zero"}, frame).node("enter_v", "Enter", {"v"}, frame);
  m.node("enter_factor", "Enter", {"factor"}, frame + R"(, "is_constant": {"b": true})");
  m.node("merge_i", "Merge", {"enter_i", "next_i"}).node("merge_v", "Merge", {"enter_v", "next_v"});
  m.node("less", "Less", {"merge_i", "count"}).node("cond", "LoopCond", {"less"});
  m.node("switch_i", "Switch", {"merge_i", "cond"}).node("switch_v", "Switch", {"merge_v", "cond"});
  m.node("add_i", "Add", {"switch_i:1", "one"})
      .node("scaled", "Mul", {"switch_v:1", "enter_factor"})
      .node("add_v", "AddV2", {"scaled", "step"});
  m.node("next_i", "NextIteration", {"add_i"}).node("next_v", "NextIteration", {"add_v"});
  m.node("exit_i", "Exit", {"switch_i"}).node("exit_v", "Exit", {"switch_v"});
  m.node("result", "Identity", {"exit_v"});
  m.signature(R"({"outputs": {"result": {"name": "result"}, "steps": {"name": "exit_i:0"}}})");
  return m;
}

/// A functional While around a functional If: while n < 4: n, v = n + 1, (n > 1 ? v * 10 : v + 1). -> "out".
inline ModelText function_model() {
  const auto f = [](const char* key, const char* name) {
    return std::string("\"") + key + "\": {\"func\": {\"name\": \"" + name + "\"}}";
  };
  const auto node = [](const char* name, const char* op, std::initializer_list<const char*> inputs,
                       const std::string& attrs = "") { return ModelText::node_text(name, op, inputs, attrs); };
  ModelText m;
  m.placeholder("v", {2}).weight("start", {}, {0});
  m.data("four", "float32", {}, "\0\0\x80\x40", 4)
      .data("more", "float32", {}, "\0\0\x80\x3f", 4)
      .data("ten", "float32", {}, "\0\0\x20\x41", 4);
  m.function("cond", {"n", "v"}, node("four", "Const", {}) + "," + node("less", "Less", {"n", "four:output:0"}),
             {{"r", "less:z:0"}});
  m.function("then", {"v"}, node("ten", "Const", {}) + "," + node("y", "Mul", {"v", "ten:output:0"}), {{"r", "y:z:0"}});
  m.function("else", {"v"}, node("more", "Const", {}) + "," + node("y", "AddV2", {"v", "more:output:0"}),
             {{"r", "y:z:0"}});
  m.function(
      "body", {"n", "v"},
      node("more", "Const", {}) + "," + node("next", "AddV2", {"n", "more:output:0"}) + "," +
          node("big", "Greater", {"n", "more:output:0"}) + "," +
          node("either", "StatelessIf", {"big:z:0", "v"}, f("then_branch", "then") + ", " + f("else_branch", "else")),
      {{"r0", "next:z:0"}, {"r1", "either:output:0"}});
  m.node("loop", "StatelessWhile", {"start", "v"}, f("cond", "cond") + ", " + f("body", "body"));
  m.node("out", "Identity", {"loop:1"});
  return m;
}

/// A map over the rows of x [?,2] with tensor lists in a TensorFlow 1 loop: each row plus its number. -> "stacked"
/// [?,2].
inline ModelText list_model() {
  const std::string frame = R"("frame_name": {"s": "bWFw"})";
  ModelText m;
  m.placeholder("x", {-1, 2}).weight_int("zero", {}, {0}).weight_int("one", {}, {1}).weight_int("row", {1}, {2});
  m.weight_int("first", {1}, {0}).weight_int("second", {1}, {1});
  m.node("shape", "Shape", {"x"})
      .node("n", "StridedSlice", {"shape", "first", "second", "second"}, R"("shrink_axis_mask": {"i": "1"})");
  m.node("rows", "TensorListFromTensor", {"x", "row"}).node("made", "TensorListReserve", {"row", "n"});
  m.node("enter_i", "Enter", {"zero"}, frame)
      .node("enter_made", "Enter", {"made"}, frame)
      .node("enter_rows", "Enter", {"rows"}, frame);
  m.node("enter_n", "Enter", {"n"}, frame + R"(, "is_constant": {"b": true})");
  m.node("merge_i", "Merge", {"enter_i", "next_i"}).node("merge_made", "Merge", {"enter_made", "next_made"});
  m.node("merge_rows", "Merge", {"enter_rows", "next_rows"});
  m.node("less", "Less", {"merge_i", "enter_n"}).node("cond", "LoopCond", {"less"});
  m.node("switch_i", "Switch", {"merge_i", "cond"}).node("switch_made", "Switch", {"merge_made", "cond"});
  m.node("switch_rows", "Switch", {"merge_rows", "cond"});
  m.node("get", "TensorListGetItem", {"switch_rows:1", "switch_i:1", "row"});
  m.node("number", "Cast", {"switch_i:1"}, R"("SrcT": {"type": "DT_INT32"}, "DstT": {"type": "DT_FLOAT"})");
  m.node("sum", "AddV2", {"get", "number"}).node("set", "TensorListSetItem", {"switch_made:1", "switch_i:1", "sum"});
  m.node("add_i", "Add", {"switch_i:1", "one"});
  m.node("next_i", "NextIteration", {"add_i"}).node("next_made", "NextIteration", {"set"});
  m.node("next_rows", "NextIteration", {"switch_rows:1"});
  m.node("exit_made", "Exit", {"switch_made"}).node("stacked", "TensorListStack", {"exit_made", "row"});
  return m;
}

/// A conditional of TensorFlow 1 (Switch and Merge outside a loop) and shapes that depend on data. x [?] -> "picked",
/// "branch".
inline ModelText dynamic_model() {
  ModelText m;
  m.placeholder("x", {-1}).weight("limit", {}, {0}).weight_int("all", {1}, {0}).weight("scale", {}, {-1});
  m.node("positive", "Greater", {"x", "limit"}).node("where", "Where", {"positive"}, R"("T": {"type": "DT_BOOL"})");
  m.node("picked", "GatherNd", {"x", "where"});
  m.node("sum", "Sum", {"x", "all"}).node("pred", "Greater", {"sum", "limit"}).node("switch", "Switch", {"x", "pred"});
  m.node("no", "Mul", {"switch", "scale"}).node("yes", "Square", {"switch:1"}).node("branch", "Merge", {"no", "yes"});
  m.node("shape", "Shape", {"picked"}).weight_int("one", {1}, {1});
  m.node("dims", "ConcatV2", {"one", "shape", "axis"})
      .weight_int("axis", {}, {0})
      .node("row", "Reshape", {"picked", "dims"});
  m.signature(R"({"outputs": {"picked": {"name": "picked"}, "branch": {"name": "branch"}, "row": {"name": "row"}}})");
  return m;
}

/// Weights of every storage form, added to x [4]. -> "sum".
inline ModelText storage_model() {
  static const uint8_t bytes[] = {0, 1, 128, 255};
  static const uint16_t words[] = {0, 1, 1000, 65535};
  static const uint16_t halves[] = {0x3C00, 0xC000, 0x0001, 0x7BFF};  // 1, -2, 2^-24, 65504
  static const uint8_t flags[] = {1, 0, 0, 1};
  ModelText m;
  m.placeholder("x", {4});
  m.node("a", "Const")
      .data("a", "float32", {4}, bytes, 4, R"("quantization": {"dtype": "uint8", "scale": 0.5, "min": -1})");
  m.node("b", "Const")
      .data("b", "float32", {4}, words, 8, R"("quantization": {"dtype": "uint16", "scale": 0.25, "min": 3})");
  m.node("c", "Const").data("c", "float32", {4}, halves, 8, R"("quantization": {"dtype": "float16"})");
  m.node("d", "Const").data("d", "bool", {4}, flags, 4).node("e", "Cast", {"d"}, R"("DstT": {"type": "DT_FLOAT"})");
  m.node("f", "Const").data("f", "int32", {4}, bytes, 4, R"("quantization": {"dtype": "uint8", "scale": 2, "min": 0})");
  m.node("g", "Cast", {"f"}, R"("DstT": {"type": "DT_FLOAT"})");
  m.node("sum", "AddN", {"x", "a", "b", "c", "e", "g"});
  return m;
}

}  // namespace tsr::testing
