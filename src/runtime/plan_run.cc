#include <chrono>
#include <cstring>

#include "base/local_array.h"
#include "runtime/arena_pool.h"
#include "runtime/engine.h"
#include "runtime/plan.h"

namespace tsr {

// What a buffer is in this run.
struct PlanRun::Slot {
  Ref<Storage> storage;        // inputs, constants, outputs; strings
  std::byte* host = nullptr;   // memory on the host, when it is there
  Ref<HostBuffer> host_owner;  // holds `host`, unless that is the arena's
  Ref<DeviceBuffer> device;
  std::shared_ptr<Error> error;
};

namespace {

size_t bytes_of(const TensorType& t) { return static_cast<size_t>(t.shape.size()) * size_of(t.dtype); }

[[noreturn]] void fail_stale(const Device& device) {
  if (device.is_host()) fail(ErrorCode::kCancelled, "the number of threads changed while this was being computed; run it again");
  fail(ErrorCode::kDeviceLost, "the device '", device.name(), "' was lost; the next run rebuilds what it needs");
}

// Adds the time until the end of the block to a sum of milliseconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A host op's view of a run.
class StepHostCtx : public HostCtx {
 public:
  StepHostCtx(const Attrs& attrs, std::vector<HostTensor> in, std::vector<HostTensor> out)
      : attrs_(attrs), in_(std::move(in)), out_(std::move(out)) {}
  int num_inputs() const override { return static_cast<int>(in_.size()); }
  const HostTensor& in(int k) const override { return in_.at(static_cast<size_t>(k)); }
  HostTensor& out(int k) override { return out_.at(static_cast<size_t>(k)); }
  HostTensor& allocate(int k, const Shape& shape) override {
    HostTensor& t = out(k);
    check(t.type.shape == shape, "a host op of static shape allocated another shape than it inferred");
    return t;
  }
  const Attrs& raw_attrs() const override { return attrs_; }

