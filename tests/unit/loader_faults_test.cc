// What is wrong with a model is said in one sentence, and breaks nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../models/synthetic.h"

namespace tsr {
namespace {

namespace fs = std::filesystem;
using testing::ModelText;

template <typename F>
std::string error_of(F f, ErrorCode code) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  return "no error";
}

std::string load_error(const std::string& json, ErrorCode code = ErrorCode::kBadFile) {
  const ModelText m = testing::conv_model();
  return error_of(
      [&] {
        const NamedBytes shards[] = {{"weights.bin", m.shard()}};
        load_model(std::string_view(json), shards);
      },
      code);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(LoaderFaults, Json) {
  const std::string good = testing::conv_model().json();
  EXPECT_EQ(load_error(""), "model.json is not valid JSON: The document is empty at byte 0 of 0");
  EXPECT_NE(load_error(good.substr(0, 200)).find("model.json is not valid JSON"), std::string::npos);
  EXPECT_EQ(load_error("[]"), "model.json must hold an object, found a list");
  EXPECT_EQ(load_error("{}"), "model.json has no 'modelTopology'");
  EXPECT_EQ(load_error(R"({"modelTopology": {"node": []}})"), "model.json has no 'weightsManifest'");
  EXPECT_EQ(load_error(R"({"modelTopology": {}, "weightsManifest": []})"),
            "model.json: modelTopology has no 'node' list, so this is no graph model");
  EXPECT_EQ(load_error(replaced(good, R"("weightsManifest": [)", R"("weightsManifest": [7, )")),
            "weightsManifest[0] must be an object, found a number");
}

TEST(LoaderFaults, LayersModel) {
  const std::string text =
      R"({"format": "layers-model", "modelTopology": {"model_config": {}}, "weightsManifest": []})";
  EXPECT_EQ(load_error(text, ErrorCode::kUnsupported),
            "model.json holds a layers model, but a graph model is wanted here: use loadLayersModel");
}

TEST(LoaderFaults, Graph) {
  const std::string good = testing::conv_model().json();
  EXPECT_EQ(load_error(replaced(good, R"("op": "MaxPool")", R"("op": "MinPool")"), ErrorCode::kUnsupported),
            "the model uses 1 op not supported here: MinPool (node 'pool')");
  EXPECT_EQ(load_error(replaced(replaced(good, R"("op": "MaxPool")", R"("op": "MinPool")"), R"("op": "Softmax")",
                                R"("op": "Hardmax")"),
                       ErrorCode::kUnsupported),
            "the model uses 2 ops not supported here: MinPool (node 'pool'), Hardmax (node 'probabilities')");
  EXPECT_EQ(load_error(replaced(good, R"("input": ["conv"])", R"("input": ["convolution"])")),
            "node 'pool' (MaxPool) takes its input from 'convolution', which does not exist");
  EXPECT_EQ(load_error(replaced(good, R"("input": ["conv"])", R"("input": ["logits"])")),
            "the model's graph has a cycle: a node needs its own result ('pool' <- 'rows' <- 'logits')");
  EXPECT_EQ(load_error(replaced(good, R"("input": ["conv"])", R"("input": ["conv:1"])")),
            "node 'pool' (MaxPool) takes output 1 of node 'conv' (_FusedConv2D), which has 1");
  EXPECT_EQ(load_error(replaced(good, R"("input": ["rows", "dense"])", R"("input": ["rows"])")),
            "node 'logits' (MatMul): needs at least 2 inputs, found 1");
  EXPECT_EQ(load_error(replaced(good, R"({"name": "filter", "shape")", R"({"name": "fitler", "shape")")),
            "node 'filter' (Const) has no value: the manifest has no weight of that name");
  EXPECT_EQ(load_error(replaced(good, "probabilities:0", "certainties:0")),
            "signature.outputs['classes'] names 'certainties:0', which the graph does not have");
  EXPECT_EQ(load_error(replaced(good, R"("versions": {"producer": 808})",
                                R"("versions": {"producer": 808, "minConsumer": 100000})"),
                       ErrorCode::kUnsupported),
            "model.json wants a reader of graph version 100000; this one reads versions up to 4096");
}

TEST(LoaderFaults, Shards) {
  const ModelText m = testing::conv_model();
  const auto load = [&m](const std::string& name, size_t bytes, ErrorCode code) {
    std::vector<std::byte> data = m.shard();
    data.resize(bytes);
    return error_of(
        [&] {
          const NamedBytes shards[] = {{name, data}};
          load_model(std::string_view(m.json()), shards);
        },
        code);
  };
  EXPECT_EQ(load("weights.bin", 127, ErrorCode::kBadFile),
            "shard 'weights.bin' is too short: the manifest wants 128 bytes, found 127");
  EXPECT_EQ(load("weights.bin", 129, ErrorCode::kBadFile),
            "shard 'weights.bin' is too long: the manifest wants 128 bytes, found 129");
  EXPECT_EQ(load("weight.bin", 128, ErrorCode::kNotFound),
            "shard 'weights.bin', which the manifest names, was not given");
  // A shape of thousands of millions is refused by the size of the shard, before anything is allocated.
  const std::string huge = replaced(m.json(), R"("shape": [1, 1, 2, 2])", R"("shape": [1000, 1000, 1000, 2])");
  EXPECT_EQ(load_error(huge), "shard 'weights.bin' is too short: the manifest wants 8000000112 bytes, found 128");
}

TEST(LoaderFaults, Progress) {
  const ModelText m = testing::conv_model();
  const NamedBytes shards[] = {{"weights.bin", m.shard()}};
  int64_t seen = 0, total = 0;
  LoadOptions watch{[&](int64_t done, int64_t all) {
    seen = done;
    total = all;
    return true;
  }};
  load_model(std::string_view(m.json()), shards, watch);
  EXPECT_EQ(seen, 128);
  EXPECT_EQ(total, 128);
  LoadOptions stop{[](int64_t, int64_t) { return false; }};
  EXPECT_EQ(error_of([&] { load_model(std::string_view(m.json()), shards, stop); }, ErrorCode::kCancelled),
            "loading the model was cancelled");
}

class LoaderFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tessera_loader_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const ModelText m = testing::conv_model();
    write("model.json", m.json().data(), m.json().size());
    write("weights.bin", m.shard().data(), m.shard().size());
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const void* data, size_t size) {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  std::string error(const fs::path& path, ErrorCode code) {
    return error_of([&] { load_model(path.string()); }, code);
  }
  fs::path folder_;
};

TEST_F(LoaderFiles, FromDisk) {
  EXPECT_EQ(load_model((folder_ / "model.json").string()).info().parameters, 32);
  EXPECT_EQ(load_model(folder_.string()).info().parameters, 32);
}

TEST_F(LoaderFiles, Missing) {
  const std::string dir = folder_.string();
  EXPECT_EQ(error(folder_ / "none.json", ErrorCode::kNotFound), "the model file does not exist: " + dir + "/none.json");
  fs::remove(folder_ / "weights.bin");
  EXPECT_EQ(error(folder_ / "model.json", ErrorCode::kNotFound),
            "shard 'weights.bin' does not exist: " + dir + "/weights.bin");
  fs::create_directory(folder_ / "weights.bin");
  EXPECT_EQ(error(folder_ / "model.json", ErrorCode::kNotFound),
            "shard 'weights.bin' is not a file: " + dir + "/weights.bin");
}

TEST_F(LoaderFiles, Truncated) {
  fs::resize_file(folder_ / "weights.bin", 100);
  EXPECT_EQ(error(folder_ / "model.json", ErrorCode::kBadFile),
            "shard 'weights.bin' is too short: the manifest wants 128 bytes, found 100");
}

}  // namespace
}  // namespace tsr
