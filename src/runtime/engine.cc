#include "runtime/engine.h"

#include <cstring>
#include <deque>

#include "base/executor.h"
#include "runtime/arena_pool.h"
#include "runtime/host_call.h"
#include "runtime/plan_cache.h"
#include "runtime/trace.h"

namespace tsr {
namespace {

// When a run of ops outside scopes, or what the queue of closed traces keeps, grows beyond this it is run without being asked:
// bounds memory in programs that never read. 256 ops amortise a plan's fixed costs; 64 MiB is a few large activations.
constexpr uint32_t kMaxPendingNodes = 256;
constexpr size_t kMaxPendingBytes = size_t{64} << 20;
constexpr size_t kMaxQueued = 16;

std::vector<Tensor> record_op(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs, std::vector<TensorType>& types);
void read_now(TensorImpl& impl);

}  // namespace

struct Engine::Impl {
  Ref<TraceGraph> current;
  int scopes = 0;
  int tapes = 0;
  bool blocking = false;
  std::deque<std::unique_ptr<TraceRun>> queue;
  size_t queued_bytes = 0;
  Device* device = nullptr;
  std::string device_name = "cpu";
  int wanted_threads = 0;
  bool profiling = false;
  std::vector<LaunchTime> profile;

  Ref<TraceGraph> spare;  // one that is over, for the next recording: ops that are read one by one allocate little

  TraceGraph& trace() {
    if (!current) current = spare ? std::exchange(spare, {}) : Ref<TraceGraph>(new TraceGraph());
    return *current;
  }

  void drop_front() {
    Ref<TraceGraph> over = queue.front()->trace();
    queue.pop_front();
    constexpr uint32_t kFewNodes = 64;  // what a spare may keep in memory: some 20 KB
    if (spare || over->refs() != 1 || over->num_nodes() > kFewNodes) return;
    over->recycle();
    spare = std::move(over);
  }

  // Closes the recording so far; what is recorded next starts anew.
  void seal() {
    if (!current) return;
    Ref<TraceGraph> t = std::move(current);
    current = {};
    if (t->num_nodes() == 0) return;
    queued_bytes += t->retained_bytes();
    queue.push_back(std::make_unique<TraceRun>(std::move(t), false));
  }

  // Lets what has been recorded be run, without forgetting what a tape may still need.
  void close_for_read() {
    if (!current || !current->pending()) return;
    if (tapes > 0) {
      queue.push_back(std::make_unique<TraceRun>(current, true));
    } else {
      seal();
    }
  }
};

Engine& Engine::get() {
  static Engine* engine = new Engine();  // never destroyed: tensors in static objects may outlive main
  return *engine;
}

Engine::Engine() : impl_(std::make_unique<Impl>()) {}
Engine::~Engine() = default;

namespace {

std::vector<Tensor> run_dynamic(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
                                std::span<const TensorType> types) {
  Engine& engine = Engine::get();
  std::vector<TypedStorage> in;
  for (const Tensor& t : inputs) {
    std::unique_ptr<ReadTask> read = engine.start_read(t);
    engine.wait(*read);
    Ref<Storage> s = t.impl()->storage;
    if (!s->on_host() && s->elements() > 0 && t.dtype() != DType::kString) {  // it stays on the device; use the copy
      Ref<Storage> copy(new Storage(t.dtype(), t.size()));
      Ref<HostBuffer> bytes(new HostBuffer(read->bytes().size()));
      std::memcpy(bytes->data(), read->bytes().data(), read->bytes().size());
      copy->set_host(std::move(bytes));
      s = std::move(copy);
    }
    in.push_back({t.type(), std::move(s)});
  }
  std::vector<Tensor> out;
  for (TypedStorage& t : call_host_op(op, attrs, in, types)) {
    Ref<TensorImpl> impl(new TensorImpl(t.type, std::move(t.storage)));
    impl->retain();
    out.emplace_back(impl.get());
  }
  return out;
}

std::vector<Tensor> record_op(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs, std::vector<TensorType>& types);

}  // namespace

// ---- Scopes ----------------------------------------------------------------------------------------------------------------

void Engine::begin_scope() {
  // What was recorded outside does not belong to the scope's trace: its plan must not depend on it.
  if (impl_->scopes == 0 && impl_->tapes == 0) impl_->seal();
  ++impl_->scopes;
}

void Engine::end_scope() {
  check(impl_->scopes > 0, "end_scope without begin_scope");
  --impl_->scopes;
  if (impl_->scopes > 0 || impl_->tapes > 0) return;
  impl_->seal();
  if (impl_->queue.size() > kMaxQueued || impl_->queued_bytes > kMaxPendingBytes) advance_queue(Deadline());
}

// ---- Running and reading ---------------------------------------------------------------------------------------------------

Progress Engine::advance_queue(const Deadline& deadline) {
  while (!impl_->queue.empty()) {
    const Progress p = impl_->queue.front()->advance(deadline);
    if (p != Progress::kDone) return p;
    impl_->drop_front();
    if (impl_->queue.empty()) impl_->queued_bytes = 0;
    if (!impl_->queue.empty() && deadline.passed()) return Progress::kMore;
  }
  return Progress::kDone;
}

void Engine::flush() {
  impl_->close_for_read();
  advance_queue(Deadline());
}

namespace {

class TensorRead : public ReadTask {
 public:
  explicit TensorRead(const Tensor& t) : tensor_(t) {}

