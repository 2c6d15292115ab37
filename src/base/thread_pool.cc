#include "base/thread_pool.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#if defined(__EMSCRIPTEN__)
#include <emscripten/threading.h>
#endif
#if defined(__linux__) && !defined(__EMSCRIPTEN__)
#include <sched.h>
#endif

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define TSR_HAS_THREADS 1
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
#else
#define TSR_HAS_THREADS 0
#endif

namespace tsr {
namespace {

// A loop on this thread is running a chunk of some pool: loops inside it run inline.
thread_local bool inside_chunk = false;

struct InsideChunk {
  bool before = std::exchange(inside_chunk, true);
  ~InsideChunk() { inside_chunk = before; }
};

#if defined(__linux__) && !defined(__EMSCRIPTEN__)
// CPUs that the control group grants, rounded up; 0 when there is no quota or nothing can be read.
int cgroup_quota() {
  if (FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {  // version 2: "<quota or max> <period>"
    char quota[32] = "";
    long long period = 0;
    const int n = std::fscanf(f, "%31s %lld", quota, &period);
    std::fclose(f);
    const long long q = n == 2 ? std::atoll(quota) : 0;
    return q > 0 && period > 0 ? static_cast<int>((q + period - 1) / period) : 0;
  }
  auto read = [](const char* path) {
    long long value = 0;
    if (FILE* f = std::fopen(path, "re")) {
      if (std::fscanf(f, "%lld", &value) != 1) value = 0;
      std::fclose(f);
    }
    return value;
  };
  const long long quota = read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  const long long period = read("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  return quota > 0 && period > 0 ? static_cast<int>((quota + period - 1) / period) : 0;
}
#endif

#if TSR_HAS_THREADS
// Chunks per thread: some slack for cores that other programs take away, few enough that claiming them costs nothing.
constexpr int64_t kChunksPerThread = 4;

// Iterations of a waiting loop before a thread sleeps: some tens of microseconds, the gap between two kernels of a model.
constexpr int kSpins = 4000;

inline void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
#endif

}  // namespace

int ThreadPool::available_cores() {
#if defined(__EMSCRIPTEN__)
  return TSR_HAS_THREADS ? std::max(1, emscripten_num_logical_cores()) : 1;
#else
  int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cores = std::min(std::max(cores, 1), CPU_COUNT(&set));
  if (const int quota = cgroup_quota(); quota > 0) cores = std::min(cores, quota);
#endif
  return std::max(1, cores);
#endif
}

#if TSR_HAS_THREADS

namespace {

// The chunks that one thread does first; the others take from it when theirs are done. In a cache line of its own, because threads that
// claim chunks of their own should not wait for one another.
struct alignas(64) Share {
  std::atomic<int64_t> next{0};
  int64_t end = 0;
};

// What the threads share with the pool.
struct Shared {
  explicit Shared(int size) : shares(static_cast<size_t>(size)) {}

  // The current job. Written by the caller while no worker is joined, read by workers between joining and leaving.
  const FunctionRef<void(int64_t, int64_t, int)>* body = nullptr;
  int64_t begin = 0, end = 0, chunk = 1;
  // By slot: the same part of every loop goes to the same thread, so that the rows of an image that it wrote in one layer are still in
  // its own cache when it reads them in the next.
  std::vector<Share> shares;
  std::exception_ptr error;  // guarded by mutex

  std::atomic<bool> busy{false};     // some caller owns the pool
  std::atomic<bool> open{false};     // workers may join the job
  std::atomic<int> joined{0};        // workers that may be looking at the job
  std::atomic<uint32_t> jobs{0};     // counts jobs; what idle workers watch
  std::atomic<int> sleepers{0};      // idle workers that sleep or are about to
  std::atomic<bool> stop{false};

  std::mutex mutex;
  std::condition_variable wake, left;

  void run_chunks(int slot) {
    InsideChunk mark;
    const size_t size = shares.size();
    for (size_t i = 0; i < size; ++i) {
      Share& share = shares[(static_cast<size_t>(slot) + i) % size];
      for (;;) {
        const int64_t index = share.next.fetch_add(1, std::memory_order_relaxed);
        if (index >= share.end) break;
        const int64_t first = begin + index * chunk;
        try {
          (*body)(first, std::min(end, first + chunk), slot);
        } catch (...) {
          std::lock_guard lock(mutex);
          if (!error) error = std::current_exception();
          for (Share& s : shares) s.next.store(s.end, std::memory_order_relaxed);  // drop what nobody has begun
          return;
        }
      }
    }
  }

  void work(int slot) {
    uint32_t seen = 0;
    for (;;) {
      // Wait for the next job: spin, then sleep.
      for (int i = 0; i < kSpins && jobs.load() == seen && !stop.load(); ++i) cpu_relax();
      if (jobs.load() == seen && !stop.load()) {
        std::unique_lock lock(mutex);
        sleepers.fetch_add(1);
        wake.wait(lock, [&] { return jobs.load() != seen || stop.load(); });
        sleepers.fetch_sub(1);
      }
      if (stop.load()) return;
      seen = jobs.load();
      // Joining first and looking at `open` second, against the caller's closing first and looking at `joined` second (both
      // sequentially consistent): either this worker sees the job closed, or the caller sees the worker and waits.
      joined.fetch_add(1);
      if (open.load()) run_chunks(slot);
      if (joined.fetch_sub(1) == 1 && !open.load()) {
        { std::lock_guard lock(mutex); }  // so that the caller is either before its check or asleep
        left.notify_one();
      }
    }
  }
};

}  // namespace

struct ThreadPool::Impl {
  explicit Impl(int size) : shared(std::make_shared<Shared>(size)) {}
  std::shared_ptr<Shared> shared;
  std::vector<std::thread> threads;
};

ThreadPool::ThreadPool(int threads) : size_(std::max(1, threads > 0 ? threads : available_cores())) {
  if (size_ == 1) return;
  impl_ = std::make_unique<Impl>(size_);
  for (int slot = 1; slot < size_; ++slot) {
    try {
      impl_->threads.emplace_back([shared = impl_->shared, slot] { shared->work(slot); });
    } catch (const std::system_error&) {
      break;  // the system gives no more threads; the caller and those that exist do the work
    }
  }
}

ThreadPool::~ThreadPool() {
  if (!impl_) return;
  {
    std::lock_guard lock(impl_->shared->mutex);
    impl_->shared->stop.store(true);
  }
  impl_->shared->wake.notify_all();
#if defined(__EMSCRIPTEN__)
  // A thread that has not begun yet begins only once this one returns to its event loop: joining it would never end. It shares
  // ownership of what it looks at, and stops as soon as it does begin.
  for (std::thread& t : impl_->threads) t.detach();
#else
  for (std::thread& t : impl_->threads) t.join();
#endif
}

void ThreadPool::parallel_for_slots(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t, int)> body) {
  if (begin >= end) return;
  grain = std::max<int64_t>(1, grain);
  const int64_t grains = (end - begin + grain - 1) / grain;
  if (progress_.load(std::memory_order_relaxed) || !impl_ || grains == 1 || inside_chunk || impl_->shared->busy.exchange(true)) {
    run_inline(begin, end, grain, body);
    return;
  }
  Shared& impl = *impl_->shared;
  const int64_t wanted = std::min(grains, size_ * kChunksPerThread);
  impl.body = &body;
  impl.begin = begin;
  impl.end = end;
  impl.chunk = (grains + wanted - 1) / wanted * grain;
  const int64_t chunks = (end - begin + impl.chunk - 1) / impl.chunk;
  for (int slot = 0; slot < size_; ++slot) {
    Share& share = impl.shares[static_cast<size_t>(slot)];
    share.next.store(chunks * slot / size_, std::memory_order_relaxed);
    share.end = chunks * (slot + 1) / size_;
  }
  impl.error = nullptr;
  impl.open.store(true);
  impl.jobs.fetch_add(1);
  if (impl.sleepers.load() > 0) {
    { std::lock_guard lock(impl.mutex); }
    impl.wake.notify_all();
  }
  impl.run_chunks(0);
  impl.open.store(false);
  for (int i = 0; i < kSpins && impl.joined.load() != 0; ++i) cpu_relax();
  if (impl.joined.load() != 0) {
    std::unique_lock lock(impl.mutex);
    impl.left.wait(lock, [&] { return impl.joined.load() == 0; });
  }
  std::exception_ptr error = std::exchange(impl.error, nullptr);
  impl.body = nullptr;
  impl.busy.store(false);
  if (error) std::rethrow_exception(error);
}

#else

struct ThreadPool::Impl {};

ThreadPool::ThreadPool(int) {}
ThreadPool::~ThreadPool() = default;

void ThreadPool::parallel_for_slots(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t, int)> body) {
  if (begin < end) run_inline(begin, end, std::max<int64_t>(1, grain), body);
}

#endif

void ThreadPool::run_inline(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t, int)> body) {
  Progress* progress = progress_.load(std::memory_order_relaxed);
  if (!progress || inside_chunk) {
    InsideChunk mark;
    body(begin, end, 0);
    return;
  }
  for (int64_t first = begin; first < end; first += grain) {
    if (progress->seen++ < progress->done) continue;
    if (progress->incomplete || (progress->advanced && std::chrono::steady_clock::now() >= progress->deadline)) {
      progress->incomplete = true;
      return;
    }
    InsideChunk mark;
    body(first, std::min(end, first + grain), 0);
    ++progress->done;
    progress->advanced = true;
  }
}

void ThreadPool::parallel_for(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t)> body) {
  auto with_slot = [&body](int64_t b, int64_t e, int) { body(b, e); };
  parallel_for_slots(begin, end, grain, with_slot);
}

bool ThreadPool::run_instalment(Instalments& state, std::chrono::microseconds budget, FunctionRef<void()> launch) {
  Progress progress;
  progress.done = state.chunks_done;
  progress.deadline = std::chrono::steady_clock::now() + budget;
  struct Reset {
    std::atomic<Progress*>& where;
    ~Reset() { where.store(nullptr, std::memory_order_relaxed); }
  };
  progress_.store(&progress, std::memory_order_relaxed);
  Reset reset{progress_};
  launch();
  state.chunks_done = progress.done;
  return !progress.incomplete;
}

}  // namespace tsr
