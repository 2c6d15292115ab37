#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tsr {
namespace {

TEST(ThreadPool, CoversTheRangeOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int64_t n : {0, 1, 2, 7, 100, 1001}) {
      for (int64_t grain : {1, 3, 64}) {
        std::vector<std::atomic<int>> hits(static_cast<size_t>(n));
        pool.parallel_for(0, n, grain, [&](int64_t b, int64_t e) {
          EXPECT_EQ(b % grain, 0);
          for (int64_t i = b; i < e; ++i) hits[static_cast<size_t>(i)]++;
        });
        for (auto& h : hits) ASSERT_EQ(h.load(), 1);
      }
    }
  }
}

TEST(ThreadPool, SlotsAreExclusive) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> clash{false};
  for (int round = 0; round < 200; ++round) {
    pool.parallel_for_slots(0, 64, 1, [&](int64_t, int64_t, int slot) {
      if (slot < 0 || slot >= 4 || inside[static_cast<size_t>(slot)]++ != 0) clash = true;
      inside[static_cast<size_t>(slot)]--;
    });
  }
  EXPECT_FALSE(clash);
}

TEST(ThreadPool, ExceptionsComeBackAndThePoolLives) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(pool.parallel_for(0, 100, 1,
                                   [&](int64_t b, int64_t) {
                                     if (b >= 50) throw std::runtime_error("chunk");
                                   }),
                 std::runtime_error);
    std::atomic<int> sum{0};
    pool.parallel_for(0, 100, 1, [&](int64_t b, int64_t e) { sum += static_cast<int>(e - b); });
    EXPECT_EQ(sum, 100);
  }
}

TEST(ThreadPool, NestedAndConcurrentLoopsRunInline) {
  ThreadPool pool(3);
  std::atomic<int> sum{0};
  pool.parallel_for(0, 10, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) pool.parallel_for(0, 10, 1, [&](int64_t b2, int64_t e2) { sum += static_cast<int>(e2 - b2); });
  });
  EXPECT_EQ(sum, 100);
  sum = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) pool.parallel_for(0, 10, 1, [&](int64_t b, int64_t e) { sum += static_cast<int>(e - b); });
    });
  for (auto& c : callers) c.join();
  EXPECT_EQ(sum, 4000);
}

TEST(ThreadPool, ManyShortLoops) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 20000; ++i) pool.parallel_for(0, 2, 1, [&](int64_t b, int64_t e) { sum += e - b; });
  EXPECT_EQ(sum, 40000);
}

TEST(ThreadPool, InstalmentsRunEachChunkOnce) {
  ThreadPool pool(2);
  std::vector<int> hits(50), more(30);
  ThreadPool::Instalments state;
  int calls = 0;
  auto launch = [&] {
    pool.parallel_for(0, 50, 2, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) hits[static_cast<size_t>(i)]++;
    });
    pool.parallel_for(0, 30, 7, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) more[static_cast<size_t>(i)] += hits[49];
    });
  };
  while (!pool.run_instalment(state, std::chrono::microseconds(0), launch)) ASSERT_LT(++calls, 100);
  EXPECT_EQ(calls, 29);  // 25 + 5 chunks, one a call: progress even without any budget
  for (int h : hits) EXPECT_EQ(h, 1);
  for (int h : more) EXPECT_EQ(h, 1);
}

TEST(ThreadPool, CoresAreCounted) { EXPECT_GE(ThreadPool::available_cores(), 1); }

}  // namespace
}  // namespace tsr
