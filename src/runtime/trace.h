// TraceGraph: the recording that pending tensors belong to, and TraceRun, which computes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/tensor_impl.h"
#include "graph/graph.h"
#include "runtime/plan.h"
#include "runtime/task.h"

namespace tsr {

/// A gradient that the host computes, attached to identity nodes first .. first + count - 1.
struct CustomGradient {
  uint32_t first_node = 0;
  uint32_t count = 0;
  std::vector<ValueId> inputs;
  std::function<std::vector<Tensor>(std::span<const Tensor>)> fn;
};

class TraceGraph : public Trace {
 public:
  ~TraceGraph() override = default;
  void drop(uint32_t value) override { live_[value] = nullptr; }

  /// Appends an op; outputs are pending tensors of this trace.
  std::vector<Tensor> record(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs,
                             std::span<const TensorType> types);
  std::vector<Tensor> record_call(std::shared_ptr<void> target, std::span<const Tensor> inputs,
                                  std::span<const TensorType> types);
  /// The value that stands for a tensor here: its own, or an input that captures it.
  ValueId value_of(const Tensor& t);
  /// The same without capturing: kNoValue when the trace has not seen it.
  ValueId find(const Tensor& t) const;
  /// A handle to a value of this trace (makes one when all were dropped).
  Tensor tensor_of(ValueId v);

  /// An input that stands for a value given later (a piece of a model): a pending tensor that this trace never computes.
  ValueId add_placeholder(const TensorType& type);
  /// Constant storages are taken into the graph as constants, to be folded and packed (model pieces).
  bool bake_constants = false;

  const Graph& graph() const { return graph_; }
  uint32_t num_nodes() const { return static_cast<uint32_t>(graph_.nodes().size()); }
  /// Nodes below this have been run.
  uint32_t watermark() const { return watermark_; }
  bool pending() const { return watermark_ < num_nodes(); }
  /// Logical bytes recorded since the watermark: an upper bound of what running will allocate.
  size_t pending_bytes() const { return pending_bytes_; }
  /// Bytes of the values that somebody still holds, and of the inputs that nobody but this trace holds: what it keeps while it waits
  /// to be run and what that will allocate, its intermediates (one arena for all traces) aside.
  size_t retained_bytes() const;

  std::vector<CustomGradient> custom_gradients;

  /// Empties a trace that is over and that nobody else refers to; its memory serves the next recording.
  void recycle();

 private:
  friend class TraceRun;
  TensorImpl* captured_of(ValueId input) const;
  void remember(const TensorImpl* impl, ValueId v);
  std::vector<Tensor> make_outputs(ValueId first, std::span<const TensorType> types, const Storage* alias_of);

  Graph graph_;
  std::vector<TensorImpl*> live_;            // per value: its handle's target, while somebody holds it
  std::vector<Ref<Storage>> storages_;       // per value
  std::vector<Ref<TensorImpl>> captured_;    // per graph input; null for placeholders
  /// Values of captured tensors: a list searched from the end while it is short, as most traces capture a handful.
  static constexpr size_t kShortList = 16;
  std::vector<std::pair<const TensorImpl*, ValueId>> captured_list_;
  std::unordered_map<const TensorImpl*, ValueId> captured_ids_;  // all of them, once the list is longer
  std::vector<Ref<TensorImpl>> held_;        // baked constants' tensors
  uint32_t watermark_ = 0;
  size_t pending_bytes_ = 0;
};

/// Runs a trace's nodes from its watermark to its end, for the values that are alive when it begins.
class TraceRun : public Task {
 public:
  /// `keep_all`: a tape may still need every value. Otherwise the trace is over when this is done.
  TraceRun(Ref<TraceGraph> trace, bool keep_all);
  Progress advance(const Deadline& deadline) override;
  /// True when this trace will make (or has failed to make) the storage of t.
  bool makes(const TensorImpl& t) const { return t.trace.get() == trace_.get(); }
  const Ref<TraceGraph>& trace() const { return trace_; }

 private:
  void begin();
  void finish();

  Ref<TraceGraph> trace_;
  bool keep_all_;
  bool begun_ = false;
  uint32_t end_ = 0;
  std::unique_ptr<PlanRun> run_;
  std::vector<ValueId> outputs_;  // root values in the trace
};

}  // namespace tsr