 private:
  const Attrs& attrs_;
  std::vector<HostTensor> in_, out_;
};

}  // namespace

PlanRun::PlanRun(std::shared_ptr<Plan> plan, std::vector<Ref<Storage>> inputs, std::vector<Ref<Storage>> outputs,
                 const Graph* attrs_from, uint32_t first_node)
    : plan_(std::move(plan)), inputs_(std::move(inputs)), outputs_(std::move(outputs)), attrs_from_(attrs_from),
      first_node_(first_node), slots_(plan_->buffers().size()) {}

PlanRun::~PlanRun() {
  if (batch_) {
    batch_->cancel();
    Executor::get().finish(*batch_);
  }
  if (arena_) ArenaPool::get().give_back(std::move(arena_));
}

void PlanRun::set_input_error(size_t i, std::shared_ptr<Error> error) {
  for (size_t b = 0; b < slots_.size(); ++b) {
    const Plan::Buffer& buffer = plan_->buffers()[b];
    if (buffer.kind == Plan::Buffer::Kind::kInput && buffer.index == i) slots_[b].error = error;
  }
}

std::shared_ptr<Error> PlanRun::output_error(size_t i) const {
  for (size_t b = 0; b < slots_.size(); ++b) {
    const Plan::Buffer& buffer = plan_->buffers()[b];
    if (buffer.kind == Plan::Buffer::Kind::kOutput && buffer.index == i) return slots_[b].error;
  }
  return nullptr;
}

void PlanRun::begin() {
  begun_ = true;
  Device& device = plan_->device();
  if (plan_->stale() || device.lost()) {
    fail_stale(device);
  }
  if (device.is_host() && plan_->arena_bytes() + plan_->scratch_bytes() > 0) {
    arena_ = ArenaPool::get().take(plan_->arena_bytes() + plan_->scratch_bytes());
  }
  arena_slots_.resize(plan_->slot_bytes().size());
  for (size_t b = 0; b < slots_.size(); ++b) {
    const Plan::Buffer& buffer = plan_->buffers()[b];
    Slot& slot = slots_[b];
    switch (buffer.kind) {
      case Plan::Buffer::Kind::kInput: slot.storage = inputs_[buffer.index]; break;
      case Plan::Buffer::Kind::kConstant: slot.storage = plan_->constants()[buffer.index]; break;
      case Plan::Buffer::Kind::kOutput: slot.storage = outputs_[buffer.index]; break;
      case Plan::Buffer::Kind::kArena:
        if (device.is_host() && arena_) slot.host = arena_->data() + buffer.offset;
        break;
    }
    if (buffer.read && (buffer.kind == Plan::Buffer::Kind::kInput || buffer.kind == Plan::Buffer::Kind::kConstant)) {
      if (!device.is_host() && slot.storage->form().narrow()) continue;  // widened once, for device_of() to upload
      slot.host = slot.storage->host();
      slot.host_owner = slot.storage->host_buffer();  // a plan compiled meanwhile may release it
    }
  }
  if (!attrs_from_) return;
  for (Plan::Step& step : plan_->steps()) {
    if (!step.has_runtime) continue;
    if (step.kind == Plan::Step::Kind::kHost) {
      step.attrs = attrs_from_->node(first_node_ + step.source).attrs;
      continue;
    }
    bool changed = false;
    for (GroupNode& n : step.group.nodes) {
      const Attrs& now = attrs_from_->node(first_node_ + n.source).attrs;
      if (n.attrs.equal(now)) continue;
      n.attrs = now;
      changed = true;
    }
    if (changed) step.launch->update(step.group);
  }
}

Progress PlanRun::advance(const Deadline& deadline) {
  if (finished_) return Progress::kDone;
  Progress p;
  {
    const Stopwatch watch(spent_ms_);
    p = work(deadline);
  }
  if (finished_) plan_->last_run_ms = spent_ms_;
  return p;
}

Progress PlanRun::work(const Deadline& deadline) {
  if (!begun_) {
    try {
      begin();
    } catch (const Error& e) {
      const auto error = std::make_shared<Error>(e);
      for (Slot& s : slots_) s.error = error;
      finished_ = true;
      return Progress::kDone;
    }
  }
  const auto steps = plan_->steps();
  const bool host = plan_->device().is_host();
  while (at_ < steps.size()) {
    if (batch_) {
      if (!take_back(deadline)) return Progress::kWaiting;
      continue;
    }
    if (host && Executor::get().busy()) {  // CPU launches run one at a time: two runs may share a plan, and all share the pool
      if (!deadline.is_never()) return Progress::kWaiting;
      Executor::get().drain();
    }
    if (host && !deadline.is_never() && hand_over()) return Progress::kWaiting;
    Plan::Step& step = steps[at_];
    std::shared_ptr<Error> error;
    for (uint32_t b : step.operands) {
      if (slots_[b].error) error = slots_[b].error;
    }
    if (!error) {
      try {
        if (host && plan_->stale()) fail_stale(plan_->device());
        const Progress p = run_step(step, deadline);
        if (p != Progress::kDone) return p;
      } catch (const Error& e) {
        error = std::make_shared<Error>(e);
      } catch (const std::bad_alloc&) {
        error = std::make_shared<Error>(ErrorCode::kOutOfMemory, "out of memory");
      }
    }
    resume_ = 0;
    if (error) {
      child_.reset();
      reads_.clear();
      for (uint32_t b : step.results) slots_[b].error = error;
    }
    ++at_;
    if (at_ < steps.size() && deadline.passed()) return Progress::kMore;
  }
  finish();
  return Progress::kDone;
}

// Gives the launches from here on, up to the next step of another kind, to the executor, when it lives and they are worth it.
bool PlanRun::hand_over() {
  // Below this a turn of the host's event loop costs more than it frees.
  constexpr double kWorthMs = 0.5;
  if (plan_->last_run_ms < kWorthMs || resume_ != 0 || plan_->stale() || Engine::get().profiling() || !Executor::get().ready()) return false;
  auto batch = std::make_unique<LaunchBatch>(arena_ ? arena_->data() + plan_->arena_bytes() : nullptr);
  const auto steps = plan_->steps();
  for (size_t i = at_; i < steps.size() && steps[i].kind == Plan::Step::Kind::kLaunch; ++i) {
    const Plan::Step& step = steps[i];
    bool ok = true;
    for (uint32_t b : step.operands) ok = ok && !slots_[b].error;
    if (!ok) break;
    if (!step.launch) {
      batch->add(nullptr, 0, {});
      continue;
    }
    BufferView out;
    try {
      out.host = host_of(step.results[0]);
    } catch (const Error&) {
      break;  // no memory: the step meets that error when its turn comes
    }
    bind(step, batch->add(step.launch.get(), step.operands.size(), out));
  }
  if (batch->empty()) return false;
  batch_ = std::move(batch);
  Executor::get().post(*batch_);
  return true;
}

// Takes note of what the executor did; false while it is at it and there is time for other things.
bool PlanRun::take_back(const Deadline& deadline) {
  if (!batch_->done()) {
    if (!deadline.is_never()) return false;
    Executor::get().finish(*batch_);
  }
  at_ += batch_->completed();
  spent_ms_ += batch_->ms();
  if (batch_->error()) {
    for (uint32_t b : plan_->steps()[at_].results) slots_[b].error = batch_->error();
    ++at_;
  }
  batch_.reset();
  return true;
}

Progress PlanRun::run_step(Plan::Step& step, const Deadline& deadline) {
  switch (step.kind) {
    case Plan::Step::Kind::kLaunch: {
      Engine& engine = Engine::get();
      if (!engine.profiling()) return run_launch(step, deadline);
      const auto t0 = std::chrono::steady_clock::now();
      run_launch(step, Deadline());
      const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - t0;
      engine.profile_add({step.launch ? step.launch->describe() : "empty", plan_->device().name(), ms.count(),
                          bytes_of(step.result_types[0])});
      return Progress::kDone;
    }
    case Plan::Step::Kind::kHost: return run_host(step);
    case Plan::Step::Kind::kCall: return run_call(step, deadline);
  }
  return Progress::kDone;
}

// Host memory of a buffer; makes it for results that have none yet.
std::byte* PlanRun::host_of(uint32_t b) {
  Slot& slot = slots_[b];
  if (slot.host) return slot.host;
  const size_t bytes = bytes_of(plan_->buffers()[b].type);
  if (slot.storage && slot.storage->on_host()) {
    slot.host_owner = slot.storage->host_buffer();
    return slot.host = slot.storage->host();
  }
  slot.host_owner = Ref<HostBuffer>(new HostBuffer(bytes));
  slot.host = slot.host_owner->data();
  return slot.host;
}

// Device memory of a buffer, uploaded from the host when only that has it.
DeviceBuffer* PlanRun::device_of(uint32_t b, const TensorType& type) {
  Slot& slot = slots_[b];
  Device& device = plan_->device();
  if (slot.device) return slot.device.get();
  const Plan::Buffer& buffer = plan_->buffers()[b];
  Storage::HostBytes once;
  const bool source = buffer.kind == Plan::Buffer::Kind::kInput || buffer.kind == Plan::Buffer::Kind::kConstant;
  if (source) {
    const Ref<DeviceBuffer>& had = slot.storage->device();
    if (had && had->owner() == &device && had->alive()) {
      slot.device = had;
      return had.get();
    }
    if (!slot.host && slot.storage->elements() > 0) {
      if (!slot.storage->on_host()) {
        fail(ErrorCode::kDeviceLost, "a tensor's data was on a device that was lost, or on another device; compute it again");
      }
      once = slot.storage->read_host();
    }
  }
  const std::byte* const from_host = slot.host ? slot.host : once.data;
  if (buffer.kind == Plan::Buffer::Kind::kArena && !from_host) {
    // Blocks of one slot never live at once, so they share a buffer where the sizes agree.
    Ref<DeviceBuffer>& shared = arena_slots_[buffer.index];
    if (shared && device.fits(*shared, buffer.type)) {
      slot.device = shared;
      return slot.device.get();
    }
    shared = device.allocate(buffer.type);
    slot.device = shared;
    return slot.device.get();
  }
  slot.device = device.allocate(buffer.type);
  if (from_host) device.upload(*slot.device, type, from_host);
  if (source) slot.storage->set_device(slot.device);
  return slot.device.get();
}

Progress PlanRun::run_launch(Plan::Step& step, const Deadline& deadline) {
  if (!step.launch) return Progress::kDone;  // an empty result: nothing to compute
  LocalArray<BufferView, 8> list(step.operands.size());
  const std::span<BufferView> views = list.span();
  const bool host = plan_->device().is_host();
  bind(step, views);
  BufferView out;
  if (host) {
    out.host = host_of(step.results[0]);
  } else {
    out.device = device_of(step.results[0], step.result_types[0]);
  }
  std::byte* scratch = arena_ ? arena_->data() + plan_->arena_bytes() : nullptr;
  return plan_->device().run(*step.launch, views, out, scratch, deadline, resume_);
}

// The memory of a launch's operands, for those that it reads.
void PlanRun::bind(const Plan::Step& step, std::span<BufferView> views) {
  const bool host = plan_->device().is_host();
  for (size_t i = 0; i < step.operands.size(); ++i) {
    views[i] = {};
    if (!step.reads[i]) continue;
    if (host) {
      views[i].host = slots_[step.operands[i]].host;
    } else {
      views[i].device = device_of(step.operands[i], step.operand_types[i]);
    }
  }
}

// Brings buffers to the host; kWaiting while the device copies.
Progress PlanRun::fetch_to_host(std::span<const uint32_t> buffers, std::span<const TensorType> types) {
  Device& device = plan_->device();
  if (reads_.empty()) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      Slot& slot = slots_[buffers[i]];
      if (slot.host || types[i].dtype == DType::kString || types[i].shape.size() == 0) continue;
      if (slot.storage && slot.storage->on_host()) {
        slot.host = slot.storage->host();
        slot.host_owner = slot.storage->host_buffer();
        continue;
      }
      DeviceBuffer* from = slot.device ? slot.device.get() : device_of(buffers[i], types[i]);
      if (reads_.empty()) device.submit();
      reads_.emplace_back(buffers[i], device.begin_read(*from, types[i]));
    }
  }
  for (auto& [b, request] : reads_) {
    if (request < 0) continue;
    const Progress p = device.poll_read(request);
    if (p != Progress::kDone) return p;
    Slot& slot = slots_[b];
    slot.host_owner = Ref<HostBuffer>(new HostBuffer(bytes_of(plan_->buffers()[b].type)));
    device.take_read(request, slot.host_owner->data());
    slot.host = slot.host_owner->data();
    request = -1;
  }
  reads_.clear();
  return Progress::kDone;
}

