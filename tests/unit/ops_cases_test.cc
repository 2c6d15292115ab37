// The case list against the reference: hand-checked values, errors, gradients against finite differences; and that every op has cases.
// Devices are compared with the reference by the program tessera_cases.
#include <gtest/gtest.h>

#include <set>

#include "../runner/case_runner.h"

namespace tsr::cases {
namespace {

const std::string kFolder = std::string(TESSERA_SOURCE_DIR) + "/tests/cases";

TEST(Cases, EveryOpHasAFile) {
  std::set<std::string> have;
  for (const std::string& path : case_files(kFolder)) {
    const size_t slash = path.find_last_of('/');
    have.insert(path.substr(slash + 1, path.size() - slash - 1 - std::string(".json").size()));
  }
  std::string missing;
  for (const OpDef* op : all_ops()) {
    if (!have.count(op->name)) missing += std::string(" ") + op->name;
  }
  EXPECT_EQ(missing, "") << "these ops have no file in tests/cases";
}

TEST(Cases, FilesAreNamedAfterTheirOpAndNotEmpty) {
  for (const std::string& path : case_files(kFolder)) {
    const CaseFile file = read_case_file(path);
    EXPECT_NE(path.find(std::string("/") + file.op->name + ".json"), std::string::npos) << path;
    EXPECT_GE(file.cases.size(), 1u) << path;
    std::set<std::string> names;
    for (const Case& c : file.cases) EXPECT_TRUE(names.insert(c.name).second) << path << " has two cases named " << c.name;
  }
}

TEST(Cases, GeneratorsGiveTheDocumentedNumbers) {
  // mulberry32(1234), computed with the JavaScript in tests/cases/README.md.
  Mulberry32 r(1234);
  const uint32_t first = r.next(), second = r.next();
  EXPECT_EQ(first, 314799534u);
  EXPECT_EQ(second, 3021131492u);
  const auto d = generate("distinct", DType::kFloat32, 5, 1234, {}, {});
  std::multiset<double> values(d.begin(), d.end());
  EXPECT_EQ(values, (std::multiset<double>{-0.25, -0.125, 0, 0.125, 0.25}));
}

class CaseTest : public testing::TestWithParam<std::string> {};

TEST_P(CaseTest, Reference) {
  const CaseFile file = read_case_file(GetParam());
  for (const Case& c : file.cases) {
    const Golden g = run_on_reference(file, c);
    EXPECT_EQ(g.result.outcome, Outcome::kPass) << file.op->name << " / " << c.name << ": " << g.result.detail;
  }
}

std::string name_of_file(const testing::TestParamInfo<std::string>& info) {
  const size_t slash = info.param.find_last_of('/');
  std::string name = info.param.substr(slash + 1, info.param.size() - slash - 6);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, CaseTest, testing::ValuesIn(case_files(kFolder)), name_of_file);

}  // namespace
}  // namespace tsr::cases
