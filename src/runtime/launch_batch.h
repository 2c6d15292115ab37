// LaunchBatch: consecutive launches of a plan on a host device, as one job for the executor thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/executor.h"
#include "runtime/device.h"
#include "tessera/error.h"

namespace tsr {

/// Filled by the plan's run, which owns it and everything it points to until done(). Stops at the first launch that fails.
class LaunchBatch : public Executor::Job {
 public:
  explicit LaunchBatch(std::byte* scratch) : scratch_(scratch) {}

  /// Appends a launch (null: nothing to do) with room for `operands` views, to be filled before the job is posted. The span
  /// holds until the next add.
  std::span<BufferView> add(Launch* launch, size_t operands, BufferView out);
  bool empty() const { return items_.empty(); }

  void run() override;
  /// Lets it end after the launch it is in.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  // Once done:
  size_t completed() const { return completed_; }  ///< launches that ran, from the first
  const std::shared_ptr<Error>& error() const { return error_; }  ///< of the launch after those
  double ms() const { return ms_; }

 private:
  struct Item {
    Launch* launch;
    size_t first, count;  // of views_
    BufferView out;
  };
  std::vector<Item> items_;
  std::vector<BufferView> views_;
  std::byte* scratch_;
  std::atomic<bool> cancelled_{false};
  size_t completed_ = 0;
  std::shared_ptr<Error> error_;
  double ms_ = 0;
};

}  // namespace tsr
