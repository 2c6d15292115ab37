// Plan: a typed graph compiled for one device. Launches in order, one arena, constants packed. Runs any number of times.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "graph/group.h"
#include "runtime/device.h"
#include "runtime/launch_batch.h"
#include "runtime/task.h"

namespace tsr {

/// Something a kCall node calls: the runtime's side of a model.
class CallTarget {
 public:
  virtual ~CallTarget() = default;
  /// A task that computes the outputs from storages that are ready. `outputs` are filled when it is done.
  virtual std::unique_ptr<Task> start(std::vector<Ref<Storage>> inputs, std::vector<Ref<Storage>>* outputs) = 0;
};

class Plan {
 public:
  /// Compiles. Every value of `graph` is typed; nodes are kOp (without late attributes) or kCall. `outputs` are distinct
  /// results of non-alias nodes. Costs milliseconds for a whole model: shaders, packed weights.
  /// `static_attrs`: runtime attributes will never change (a model), so no copies are kept for updating them.
  static std::shared_ptr<Plan> compile(const Graph& graph, std::span<const ValueId> outputs, Device& device,
                                       bool static_attrs);

  struct Buffer {
    enum class Kind : uint8_t { kInput, kConstant, kOutput, kArena };
    Kind kind = Kind::kArena;
    uint32_t index = 0;   ///< of the graph's inputs, of `constants`, of the plan's outputs; kArena: its slot
    size_t offset = 0;    ///< kArena on a host device
    bool read = false;    ///< some step reads its bytes (weights that kernels have packed: none does)
    TensorType type;
  };
  struct Step {
    enum class Kind : uint8_t { kLaunch, kHost, kCall };
    Kind kind = Kind::kLaunch;
    std::unique_ptr<Launch> launch;
    Group group;                      ///< kept when runtime attributes may change
    bool has_runtime = false;
    const OpDef* op = nullptr;        ///< kHost
    Attrs attrs;                      ///< kHost
    uint32_t source = 0;              ///< kHost, kCall: index of the node
    std::shared_ptr<CallTarget> call;
    std::vector<uint32_t> operands;   ///< buffers
    std::vector<bool> reads;          ///< kLaunch: whether it reads the operand's bytes
    std::vector<TensorType> operand_types;  ///< as seen here (a view may differ from the buffer's own type)
    std::vector<uint32_t> results;    ///< buffers; kNoBuffer for an output of a host op that nobody wants
    std::vector<TensorType> result_types;
  };
  static constexpr uint32_t kNoBuffer = ~uint32_t{0};

  std::span<Step> steps() { return steps_; }
  std::span<const Buffer> buffers() const { return buffers_; }
  std::span<const Ref<Storage>> constants() const { return constants_; }
  size_t arena_bytes() const { return arena_bytes_; }    ///< host device: intermediates
  size_t scratch_bytes() const { return scratch_bytes_; }  ///< host device: the largest launch's scratch, after the arena
  std::span<const size_t> slot_bytes() const { return slot_bytes_; }
  Device& device() const { return *device_; }
  uint64_t epoch() const { return epoch_; }
  /// How long the last run on a host device worked, in milliseconds; before the first run: a guess.
  double last_run_ms = 0;
  /// True when it was compiled for a device that has been lost since.
  bool stale() const { return epoch_ != device_->epoch(); }

 private:
  friend class PlanCompiler;
  Device* device_ = nullptr;
  uint64_t epoch_ = 0;
  std::vector<Step> steps_;
  std::vector<Buffer> buffers_;
  std::vector<Ref<Storage>> constants_;
  size_t arena_bytes_ = 0, scratch_bytes_ = 0;
  std::vector<size_t> slot_bytes_;
};

/// One execution. Resumable between steps; on a GPU it records and submits, and waits only where a host op reads.
class PlanRun : public Task {
 public:
  /// `inputs`: the storages of the graph's inputs, ready. `outputs`: storages to fill, one a plan output, not ready yet.
  /// `attrs_from`: where changed runtime attributes are read (node i of the plan's graph = node i + first_node there), or null.
  PlanRun(std::shared_ptr<Plan> plan, std::vector<Ref<Storage>> inputs, std::vector<Ref<Storage>> outputs,
          const Graph* attrs_from = nullptr, uint32_t first_node = 0);
  ~PlanRun() override;
  /// Does not throw for a failed step: see output_error.
  Progress advance(const Deadline& deadline) override;
  /// Why output i was not computed, or null. Only what depends on a failed step fails.
  std::shared_ptr<Error> output_error(size_t i) const;
  /// An input that could not be computed: everything that depends on it fails with that error.
  void set_input_error(size_t i, std::shared_ptr<Error> error);

 private:
  struct Slot;
  struct HostStep;
  void begin();
  Progress work(const Deadline& deadline);
  Progress run_step(Plan::Step& step, const Deadline& deadline);
  Progress run_launch(Plan::Step& step, const Deadline& deadline);
  void bind(const Plan::Step& step, std::span<BufferView> views);
  bool hand_over();
  bool take_back(const Deadline& deadline);
  Progress run_host(Plan::Step& step);
  Progress run_call(Plan::Step& step, const Deadline& deadline);
  std::byte* host_of(uint32_t buffer);
  DeviceBuffer* device_of(uint32_t buffer, const TensorType& type);
  Progress fetch_to_host(std::span<const uint32_t> buffers, std::span<const TensorType> types);
  void finish();

  std::shared_ptr<Plan> plan_;
  std::vector<Ref<Storage>> inputs_, outputs_;
  const Graph* attrs_from_;
  uint32_t first_node_;
  std::vector<Slot> slots_;
  std::vector<Ref<DeviceBuffer>> arena_slots_;
  Ref<HostBuffer> arena_;
  size_t at_ = 0;
  int64_t resume_ = 0;  // within the launch at at_
  bool begun_ = false, finished_ = false;
  std::unique_ptr<LaunchBatch> batch_;  // with the executor
  double spent_ms_ = 0;                 // working, here or on the executor, so far
  std::vector<std::pair<uint32_t, int>> reads_;  // buffer, request: host op inputs on their way
  std::unique_ptr<Task> child_;
  std::vector<Ref<Storage>> child_outputs_;
};

}  // namespace tsr
