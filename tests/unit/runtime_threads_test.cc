// Several models under way at once, with a pool of 2 to 4 threads and the executor, while threads come and go. What these tests
// are for shows under the thread sanitizer; without it they hold that results do not change by a bit.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../models/synthetic.h"
#include "base/executor.h"
#include "base/thread_pool.h"
#include "runtime/engine.h"
#include "tessera/model.h"

namespace tsr {
namespace {

using testing::ModelText;

// Seeded values in [-1, 1) / n: sums of n of them stay near 1.
std::vector<float> values(size_t count, float n, uint32_t seed) {
  std::vector<float> v(count);
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = (static_cast<float>(seed >> 8) * (2.0f / 16777216.0f) - 1.0f) / n;
  }
  return v;
}

void add_weight(ModelText& m, const std::string& name, std::initializer_list<int64_t> shape, float n, uint32_t seed) {
  size_t count = 1;
  for (int64_t d : shape) count *= static_cast<size_t>(d);
  const std::vector<float> v = values(count, n, seed);
  m.node(name, "Const").data(name, "float32", shape, v.data(), v.size() * sizeof(float));
}

constexpr const char* kSame =
    R"("strides": {"list": {"i": ["1","1","1","1"]}}, "padding": {"s": "U0FNRQ=="}, "data_format": {"s": "TkhXQw=="})";

// Convolutions by several algorithms, a depthwise one, a residual: patches, Winograd, pointwise, tails.
Model conv_net() {
  ModelText m;
  m.placeholder("x", {1, 40, 40, 8});
  add_weight(m, "f1", {3, 3, 8, 32}, 8, 1);
  add_weight(m, "f2", {3, 3, 32, 32}, 17, 2);
  add_weight(m, "fd", {3, 3, 32, 1}, 3, 3);
  add_weight(m, "f3", {1, 1, 32, 8}, 6, 4);
  m.node("c1", "Conv2D", {"x", "f1"}, kSame).node("r1", "Relu6", {"c1"});
  m.node("c2", "Conv2D", {"r1", "f2"}, kSame).node("s2", "Sigmoid", {"c2"}).node("w2", "Mul", {"c2", "s2"});
  m.node("d", "DepthwiseConv2dNative", {"w2", "fd"}, kSame).node("rd", "Relu", {"d"});
  m.node("c3", "Conv2D", {"rd", "f3"}, kSame).node("y", "AddV2", {"c3", "x"});
  return m.load();
}

// Products and softmax.
Model dense_net() {
  ModelText m;
  m.placeholder("x", {64, 200});
  const char* from = "x";
  static const std::string kNames[] = {"m0", "m1", "m2", "m3"};
  static const std::string kTanh[] = {"t0", "t1", "t2", "t3"};
  for (size_t i = 0; i < 4; ++i) {
    const std::string w = "w" + std::to_string(i);
    add_weight(m, w, {200, 200}, 14, 20 + static_cast<uint32_t>(i));
    m.node(kNames[i], "MatMul", {from, w.c_str()}, R"("transpose_a": {"b": false}, "transpose_b": {"b": false})");
    m.node(kTanh[i], "Tanh", {kNames[i].c_str()});
    from = kTanh[i].c_str();
  }
  m.node("y", "Softmax", {from});
  return m.load();
}

// Elementwise chains and a reduction: memory-bound work in many small chunks.
Model chain_net() {
  ModelText m;
  m.placeholder("x", {300, 500}).weight_int("axis", {1}, {1});
  m.node("a", "Exp", {"x"})
      .node("b", "Erf", {"a"})
      .node("c", "AddV2", {"b", "x"})
      .node("d", "Sum", {"c", "axis"}, R"("keep_dims": {"b": true})");
  m.node("e", "Sub", {"c", "d"}).node("y", "Sigmoid", {"e"});
  return m.load();
}

struct Net {
  Model model;
  Tensor x;
  std::vector<float> want;

  std::unique_ptr<ModelTask> start() const { return model.start({{{"x", x}}}, std::vector<std::string>{"y"}); }
};

std::vector<Net> nets() {
  std::vector<Net> all(3);
  all[0].model = conv_net(), all[1].model = dense_net(), all[2].model = chain_net();
  const Shape shapes[] = {{1, 40, 40, 8}, {64, 200}, {300, 500}};
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].x = Tensor::from(std::span<const float>(values(static_cast<size_t>(shapes[i].size()), 1, 7)), shapes[i]);
    all[i].want = all[i].model.run({{{"x", all[i].x}}}, std::vector<std::string>{"y"})[0].to_vector<float>();
  }
  return all;
}

struct Started {
  const Net* net;
  std::unique_ptr<ModelTask> task;
  bool done = false;
};