Progress PlanRun::run_host(Plan::Step& step) {
  if (!plan_->device().is_host() && !step.op->shape_only) {
    const Progress p = fetch_to_host(step.operands, step.operand_types);
    if (p != Progress::kDone) return p;
  }
  std::vector<HostTensor> in, out;
  std::vector<std::vector<std::string>> strings(step.results.size());
  for (size_t i = 0; i < step.operands.size(); ++i) {
    Slot& slot = slots_[step.operands[i]];
    HostTensor t{step.operand_types[i], slot.host, nullptr};
    if (t.type.dtype == DType::kString) t.strings = &slot.storage->strings();
    in.push_back(t);
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    HostTensor t{step.result_types[i], nullptr, nullptr};
    if (t.type.dtype == DType::kString) {
      strings[i].resize(static_cast<size_t>(t.type.shape.size()));
      t.strings = &strings[i];
    } else {
      t.bytes = host_of(step.results[i]);
    }
    out.push_back(t);
  }
  StepHostCtx ctx(step.attrs, std::move(in), std::move(out));
  step.op->host(ctx);
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (step.result_types[i].dtype != DType::kString) continue;
    Slot& slot = slots_[step.results[i]];
    if (!slot.storage) slot.storage = Ref<Storage>(new Storage(DType::kString, step.result_types[i].shape.size()));
    slot.storage->set_strings(std::move(strings[i]));
  }
  return Progress::kDone;
}

