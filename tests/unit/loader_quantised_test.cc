// Quantised weights stay narrow in memory, and nobody sees a difference in the results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "../models/synthetic.h"
#include "core/storage.h"
#include "cpu_kernels_test_util.h"
#include "graph/graph.h"
#include "runtime/engine.h"

namespace tsr {
namespace {

using cpu::test::narrow_values;
using cpu::test::Random;
using testing::ModelText;
using Dims = std::vector<int64_t>;

// What the file format has.
constexpr StoredForm kFileForms[] = {{DType::kUint8, 0.0123456789, -1.2345678}, {DType::kUint16, 3.14159265e-5, -0.98765432}, {DType::kFloat16}};

int64_t product(const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

std::string quantization(const StoredForm& form) {
  char text[160];
  std::snprintf(text, sizeof text, R"("quantization": {"dtype": "%s", "scale": %.17g, "min": %.17g})", name_of(form.dtype), form.scale, form.min);
  return text;
}

// A weight with the same values either way: in its narrow form, or as float32.
void add_weight(ModelText& m, const std::string& name, const Dims& shape, const StoredForm& form, bool narrow) {
  const int64_t n = product(shape);
  Random random(static_cast<uint64_t>(n));
  const std::vector<std::byte> stored = narrow_values(form, n, random);
  m.node(name, "Const");
  if (narrow) {
    m.data(name, "float32", shape, stored.data(), stored.size(), quantization(form));
    return;
  }
  std::vector<float> wide(static_cast<size_t>(n));
  widen(form, stored.data(), wide.size(), wide.data());
  m.data(name, "float32", shape, wide.data(), wide.size() * 4);
}

std::string window(int stride, const char* padding = "U0FNRQ==") {  // "SAME"
  const std::string s = std::to_string(stride);
  return R"("strides": {"list": {"i": ["1",")" + s + "\",\"" + s + R"(","1"]}}, "padding": {"s": ")" + padding + R"("}, "data_format": {"s": "TkhXQw=="})";
}

std::vector<float> run(const Model& m, const Dims& shape) {
  Random random(7);
  const std::vector<float> x = random.values(product(shape));
  const std::pair<std::string, Tensor> in[] = {{"x", Tensor::from(std::span<const float>(x), Shape(shape))}};
  return m.run(in)[0].to_vector<float>();
}

using Build = std::function<ModelText(const StoredForm&, bool narrow)>;

void expect_same_results(const Dims& x, const Build& build, const std::string& what) {
  for (const StoredForm& form : kFileForms) {
    const Model narrow = build(form, true).load(), wide = build(form, false).load();
    const std::vector<float> want = run(wide, x);
    EXPECT_EQ(run(narrow, x), want) << what << " " << name_of(form.dtype);
    EXPECT_EQ(run(narrow, x), want) << what << " again " << name_of(form.dtype);
  }
}

Build matmul(Dims x, Dims w, bool transposed) {
  return [=](const StoredForm& form, bool narrow) {
    ModelText m;
    m.placeholder("x", x);
    add_weight(m, "w", w, form, narrow);
    return m.node("y", "MatMul", {"x", "w"}, std::string(R"("transpose_a": {"b": false}, "transpose_b": {"b": )") + (transposed ? "true}" : "false}"));
  };
}

Build conv(const char* op, Dims x, Dims w, int stride) {
  return [=](const StoredForm& form, bool narrow) {
    ModelText m;
    m.placeholder("x", x);
    add_weight(m, "w", w, form, narrow);
    return m.node("y", op, {"x", "w"}, window(stride));
  };
}

TEST(LoaderQuantised, MatMulIsTheSameToTheLastBit) {
  for (int64_t rows : {1, 4, 100})
    for (int64_t n : {1, 7, 8, 31, 33, 65}) {
      expect_same_results({rows, 37}, matmul({rows, 37}, {37, n}, false), "matMul");
      expect_same_results({rows, 600}, matmul({rows, 600}, {n, 600}, true), "matMul transposed");
    }
}

