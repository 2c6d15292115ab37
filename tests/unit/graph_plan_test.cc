// Partition into launches, memory planning.
#include <gtest/gtest.h>

#include <random>

#include "graph/memory_plan.h"
#include "graph/partition.h"

namespace tsr {
namespace {

const OpDef& op(const char* name) { return get_op(name); }

ValueId add_node(Graph& g, const char* name, std::vector<ValueId> in, const Shape& shape) {
  const TensorType t{shape, DType::kFloat32};
  return g.add_typed_op(op(name), in, make_attrs(name, *op(name).attrs, std::span<const AttrValue>{}), {&t, 1});
}

std::vector<std::string> names(const PartitionItem& item) {
  std::vector<std::string> out;
  for (const GroupNode& n : item.site.group.nodes) out.emplace_back(n.op->name);
  return out;
}

TEST(Partition, ChainBecomesOneGroup) {
  Graph g;
  const Shape s{4, 4};
  const ValueId x = g.add_input("x", {s, DType::kFloat32});
  const ValueId a = add_node(g, "exp", {x}, s);
  const ValueId b = add_node(g, "sigmoid", {a}, s);
  const ValueId c = add_node(g, "mul", {a, b}, s);
  const auto items = partition(g, std::vector<ValueId>{c}, {});
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(names(items[0]), (std::vector<std::string>{"exp", "sigmoid", "mul"}));
  EXPECT_EQ(items[0].site.operands, std::vector<ValueId>{x});
}

TEST(Partition, ValueThatIsKeptEndsAGroup) {
  Graph g;
  const Shape s{4};
  const ValueId x = g.add_input("x", {s, DType::kFloat32});
  const ValueId a = add_node(g, "exp", {x}, s);
  const ValueId b = add_node(g, "neg", {a}, s);
  const auto items = partition(g, std::vector<ValueId>{a, b}, {});
  ASSERT_EQ(items.size(), 2u);
}

TEST(Partition, ReductionTakesItsTailAsEpilogue) {
  Graph g;
  const ValueId x = g.add_input("x", {{8, 3}, DType::kFloat32});
  const TensorType reduced{{3}, DType::kFloat32};
  const AttrValue axis = std::vector<int64_t>{0};
  const ValueId r = g.add_typed_op(op("sum"), std::vector<ValueId>{x}, make_attrs("sum", *op("sum").attrs, {&axis, 1}), {&reduced, 1});
  const ValueId y = add_node(g, "sqrt", {r}, {3});
  const auto items = partition(g, std::vector<ValueId>{y}, {});
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(names(items[0]), (std::vector<std::string>{"sum", "sqrt"}));
}

TEST(Partition, ReadThroughAViewKeepsTheValue) {
  Graph g;
  const ValueId x = g.add_input("x", {{2, 3}, DType::kFloat32});
  const ValueId a = add_node(g, "exp", {x}, {2, 3});
  const TensorType flat{{6}, DType::kFloat32};
  const AttrValue shape = std::vector<int64_t>{6};
  const ValueId v = g.add_typed_op(op("reshape"), std::vector<ValueId>{a}, make_attrs("reshape", *op("reshape").attrs, {&shape, 1}), {&flat, 1});
  const ValueId y = add_node(g, "neg", {v}, {6});
  EXPECT_EQ(root_of(g, v), a);
  EXPECT_EQ(partition(g, std::vector<ValueId>{y}, {}).size(), 2u);
}

TEST(Partition, EachOfTwoHeavyBranchesKeepsItsOwnTail) {
  Graph g;
  const Shape s{4, 4};
  const ValueId x = g.add_input("x", {s, DType::kFloat32});
  const ValueId w = g.add_input("w", {s, DType::kFloat32});
  const ValueId b = add_node(g, "exp", {x}, s);  // goes where its reader goes
  const ValueId left = add_node(g, "relu", {add_node(g, "add", {add_node(g, "matMul", {x, w}, s), b}, s)}, s);
  const ValueId right = add_node(g, "add", {add_node(g, "matMul", {w, x}, s), w}, s);
  const auto items = partition(g, std::vector<ValueId>{add_node(g, "neg", {add_node(g, "add", {left, right}, s)}, s)}, {});
  // Whichever branch takes the sum, the other is a group of its own with all of its tail.
  ASSERT_EQ(items.size(), 2u);
  using Names = std::vector<std::string>;
  if (names(items[0]).size() == 2) {
    EXPECT_EQ(names(items[0]), (Names{"matMul", "add"}));
    EXPECT_EQ(names(items[1]), (Names{"matMul", "exp", "add", "relu", "add", "neg"}));
  } else {
    EXPECT_EQ(names(items[0]), (Names{"matMul", "exp", "add", "relu"}));
    EXPECT_EQ(names(items[1]), (Names{"matMul", "add", "add", "neg"}));
  }
}

TEST(Partition, NothingNeededIsDropped) {
  Graph g;
  const ValueId x = g.add_input("x", {{2}, DType::kFloat32});
  add_node(g, "exp", {x}, {2});
  EXPECT_TRUE(partition(g, {}, {}).empty());
}

TEST(Partition, OperandLimitIsKept) {
  Graph g;
  const Shape s{4};
  std::vector<ValueId> in;
  for (int i = 0; i < 8; ++i) in.push_back(g.add_input("", {s, DType::kFloat32}));
  ValueId y = in[0];
  for (int i = 1; i < 8; ++i) y = add_node(g, "add", {y, in[static_cast<size_t>(i)]}, s);
  PartitionLimits limits;
  limits.max_operands = 4;
  for (const auto& item : partition(g, std::vector<ValueId>{y}, limits)) EXPECT_LE(item.site.operands.size(), 4u);
}

TEST(MemoryPlan, BlocksAliveAtOnceNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> blocks(40);
    for (Lifetime& b : blocks) {
      b.bytes = random() % 5000;
      b.first = random() % 60;
      b.last = b.first + random() % 10;
    }
    const MemoryPlan plan = plan_memory(blocks);
    size_t sum = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
      sum += (blocks[i].bytes + 63) / 64 * 64;
      EXPECT_LE(blocks[i].offset + blocks[i].bytes, plan.arena_bytes);
      EXPECT_GE(plan.slot_bytes[blocks[i].slot], blocks[i].bytes);
      for (size_t j = 0; j < i; ++j) {
        if (blocks[i].first > blocks[j].last || blocks[j].first > blocks[i].last) continue;
        EXPECT_NE(blocks[i].slot, blocks[j].slot);
        if (blocks[i].bytes == 0 || blocks[j].bytes == 0) continue;
        EXPECT_TRUE(blocks[i].offset >= blocks[j].offset + blocks[j].bytes || blocks[j].offset >= blocks[i].offset + blocks[i].bytes);
      }
    }
    EXPECT_LE(plan.arena_bytes, sum);
  }
}

}  // namespace
}  // namespace tsr
