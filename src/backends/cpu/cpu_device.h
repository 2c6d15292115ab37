// The CPU as a device: tuned kernels where there are some, ahead-of-time elementwise code, and tile programs for everything else.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backends/cpu/kernels/epilogue.h"
#include "backends/cpu/kernels/image_rows.h"
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

/// An op that makes rows of images from rows of images, [batch, rows, row] each, and the means to do so for some rows at a time.
struct RowOp {
  int64_t batch = 1;
  RowWindow window;                 ///< which input rows an output row sees
  int64_t in_row = 0, out_row = 0;  ///< floats of a row
  int64_t out_rows = 0;             ///< of an image
  bool whole_input = false;         ///< run_rows() wants every row of its image in memory
  size_t weight_bytes = 0;          ///< read once for each call of run_rows(), about
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

  // ---- Kernels with a RowOp.
  virtual size_t row_scratch_bytes() const { return 0; }
  /// Output rows [first, last) of an image, on the calling thread, any number at a time. `x` holds the rows that they see.
  virtual void run_rows(std::span<const BufferView> /*operands*/, const ImageRows& /*x*/, const ImageRows& /*y*/,
                        int64_t /*image*/, int64_t /*first*/, int64_t /*last*/, const Epilogue&, std::byte* /*scratch*/) {
    check(false, "this kernel does not work row by row");
  }
};

/// Makes a tuned kernel for the group's anchor, or null when it has none for these dtypes and shapes.
using TunedFactory = std::unique_ptr<TunedKernel> (*)(const Group& group, ThreadPool& pool);
/// What a kernel made for the group will do row by row, if it can.
using RowOpOf = std::optional<RowOp> (*)(const Group& group);
struct TunedEntry {
  TunedFactory make = nullptr;
  bool takes_epilogue = false;  ///< conv2d, depthwise, matmul: bias, activation and residual cost nothing extra
  RowOpOf rows = nullptr;
};

/// The table of tuned kernels, by op name. Filled by the tuned_*.cc files.
std::map<std::string_view, TunedEntry>& tuned_table();
struct RegisterTuned {
  RegisterTuned(std::string_view op, TunedFactory make, bool takes_epilogue = false, RowOpOf rows = nullptr) {
    tuned_table()[op] = {make, takes_epilogue, rows};
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
  size_t joins(std::span<const Group* const> groups) const override;
  std::unique_ptr<Launch> compile_joined(std::span<const Group* const> groups) override;
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
