// GpuDevice: a Device over any GpuDriver. All policy is here and in its parts: memory by size class (buffer_pool.h), programs by
// structure (program_cache.h), shader text and grids (target.h), recording, splitting, readback and what a loss means.
//
// Losing the device makes every buffer and program meaningless. Reads under way fail with kDeviceLost; so does a run that is
// handed a buffer from before. Launches survive: they compile their program again when they next run.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/gpu/buffer_pool.h"
#include "backends/gpu/command_list.h"
#include "backends/gpu/driver.h"
#include "backends/gpu/program_cache.h"
#include "backends/gpu/target.h"
#include "runtime/device.h"

namespace tsr::gpu {

/// A tensor's memory; goes back to the pool when the last reference goes.
class GpuBuffer final : public DeviceBuffer {
 public:
  GpuBuffer(const Device* owner, std::shared_ptr<BufferPool> pool, const Memory& m)
      : memory(m), owner_(owner), pool_(std::move(pool)) {}
  ~GpuBuffer() override { pool_->give(memory); }
  size_t bytes() const override { return memory.desc.bytes; }
  const void* owner() const override { return owner_; }
  bool alive() const override { return pool_->alive(memory); }

  Memory memory;

 private:
  const Device* owner_;
  std::shared_ptr<BufferPool> pool_;
};

class GpuDevice final : public Device {
 public:
  GpuDevice(std::string name, std::unique_ptr<GpuDriver> driver, Language language);
  ~GpuDevice() override;

  const char* name() const override { return name_.c_str(); }
  bool is_host() const override { return false; }
  bool can_read_sync() const override { return driver_->limits().can_read_sync != 0; }
  int max_operands() const override { return static_cast<int>(driver_->limits().max_inputs); }

  std::unique_ptr<Launch> compile(const Group& group) override;
  Ref<DeviceBuffer> allocate(const TensorType& type) override;
  bool fits(const DeviceBuffer& buffer, const TensorType& type) const override;
  void upload(DeviceBuffer& buffer, const TensorType& type, const std::byte* data) override;
  void submit() override;

  int begin_read(DeviceBuffer& buffer, const TensorType& type) override;
  Progress poll_read(int request) override;
  void read_wait(int request) override;
  void take_read(int request, std::byte* out) override;

  size_t device_bytes() const override { return pool_->bytes(); }
  uint64_t epoch() const override { return driver_->epoch(); }
  bool lost() const override { return driver_->lost(); }

  // ---- For launches.
  Language language() const { return language_; }
  const Target& target() const { return *target_; }
  /// Compiles, or finds, the program of a kernel.
  std::shared_ptr<const Program> program(const ir::Kernel& kernel);
  /// Appends runs of the program that compute `elements` elements of `out`, split so that none runs long.
  void record(const Program& program, std::span<Memory* const> in, Memory& out, int64_t elements, int64_t steps_per_element,
              std::vector<uint32_t>& words);
  /// The buffer behind a view. Throws kDeviceLost when it is of an earlier epoch.
  Memory& memory_of(DeviceBuffer* buffer, const std::string& what);
  /// Notices a loss and drops what it made meaningless. Throws kDeviceLost while the device is not back.
  void check_alive();

  const BufferPool& pool() const { return *pool_; }
  const ProgramCache& programs() const { return programs_; }
  GpuDriver& driver() { return *driver_; }

 private:
  struct Read {
    TensorType type;
    uint32_t words = 0;
    std::string fault;  // of the device, while this read was under way
  };
  void sync_epoch();
  void collect_faults();

  std::string name_;
  Language language_;
  std::unique_ptr<GpuDriver> driver_;
  std::unique_ptr<Target> target_;
  std::shared_ptr<BufferPool> pool_;
  ProgramCache programs_;
  CommandList list_;
  uint64_t serial_ = 1;  // of list_
  uint32_t epoch_ = 0;
  std::unordered_map<int, Read> reads_;
  std::vector<uint32_t> scratch_;
  std::vector<const Memory*> operands_;
};

std::unique_ptr<Device> make_gpu_device(std::string name, std::unique_ptr<GpuDriver> driver, Language language);

/// Kernels written by hand for one op come on top of the pull kernels. A maker returns null when the group is not one that its
/// kernel handles. Each is tested against the op's body.
using TunedMaker = std::unique_ptr<Launch> (*)(GpuDevice& device, const Group& group);
/// The maker for an anchor op in a language, or null.
TunedMaker find_tuned(Language language, const std::string& op);

}  // namespace tsr::gpu
