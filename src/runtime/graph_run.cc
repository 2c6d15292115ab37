#include "runtime/graph_run.h"

#include <cstring>

#include "runtime/engine.h"
#include "runtime/host_call.h"
#include "runtime/plan_cache.h"

namespace tsr {

GraphRun::GraphRun(std::shared_ptr<Program> program, std::vector<RtValue> inputs)
    : program_(std::move(program)), env_(program_->graph().num_values()) {
  const auto ids = program_->graph().inputs();
  check(inputs.size() == ids.size(), "a graph run got ", inputs.size(), " inputs for ", ids.size());
  for (size_t i = 0; i < ids.size(); ++i) env_[ids[i]] = std::move(inputs[i]);
}

GraphRun::~GraphRun() = default;

Progress GraphRun::advance(const Deadline& deadline) {
  if (finished_) return Progress::kDone;
  const auto order = program_->order();
  while (at_ < order.size()) {
    Progress p = Progress::kDone;
    if (piece_) {
      p = run_piece(deadline);
    } else {
      piece_ = program_->piece_at(at_, env_);
      if (piece_->piece.end > at_) {
        p = run_piece(deadline);
      } else {
        piece_.reset();
        const Node& n = program_->graph().node(order[at_]);
        try {
          p = run_joint(n, deadline);
        } catch (const Error& e) {
          if (n.name.empty() || std::string_view(e.what()).find("node '") != std::string_view::npos) throw;
          throw Error(e.code(), str("node '", n.name, "': ", e.what()));
        }
        if (p == Progress::kDone) {
          release_dead_values(at_);
          ++at_;
        }
      }
    }
    if (p != Progress::kDone) return p;
    if (at_ < order.size() && deadline.passed()) return Progress::kMore;
  }
  for (ValueId v : program_->wanted()) {
    const ValueInfo& info = program_->graph().value(v);
    if (info.kind == ValueInfo::Kind::kConstant) {
      RtValue constant;
      constant.kind = RtValue::Kind::kTensor;
      constant.type = info.type;
      constant.storage = info.constant;
      results_.push_back(std::move(constant));
    } else {
      results_.push_back(env_[v]);
    }
  }
  env_.clear();
  finished_ = true;
  return Progress::kDone;
}

Progress GraphRun::run_piece(const Deadline& deadline) {
  if (piece_->plan && !plan_run_) {
    std::vector<Ref<Storage>> inputs;
    for (ValueId v : piece_->piece.graph_inputs) inputs.push_back(env_[v].storage);
    plan_outputs_.clear();
    const Graph& g = piece_->piece.trace->graph();
    for (ValueId v : piece_->piece.outputs) {
      plan_outputs_.emplace_back(new Storage(g.value(v).type.dtype, g.value(v).type.shape.size()));
    }
    plan_run_ = std::make_unique<PlanRun>(piece_->plan, std::move(inputs), plan_outputs_);
  }
  if (plan_run_) {
    const Progress p = plan_run_->advance(deadline);
    if (p != Progress::kDone) return p;
    for (size_t i = 0; i < plan_outputs_.size(); ++i) {
      if (const auto error = plan_run_->output_error(i)) throw *error;
    }
    plan_run_.reset();
  }
  finish_piece();
  return Progress::kDone;
}

void GraphRun::finish_piece() {
  const Piece& piece = piece_->piece;
  std::vector<RtValue> made;
  for (const PieceResult& r : piece.results) {
    RtValue v;
    v.kind = RtValue::Kind::kTensor;
    v.type = r.type;
    switch (r.from) {
      case PieceResult::From::kDead: v.kind = RtValue::Kind::kDead; break;
      case PieceResult::From::kConstant: v.storage = r.constant; break;
      case PieceResult::From::kOutput: v.storage = plan_outputs_[r.index]; break;
      case PieceResult::From::kInput: v.storage = env_[piece.graph_inputs[r.index]].storage; break;
    }
    made.push_back(std::move(v));
  }
  for (size_t i = 0; i < made.size(); ++i) env_[piece.results[i].value] = std::move(made[i]);
  plan_outputs_.clear();
  for (uint32_t p = piece.begin; p < piece.end; ++p) release_dead_values(p);
  at_ = piece.end;
  piece_.reset();
}

// Values whose last reader was the node at `position` are let go.
void GraphRun::release_dead_values(uint32_t position) {
  const Node& n = program_->graph().node(program_->order()[position]);
  for (ValueId v : n.inputs) {
    if (program_->last_use()[v] == position) env_[v] = {};
  }
  for (const LateAttr& late : n.late) {
    if (program_->last_use()[late.value] == position) env_[late.value] = {};
  }
}

// ---- Joints ----------------------------------------------------------------------------------------------------------------

Progress GraphRun::run_joint(const Node& n, const Deadline& deadline) {
  for (ValueId v : n.inputs) {
    const ValueInfo& info = program_->graph().value(v);
    if (info.kind == ValueInfo::Kind::kConstant && env_[v].kind == RtValue::Kind::kNone) {
      env_[v].kind = RtValue::Kind::kTensor;
      env_[v].type = info.type;
      env_[v].storage = info.constant;
    }
  }
  if (n.kind != NodeKind::kMerge) {
    for (ValueId v : n.inputs) {
      if (env_[v].kind != RtValue::Kind::kDead) continue;
      for (uint32_t o = 0; o < n.num_outputs; ++o) {
        RtValue dead;
        dead.kind = RtValue::Kind::kDead;
        set(n, o, std::move(dead));
      }
      return Progress::kDone;
    }
  }
  switch (n.kind) {
    case NodeKind::kOp: return run_data_op(n);
    case NodeKind::kWhile: return run_while(n, deadline);
    case NodeKind::kIf: return run_if(n, deadline);
    case NodeKind::kSwitch: {
      const Progress p = fetch(n.inputs[1]);
      if (p != Progress::kDone) return p;
      const uint32_t taken = host_bool(n.inputs[1], "a Switch's predicate") ? 1 : 0;
      RtValue dead;
      dead.kind = RtValue::Kind::kDead;
      set(n, taken, env_[n.inputs[0]]);
      set(n, 1 - taken, std::move(dead));
      return Progress::kDone;
    }
    case NodeKind::kMerge: {
      for (size_t i = 0; i < n.inputs.size(); ++i) {
        const RtValue& in = env_[n.inputs[i]];
        if (in.kind == RtValue::Kind::kDead || in.kind == RtValue::Kind::kNone) continue;
        set(n, 0, in);
        if (n.num_outputs > 1) {
          const Tensor index = Tensor::scalar(static_cast<double>(i), DType::kInt32);
          RtValue v;
          v.kind = RtValue::Kind::kTensor;
          v.type = index.type();
          v.storage = index.impl()->storage;
          set(n, 1, std::move(v));
        }
        return Progress::kDone;
      }
      for (uint32_t o = 0; o < n.num_outputs; ++o) {
        RtValue dead;
        dead.kind = RtValue::Kind::kDead;
        set(n, o, std::move(dead));
      }
      return Progress::kDone;
    }
    case NodeKind::kCall: fail(ErrorCode::kInternal, "internal fault: a model graph holds a call");
    default: return run_list(n);
  }
}

Progress GraphRun::run_while(const Node& n, const Deadline& deadline) {
  for (;;) {
    if (!child_) {
      if (loop_state_.empty()) {
        for (ValueId v : n.inputs) loop_state_.push_back(env_[v]);
      }
      child_ = std::make_unique<GraphRun>(program_->function(n, in_body_ ? 1 : 0), loop_state_);
    }
    const Progress p = child_->advance(deadline);
    if (p != Progress::kDone) return p;
    if (in_body_) {
      loop_state_ = child_->results();
      in_body_ = false;
      child_.reset();
      if (deadline.passed()) return Progress::kMore;
      continue;
    }
    // The condition's result must be looked at; it lives in the child until then.
    RtValue cond = child_->results().at(0);
    require(cond.kind == RtValue::Kind::kTensor && cond.type.shape.size() == 1,
            "a loop's condition must be one boolean, got ", cond.type);
    const ValueId slot = n.first_output;  // borrowed as the place to fetch through; overwritten when the loop ends
    if (env_[slot].kind == RtValue::Kind::kNone) env_[slot] = cond;
    const Progress f = fetch(slot);
    if (f != Progress::kDone) return f;
    const bool go_on = host_bool(slot, "a loop's condition");
    env_[slot] = {};
    child_.reset();
    if (!go_on) break;
    in_body_ = true;
  }
  for (uint32_t o = 0; o < n.num_outputs; ++o) set(n, o, loop_state_[o]);
  loop_state_.clear();
  return Progress::kDone;
}

Progress GraphRun::run_if(const Node& n, const Deadline& deadline) {
  if (!child_) {
    const Progress p = fetch(n.inputs[0]);
    if (p != Progress::kDone) return p;
    std::vector<RtValue> args;
    for (size_t i = 1; i < n.inputs.size(); ++i) args.push_back(env_[n.inputs[i]]);
    const size_t branch = host_bool(n.inputs[0], "an If's condition") ? 0 : 1;
    child_ = std::make_unique<GraphRun>(program_->function(n, branch), std::move(args));
  }
  const Progress p = child_->advance(deadline);
  if (p != Progress::kDone) return p;
  for (uint32_t o = 0; o < n.num_outputs; ++o) set(n, o, child_->results()[o]);
  child_.reset();
  return Progress::kDone;
}

// An op that stopped a piece: its output shapes, or one of its attributes, depend on data.
Progress GraphRun::run_data_op(const Node& n) {
  for (const LateAttr& late : n.late) {
    const Progress p = fetch(late.value);
    if (p != Progress::kDone) return p;
  }
  if (!n.op->dynamic_outputs) {
    // The attributes are on the host now: a piece can begin here. Told apart from a joint by its length.
    piece_ = program_->piece_at(at_, env_);
    check(piece_->piece.end > at_, "an op cannot be planned although all its attributes are known");
    return Progress::kMore;
  }
  for (ValueId v : n.inputs) {
    const Progress p = fetch(v);
    if (p != Progress::kDone) return p;
  }
  std::vector<TypedStorage> in;
  std::vector<TensorType> in_types, types;
  for (ValueId v : n.inputs) {
    const RtValue& value = host(v);
    in.push_back({value.type, value.storage});
    in_types.push_back(value.type);
  }
  Attrs attrs = n.attrs;
  for (const LateAttr& late : n.late) {
    const RtValue& value = host(late.value);
    attrs = attrs.with(n.op->name, late.field, late_value(n, late, value.type, *value.storage, attrs));
  }
  infer_types(*n.op, in_types, attrs, types);
  std::vector<TypedStorage> out = call_host_op(*n.op, attrs, in, types);
  for (uint32_t o = 0; o < n.num_outputs; ++o) {
    RtValue v;
    v.kind = RtValue::Kind::kTensor;
    v.type = out[o].type;
    v.storage = std::move(out[o].storage);
    set(n, o, std::move(v));
  }
  return Progress::kDone;
}

// ---- Values on the host ----------------------------------------------------------------------------------------------------

Progress GraphRun::fetch(ValueId v) {
  const ValueInfo& info = program_->graph().value(v);
  if (info.kind == ValueInfo::Kind::kConstant) return Progress::kDone;
  RtValue& value = env_[v];
  check(value.kind == RtValue::Kind::kTensor, "a value is needed on the host before it was computed");
  Storage& s = *value.storage;
  if (s.on_host() || s.elements() == 0 || s.dtype() == DType::kString) return Progress::kDone;
  if (read_request_ == 0) {
    read_device_ = const_cast<Device*>(static_cast<const Device*>(s.device()->owner()));
    read_device_->submit();
    read_request_ = read_device_->begin_read(*s.device(), value.type);
    if (Engine::get().blocking()) read_device_->read_wait(read_request_);
  }
  const Progress p = read_device_->poll_read(read_request_);
  if (p != Progress::kDone) return p;
  Ref<HostBuffer> copy(new HostBuffer(s.logical_bytes()));
  read_device_->take_read(read_request_, copy->data());
  read_request_ = 0;
  s.set_host(std::move(copy));
  return Progress::kDone;
}

const RtValue& GraphRun::host(ValueId v) const {
  const ValueInfo& info = program_->graph().value(v);
  if (info.kind == ValueInfo::Kind::kConstant && env_[v].kind == RtValue::Kind::kNone) {
    RtValue& slot = const_cast<RtValue&>(env_[v]);
    slot.kind = RtValue::Kind::kTensor;
    slot.type = info.type;
    slot.storage = info.constant;
  }
  return env_[v];
}

int64_t GraphRun::host_int(ValueId v, const char* what) const {
  const RtValue& value = host(v);
  require(value.kind == RtValue::Kind::kTensor && value.type.dtype == DType::kInt32 && value.type.shape.size() == 1, what,
          " must be one int32, got ", value.type);
  return *reinterpret_cast<const int32_t*>(value.storage->host());
}

bool GraphRun::host_bool(ValueId v, const char* what) const {
  const RtValue& value = host(v);
  require(value.kind == RtValue::Kind::kTensor && value.type.shape.size() == 1, what, " must be one boolean, got ", value.type);
  for (size_t i = 0; i < value.storage->logical_bytes(); ++i) {
    if (value.storage->host()[i] != std::byte{0}) return true;
  }
  return false;
}

std::vector<RtValue> run_op_now(const OpDef& op, const Attrs& attrs, std::span<const RtValue> inputs) {
  std::vector<TensorType> in_types, types;
  for (const RtValue& v : inputs) in_types.push_back(v.type);
  infer_types(op, in_types, attrs, types);
  Graph g;
  std::vector<ValueId> ids, outputs;
  std::vector<Ref<Storage>> ins, outs;
  for (const RtValue& v : inputs) {
    ids.push_back(g.add_input("", v.type));
    ins.push_back(v.storage);
  }
  const ValueId first = g.add_typed_op(op, ids, attrs, types);
  std::vector<RtValue> out(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    outputs.push_back(first + static_cast<ValueId>(i));
    outs.emplace_back(new Storage(types[i].dtype, types[i].shape.size()));
    out[i].kind = RtValue::Kind::kTensor;
    out[i].type = types[i];
    out[i].storage = outs.back();
  }
  PlanRun run(PlanCache::get().find_or_compile(g, outputs), std::move(ins), outs, &g, 0);
  while (run.advance(Deadline()) != Progress::kDone) {
    check(true, "a single op cannot wait");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (const auto error = run.output_error(i)) throw *error;
  }
  return out;
}

}  // namespace tsr