TEST(LoaderQuantised, ConvolutionsAreTheSameToTheLastBit) {
  for (int64_t n : {3, 32, 35}) {
    expect_same_results({1, 9, 11, 20}, conv("Conv2D", {1, 9, 11, 20}, {1, 1, 20, n}, 1), "1x1");
    expect_same_results({1, 9, 11, 20}, conv("Conv2D", {1, 9, 11, 20}, {1, 1, 20, n}, 2), "1x1, stride 2");
    expect_same_results({1, 5, 5, 20}, conv("Conv2D", {1, 5, 5, 20}, {3, 3, 20, n}, 1), "3x3");
    expect_same_results({1, 9, 11, 60}, conv("Conv2D", {1, 9, 11, 60}, {3, 3, 60, n}, 2), "3x3, stride 2");
    expect_same_results({1, 9, 11, 3}, conv("Conv2D", {1, 9, 11, 3}, {3, 3, 3, n}, 2), "3x3, stride 2, shallow");
  }
  expect_same_results({1, 24, 24, 32}, conv("Conv2D", {1, 24, 24, 32}, {3, 3, 32, 32}, 1), "Winograd");
  expect_same_results({1, 9, 11, 20}, conv("DepthwiseConv2dNative", {1, 9, 11, 20}, {3, 3, 20, 1}, 1), "depthwise");
}

// What has no narrow kernel: elementwise ops, and a weight with two readers.
TEST(LoaderQuantised, OtherReaders) {
  const Build build = [](const StoredForm& form, bool narrow) {
    ModelText m;
    m.placeholder("x", {4, 24});
    add_weight(m, "w", {24, 24}, form, narrow);
    add_weight(m, "bias", {24}, form, narrow);
    m.node("product", "MatMul", {"x", "w"}, R"("transpose_a": {"b": false}, "transpose_b": {"b": false})");
    m.node("again", "MatMul", {"product", "w"}, R"("transpose_a": {"b": false}, "transpose_b": {"b": true})");
    m.node("sum", "AddV2", {"again", "bias"}).weight_int("zero", {1}, {0});
    m.node("mean", "Mean", {"w", "zero"}, R"("keep_dims": {"b": false})");
    return m.node("y", "Mul", {"sum", "mean"});
  };
  expect_same_results({4, 24}, build, "two readers");
}

// A factor for each channel is folded into a copy of the filter; the narrow one stays as it is.
TEST(LoaderQuantised, FoldedFactors) {
  const Build build = [](const StoredForm& form, bool narrow) {
    ModelText m;
    m.placeholder("x", {1, 6, 6, 16});
    add_weight(m, "w", {1, 1, 16, 24}, form, narrow);
    add_weight(m, "factor", {24}, form, narrow);
    return m.node("conv", "Conv2D", {"x", "w"}, window(1)).node("y", "Mul", {"conv", "factor"});
  };
  expect_same_results({1, 6, 6, 16}, build, "folded");
}

// A weight that is transposed when the model is made ready: computed from the narrow one, which stays.
TEST(LoaderQuantised, ComputedWeights) {
  const Build build = [](const StoredForm& form, bool narrow) {
    ModelText m;
    m.placeholder("x", {4, 24});
    add_weight(m, "w", {40, 24}, form, narrow);
    m.weight_int("order", {2}, {1, 0}).node("turned", "Transpose", {"w", "order"});
    return m.node("y", "MatMul", {"x", "turned"}, R"("transpose_a": {"b": false}, "transpose_b": {"b": false})");
  };
  expect_same_results({4, 24}, build, "transposed before");
  const Model m = build(kFileForms[0], true).load();
  run(m, {4, 24});
  EXPECT_TRUE(m.graph().value(m.graph().find("w")).constant->form().narrow());
}

// Bytes that a model holds after it has run, its plan included.
size_t held(const ModelText& text, const Dims& x) {
  run(text.load(), x);  // so that pools have what they need
  const size_t before = HostBuffer::total();
  const Model m = text.load();
  run(m, x);
  return HostBuffer::total() - before;
}

