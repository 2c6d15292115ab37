// The handle table: generations, reuse of slots, what happens when they run out.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "capi/handles.h"

namespace tsr::capi {
namespace {

constexpr HandleLayout kTiny{"thing", 3, 2, 0x40, 0};  // 8 slots, generations 1 to 3

TEST(CapiHandles, NeverZeroAndFindable) {
  HandleTable<std::string> table(kTiny);
  const int32_t a = table.add("a");
  const int32_t b = table.add("b");
  EXPECT_NE(a, 0);
  EXPECT_NE(a, b);
  EXPECT_EQ(table.get(a), "a");
  EXPECT_EQ(table.get(b), "b");
  EXPECT_EQ(table.size(), 2u);
}

TEST(CapiHandles, EndedHandleIsNotTheNextTenant) {
  HandleTable<std::string> table(kTiny);
  const int32_t a = table.add("a");
  EXPECT_EQ(table.remove(a), "a");
  EXPECT_EQ(table.find(a), nullptr);
  const int32_t b = table.add("b");  // the same slot: nothing else was free
  EXPECT_NE(a, b);
  EXPECT_EQ(table.find(a), nullptr);
  EXPECT_EQ(table.get(b), "b");
  EXPECT_EQ(table.remove(a), "");  // twice is harmless
  EXPECT_EQ(table.get(b), "b");
}

TEST(CapiHandles, GenerationsWrapWithoutBecomingZero) {
  HandleTable<int> table(HandleLayout{"thing", 3, 2, 0, 0});
  std::set<int32_t> seen;
  for (int i = 0; i < 20; ++i) {
    const int32_t h = table.add(i);
    EXPECT_GT(h, 0);
    seen.insert(h);
    table.remove(h);
  }
  EXPECT_EQ(seen.size(), 3u);  // one slot, three generations
}

TEST(CapiHandles, SlotsWaitTheirTurn) {
  HandleTable<int> table(HandleLayout{"thing", 8, 8, 0, 4});
  std::set<int32_t> slots;
  for (int i = 0; i < 5; ++i) {
    const int32_t h = table.add(i);
    slots.insert(h & 0xFF);
    table.remove(h);
  }
  EXPECT_EQ(slots.size(), 5u);  // a slot comes back only when more than four are free
}

TEST(CapiHandles, FullTableSaysSoAndGoesOn) {
  HandleTable<int> table(kTiny);
  std::vector<int32_t> handles;
  for (int i = 0; i < 8; ++i) handles.push_back(table.add(i));
  try {
    table.add(9);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
    EXPECT_NE(std::string(e.what()).find("tidy"), std::string::npos);
  }
  table.remove(handles[3]);
  EXPECT_NO_THROW(table.add(9));
}

TEST(CapiHandles, ForeignNumbersAreRefused) {
  HandleTable<int> table(kTiny);
  const int32_t h = table.add(1);
  for (const int32_t bad : {0, -1, 1, 0x7FFFFFFF, static_cast<int32_t>(0x80000000), h ^ 0x40, h + 1}) {
    EXPECT_EQ(table.find(bad), nullptr) << bad;
    EXPECT_THROW(table.get(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace tsr::capi
