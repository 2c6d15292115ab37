// Words, memory by size class and command lists, over a driver that only takes notes.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <map>
#include <string>

#include "backends/gpu/buffer_pool.h"
#include "backends/gpu/command_list.h"
#include "backends/gpu/words.h"
#include "base/error.h"

namespace tsr::gpu {
namespace {

class NotingDriver : public GpuDriver {
 public:
  const Limits& limits() override { return limits_; }
  bool lost() override { return false; }
  uint32_t epoch() override { return epoch_; }
  std::string take_error() override { return {}; }
  void create_memory(uint32_t id, const MemoryDesc& desc) override { alive_[id] = desc; }
  void destroy_memory(uint32_t id) override { EXPECT_EQ(alive_.erase(id), 1u); }
  void upload(uint32_t, std::span<const uint32_t>) override {}
  void create_program(uint32_t, const ProgramDesc&) override {}
  void destroy_program(uint32_t) override {}
  void encode(std::span<const uint32_t>) override {}
  void begin_read(uint32_t, uint32_t, uint32_t) override {}
  ReadState poll_read(uint32_t) override { return ReadState::kDone; }
  void read_wait(uint32_t) override {}
  void take_read(uint32_t, std::span<uint32_t>) override {}

  Limits limits_{.max_memory_bytes = 1u << 30};
  uint32_t epoch_ = 0;
  std::map<uint32_t, MemoryDesc> alive_;
};

TEST(GpuWords, Float32AndInt32AreUsedWhereTheyLie) {
  alignas(16) const float data[4] = {1, 2, 3, 4};
  std::vector<uint32_t> scratch;
  const auto words = to_words(DType::kFloat32, reinterpret_cast<const std::byte*>(data), 4, scratch);
  EXPECT_EQ(static_cast<const void*>(words.data()), data);
  const auto padded = to_words(DType::kFloat32, reinterpret_cast<const std::byte*>(data), 3, scratch);
  ASSERT_EQ(padded.size(), 4u);
  EXPECT_EQ(padded[2], std::bit_cast<uint32_t>(3.0f));
  EXPECT_EQ(padded[3], 0u);
}

TEST(GpuWords, BoolsAreWordsAndComeBack) {
  const uint8_t data[5] = {0, 1, 255, 0, 1};
  std::vector<uint32_t> scratch;
  const auto words = to_words(DType::kBool, reinterpret_cast<const std::byte*>(data), 5, scratch);
  ASSERT_EQ(words.size(), 8u);
  EXPECT_EQ(words[2], 1u);
  std::byte back[5];
  from_words(DType::kBool, words, 5, back);
  EXPECT_EQ(static_cast<int>(back[2]), 1);
  EXPECT_EQ(static_cast<int>(back[3]), 0);
}

TEST(GpuWords, NarrowDtypesAreWidened) {
  const auto one = [](DType t, const void* data) {
    std::vector<uint32_t> scratch;
    return std::bit_cast<float>(to_words(t, static_cast<const std::byte*>(data), 1, scratch)[0]);
  };
  const uint8_t u8 = 200;
  const int8_t i8 = -7;
  const uint16_t u16 = 65535;
  EXPECT_EQ(one(DType::kUint8, &u8), 200.0f);
  EXPECT_EQ(one(DType::kInt8, &i8), -7.0f);
  EXPECT_EQ(one(DType::kUint16, &u16), 65535.0f);
  struct Half {
    uint16_t bits;
    float value;
  };
  for (const Half h : {Half{0x3C00, 1.0f}, Half{0xC000, -2.0f}, Half{0x7BFF, 65504.0f}, Half{0x0400, 0x1p-14f}, Half{0x0001, 0x1p-24f},
                       Half{0x83FF, -0x1.FF8p-15f}, Half{0x0000, 0.0f}, Half{0x7C00, std::numeric_limits<float>::infinity()}}) {
    EXPECT_EQ(one(DType::kFloat16, &h.bits), h.value) << h.bits;
  }
  const uint16_t nan = 0x7E01;
  EXPECT_NE(one(DType::kFloat16, &nan), one(DType::kFloat16, &nan));
}

TEST(GpuWords, ComplexAndStringsStayOnTheHost) {
  EXPECT_THROW(element_of(DType::kComplex64), Error);
  EXPECT_THROW(element_of(DType::kString), Error);
}

TEST(GpuBufferPool, ReusesTheMostRecentlyFreedOfAClass) {
  NotingDriver driver;
  BufferPool pool(driver);
  const Memory a = pool.take(Element::kFloat, 1000), b = pool.take(Element::kFloat, 1000);
  EXPECT_NE(a.id, b.id);
  pool.give(a);
  pool.give(b);
  EXPECT_EQ(pool.take(Element::kFloat, 990).id, b.id);  // same class
  EXPECT_EQ(pool.take(Element::kFloat, 1000).id, a.id);
  EXPECT_NE(pool.take(Element::kInt, 1000).id, a.id);
  EXPECT_EQ(pool.free_bytes(), 0u);
  EXPECT_EQ(driver.alive_.size(), 3u);
}

TEST(GpuBufferPool, KeepsFreeMemoryUnderItsCap) {
  NotingDriver driver;
  BufferPool pool(driver);
  std::vector<Memory> all;
  for (int i = 0; i < 5; ++i) all.push_back(pool.take(Element::kFloat, (32u << 20) / 4));
  EXPECT_EQ(pool.bytes(), size_t{160} << 20);
  for (const Memory& m : all) pool.give(m);
  pool.trim();
  EXPECT_LE(pool.free_bytes(), BufferPool::kMaxFreeBytes);
  EXPECT_EQ(pool.bytes(), pool.free_bytes());
  EXPECT_EQ(driver.alive_.size(), pool.bytes() >> 25);
}

TEST(GpuBufferPool, MemoryOfAnEarlierEpochIsForgotten) {
  NotingDriver driver;
  BufferPool pool(driver);
  const Memory a = pool.take(Element::kFloat, 10);
  EXPECT_TRUE(pool.alive(a));
  driver.epoch_ = 1;
  EXPECT_FALSE(pool.alive(a));
  pool.forget(1);
  pool.give(a);  // must not come back
  EXPECT_EQ(pool.bytes(), 0u);
  EXPECT_NE(pool.take(Element::kFloat, 10).id, a.id);
}

TEST(GpuBufferPool, SizeClassesWasteLittle) {
  for (uint64_t n = 1; n < 3'000'000; n += 1 + n / 7) {
    const MemoryDesc linear = BufferPool::describe(Element::kFloat, n, 0);
    EXPECT_GE(linear.bytes, n * 4);
    EXPECT_EQ(linear.bytes % 16, 0u);
    EXPECT_LE(linear.bytes, std::max<uint64_t>(256, n * 4 * 5 / 4 + 16));
    const MemoryDesc texture = BufferPool::describe(Element::kFloat, n, 4096);
    EXPECT_GE(uint64_t{texture.width} * texture.height * 4, n);
    EXPECT_TRUE(std::has_single_bit(texture.width));
    EXPECT_LE(texture.width, 4096u);
    EXPECT_LE(texture.height, 4096u);
    if (n > 4096) {
      EXPECT_LE(texture.bytes, n * 4 * 3 / 2) << n;
    }
  }
}

TEST(GpuBufferPool, TooLargeSaysSo) {
  NotingDriver driver;
  BufferPool pool(driver);
  try {
    pool.take(Element::kFloat, 1u << 29);
    FAIL() << "2 GiB in a 1 GiB buffer";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
  }
}

TEST(GpuCommandList, RunsComeBackAsTheyWereRecorded) {
  CommandList list;
  const uint32_t inputs[] = {7, 8}, uniforms[] = {1, 2, 3};
  list.run(5, 6, inputs, uniforms, {9, 10, 11});
  list.run(12, 13, {}, {}, {14, 15, 16});
  auto words = list.words();
  RecordedRun run;
  ASSERT_TRUE(next_run(words, run));
  EXPECT_EQ(run.program, 5u);
  EXPECT_EQ(run.output, 6u);
  EXPECT_EQ(run.inputs[1], 8u);
  EXPECT_EQ(run.uniforms[2], 3u);
  EXPECT_EQ(run.grid.z, 11u);
  ASSERT_TRUE(next_run(words, run));
  EXPECT_EQ(run.program, 12u);
  EXPECT_TRUE(run.inputs.empty());
  EXPECT_EQ(run.grid.x, 14u);
  EXPECT_FALSE(next_run(words, run));
}

}  // namespace
}  // namespace tsr::gpu
