// A tuned kernel as a launch: the kernel, the epilogue it applies, and what is left of the group's tail.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/chain.h"
#include "backends/cpu/cpu_device.h"

namespace tsr::cpu {

class TunedLaunch : public Launch {
 public:
  /// Null when there is no tuned kernel for the group's anchor, or none that its tail can follow.
  static std::unique_ptr<TunedLaunch> make(const Group& group, ThreadPool& pool);

  size_t scratch_bytes() const override;
  void run(std::span<const BufferView> operands, BufferView out, std::byte* scratch) override;
  void update(const Group& group) override;
  bool reads_operand(int i) const override;
  std::string describe() const override;

  TunedKernel& kernel() { return *kernel_; }
  /// The kernel and its epilogue are all there is.
  bool only_kernel() const { return !chain_ && !tail_; }
  /// The epilogue with its operands' memory; a chain is not in it.
  Epilogue epilogue(std::span<const BufferView> operands) const;

 private:
  // A chain's memory during a call from within a kernel, on the stack of whichever thread runs it.
  static constexpr size_t kTailScratch = size_t{48} << 10;

  TunedLaunch(const Group& group, std::unique_ptr<TunedKernel> kernel, EpiloguePlan epilogue, bool in_epilogue, ThreadPool& pool);
  static void apply_chain(void* self, float* values, int64_t row, int64_t col, int64_t n);
  Group tail_group(const Group& group) const;

  std::unique_ptr<TunedKernel> kernel_;
  EpiloguePlan epilogue_;
  std::unique_ptr<Launch> tail_;
  std::unique_ptr<Chain> chain_;
  std::string tail_names_;
  std::vector<BufferView> tail_operands_;
  int64_t columns_ = 0;  // of the result
};

}  // namespace tsr::cpu
