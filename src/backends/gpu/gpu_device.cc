#include "backends/gpu/gpu_device.h"

#include <algorithm>
#include <utility>

#include "backends/gpu/gpu_launch.h"
#include "backends/gpu/words.h"
#include "base/error.h"

namespace tsr::gpu {
namespace {

/// Sent at this many runs even when nobody asks, so that the GPU starts while the rest is still being recorded.
constexpr int kRunsPerSubmit = 128;

/// Loop steps in one run. Browsers and operating systems kill a GPU process whose command takes more than about two seconds; a
/// slow phone does some 10^10 of these a second, a software renderer 10^8.
constexpr int64_t kStepsPerRun = int64_t{1} << 28;

/// APIs report in words of their own.
ErrorCode code_of(const std::string& fault) {
  return fault.find("shader") == std::string::npos && fault.find("memory") != std::string::npos ? ErrorCode::kOutOfMemory
                                                                                               : ErrorCode::kInternal;
}

/// Readbacks are numbered across devices: the host reports them by number alone.
int next_request() {
  static int request = 0;
  return ++request;
}

}  // namespace

GpuDevice::GpuDevice(std::string name, std::unique_ptr<GpuDriver> driver, Language language)
    : name_(std::move(name)),
      language_(language),
      driver_(std::move(driver)),
      target_(make_target(language)),
      pool_(std::make_shared<BufferPool>(*driver_)),
      programs_(*driver_, *target_),
      epoch_(driver_->epoch()) {
  pool_->forget(epoch_);
}

GpuDevice::~GpuDevice() { pool_->close(); }

void GpuDevice::sync_epoch() {
  const uint32_t now = driver_->epoch();
  if (now == epoch_) return;
  epoch_ = now;
  pool_->forget(now);
  programs_.forget();
  list_.clear();
  ++serial_;
}

void GpuDevice::check_alive() {
  sync_epoch();
  if (driver_->lost()) fail(ErrorCode::kDeviceLost, "the GPU device '", name_, "' was lost and is not back yet");
}

void GpuDevice::collect_faults() {
  const std::string fault = driver_->take_error();
  if (fault.empty()) return;
  // The command list does not say which tensor a fault reached: every read under way may have been.
  for (auto& [request, read] : reads_)
    if (read.fault.empty()) read.fault = fault;
  if (reads_.empty()) fail(code_of(fault), "the GPU device '", name_, "' reports: ", fault);
}

std::unique_ptr<Launch> GpuDevice::compile(const Group& group) {
  check_alive();
  for (const GroupNode& node : group.nodes) {
    if (node.op->body == nullptr) fail(ErrorCode::kUnsupported, "[", node.op->name, "] has no kernel for GPUs");
  }
  for (const GroupOperand& operand : group.operands) element_of(operand.type.dtype);  // throws for complex64 and string
  return make_launch(*this, group);
}

std::shared_ptr<const Program> GpuDevice::program(const ir::Kernel& kernel) {
  check_alive();
  return programs_.get(kernel, epoch_);
}

Ref<DeviceBuffer> GpuDevice::allocate(const TensorType& type) {
  check_alive();
  const Element element = element_of(type.dtype);
  const Memory memory = pool_->take(element, static_cast<uint64_t>(type.shape.size()));
  return Ref<DeviceBuffer>(new GpuBuffer(this, pool_, memory));
}

bool GpuDevice::fits(const DeviceBuffer& buffer, const TensorType& type) const {
  // Shaders ask a texture for its width, so only the element kind and the room matter.
  const auto& b = static_cast<const GpuBuffer&>(buffer);
  return b.owner() == static_cast<const Device*>(this) && b.memory.desc.element == element_of(type.dtype) &&
         b.bytes() >= static_cast<size_t>(type.shape.size() + 3) / 4 * 16;
}

Memory& GpuDevice::memory_of(DeviceBuffer* buffer, const std::string& what) {
  check(buffer != nullptr, "[", what, "] was given no GPU memory");
  Memory& m = static_cast<GpuBuffer*>(buffer)->memory;
  if (m.epoch != epoch_) {
    fail(ErrorCode::kDeviceLost, "[", what, "] the GPU device '", name_, "' was lost, and a tensor's memory with it");
  }
  return m;
}

void GpuDevice::upload(DeviceBuffer& buffer, const TensorType& type, const std::byte* data) {
  check_alive();
  Memory& m = memory_of(&buffer, "upload");
  const auto count = static_cast<size_t>(type.shape.size());
  if (count == 0) return;
  // The memory came back to the pool while recorded work still used it: that work goes first.
  if (m.last_use == serial_) submit();
  driver_->upload(m.id, to_words(type.dtype, data, count, scratch_));
  if (scratch_.size() > (size_t{1} << 20)) scratch_ = {};  // do not sit on a weight's worth of memory
}

void GpuDevice::record(const Program& program, std::span<Memory* const> in, Memory& out, int64_t elements,
                       int64_t steps_per_element, std::vector<uint32_t>& words) {
  if (elements == 0) return;
  operands_.assign(in.begin(), in.end());
  const int64_t most = std::max<int64_t>(1, kStepsPerRun / std::max<int64_t>(1, steps_per_element));
  target_->record(list_, program.id, program.layout, operands_, out, elements, most, words);
  for (Memory* m : in) m->last_use = serial_;
  out.last_use = serial_;
  if (list_.runs() >= kRunsPerSubmit) submit();
}

void GpuDevice::submit() {
  sync_epoch();
  if (!list_.empty()) {
    driver_->encode(list_.words());
    list_.clear();
    ++serial_;
  }
  pool_->trim();
  programs_.trim();
}

int GpuDevice::begin_read(DeviceBuffer& buffer, const TensorType& type) {
  check_alive();
  Memory& m = memory_of(&buffer, "read");
  submit();
  const int request = next_request();
  const auto words = static_cast<uint32_t>(type.shape.size());
  reads_.emplace(request, Read{type, words, {}});
  if (words > 0) driver_->begin_read(static_cast<uint32_t>(request), m.id, words);
  return request;
}

Progress GpuDevice::poll_read(int request) {
  sync_epoch();
  const auto it = reads_.find(request);
  check(it != reads_.end(), "poll of an unknown readback");
  if (it->second.words == 0) return Progress::kDone;
  const ReadState state = driver_->poll_read(static_cast<uint32_t>(request));
  if (state == ReadState::kPending) return Progress::kWaiting;
  collect_faults();
  const std::string fault = it->second.fault;
  if (state == ReadState::kDone && fault.empty()) return Progress::kDone;
  driver_->take_read(static_cast<uint32_t>(request), {});
  reads_.erase(it);
  if (!fault.empty()) fail(code_of(fault), "the GPU device '", name_, "' reports: ", fault);
  fail(ErrorCode::kDeviceLost, "the GPU device '", name_, "' was lost before a tensor could be read from it");
}

void GpuDevice::read_wait(int request) {
  if (!can_read_sync()) {
    fail(ErrorCode::kUnsupported, "the device '", name_, "' cannot be read synchronously: use the asynchronous data() instead");
  }
  const auto it = reads_.find(request);
  check(it != reads_.end(), "wait for an unknown readback");
  if (it->second.words > 0) driver_->read_wait(static_cast<uint32_t>(request));
}

void GpuDevice::take_read(int request, std::byte* out) {
  const auto it = reads_.find(request);
  check(it != reads_.end(), "an unknown readback was taken");
  const Read read = std::move(it->second);
  reads_.erase(it);
  if (read.words == 0) return;
  if (read.type.dtype == DType::kFloat32 || read.type.dtype == DType::kInt32) {
    driver_->take_read(static_cast<uint32_t>(request), {reinterpret_cast<uint32_t*>(out), read.words});
    return;
  }
  scratch_.resize(read.words);
  driver_->take_read(static_cast<uint32_t>(request), scratch_);
  from_words(read.type.dtype, scratch_, read.words, out);
}

std::unique_ptr<Device> make_gpu_device(std::string name, std::unique_ptr<GpuDriver> driver, Language language) {
  return std::make_unique<GpuDevice>(std::move(name), std::move(driver), language);
}

}  // namespace tsr::gpu