  Progress advance(const Deadline& deadline) override {
    if (done_) return Progress::kDone;
    Engine& engine = Engine::get();
    const TensorImpl& impl = *tensor_.impl();
    if (impl.error) throw *impl.error;
    if (!impl.storage->ready()) {
      const Progress p = engine.advance_queue(deadline);
      if (impl.error) throw *impl.error;
      if (!impl.storage->ready()) {
        check(p != Progress::kDone, "a pending tensor was not computed by its trace");
        return p;
      }
    }
    const Storage& s = *impl.storage;
    if (s.on_host() || s.elements() == 0 || s.dtype() == DType::kString) {
      bytes_ = s.read_host();
      done_ = true;
      return Progress::kDone;
    }
    return read_device(engine, s);
  }

  const TensorType& type() const override { return tensor_.type(); }
  std::span<const std::byte> bytes() const override {
    return {bytes_.data, bytes_.data ? tensor_.impl()->storage->logical_bytes() : 0};
  }
  const std::vector<std::string>& strings() const override { return tensor_.impl()->storage->strings(); }

 private:
  Progress read_device(Engine& engine, const Storage& s) {
    // The buffer may belong to a device that is not the current one any more.
    if (request_ == 0) {
      require(s.device()->alive(), "the tensor's data was on a device that was lost; compute it again");
      device_ = const_cast<Device*>(static_cast<const Device*>(s.device()->owner()));
      device_->submit();
      request_ = device_->begin_read(*s.device(), tensor_.type());
      if (engine.blocking()) device_->read_wait(request_);
    }
    const Progress p = device_->poll_read(request_);
    if (p != Progress::kDone) return p;
    Ref<HostBuffer> copy(new HostBuffer(s.logical_bytes()));
    device_->take_read(request_, copy->data());
    bytes_.data = copy->data();
    bytes_.owner = std::move(copy);
    done_ = true;
    return Progress::kDone;
  }