TEST(LoaderQuantised, MemoryHeld) {
  for (const StoredForm& form : kFileForms) {
    const size_t elements = 512 * 256, narrow = elements * form.element_bytes();
    const Build builds[] = {matmul({4, 512}, {512, 256}, false), conv("Conv2D", {1, 4, 4, 512}, {1, 1, 512, 256}, 1),
                            conv("Conv2D", {1, 4, 4, 512}, {1, 1, 512, 256}, 2)};
    const Dims inputs[] = {{4, 512}, {1, 4, 4, 512}, {1, 4, 4, 512}};
    for (size_t i = 0; i < 3; ++i) {
      constexpr size_t kRest = 1024;  // padding of the buffers
      const size_t wide_held = held(builds[i](form, false), inputs[i]), narrow_held = held(builds[i](form, true), inputs[i]);
      EXPECT_GE(wide_held, elements * 4) << i;
      EXPECT_LE(wide_held, elements * 4 + kRest) << i;
      EXPECT_GE(narrow_held, narrow) << i;
      EXPECT_LE(narrow_held, narrow + kRest) << i;
    }
  }
}

// A weight can be read like any other value, before and after a kernel has packed it, and reading it does not make it grow.
TEST(LoaderQuantised, ReadingAWeight) {
  for (const StoredForm& form : kFileForms) {
    const Build build = matmul({1, 128}, {128, 64}, false);
    const Model narrow = build(form, true).load(), wide = build(form, false).load();
    const auto weight_of = [](const Model& m) {
      const ValueId v = m.graph().find("w");
      const Storage& s = *m.graph().value(v).constant;
      const Storage::HostBytes bytes = s.read_host();
      const auto* p = reinterpret_cast<const float*>(bytes.data);
      return std::vector<float>(p, p + s.elements());
    };
    const size_t loaded = HostBuffer::total();
    EXPECT_EQ(weight_of(narrow), weight_of(wide));
    EXPECT_EQ(HostBuffer::total(), loaded);
    run(narrow, {1, 128});
    const size_t ran = HostBuffer::total();
    EXPECT_EQ(weight_of(narrow), weight_of(wide));
    const std::string names[] = {"w"};
    EXPECT_EQ(narrow.run({}, names)[0].to_vector<float>(), weight_of(wide));
    EXPECT_EQ(HostBuffer::total(), ran);
  }
}

// A plan for other shapes packs the same bytes again.
TEST(LoaderQuantised, SeveralShapes) {
  for (const StoredForm& form : kFileForms) {
    const Build build = matmul({-1, 64}, {64, 40}, false);
    const Model narrow = build(form, true).load(), wide = build(form, false).load();
    for (int64_t rows : {1, 3, 50, 1}) EXPECT_EQ(run(narrow, {rows, 64}), run(wide, {rows, 64})) << rows;
  }
}

TEST(LoaderQuantised, OnAGpu) {
  const std::vector<std::string> devices = device_names();
  if (std::find(devices.begin(), devices.end(), "gl") == devices.end()) GTEST_SKIP() << "no GL";
  const StoredForm form = kFileForms[0];
  const Build build = matmul({4, 512}, {512, 256}, false);
  const Model narrow = build(form, true).load(), wide = build(form, false).load();
  const std::vector<float> want = run(wide, {4, 512});
  try {
    Engine::get().set_device("gl");
  } catch (const Error& e) {
    GTEST_SKIP() << e.what();
  }
  const size_t before = HostBuffer::total();
  std::vector<float> got;
  for (int i = 0; i < 2; ++i) got = run(narrow, {4, 512});
  const size_t after = HostBuffer::total();
  Engine::get().set_device("cpu");
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-4);
  EXPECT_LT(after, before + 65536) << "the widened weight stayed on the host";
  EXPECT_EQ(run(narrow, {4, 512}), want);  // and back
}

TEST(LoaderQuantised, TruncatedFiles) {
  for (const StoredForm& form : kFileForms) {
    const ModelText text = matmul({1, 16}, {16, 8}, false)(form, true);
    const size_t whole = text.shard().size();
    for (size_t size : {size_t{0}, whole / 2 + 1, whole - 1, whole + 1}) {
      std::vector<std::byte> shard = text.shard();
      shard.resize(size);
      const NamedBytes shards[] = {{"weights.bin", shard}};
      try {
        load_model(std::string_view(text.json()), shards);
        ADD_FAILURE() << size;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::kBadFile);
        EXPECT_EQ(std::string(e.what()), std::string("shard 'weights.bin' is too ") + (size < whole ? "short" : "long") +
                                             ": the manifest wants " + std::to_string(whole) + " bytes, found " + std::to_string(size));
      }
    }
  }
}

}  // namespace
}  // namespace tsr
