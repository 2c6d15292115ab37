// Every op definition is complete: what the generator, the case runner and the graph rely on.
#include <gtest/gtest.h>

#include <cctype>
#include <limits>
#include <set>
#include <string>

#include "core/op_def.h"

namespace tsr {
namespace {

TEST(OpsRegistry, NamesAreCamelCase) {
  ASSERT_GT(all_ops().size(), 100u);
  for (const OpDef* op : all_ops()) {
    const std::string name = op->name;
    EXPECT_TRUE(std::islower(static_cast<unsigned char>(name[0]))) << name;
    for (char c : name) EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c))) << name;
  }
}

TEST(OpsRegistry, DocumentationIsComplete) {
  for (const OpDef* op : all_ops()) {
    const std::string doc = static_cast<const char*>(op->doc);
    EXPECT_FALSE(doc.empty()) << op->name;
    EXPECT_TRUE(!doc.empty() && doc.back() == '.') << op->name << ": a doc is made of sentences: " << doc;
    EXPECT_STRNE(op->family, "") << op->name;
    for (const InputDef& in : op->inputs) EXPECT_STRNE(in.name, "") << op->name;
    for (const AttrField& f : op->attrs->fields()) EXPECT_STRNE(f.doc, "") << op->name << "." << f.name;
  }
}

TEST(OpsRegistry, ArgumentNamesAreDistinct) {
  for (const OpDef* op : all_ops()) {
    std::set<std::string> names;
    for (const InputDef& in : op->inputs) EXPECT_TRUE(names.insert(in.name).second) << op->name << ": " << in.name;
    for (const AttrField& f : op->attrs->fields())
      EXPECT_TRUE(names.insert(f.name).second) << op->name << ": " << f.name;
  }
}

TEST(OpsRegistry, OptionalInputsComeLast) {
  for (const OpDef* op : all_ops()) {
    bool optional = false;
    for (size_t k = 0; k < op->inputs.size(); ++k) {
      EXPECT_TRUE(!optional || op->inputs[k].optional) << op->name;
      optional = optional || op->inputs[k].optional;
      EXPECT_TRUE(!op->inputs[k].variadic || k + 1 == op->inputs.size()) << op->name;
    }
  }
}

// NaN words (for lists: as the count) mean the default, so that a caller need not know defaults.
TEST(OpsRegistry, WordsOfDefaultsGiveDefaults) {
  for (const OpDef* op : all_ops()) {
    bool required = false;
    std::vector<double> words;
    for (const AttrField& f : op->attrs->fields()) {
      required = required || f.required;
      const AttrValue v = f.get(op->attrs->make().get());
      words.push_back(f.kind == AttrKind::kFloat ? std::get<double>(v) : std::numeric_limits<double>::quiet_NaN());
    }
    if (required) continue;
    EXPECT_TRUE(
        decode_attrs(op->name, *op->attrs, words).equal(make_attrs(op->name, *op->attrs, std::span<const AttrValue>())))
        << op->name;
  }
}

// An op that computes floats from floats says what its gradient is. The exceptions have none in TensorFlow.js either.
TEST(OpsRegistry, KernelsHaveGradients) {
  const std::set<std::string> without = {"bincount", "cropAndResize", "denseBincount", "rotateWithOffset"};
  for (const OpDef* op : all_ops()) {
    if (op->body == nullptr || without.count(op->name) || !op->in_js) continue;
    EXPECT_TRUE(op->vjp != nullptr || op->zero_gradient) << op->name;
  }
}

TEST(OpsRegistry, ElementwiseOpsHaveBodies) {
  for (const OpDef* op : all_ops()) {
    EXPECT_TRUE(op->body != nullptr || !op->elementwise) << op->name;
    EXPECT_TRUE(op->elementwise || op->elementwise_fn == nullptr) << op->name;
  }
}

}  // namespace
}  // namespace tsr
