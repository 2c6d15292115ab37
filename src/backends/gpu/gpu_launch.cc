#include "backends/gpu/gpu_launch.h"

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ir/kernel.h"

namespace tsr::gpu {
namespace {

class PullLaunch final : public Launch {
 public:
  PullLaunch(GpuDevice& device, const Group& group) : device_(device) {
    for (const GroupOperand& operand : group.operands) shapes_.push_back(operand.type.shape);
    out_ = group.result().shape;
    elements_ = out_.size();
    for (const GroupNode& node : group.nodes) what_ += (what_.empty() ? "" : "+") + std::string(node.op->name);
    take(group);
    program_ = device_.program(kernel_);  // compiled now, so that a plan's programs compile side by side
  }

  void run(std::span<const BufferView> operands, BufferView out, std::byte*) override {
    device_.check_alive();
    if (program_->epoch != device_.epoch()) program_ = device_.program(kernel_);
    memories_.clear();
    for (const BufferView& view : operands) memories_.push_back(&device_.memory_of(view.device, what_));
    device_.record(*program_, memories_, device_.memory_of(out.device, what_), elements_, steps_, words_);
  }

  void update(const Group& group) override { take(group); }

  std::string describe() const override { return what_; }

 private:
  void take(const Group& group) {
    kernel_ = lower(group);
    check(kernel_.inputs.size() == shapes_.size(), "[", what_, "] the kernel's inputs are not the group's operands");
    words_ = device_.target().words(kernel_, shapes_, out_);
    steps_ = steps_per_element(kernel_, shapes_, out_);
  }

  GpuDevice& device_;
  ir::Kernel kernel_;
  std::vector<Shape> shapes_;
  Shape out_;
  int64_t elements_ = 0, steps_ = 1;
  std::string what_;
  std::vector<uint32_t> words_;
  std::shared_ptr<const Program> program_;
  std::vector<Memory*> memories_;
};

}  // namespace

std::unique_ptr<Launch> make_launch(GpuDevice& device, const Group& group) {
  if (const TunedMaker maker = find_tuned(device.language(), group.anchor().op->name)) {
    if (auto launch = maker(device, group)) return launch;
  }
  return std::make_unique<PullLaunch>(device, group);
}

TunedMaker find_tuned(Language, const std::string&) { return nullptr; }

}  // namespace tsr::gpu
