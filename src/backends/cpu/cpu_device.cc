#include "backends/cpu/cpu_device.h"

#include "backends/cpu/bands.h"
#include "backends/cpu/generic_launch.h"
#include "backends/cpu/tuned_launch.h"

namespace tsr::cpu {

std::map<std::string_view, TunedEntry>& tuned_table() {
  static std::map<std::string_view, TunedEntry> table;
  return table;
}

CpuDevice::CpuDevice() : pool_(std::make_unique<ThreadPool>(0)) {}

void CpuDevice::set_threads(int n) {
  const int wanted = n == 0 ? ThreadPool::available_cores() : n;
  if (wanted == pool_->size()) return;
  const int before = pool_->size();
  // Launches refer to the pool object by address: replace its insides, not the object.
  std::destroy_at(pool_.get());
  std::construct_at(pool_.get(), wanted);
  if (pool_->size() != before) ++epoch_;  // a build without threads keeps the one it has
}

Progress CpuDevice::run(Launch& launch, std::span<const BufferView> operands, BufferView out, std::byte* scratch,
                        const Deadline& deadline, int64_t& resume) {
  if (deadline.is_never() || pool_->size() > 1) {
    launch.run(operands, out, scratch);
    return Progress::kDone;
  }
  ThreadPool::Instalments state{resume};
  const auto budget = std::chrono::microseconds(static_cast<int64_t>(deadline.left_ms() * 1000));
  const bool done = pool_->run_instalment(state, budget, [&] { launch.run(operands, out, scratch); });
  resume = state.chunks_done;
  return done ? Progress::kDone : Progress::kMore;
}

std::unique_ptr<Launch> CpuDevice::compile(const Group& group) {
  if (std::unique_ptr<Launch> launch = TunedLaunch::make(group, *pool_)) return launch;
  return make_generic_launch(group, *pool_);
}

size_t CpuDevice::joins(std::span<const Group* const> groups) const { return bands_join(groups, {}); }

std::unique_ptr<Launch> CpuDevice::compile_joined(std::span<const Group* const> groups) { return make_bands(groups, {}, *pool_); }

namespace {
const bool kRegistered = [] {
  register_device("cpu", [] { return std::make_unique<CpuDevice>(); });
  return true;
}();
}  // namespace

}  // namespace tsr::cpu
