// Engine: records ops into traces, runs traces as plans, reads results, differentiates. One per process.
//
// A trace is what one outermost scope records, or a run of ops outside scopes. Traces run whole, in program order, when a
// value is read, when flush() is called, or when too much is pending. What nobody holds a handle to when a trace runs is
// fused away or lives in the arena only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/op_def.h"
#include "core/tensor_impl.h"
#include "runtime/device.h"
#include "runtime/task.h"
#include "tessera/tensor.h"

namespace tsr {

class TraceGraph;

/// The data of a tensor being computed and brought to the host. poll via Engine::poll; then bytes() / strings().
class ReadTask : public Task {
 public:
  virtual const TensorType& type() const = 0;
  virtual std::span<const std::byte> bytes() const = 0;
  virtual const std::vector<std::string>& strings() const = 0;
};

/// A model run whose outputs are not known beforehand.
class ModelTask : public Task {
 public:
  virtual std::vector<Tensor> take_outputs() = 0;
};

/// The gradient of a custom op: gradients of the outputs in (undefined: none flows), gradients of the inputs out.
using CustomGradFn = std::function<std::vector<Tensor>(std::span<const Tensor> grads)>;

class Engine {
 public:
  static Engine& get();

  // ---- Scopes: the outermost one delimits a trace. They know nothing of handles; tidy's disposing lives in the C ABI.
  void begin_scope();
  void end_scope();

  // ---- Running and reading
  /// Everything recorded so far is sealed and started as far as that needs no waiting (GPU: submitted).
  void flush();
  std::unique_ptr<ReadTask> start_read(const Tensor& t);
  /// Advances a task for about budget_ms (negative: no limit).
  Progress poll(Task& task, double budget_ms);
  /// Runs a task to its end. Throws kUnsupported when the device cannot be waited for.
  void wait(Task& task);

  // ---- Gradients
  void begin_tape();
  void end_tape();
  /// d(sum(y * dy)) / dx for each x; undefined Tensor where y does not depend on x. dy undefined: ones.
  /// Throws when no tape is open, or an op on the way is not differentiable (naming it).
  std::vector<Tensor> grad(const Tensor& y, const Tensor& dy, std::span<const Tensor> xs);
  /// New tensors equal to `outputs` whose gradient with respect to `inputs` is what fn says.
  std::vector<Tensor> custom_grad(std::span<const Tensor> inputs, std::span<const Tensor> outputs, CustomGradFn fn);

  // ---- Devices
  Device& device();
  /// Finishes pending work, then switches; throws and stays when the device is not available.
  void set_device(const std::string& name);
  /// CPU threads, the calling one included; 0 = as many as the machine gives.
  void set_threads(int n);
  int threads() const;

  // ---- For tasks
  /// Runs queued traces, in order, until none is left.
  Progress advance_queue(const Deadline& deadline);
  /// True inside wait(): whoever begins a readback then waits for it on the spot.
  bool blocking() const;
  /// Records an op whose outputs have these types.
  std::vector<Tensor> record(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs, std::span<const TensorType> types);
  /// Records a call of a model whose output types are known.
  std::vector<Tensor> record_call(std::shared_ptr<void> target, std::span<const Tensor> inputs,
                                  std::span<const TensorType> types);
  bool tape_open() const;

  // ---- Memory
  struct Memory {
    int64_t data_buffers = 0;
    int64_t logical_bytes = 0;
    size_t host_bytes = 0, device_bytes = 0, peak_host_bytes = 0, cap = 0;
    int64_t plans = 0;
  };
  Memory memory();

  // ---- Profile: while on, every launch is timed on its own.
  struct LaunchTime {
    std::string what, device;
    double ms = 0;
    size_t bytes = 0;
  };
  void profile_begin();
  std::vector<LaunchTime> profile_end();
  bool profiling() const;
  void profile_add(LaunchTime t);

 private:
  Engine();
  void after_record();
  TraceGraph& tape();
  ~Engine();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tsr
