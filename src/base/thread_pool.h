// A pool of threads for data-parallel loops, and a way to run such loops in instalments where there are no threads.
//
// The caller of a loop is one of its workers: it takes chunks itself and at the end waits only for threads that have actually
// joined this loop. So a loop finishes even when no worker ever starts, which is what a browser's main thread needs (Worker
// start-up is asynchronous there, and blocking for it would be a deadlock).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>

namespace tsr {

/// A borrowed callable: two words, no allocation. The callable must outlive the call it is passed to.
template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>>>
  FunctionRef(F&& f)  // NOLINT: implicit, so that lambdas can be passed as arguments
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))), call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(static_cast<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, static_cast<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

class ThreadPool {
 public:
  /// A pool of `threads` workers, the caller of a loop included; 0 means available_cores(). Without thread support in the
  /// build (WebAssembly without pthreads) every pool has size 1.
  explicit ThreadPool(int threads = 0);
  /// No loop may be running. Joins the threads.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Workers, the caller included; at least 1. Slots (below) are smaller than this.
  int size() const { return size_; }

  /// Cores this process may really use: on Linux the smallest of the machine's count, the scheduling affinity and the cgroup's
  /// CPU quota; in WebAssembly navigator.hardwareConcurrency, or 1 without threads. At least 1.
  static int available_cores();

  /// Calls body(chunk_begin, chunk_end) for chunks that together cover [begin, end) once. Each chunk but the last is a multiple
  /// of `grain` (at least 1) long; say in `grain` how many items are worth a few microseconds. Returns when all are done. The
  /// first exception thrown by a chunk is rethrown here, and chunks not yet begun are then dropped. A loop inside a loop, or one
  /// from a second thread while the pool is busy, runs inline on its caller.
  void parallel_for(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t)> body);

  /// The same with the slot of the thread that runs the chunk: 0 <= slot < size(), and no two chunks run with the same slot at
  /// the same time. Index per-thread scratch with it. An inline loop runs in slot 0.
  void parallel_for_slots(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t, int)> body);

  /// How far a launch has come that is run in instalments. Start with a fresh one for each launch.
  struct Instalments {
    int64_t chunks_done = 0;
  };

  /// Runs `launch`, which may hold any number of loops, until `budget` is spent; returns true when it is complete, false when it
  /// wants to be called again with the same `state`. Chunks already done are skipped in later calls, so `launch` must be the same
  /// each time, keep its scratch between the calls, and do outside its loops only what may be done twice. Each call makes
  /// progress, by one chunk at least. Runs on the calling thread alone.
  bool run_instalment(Instalments& state, std::chrono::microseconds budget, FunctionRef<void()> launch);

  /// Whether loops may be cut short or skipped by a run_instalment in progress: code whose loops fill memory that does not outlive
  /// the launch must then not run them on this pool.
  bool in_instalment() const { return progress_.load(std::memory_order_relaxed) != nullptr; }

 private:
  struct Impl;  // threads, locks and the current job; null when size is 1

  void run_inline(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t, int)> body);

  // What run_instalment is in the middle of. Owned by its stack frame.
  struct Progress {
    int64_t seen = 0;  // chunks met so far in this call
    int64_t done = 0;  // chunks finished, earlier calls included
    bool incomplete = false;
    bool advanced = false;
    std::chrono::steady_clock::time_point deadline;
  };

  int size_ = 1;
  std::atomic<Progress*> progress_{nullptr};
  std::unique_ptr<Impl> impl_;
};

}  // namespace tsr
