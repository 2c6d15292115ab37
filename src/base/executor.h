// Executor: one thread that runs jobs in order, so that the thread that posts them stays free (a page's main thread above all).
//
// The poster never waits for a thread that has not begun to live: until ready() it works itself, in slices. When it must have a
// result at once it takes back what the executor has not begun. Jobs therefore run one at a time, on one thread or the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace tsr {

class Executor {
 public:
  /// A piece of work, owned by its poster, who keeps it alive until done().
  class Job {
   public:
    virtual ~Job() = default;
    /// The work. Must not throw, nor post or finish jobs.
    virtual void run() = 0;
    /// True before the first post and once the work is over; what it wrote can then be read.
    bool done() const { return state_.load(std::memory_order_acquire) == State::kDone; }

   private:
    friend class Executor;
    enum class State : uint8_t { kPosted, kRunning, kDone };
    std::atomic<State> state_{State::kDone};
  };

  static Executor& get();

  /// True when the thread lives. The first call starts it; always false in builds without threads, or when none can be had.
  bool ready();
  /// Queues a job that is done(). Only when ready().
  void post(Job& job);
  /// Returns when the job is done: runs it here unless the executor has begun it.
  void finish(Job& job);
  /// Whether jobs are queued or running.
  bool busy() const;
  /// Returns when no job is queued or running.
  void drain();

  /// A counter in memory that changes after each job; in WebAssembly its address is notified, for Atomics.waitAsync. Null in
  /// builds without threads.
  const std::atomic<int32_t>* wake_counter() const;

 private:
  Executor();
  ~Executor();  // never: the thread may outlive main
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tsr
