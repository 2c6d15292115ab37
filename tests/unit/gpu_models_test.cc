// Real published models on native GLES against reference outputs (tests/models/README.md).
#ifdef TESSERA_GL

#include <gtest/gtest.h>

#include <filesystem>

#include "../models/reference.h"
#include "graph/graph.h"
#include "runtime/engine.h"

namespace tsr {
namespace {

const std::string kRoot = TESSERA_SOURCE_DIR;

/// GPUs may compute exp and division to a few units in the last place, and sum in another order.
constexpr double kGpuTolerance = 1e-3;

class ModelOnGl : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      Engine::get().set_device("gl");
    } catch (const Error& e) {
      GTEST_SKIP() << e.what();
    }
  }
  void TearDown() override { Engine::get().set_device("cpu"); }
};

TEST_P(ModelOnGl, EqualsReference) {
  const testing::Reference reference = testing::read_reference(kRoot + "/tests/models/" + GetParam());
  const std::string package = reference.package.substr(0, reference.package.rfind('@'));
  const std::string folder = kRoot + "/tests/node_modules/" + package;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "npm package " << reference.package << " is not installed (make test installs it)";
  const Model model = load_model(folder + "/" + reference.path);
  std::vector<std::pair<std::string, Tensor>> inputs;
  for (const auto& in : reference.inputs) inputs.emplace_back(in.name, testing::make_input(in));
  std::vector<std::string> names;
  for (const auto& out : reference.outputs) names.push_back(out.name);

  Engine::get().profile_begin();
  const std::vector<Tensor> tensors = model.run(inputs, names);
  std::map<std::string, Tensor> outputs;
  for (size_t i = 0; i < names.size(); ++i) outputs[names[i]] = tensors[i];
  double worst = 0;
  for (const std::string& fault : testing::compare(reference, outputs, kGpuTolerance, worst)) ADD_FAILURE() << fault;
  RecordProperty("worst_error", std::to_string(worst));
  // No op may have run anywhere else.
  const auto launches = Engine::get().profile_end();
  EXPECT_GT(launches.size(), 10u);
  for (const Engine::LaunchTime& launch : launches) EXPECT_EQ(launch.device, "gl") << launch.what;
}

INSTANTIATE_TEST_SUITE_P(Three, ModelOnGl, ::testing::Values("blazeface-back", "mobilefacenet", "movenet-lightning"), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tsr

#endif  // TESSERA_GL
