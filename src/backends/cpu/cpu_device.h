// The CPU as a device: tuned kernels where there are some, ahead-of-time elementwise code, and tile programs for everything else.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "backends/cpu/kernels/epilogue.h"
#include "base/thread_pool.h"
#include "runtime/device.h"

namespace tsr::cpu {

/// A group's elementwise tail as a tuned kernel's epilogue takes it: which operand is the bias, the residual, the slope.
struct EpiloguePlan {
  Epilogue fixed;               ///< activation and flags; pointers are filled in when it runs
  int bias = -1, residual = -1, slope = -1;  ///< operands of the group
  size_t consumed = 1;          ///< nodes of the group that it covers, the anchor included
  std::string text;             ///< "+bias+relu6" for describe()
};

/// A compiled tuned kernel. Like Launch, but it covers only the anchor and the epilogue it was given.
class TunedKernel {
 public:
  virtual ~TunedKernel() = default;
  virtual size_t scratch_bytes() const { return 0; }
  virtual void run(std::span<const BufferView> operands, std::byte* out, const Epilogue& epilogue, std::byte* scratch) = 0;
  virtual bool reads_operand(int) const { return true; }
  virtual std::string describe() const = 0;
  /// New attributes of the anchor (runtime ones may differ).
  virtual void update(const GroupNode&) {}
};

/// Makes a tuned kernel for the group's anchor, or null when it has none for these dtypes and shapes.
using TunedFactory = std::unique_ptr<TunedKernel> (*)(const Group& group, ThreadPool& pool);
struct TunedEntry {
  TunedFactory make = nullptr;
  bool takes_epilogue = false;  ///< conv2d, depthwise, matmul: bias, activation and residual cost nothing extra
};

/// The table of tuned kernels, by op name. Filled by the tuned_*.cc files.
std::map<std::string_view, TunedEntry>& tuned_table();
struct RegisterTuned {
  RegisterTuned(std::string_view op, TunedFactory make, bool takes_epilogue = false) {
    tuned_table()[op] = {make, takes_epilogue};
  }
};

/// Reads the longest prefix of the group's tail that an Epilogue can express. Columns are the innermost axis of the result.
EpiloguePlan match_epilogue(const Group& group);

class CpuDevice : public Device {
 public:
  CpuDevice();
  const char* name() const override { return "cpu"; }
  bool is_host() const override { return true; }
  bool can_read_sync() const override { return true; }
  std::unique_ptr<Launch> compile(const Group& group) override;
  /// Without other threads, launches are cut into instalments so that a page stays responsive.
  Progress run(Launch& launch, std::span<const BufferView> operands, BufferView out, std::byte* scratch,
               const Deadline& deadline, int64_t& resume) override;
  Ref<DeviceBuffer> allocate(const TensorType&) override { return {}; }
  void upload(DeviceBuffer&, const TensorType&, const std::byte*) override {}
  void submit() override {}
  int begin_read(DeviceBuffer&, const TensorType&) override { return 0; }
  Progress poll_read(int) override { return Progress::kDone; }
  void read_wait(int) override {}
  void take_read(int, std::byte*) override {}
  void set_threads(int n) override;
  int threads() const override { return pool_->size(); }
  /// Launches hold scratch memory for as many threads as there were when they were compiled.
  uint64_t epoch() const override { return epoch_; }
  ThreadPool& pool() { return *pool_; }

 private:
  uint64_t epoch_ = 0;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace tsr::cpu
