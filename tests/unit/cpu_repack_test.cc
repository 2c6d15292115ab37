// Packed weights take the place of the bytes they were packed from, when nobody else holds those.
#include "backends/cpu/repack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tsr::cpu {
namespace {

constexpr size_t kCount = 100;

Ref<HostBuffer> ascending() {
  Ref<HostBuffer> bytes(new HostBuffer(kCount * sizeof(float)));
  auto* at = reinterpret_cast<float*>(bytes->data());
  std::iota(at, at + kCount, 0.0f);
  return bytes;
}

// A packing that is its own inverse: the elements the other way round.
void reversed(const std::byte* from, std::byte* to) {
  const auto* in = reinterpret_cast<const float*>(from);
  std::reverse_copy(in, in + kCount, reinterpret_cast<float*>(to));
}

Ref<HostBuffer> repack_reversed(Storage& weight, size_t bytes) {
  return repack(weight, bytes, [](const std::byte* from, std::byte* to) { reversed(from, to); }, reversed);
}

void expect_floats(const std::byte* bytes, float first, float step) {
  const auto* at = reinterpret_cast<const float*>(bytes);
  for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(at[i], first + step * static_cast<float>(i)) << "element " << i;
}

TEST(Repack, TakesThePlaceOfBytesThatNobodyElseHolds) {
  Storage weight(DType::kFloat32, kCount);
  weight.set_host(ascending());
  const std::byte* const before = weight.host();
  const Ref<HostBuffer> packed = repack_reversed(weight, (kCount * sizeof(float) + 63) / 64 * 64);
  EXPECT_EQ(packed->data(), before);
  expect_floats(packed->data(), kCount - 1, -1);
  expect_floats(weight.host(), 0, 1);  // unpacked for who asks
  EXPECT_NE(weight.host(), packed->data());
  expect_floats(packed->data(), kCount - 1, -1);
}

TEST(Repack, LeavesBytesThatSomebodyHolds) {
  Storage weight(DType::kFloat32, kCount);
  weight.set_host(ascending());
  const Ref<HostBuffer> held = weight.host_buffer();
  const Ref<HostBuffer> packed = repack_reversed(weight, kCount * sizeof(float));
  EXPECT_NE(packed->data(), held->data());
  expect_floats(held->data(), 0, 1);
  expect_floats(packed->data(), kCount - 1, -1);
  expect_floats(weight.host(), 0, 1);
}

TEST(Repack, LeavesBytesThatAreAPartOfALargerBuffer) {
  Ref<HostBuffer> larger(new HostBuffer((kCount + 16) * sizeof(float)));
  std::memcpy(larger->data() + 64, ascending()->data(), kCount * sizeof(float));
  Storage weight(DType::kFloat32, kCount);
  const std::byte* const before = larger->data();
  weight.set_host(std::move(larger), 64);
  const Ref<HostBuffer> packed = repack_reversed(weight, kCount * sizeof(float));
  EXPECT_TRUE(packed->data() < before || packed->data() >= before + (kCount + 16) * sizeof(float));
  expect_floats(packed->data(), kCount - 1, -1);
  expect_floats(weight.host(), 0, 1);
}

TEST(Repack, LeavesBytesThatThePackedFormDoesNotFit) {
  Storage weight(DType::kFloat32, kCount);
  weight.set_host(ascending());
  const std::byte* const before = weight.host();
  const Ref<HostBuffer> packed = repack_reversed(weight, kCount * sizeof(float) + 64);
  EXPECT_GE(packed->size(), kCount * sizeof(float) + 64);
  EXPECT_NE(packed->data(), before);
  expect_floats(weight.host(), 0, 1);
}

TEST(Repack, PacksWhatWasPackedBefore) {
  Storage weight(DType::kFloat32, kCount);
  weight.set_host(ascending());
  const Ref<HostBuffer> first = repack_reversed(weight, kCount * sizeof(float));
  const Ref<HostBuffer> second = repack_reversed(weight, kCount * sizeof(float));  // another kernel, the same weight
  EXPECT_NE(first->data(), second->data());
  expect_floats(first->data(), kCount - 1, -1);
  expect_floats(second->data(), kCount - 1, -1);
  expect_floats(weight.host(), 0, 1);
}

}  // namespace
}  // namespace tsr::cpu
