// The executor thread, and plans that hand their launches to it.
#include "base/executor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "runtime/engine.h"
#include "tessera/ops.h"

namespace tsr {
namespace {

class Count : public Executor::Job {
 public:
  void run() override {
    where = std::this_thread::get_id();
    ++runs;
  }
  int runs = 0;
  std::thread::id where;
};

void until_ready() {
  while (!Executor::get().ready()) std::this_thread::yield();
}

TEST(Executor, RunsEachJobOnceOnItsOwnThread) {
  until_ready();
  std::vector<Count> jobs(200);
  const int32_t before = Executor::get().wake_counter()->load();
  for (Count& j : jobs) Executor::get().post(j);
  Executor::get().drain();
  for (Count& j : jobs) {
    EXPECT_TRUE(j.done());
    EXPECT_EQ(j.runs, 1);
    EXPECT_NE(j.where, std::this_thread::get_id());
  }
  EXPECT_FALSE(Executor::get().busy());
  while (Executor::get().wake_counter()->load() - before < 200) std::this_thread::yield();
}

TEST(Executor, FinishTakesBackWhatHasNotBegun) {
  until_ready();
  for (int round = 0; round < 200; ++round) {
    Count a, b, c;
    Executor::get().post(a);
    Executor::get().post(b);
    Executor::get().post(c);
    Executor::get().finish(c);
    EXPECT_EQ(c.runs, 1);
    Executor::get().finish(a);
    Executor::get().finish(b);
    EXPECT_EQ(a.runs + b.runs, 2);
  }
}

// A chain of products of 256 x 256 matrices: some milliseconds of launches.
Tensor long_work(float seed) {
  constexpr int kN = 256;
  std::vector<float> values(static_cast<size_t>(kN) * kN, 0.f);
  for (int i = 0; i < kN; ++i) values[static_cast<size_t>(i) * kN + static_cast<size_t>((i + 1) % kN)] = 1;  // a rotation
  const Tensor turn = Tensor::from(std::span<const float>(values), {kN, kN});
  std::vector<float> column(kN);
  for (int i = 0; i < kN; ++i) column[static_cast<size_t>(i)] = seed + static_cast<float>(i);
  Tensor x = mat_mul(turn, turn);
  for (int i = 0; i < 14; ++i) x = mat_mul(x, turn);
  return mat_mul(x, Tensor::from(std::span<const float>(column), {kN, 1}));
}

TEST(Executor, PlansComputeThereWhenPolled) {
  until_ready();
  Engine& engine = Engine::get();
  bool waited = false;
  for (int round = 0; round < 20; ++round) {
    const Tensor y = long_work(static_cast<float>(round));
    std::unique_ptr<ReadTask> read = engine.start_read(y);
    Progress p;
    while ((p = engine.poll(*read, 8)) != Progress::kDone) waited = waited || p == Progress::kWaiting;
    const float* v = reinterpret_cast<const float*>(read->bytes().data());
    for (int i = 0; i < 256; ++i) ASSERT_EQ(v[i], static_cast<float>(round + (i + 16) % 256)) << i;
  }
  EXPECT_TRUE(waited);
}

TEST(Executor, ASynchronousReadHelpsWhatIsUnderWay) {
  until_ready();
  Engine& engine = Engine::get();
  for (int round = 0; round < 20; ++round) {
    const Tensor y = long_work(static_cast<float>(round));
    std::unique_ptr<ReadTask> read = engine.start_read(y);
    engine.poll(*read, 8);  // with the executor now
    const Tensor z = add(y, Tensor::scalar(1));
    EXPECT_EQ(z.to_vector<float>()[0], static_cast<float>(round + 17));
    EXPECT_EQ(engine.poll(*read, -1), Progress::kDone);
  }
}

TEST(Executor, ThreadsMayChangeWhileARunIsUnderWay) {
  until_ready();
  Engine& engine = Engine::get();
  const int before = engine.threads();
  for (int threads : {1, 3, 2}) {
    const Tensor y = long_work(1);
    std::unique_ptr<ReadTask> read = engine.start_read(y);
    engine.poll(*read, 8);
    engine.set_threads(threads);
    EXPECT_EQ(y.to_vector<float>()[0], 17);
  }
  engine.set_threads(before);
}

}  // namespace
}  // namespace tsr
