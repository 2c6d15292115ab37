// GraphRun: the graph interpreter. A state machine on the heap that runs a program piece by piece and the joints between them
// (control flow, tensor lists, ops whose output shapes depend on data). It never blocks: a readback suspends it.
#pragma once

#include <memory>
#include <vector>

#include "runtime/device.h"
#include "runtime/plan.h"
#include "runtime/program.h"
#include "runtime/task.h"

namespace tsr {

class GraphRun : public Task {
 public:
  /// `inputs`: one value for each input of the program's graph, ready; kNone for inputs that nothing wanted needs.
  GraphRun(std::shared_ptr<Program> program, std::vector<RtValue> inputs);
  ~GraphRun() override;
  /// Throws the error of the first piece or joint that failed.
  Progress advance(const Deadline& deadline) override;
  /// The wanted values, when done.
  const std::vector<RtValue>& results() const { return results_; }

 private:
  Progress run_piece(const Deadline& deadline);
  Progress run_joint(const Node& n, const Deadline& deadline);
  Progress run_while(const Node& n, const Deadline& deadline);
  Progress run_if(const Node& n, const Deadline& deadline);
  Progress run_data_op(const Node& n);
  Progress run_list(const Node& n);
  Progress fetch(ValueId v);
  void finish_piece();
  void release_dead_values(uint32_t position);
  /// The value brought to the host by an earlier fetch().
  const RtValue& host(ValueId v) const;
  /// The value wherever it is; constants of the graph included.
  const RtValue& host_or_device(ValueId v) const { return host(v); }
  int64_t host_int(ValueId v, const char* what) const;
  bool host_bool(ValueId v, const char* what) const;
  void set(const Node& n, uint32_t output, RtValue value) { env_[n.first_output + output] = std::move(value); }

  std::shared_ptr<Program> program_;
  std::vector<RtValue> env_;
  std::vector<RtValue> results_;
  uint32_t at_ = 0;
  bool finished_ = false;

  std::shared_ptr<CompiledPiece> piece_;
  std::unique_ptr<PlanRun> plan_run_;
  std::vector<Ref<Storage>> plan_outputs_;

  std::unique_ptr<GraphRun> child_;   // a loop's condition or body, a branch, running now
  std::vector<RtValue> loop_state_;
  bool in_body_ = false;

  int read_request_ = 0;              // a fetch on its way
  Device* read_device_ = nullptr;
  ValueId read_value_ = kNoValue;
};

/// Runs one op on values, now (on a GPU: recorded and submitted), through a plan from the cache.
std::vector<RtValue> run_op_now(const OpDef& op, const Attrs& attrs, std::span<const RtValue> inputs);

}  // namespace tsr