Progress PlanRun::run_call(Plan::Step& step, const Deadline& deadline) {
  if (!child_) {
    std::vector<Ref<Storage>> inputs;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      const uint32_t b = step.operands[i];
      Slot& slot = slots_[b];
      if (!slot.storage || !slot.storage->ready()) {  // an intermediate of this plan: lend its memory, copied, to a storage of its own
        Ref<Storage> s(new Storage(step.operand_types[i].dtype, step.operand_types[i].shape.size()));
        if (slot.device) {
          s->set_device(slot.device);
        } else if (slot.host) {
          const size_t bytes = bytes_of(step.operand_types[i]);
          Ref<HostBuffer> copy(new HostBuffer(bytes));
          std::memcpy(copy->data(), slot.host, bytes);
          s->set_host(std::move(copy));
        }
        inputs.push_back(std::move(s));
      } else {
        inputs.push_back(slot.storage);
      }
    }
    child_outputs_.clear();
    child_ = step.call->start(std::move(inputs), &child_outputs_);
  }
  const Progress p = child_->advance(deadline);
  if (p != Progress::kDone) return p;
  child_.reset();
  for (size_t i = 0; i < step.results.size(); ++i) {
    Slot& slot = slots_[step.results[i]];
    Ref<Storage> made = child_outputs_[i];
    const Plan::Buffer& buffer = plan_->buffers()[step.results[i]];
    if (buffer.kind == Plan::Buffer::Kind::kArena) {
      slot.storage = made;
    } else if (!made->strings().empty()) {
      slot.storage->set_strings(made->strings());
    }
    if (made->on_host()) {
      slot.host = made->host();
      slot.host_owner = made->host_buffer();
    }
    slot.device = made->device();
  }
  return Progress::kDone;
}

void PlanRun::finish() {
  finished_ = true;
  if (!plan_->device().is_host()) plan_->device().submit();
  for (size_t b = 0; b < slots_.size(); ++b) {
    const Plan::Buffer& buffer = plan_->buffers()[b];
    Slot& slot = slots_[b];
    if (buffer.kind != Plan::Buffer::Kind::kOutput || slot.error) continue;
    if (slot.host_owner) {
      const size_t offset = static_cast<size_t>(slot.host - slot.host_owner->data());
      slot.storage->set_host(slot.host_owner, offset);
    }
    if (slot.device) slot.storage->set_device(slot.device);
  }
  if (arena_) ArenaPool::get().give_back(std::move(arena_));
  arena_ = {};
  arena_slots_.clear();
}

}  // namespace tsr
