#include "base/executor.h"

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define TSR_HAS_THREADS 1
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#else
#define TSR_HAS_THREADS 0
#endif
#if defined(__EMSCRIPTEN_PTHREADS__)
#include <emscripten/atomic.h>
#endif

namespace tsr {

Executor& Executor::get() {
  static Executor* executor = new Executor();
  return *executor;
}

Executor::~Executor() = default;

#if TSR_HAS_THREADS

struct Executor::Impl {
  std::mutex mutex;
  std::condition_variable posted;   // wakes the thread
  std::condition_variable settled;  // wakes those that wait for a job, or for the turn to run one
  std::deque<Job*> queue;           // guarded by mutex
  bool running = false;             // guarded by mutex: some thread is inside a job
  bool started = false;
  std::atomic<bool> lives{false};
  std::atomic<int32_t> wakes{0};

  // Runs one job with the lock given up meanwhile. `running` is false before and after.
  void run_one(std::unique_lock<std::mutex>& lock, Job& job) {
    running = true;
    job.state_.store(Job::State::kRunning, std::memory_order_relaxed);
    lock.unlock();
    job.run();
    lock.lock();
    running = false;
    job.state_.store(Job::State::kDone, std::memory_order_release);
    settled.notify_all();
  }

  void loop() {
    lives.store(true);
    std::unique_lock lock(mutex);
    for (;;) {
      posted.wait(lock, [&] { return !running && !queue.empty(); });
      Job& job = *queue.front();
      queue.pop_front();
      run_one(lock, job);
      wakes.fetch_add(1);
#if defined(__EMSCRIPTEN_PTHREADS__)
      emscripten_atomic_notify(&wakes, EMSCRIPTEN_NOTIFY_ALL_WAITERS);
#endif
    }
  }
};

Executor::Executor() : impl_(std::make_unique<Impl>()) {}

bool Executor::ready() {
  if (impl_->lives.load()) return true;
  if (!impl_->started) {
    impl_->started = true;
    try {
      std::thread([impl = impl_.get()] { impl->loop(); }).detach();
    } catch (const std::system_error&) {
      // no thread to be had: the callers go on working themselves
    }
  }
  return impl_->lives.load();
}

void Executor::post(Job& job) {
  {
    std::lock_guard lock(impl_->mutex);
    job.state_.store(Job::State::kPosted, std::memory_order_relaxed);
    impl_->queue.push_back(&job);
  }
  impl_->posted.notify_one();
}

void Executor::finish(Job& job) {
  std::unique_lock lock(impl_->mutex);
  impl_->settled.wait(lock, [&] { return job.done() || !impl_->running; });
  if (job.done()) return;
  // Nobody runs it, so it is queued. Jobs queued before it are of others, who wait for them in their own time.
  impl_->queue.erase(std::find(impl_->queue.begin(), impl_->queue.end(), &job));
  impl_->run_one(lock, job);
  const bool more = !impl_->queue.empty();
  lock.unlock();
  if (more) impl_->posted.notify_one();
}

bool Executor::busy() const {
  if (!impl_->lives.load(std::memory_order_relaxed)) return false;  // nothing was ever posted
  std::lock_guard lock(impl_->mutex);
  return impl_->running || !impl_->queue.empty();
}

void Executor::drain() {
  std::unique_lock lock(impl_->mutex);
  impl_->settled.wait(lock, [&] { return !impl_->running && impl_->queue.empty(); });
}

const std::atomic<int32_t>* Executor::wake_counter() const { return &impl_->wakes; }

#else

struct Executor::Impl {};
Executor::Executor() = default;
bool Executor::ready() { return false; }
void Executor::post(Job&) {}
void Executor::finish(Job&) {}
bool Executor::busy() const { return false; }
void Executor::drain() {}
const std::atomic<int32_t>* Executor::wake_counter() const { return nullptr; }

#endif

}  // namespace tsr
