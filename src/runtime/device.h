// Device: something that can run groups. The CPU shares the host's memory; GPUs have their own and are never waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/storage.h"
#include "graph/group.h"

namespace tsr {

/// A point in time after which resumable work should return when it can.
class Deadline {
 public:
  /// Never.
  Deadline() = default;
  static Deadline after_ms(double ms);
  bool passed() const;
  bool is_never() const { return at_ < 0; }
  /// Milliseconds until then, at least 0; only when there is a deadline.
  double left_ms() const;

 private:
  double at_ = -1;  // milliseconds on the steady clock; negative: never
};

/// How far resumable work has come. kWaiting: nothing to do here until the device (or a worker) reports.
enum class Progress { kDone, kMore, kWaiting };

/// Memory of one operand or result: `host` on a host device, `device` elsewhere.
struct BufferView {
  std::byte* host = nullptr;
  DeviceBuffer* device = nullptr;
};

/// A compiled group. Belongs to a plan and runs any number of times, one at a time; but calls for the instalments of several runs
/// alternate.
class Launch {
 public:
  virtual ~Launch() = default;
  /// Scratch memory run() wants (host devices); 64-byte aligned, contents undefined.
  virtual size_t scratch_bytes() const { return 0; }
  /// Runs (CPU) or records (GPU) the group. `operands` in the group's order. `out` never overlaps an operand, unless
  /// `in_place_operand()` named that operand.
  virtual void run(std::span<const BufferView> operands, BufferView out, std::byte* scratch) = 0;
  /// Takes new runtime attributes: `group` has the structure this launch was compiled from.
  virtual void update(const Group& group) = 0;
  /// Operand whose memory the result may take over element by element, or -1.
  virtual int in_place_operand() const { return -1; }
  /// False when the operand's bytes are not read by run() (packed at compile time): the plan need not keep them on the device.
  virtual bool reads_operand(int) const { return true; }
  /// For profiles and errors: "conv2d+bias+relu6 [winograd4]".
  virtual std::string describe() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const char* name() const = 0;  ///< "cpu", "webgpu", "webgl", "gl"
  /// True when tensors live in host memory and run() has finished when it returns.
  virtual bool is_host() const = 0;
  /// True when read_wait() works.
  virtual bool can_read_sync() const = 0;

  /// Compiles a group whose ops all have bodies or elementwise code. Throws kUnsupported naming the op when the device cannot.
  virtual std::unique_ptr<Launch> compile(const Group& group) = 0;

  /// groups[i + 1] reads the result of groups[i] as its anchor's first input, and nothing else reads that: how many of them, from
  /// the first on, the device would run as one launch that never holds the results in between. 1: the first alone.
  virtual size_t joins(std::span<const Group* const>) const { return 1; }
  /// As many groups as joins() said, compiled. Its operands are those of each group in turn, without the results in between; it
  /// takes no new attributes.
  virtual std::unique_ptr<Launch> compile_joined(std::span<const Group* const>) { return nullptr; }

  /// Runs a launch until it is done or the deadline has passed. kMore: call again with the same arguments and `resume`, which
  /// starts at 0. Devices that cannot stop within a launch run it whole.
  virtual Progress run(Launch& launch, std::span<const BufferView> operands, BufferView out, std::byte* scratch,
                       const Deadline& deadline, int64_t& resume) {
    (void)deadline;
    (void)resume;
    launch.run(operands, out, scratch);
    return Progress::kDone;
  }
  /// Most operands that one launch can bind.
  virtual int max_operands() const { return 1 << 20; }

  // ---- Memory of devices that are not hosts.
  /// Uninitialised memory for a tensor. May come from a pool.
  virtual Ref<DeviceBuffer> allocate(const TensorType& type) = 0;
  /// True when `buffer`, made for another tensor, can hold one of this type.
  virtual bool fits(const DeviceBuffer& buffer, const TensorType& type) const {
    return buffer.bytes() == static_cast<size_t>(type.shape.size()) * size_of(type.dtype);
  }
  /// Queues a copy of host bytes (C order, elements as in core/dtype.h) into the buffer.
  virtual void upload(DeviceBuffer& buffer, const TensorType& type, const std::byte* data) = 0;
  /// Sends everything recorded so far.
  virtual void submit() = 0;

  // ---- Readback: begin after submit, poll until done, take once.
  /// Returns a request number > 0.
  virtual int begin_read(DeviceBuffer& buffer, const TensorType& type) = 0;
  /// kDone when take_read may be called; kWaiting before. Throws kDeviceLost when the device went away.
  virtual Progress poll_read(int request) = 0;
  /// Blocks until done; only when can_read_sync().
  virtual void read_wait(int request) = 0;
  /// Copies the bytes (host layout) to `out` and forgets the request.
  virtual void take_read(int request, std::byte* out) = 0;

  /// CPU threads, the calling one included; devices without threads of ours ignore it.
  virtual void set_threads(int) {}
  virtual int threads() const { return 1; }

  /// Bytes of device memory held, pools included.
  virtual size_t device_bytes() const { return 0; }
  /// Counts up each time the device was lost, or changed its threads: launches (and device buffers) of an older epoch are dead.
  virtual uint64_t epoch() const { return 0; }
  /// Lost now and not usable yet: runs fail with kDeviceLost.
  virtual bool lost() const { return false; }
};

/// Devices by name. Factories are registered by the backends; a device is made when first asked for and made anew by
/// `remake`. Throws kUnsupported "device 'x' is not available: why; available: ...".
using DeviceFactory = std::function<std::unique_ptr<Device>()>;
void register_device(const std::string& name, DeviceFactory factory);
Device& get_device(const std::string& name);
std::vector<std::string> device_names();

}  // namespace tsr
