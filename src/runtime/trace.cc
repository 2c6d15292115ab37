#include "runtime/trace.h"

#include <algorithm>

#include "graph/partition.h"
#include "runtime/plan_cache.h"

namespace tsr {

std::vector<Tensor> TraceGraph::make_outputs(ValueId first, std::span<const TensorType> types, const Storage* alias_of) {
  std::vector<Tensor> out;
  out.reserve(types.size());
  live_.resize(graph_.num_values());
  storages_.resize(graph_.num_values());
  for (size_t i = 0; i < types.size(); ++i) {
    const ValueId v = first + static_cast<ValueId>(i);
    if (alias_of) {
      storages_[v] = Ref<Storage>(const_cast<Storage*>(alias_of));
    } else {
      storages_[v] = Ref<Storage>(new Storage(types[i].dtype, types[i].shape.size()));
      pending_bytes_ += storages_[v]->logical_bytes();
    }
    out.push_back(tensor_of(v));
  }
  return out;
}

size_t TraceGraph::retained_bytes() const {
  size_t bytes = 0;
  for (size_t v = 0; v < live_.size(); ++v) {
    if (live_[v] && storages_[v] && !storages_[v]->ready()) bytes += storages_[v]->logical_bytes();
  }
  for (const Ref<TensorImpl>& c : captured_) {
    if (c && c->refs() == 1) bytes += c->storage->logical_bytes();
  }
  return bytes;
}

std::vector<Tensor> TraceGraph::record(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs,
                                       std::span<const TensorType> types) {
  InlineVec<ValueId, 4> ids;
  for (const Tensor& t : inputs) ids.push_back(value_of(t));
  const ValueId first = graph_.add_typed_op(op, ids, std::move(attrs), types);
  const Storage* shared = op.alias ? inputs[0].impl()->storage.get() : nullptr;
  return make_outputs(first, types, shared);
}

std::vector<Tensor> TraceGraph::record_call(std::shared_ptr<void> target, std::span<const Tensor> inputs,
                                            std::span<const TensorType> types) {
  InlineVec<ValueId, 4> ids;
  for (const Tensor& t : inputs) ids.push_back(value_of(t));
  return make_outputs(graph_.add_call(std::move(target), ids, types), types, nullptr);
}

ValueId TraceGraph::find(const Tensor& t) const {
  const TensorImpl* impl = t.impl();
  if (impl->trace.get() == this) return impl->value;
  if (captured_list_.size() <= kShortList) {
    for (size_t i = captured_list_.size(); i-- > 0;) {
      if (captured_list_[i].first == impl) return captured_list_[i].second;
    }
    return kNoValue;
  }
  const auto it = captured_ids_.find(impl);
  return it == captured_ids_.end() ? kNoValue : it->second;
}

void TraceGraph::remember(const TensorImpl* impl, ValueId v) {
  captured_list_.emplace_back(impl, v);
  if (captured_list_.size() <= kShortList) return;
  if (captured_ids_.empty()) captured_ids_.insert(captured_list_.begin(), captured_list_.end());
  captured_ids_.emplace(impl, v);
}

void TraceGraph::recycle() {
  custom_gradients.clear();
  bake_constants = false;
  graph_.clear();
  live_.clear();
  storages_.clear();
  captured_.clear();
  captured_list_.clear();
  captured_ids_.clear();
  held_.clear();
  watermark_ = 0;
  pending_bytes_ = 0;
}

ValueId TraceGraph::value_of(const Tensor& t) {
  ValueId v = find(t);
  if (v != kNoValue) return v;
  TensorImpl* impl = t.impl();
  if (impl->error) throw *impl->error;
  if (bake_constants && !impl->trace && impl->storage->ready()) {
    v = graph_.add_constant(impl->type, impl->storage);
    live_.resize(graph_.num_values());
    storages_.resize(graph_.num_values());
    storages_[v] = impl->storage;
    // Remembered by address, which stays taken because the graph's owner keeps the tensor in `held_`.
    held_.emplace_back(impl);
    remember(impl, v);
    return v;
  }
  v = graph_.add_input("", impl->type);
  captured_.emplace_back(impl);
  remember(impl, v);
  live_.resize(graph_.num_values());
  storages_.resize(graph_.num_values());
  storages_[v] = impl->storage;
  return v;
}

TensorImpl* TraceGraph::captured_of(ValueId v) const {
  const auto inputs = graph_.inputs();
  return captured_[static_cast<size_t>(std::lower_bound(inputs.begin(), inputs.end(), v) - inputs.begin())].get();
}

ValueId TraceGraph::add_placeholder(const TensorType& type) {
  const ValueId v = graph_.add_input("", type);
  captured_.emplace_back();
  live_.resize(graph_.num_values());
  storages_.resize(graph_.num_values());
  storages_[v] = Ref<Storage>(new Storage(type.dtype, type.shape.size()));
  return v;
}

Tensor TraceGraph::tensor_of(ValueId v) {
  if (graph_.value(v).kind == ValueInfo::Kind::kInput && captured_of(v)) {
    TensorImpl* impl = captured_of(v);
    impl->retain();
    return Tensor(impl);
  }
  if (!live_[v]) {
    Ref<TensorImpl> impl(new TensorImpl(graph_.value(v).type, storages_[v]));
    impl->trace = Ref<Trace>(this);
    impl->value = v;
    live_[v] = impl.get();
    impl->retain();
    return Tensor(impl.get());
  }
  live_[v]->retain();
  return Tensor(live_[v]);
}

TraceRun::TraceRun(Ref<TraceGraph> trace, bool keep_all) : trace_(std::move(trace)), keep_all_(keep_all) {}

void TraceRun::begin() {
  begun_ = true;
  TraceGraph& t = *trace_;
  end_ = t.num_nodes();
  const ValueId first_value = t.watermark_ < end_ ? t.graph_.node(t.watermark_).first_output : 0;
  // What must exist afterwards: the memory behind each value that somebody holds, once.
  std::vector<bool> wanted(t.graph_.num_values());
  for (ValueId v = 0; v < t.graph_.num_values(); ++v) {
    if (t.graph_.value(v).kind != ValueInfo::Kind::kResult || t.graph_.value(v).node >= end_) continue;
    if (!t.live_[v] && !(keep_all_ && v >= first_value)) continue;
    const ValueId root = root_of(t.graph_, v);
    if (t.graph_.value(root).kind != ValueInfo::Kind::kResult || wanted[root] || t.storages_[root]->ready()) continue;
    wanted[root] = true;
    outputs_.push_back(root);
  }
  if (outputs_.empty()) return;

  // The piece [watermark, end) as a graph of its own; the whole trace is used as it is.
  Graph piece;
  const Graph* graph = &t.graph_;
  std::vector<ValueId> outputs = outputs_;
  std::vector<Ref<Storage>> inputs;
  std::vector<ValueId> input_values;
  if (t.watermark_ == 0) {
    input_values.assign(t.graph_.inputs().begin(), t.graph_.inputs().end());
  } else {
    std::vector<ValueId> map(t.graph_.num_values(), kNoValue);
    const auto mapped = [&](ValueId v) {
      if (map[v] == kNoValue) {
        map[v] = piece.add_input("", t.graph_.value(v).type);
        input_values.push_back(v);
      }
      return map[v];
    };
    for (uint32_t i = t.watermark_; i < end_; ++i) {
      const Node& n = t.graph_.node(i);
      InlineVec<ValueId, 4> ins;
      std::vector<TensorType> types;
      for (ValueId v : n.inputs) ins.push_back(mapped(v));
      for (uint32_t o = 0; o < n.num_outputs; ++o) types.push_back(t.graph_.value(n.first_output + o).type);
      const ValueId first = n.kind == NodeKind::kCall ? piece.add_call(n.call, ins, types)
                                                      : piece.add_typed_op(*n.op, ins, n.attrs, types);
      for (uint32_t o = 0; o < n.num_outputs; ++o) map[n.first_output + o] = first + o;
    }
    for (ValueId& v : outputs) v = map[v];
    graph = &piece;
  }
  for (ValueId v : input_values) inputs.push_back(t.storages_[v]);
  std::vector<Ref<Storage>> storages;
  for (ValueId v : outputs_) storages.push_back(t.storages_[v]);
  std::shared_ptr<Plan> plan = PlanCache::get().find_or_compile(*graph, outputs);
  run_ = std::make_unique<PlanRun>(std::move(plan), std::move(inputs), std::move(storages), &t.graph_, t.watermark_);
  for (size_t i = 0; i < input_values.size(); ++i) {
    const ValueId v = input_values[i];
    std::shared_ptr<Error> error;
    if (t.graph_.value(v).kind == ValueInfo::Kind::kInput) {
      error = t.captured_of(v)->error;
    } else if (t.live_[v]) {
      error = t.live_[v]->error;
    }
    if (!error && !t.storages_[v]->ready()) {
      error = std::make_shared<Error>(ErrorCode::kInternal, "internal fault: a captured tensor was not computed");
    }
    if (error) run_->set_input_error(i, error);
  }
}

Progress TraceRun::advance(const Deadline& deadline) {
  if (!begun_) {
    try {
      begin();
    } catch (const Error& e) {  // the plan could not be made: everything that was wanted fails with the reason
      run_.reset();
      for (ValueId v = 0; v < trace_->graph_.num_values(); ++v) {
        if (trace_->live_[v] && !trace_->storages_[v]->ready()) trace_->live_[v]->error = std::make_shared<Error>(e);
      }
    }
  }
  if (run_) {
    const Progress p = run_->advance(deadline);
    if (p != Progress::kDone) return p;
  }
  finish();
  return Progress::kDone;
}

void TraceRun::finish() {
  TraceGraph& t = *trace_;
  if (run_) {
    std::vector<std::shared_ptr<Error>> errors(t.graph_.num_values());
    bool failed = false;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      errors[outputs_[i]] = run_->output_error(i);
      failed = failed || errors[outputs_[i]];
    }
    if (failed) {
      for (ValueId v = 0; v < t.graph_.num_values(); ++v) {
        if (t.live_[v] && errors[root_of(t.graph_, v)]) t.live_[v]->error = errors[root_of(t.graph_, v)];
      }
    }
  }
  run_.reset();
  t.watermark_ = end_;
  t.pending_bytes_ = 0;
  if (keep_all_) return;
  Ref<TraceGraph> hold = trace_;
  for (TensorImpl*& impl : t.live_) {
    if (!impl) continue;
    TensorImpl* computed = impl;
    impl = nullptr;
    computed->trace = {};
  }
  // Deep chains of captured tensors end here, one level at a time, since whoever captured us holds no more than our impls.
  t.captured_ids_.clear();
  t.captured_list_.clear();
  t.captured_.clear();
}

}  // namespace tsr