std::vector<Started> start_all(const std::vector<Net>& all, int times) {
  std::vector<Started> runs;
  for (int i = 0; i < times; ++i) {
    for (const Net& net : all) runs.push_back({&net, net.start()});
  }
  return runs;
}

// One turn for each run that is not done. Returns how many are left; counts those that were refused because threads changed.
size_t advance(std::vector<Started>& runs, int& refused) {
  size_t left = 0;
  for (Started& r : runs) {
    if (r.done) continue;
    try {
      r.done = Engine::get().poll(*r.task, 1) == Progress::kDone;
      if (!r.done) {
        ++left;
        continue;
      }
      EXPECT_EQ(r.task->take_outputs()[0].to_vector<float>(), r.net->want);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kCancelled) << e.what();
      r.done = true;
      ++refused;
    }
  }
  return left;
}

class RuntimeThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    Engine::get().set_threads(2);
    while (!Executor::get().ready()) std::this_thread::yield();
    all_ = nets();
  }
  void TearDown() override { Engine::get().set_threads(before_); }

  int before_ = Engine::get().threads();
  std::vector<Net> all_;
};

TEST_F(RuntimeThreads, ModelsTakeTurns) {
  for (int threads : {2, 3, 4}) {
    Engine::get().set_threads(threads);
    std::vector<Started> runs = start_all(all_, 4);
    int refused = 0;
    while (advance(runs, refused) > 0) std::this_thread::yield();
    EXPECT_EQ(refused, 0);
  }
}

TEST_F(RuntimeThreads, ThreadsChangeWhileModelsRun) {
  int refused = 0;
  for (int threads : {3, 4, 2, 1, 4, 2}) {
    std::vector<Started> runs = start_all(all_, 2);
    advance(runs, refused);
    Engine::get().set_threads(threads);
    while (advance(runs, refused) > 0) std::this_thread::yield();
    // The next run computes with what there is now.
    EXPECT_EQ(all_[0].model.run({{{"x", all_[0].x}}}, std::vector<std::string>{"y"})[0].to_vector<float>(), all_[0].want);
  }
}

TEST_F(RuntimeThreads, RunsAreDroppedUnderWay) {
  for (int round = 0; round < 10; ++round) {
    std::vector<Started> runs = start_all(all_, 2);
    int refused = 0;
    for (int turn = 0; turn < 1 + round % 3; ++turn) advance(runs, refused);
    for (size_t i = static_cast<size_t>(round % 2); i < runs.size(); i += 2) {
      runs[i].task.reset();
      runs[i].done = true;
    }
    while (advance(runs, refused) > 0) std::this_thread::yield();
    EXPECT_EQ(refused, 0);
  }
}

TEST_F(RuntimeThreads, EagerReadsBetweenTurns) {
  std::vector<Started> runs = start_all(all_, 3);
  int refused = 0;
  size_t left = runs.size();
  while (left > 0) {
    left = advance(runs, refused);
    EXPECT_EQ(all_[1].model.run({{{"x", all_[1].x}}}, std::vector<std::string>{"y"})[0].to_vector<float>(), all_[1].want);
  }
  EXPECT_EQ(refused, 0);
}

TEST(ThreadPoolLife, PoolsEndWhileWorkersSpinSleepOrStart) {
  for (int round = 0; round < 60; ++round) {
    ThreadPool pool(2 + round % 3);
    if (round % 4 == 0) continue;  // ended before its threads have begun
    int64_t items[64] = {};
    pool.parallel_for(0, 64, 1, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) items[i] = i;
    });
    for (int64_t i = 0; i < 64; ++i) ASSERT_EQ(items[i], i);
    if (round % 4 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // long enough to sleep
  }
}

TEST(ThreadPoolLife, PlainMemoryPassesBetweenLoopsAndCallers) {
  // Written by whichever thread takes a chunk in one loop, read by another in the next: only the pool orders these.
  ThreadPool pool(4);
  constexpr int64_t kN = 4096;
  std::vector<int64_t> a(kN), b(kN);
  for (int64_t round = 1; round <= 50; ++round) {
    pool.parallel_for(0, kN, 16, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) a[static_cast<size_t>(i)] = b[static_cast<size_t>(kN - 1 - i)] + 1;
    });
    pool.parallel_for(0, kN, 48, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) b[static_cast<size_t>(i)] = a[static_cast<size_t>(kN - 1 - i)];
    });
    ASSERT_EQ(b[0], round);
  }
  // Callers that meet on one pool: one gets it, the others work alone.
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&pool, t] {
      std::vector<int64_t> own(1000);
      for (int64_t round = 1; round <= 50; ++round) {
        pool.parallel_for(0, 1000, 8, [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i) own[static_cast<size_t>(i)] += i + t;
        });
        EXPECT_EQ(own[10], round * (10 + t));
      }
    });
  }
  for (std::thread& c : callers) c.join();
}

}  // namespace
}  // namespace tsr