  Tensor tensor_;
  Device* device_ = nullptr;
  Storage::HostBytes bytes_;
  int request_ = 0;
  bool done_ = false;
};

void read_now(TensorImpl& impl) {
  impl.retain();
  const Tensor t(&impl);
  Engine& engine = Engine::get();
  std::unique_ptr<ReadTask> task = engine.start_read(t);
  engine.wait(*task);
  if (!impl.storage->on_host() && impl.storage->elements() > 0) {
    Ref<HostBuffer> copy(new HostBuffer(task->bytes().size()));
    std::memcpy(copy->data(), task->bytes().data(), task->bytes().size());
    impl.storage->set_host(std::move(copy));
  }
}

}  // namespace

std::unique_ptr<ReadTask> Engine::start_read(const Tensor& t) {
  require(t.defined(), "cannot read a Tensor that was never set or was moved from");
  if (!t.impl()->storage->ready()) impl_->close_for_read();
  return std::make_unique<TensorRead>(t);
}

Progress Engine::poll(Task& task, double budget_ms) {
  if (budget_ms < 0) {
    wait(task);
    return Progress::kDone;
  }
  return task.advance(Deadline::after_ms(budget_ms));
}

void Engine::wait(Task& task) {
  struct Restore {
    bool& flag;
    bool before;
    ~Restore() { flag = before; }
  } restore{impl_->blocking, impl_->blocking};
  impl_->blocking = device().can_read_sync();
  for (;;) {
    const Progress p = task.advance(Deadline());
    if (p == Progress::kDone) return;
    if (p == Progress::kWaiting && !device().can_read_sync()) {
      fail(ErrorCode::kUnsupported, "the device '", device().name(),
           "' cannot be read synchronously; use the asynchronous form (data(), array(), executeAsync())");
    }
  }
}

bool Engine::blocking() const { return impl_->blocking; }

// ---- Recording -------------------------------------------------------------------------------------------------------------

namespace {

std::vector<Tensor> record_op(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs, std::vector<TensorType>& types) {
  for (const Tensor& t : inputs) {
    if (t.impl()->error) throw *t.impl()->error;
  }
  if (op.dynamic_outputs) return run_dynamic(op, inputs, attrs, types);
  return Engine::get().record(op, inputs, std::move(attrs), types);
}

}  // namespace

std::vector<Tensor> Engine::record(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs,
                                   std::span<const TensorType> types) {
  std::vector<Tensor> out = impl_->trace().record(op, inputs, std::move(attrs), types);
  after_record();
  return out;
}

std::vector<Tensor> Engine::record_call(std::shared_ptr<void> target, std::span<const Tensor> inputs,
                                        std::span<const TensorType> types) {
  std::vector<Tensor> out = impl_->trace().record_call(std::move(target), inputs, types);
  after_record();
  return out;
}

void Engine::after_record() {
  if (impl_->scopes > 0 || impl_->tapes > 0) return;
  const TraceGraph& t = *impl_->current;
  if (t.num_nodes() - t.watermark() >= kMaxPendingNodes || t.pending_bytes() > kMaxPendingBytes) flush();
}

// ---- Gradients (the walk itself: gradient.cc) ------------------------------------------------------------------------------

void Engine::begin_tape() {
  if (impl_->tapes == 0 && impl_->scopes == 0) impl_->seal();
  ++impl_->tapes;
}

void Engine::end_tape() {
  check(impl_->tapes > 0, "end_tape without begin_tape");
  --impl_->tapes;
  if (impl_->tapes > 0) return;
  if (impl_->current) impl_->current->custom_gradients.clear();
  if (impl_->scopes == 0) impl_->seal();
}

bool Engine::tape_open() const { return impl_->tapes > 0; }

TraceGraph& Engine::tape() {
  require(impl_->tapes > 0, "[grad] no gradient tape is open");
  return impl_->trace();
}

// ---- Devices ---------------------------------------------------------------------------------------------------------------

Device& Engine::device() {
  if (!impl_->device) {
    impl_->device = &get_device(impl_->device_name);
    if (impl_->wanted_threads) impl_->device->set_threads(impl_->wanted_threads);
  }
  return *impl_->device;
}

void Engine::set_device(const std::string& name) {
  Device& next = get_device(name);
  if (impl_->device == &next) return;
  flush();
  impl_->device = &next;
  impl_->device_name = name;
  if (impl_->wanted_threads) next.set_threads(impl_->wanted_threads);
}

void Engine::set_threads(int n) {
  require(n >= 0 && n <= 1024, "the number of threads must be 0 (automatic) to 1024, got ", n);
  impl_->wanted_threads = n;
  flush();
  Executor::get().drain();  // model runs that the queue does not know
  get_device("cpu").set_threads(n);
}

int Engine::threads() const { return get_device("cpu").threads(); }

// ---- Memory, profile -------------------------------------------------------------------------------------------------------

Engine::Memory Engine::memory() {
  Memory m;
  m.data_buffers = Storage::live_count();
  m.logical_bytes = Storage::live_bytes();
  m.host_bytes = HostBuffer::total();
  m.peak_host_bytes = HostBuffer::peak();
  m.cap = HostBuffer::cap();
  m.device_bytes = device().device_bytes();
  m.plans = PlanCache::get().size();
  return m;
}

void Engine::profile_begin() {
  flush();
  impl_->profiling = true;
  impl_->profile.clear();
}

std::vector<Engine::LaunchTime> Engine::profile_end() {
  flush();
  impl_->profiling = false;
  return std::move(impl_->profile);
}

bool Engine::profiling() const { return impl_->profiling; }
void Engine::profile_add(LaunchTime t) { impl_->profile.push_back(std::move(t)); }

// Installed when the program starts: a tensor or an op may be the first thing that anybody asks for.
namespace {
const bool kInstalled = [] {
  set_recorder(record_op);
  set_reader(read_now);
  return true;
}();
}  // namespace

}  // namespace tsr
