// Kernels warmed while weights come: what is run, and that nothing stays behind.
#include <gtest/gtest.h>

#include <algorithm>

#include "../models/synthetic.h"
#include "core/storage.h"
#include "formats/tfjs/loader.h"
#include "runtime/engine.h"

namespace tsr {
namespace {

using formats::TfjsLoader;
using testing::ModelText;

// A model of one op over a filter of `height` by `width` by 16 and as many outputs as fill `bytes`.
TfjsLoader loader_of(const char* op, int64_t height, int64_t width, int64_t bytes) {
  const int64_t outputs = bytes / 4 / (height * width * 16);
  const std::vector<float> values(static_cast<size_t>(height * width * 16 * outputs));
  ModelText m;
  m.placeholder("x", {1, 8, 8, 16}).node("w", "Const").data("w", "float32", {height, width, 16, outputs}, values.data(), values.size() * 4);
  m.node("y", op, {"x", "w"}, R"("strides": {"list": {"i": ["1","1","1","1"]}}, "padding": {"s": "U0FNRQ=="})");
  return TfjsLoader(m.json());
}

std::vector<std::string> names(const std::vector<WarmWork>& works) {
  std::vector<std::string> out;
  for (const WarmWork& w : works) {
    if (std::find(out.begin(), out.end(), w.op->name) == out.end()) out.push_back(w.op->name);
  }
  return out;
}

constexpr int64_t kLarge = int64_t{3} << 20;
using Names = std::vector<std::string>;

TEST(Warm, RunsTheKindsOfKernelsThatAModelHas) {
  EXPECT_EQ(names(loader_of("Conv2D", 1, 1, kLarge).warm_works()), (Names{"matMul"}));
  EXPECT_EQ(names(loader_of("Conv2D", 3, 3, kLarge).warm_works()), (Names{"matMul", "conv2d"}));
  EXPECT_EQ(names(loader_of("DepthwiseConv2dNative", 3, 3, kLarge).warm_works()), (Names{"depthwiseConv2d"}));
}

TEST(Warm, LeavesSmallModelsAlone) { EXPECT_TRUE(loader_of("Conv2D", 3, 3, 1 << 20).warm_works().empty()); }

TEST(Warm, LeavesNothingBehind) {
  Device& device = Engine::get().device();
  for (const char* op : {"Conv2D", "DepthwiseConv2dNative"}) {
    const std::vector<WarmWork> works = loader_of(op, 3, 3, kLarge).warm_works();
    const size_t bytes = HostBuffer::total();
    const int64_t storages = Storage::live_count();
    warm_kernels(device, works, Deadline());
    warm_kernels(device, works, Deadline::after_ms(0));
    EXPECT_EQ(HostBuffer::total(), bytes);
    EXPECT_EQ(Storage::live_count(), storages);
  }
}

TEST(Warm, StopsWhenThereIsNoMemory) {
  const std::vector<WarmWork> works = loader_of("Conv2D", 3, 3, kLarge).warm_works();
  const size_t cap = HostBuffer::cap();
  HostBuffer::set_cap(HostBuffer::total() + 1024);
  EXPECT_THROW(warm_kernels(Engine::get().device(), works, Deadline()), Error);
  HostBuffer::set_cap(cap);
  warm_kernels(Engine::get().device(), works, Deadline());
}

}  // namespace
}  // namespace tsr
