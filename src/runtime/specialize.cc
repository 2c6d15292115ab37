#include "runtime/specialize.h"

#include <cstring>

#include "graph/partition.h"
#include "runtime/device.h"
#include "runtime/host_call.h"
#include "runtime/plan.h"

namespace tsr {
namespace {

// Results up to this many elements are computed while specialising whenever their inputs are known: shape arithmetic.
constexpr int64_t kSmall = 1024;
// Larger ones only when that does not grow memory: folding a transposed weight is fine, a broadcast one is not.
constexpr int64_t kMaxFolded = int64_t{1} << 24;

bool on_host(const Tensor& t) {
  const Storage& s = *t.impl()->storage;
  return !t.impl()->trace && (s.on_host() || s.elements() == 0 || s.dtype() == DType::kString) && s.ready();
}

Tensor make_concrete(const TensorType& type, Ref<Storage> storage) {
  Ref<TensorImpl> impl(new TensorImpl(type, std::move(storage)));
  impl->retain();
  return Tensor(impl.get());
}

// What evaluate() reads. Of a narrow weight a widened copy, so that the weight itself stays narrow: this is done once.
Ref<Storage> wide_storage(const Tensor& t) {
  const Ref<Storage>& s = t.impl()->storage;
  if (!s->form().narrow()) return s;
  Ref<Storage> copy(new Storage(s->dtype(), s->elements()));
  copy->set_host(s->read_host().owner);
  return copy;
}

// Computes one op on the CPU, now.
std::vector<Tensor> evaluate(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
                             std::span<const TensorType> types) {
  std::vector<Tensor> out;
  if (op.alias) {
    out.push_back(make_concrete(types[0], inputs[0].impl()->storage));
    return out;
  }
  if (op.host) {
    std::vector<TypedStorage> in;
    for (const Tensor& t : inputs) in.push_back({t.type(), wide_storage(t)});
    for (TypedStorage& t : call_host_op(op, attrs, in, types)) {
      t.storage->constant = true;
      out.push_back(make_concrete(t.type, std::move(t.storage)));
    }
    return out;
  }
  Graph g;
  std::vector<ValueId> ids, outputs;
  std::vector<Ref<Storage>> ins, outs;
  for (const Tensor& t : inputs) {
    ids.push_back(g.add_input("", t.type()));
    ins.push_back(wide_storage(t));
  }
  const ValueId first = g.add_typed_op(op, ids, attrs, types);
  for (size_t i = 0; i < types.size(); ++i) {
    outputs.push_back(first + static_cast<ValueId>(i));
    outs.emplace_back(new Storage(types[i].dtype, types[i].shape.size()));
  }
  PlanRun run(Plan::compile(g, outputs, get_device("cpu"), true), ins, outs);
  while (run.advance(Deadline()) != Progress::kDone) {
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (const auto error = run.output_error(i)) throw *error;
    outs[i]->constant = true;
    out.push_back(make_concrete(types[i], outs[i]));
  }
  return out;
}

/// Thrown by the recorder where the piece must end.
struct NeedsData {};

// Where ops called during specialising go. One at a time: specialising does not nest.
TraceGraph* g_target = nullptr;

std::vector<Tensor> record_into_piece(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs,
                                      std::vector<TensorType>& types) {
  bool known = true;
  int64_t in_size = 0;
  for (const Tensor& t : inputs) {
    known = known && on_host(t);
    in_size += t.size();
  }
  if (op.shape_only) {
    // Its code looks at types alone; give it storages without data.
    std::vector<TypedStorage> in;
    for (const Tensor& t : inputs) in.push_back({t.type(), t.impl()->storage});
    std::vector<Tensor> out;
    for (TypedStorage& t : call_host_op(op, attrs, in, types)) out.push_back(make_concrete(t.type, std::move(t.storage)));
    return out;
  }
  if (op.dynamic_outputs) {
    if (!known) throw NeedsData{};
    return evaluate(op, inputs, attrs, types);
  }
  int64_t out_size = 0;
  for (const TensorType& t : types) out_size += t.shape.size();
  if (known && (out_size <= kSmall || (!inputs.empty() && out_size <= 2 * in_size && out_size <= kMaxFolded))) {
    return evaluate(op, inputs, attrs, types);
  }
  return g_target->record(op, inputs, std::move(attrs), types);
}

AttrValue read_attr(const AttrField& field, const TensorType& type, const Storage& s) {
  std::vector<double> floats;
  std::vector<int64_t> ints;
  const auto n = static_cast<size_t>(type.shape.size());
  switch (type.dtype) {
    case DType::kFloat32:
      for (size_t i = 0; i < n; ++i) floats.push_back(reinterpret_cast<const float*>(s.host())[i]);
      break;
    case DType::kInt32:
      for (size_t i = 0; i < n; ++i) ints.push_back(reinterpret_cast<const int32_t*>(s.host())[i]);
      break;
    case DType::kBool:
      for (size_t i = 0; i < n; ++i) ints.push_back(std::to_integer<int64_t>(s.host()[i]));
      break;
    case DType::kString: require(n == 1, "attribute '", field.name, "' needs one string"); return s.strings()[0];
    default: fail(ErrorCode::kInvalidArgument, "attribute '", field.name, "' cannot be read from a ", name_of(type.dtype), " tensor");
  }
  const bool list = field.kind == AttrKind::kInts || field.kind == AttrKind::kFloats;
  if (!list) {
    require(n == 1, "attribute '", field.name, "' needs one number, but its tensor has ", n);
    if (!floats.empty()) return floats[0];
    return ints[0];
  }
  if (!floats.empty()) return floats;
  return ints;
}

class Specializer {
 public:
  Specializer(const Graph& graph, std::span<const uint32_t> order, uint32_t begin, std::span<const RtValue> env,
              std::span<const uint32_t> last_use)
      : g_(graph), order_(order), env_(env), last_use_(last_use), tensors_(graph.num_values()), dead_(graph.num_values()) {
    piece_.begin = begin;
    piece_.trace = Ref<TraceGraph>(new TraceGraph());
    piece_.trace->bake_constants = true;
  }

  Piece run() {
    struct Redirect {
      explicit Redirect(TraceGraph* t) : before_fn(set_recorder(record_into_piece)), before(g_target) { g_target = t; }
      ~Redirect() {
        set_recorder(before_fn);
        g_target = before;
      }
      RecordFn before_fn;
      TraceGraph* before;
    } redirect(piece_.trace.get());
    uint32_t at = piece_.begin;
    for (; at < order_.size(); ++at) {
      if (!replay(g_.node(order_[at]))) break;
    }
    piece_.end = at;
    collect();
    return std::move(piece_);
  }

 private:
  // False: the piece ends before this node.
  bool replay(const Node& n) {
    if (n.kind != NodeKind::kOp) return false;
    bool dead = false;
    for (ValueId v : n.inputs) {
      if (g_.value(v).is_list || is_list(v)) return false;
      dead = dead || is_dead(v);
    }
    for (const LateAttr& late : n.late) dead = dead || is_dead(late.value);
    if (dead) {
      for (uint32_t o = 0; o < n.num_outputs; ++o) dead_[n.first_output + o] = true;
      return true;
    }
    try {
      Attrs attrs = n.attrs;
      for (const LateAttr& late : n.late) {
        if (!resolve(n, late, attrs)) return false;
      }
      std::vector<Tensor> in;
      for (ValueId v : n.inputs) in.push_back(tensor(v));
      std::vector<Tensor> out = apply(*n.op, in, std::move(attrs));
      require(out.size() >= n.num_outputs, "op '", n.op->name, "' gave ", out.size(), " outputs, but the model uses ", n.num_outputs);
      for (uint32_t o = 0; o < n.num_outputs; ++o) tensors_[n.first_output + o] = std::move(out[o]);
    } catch (const NeedsData&) {
      return false;
    } catch (const Error& e) {
      if (n.name.empty()) throw;
      throw Error(e.code(), str("node '", n.name, "': ", e.what()));
    }
    return true;
  }

  bool resolve(const Node& n, const LateAttr& late, Attrs& attrs) {
    Tensor t = tensor(late.value);
    if (!on_host(t)) {
      // Data that earlier pieces left on the host may be looked at, if the piece then only serves the same data.
      const RtValue& rt = env_[late.value];
      if (rt.kind != RtValue::Kind::kTensor || !(rt.storage->on_host() || rt.storage->elements() == 0)) return false;
      for (PieceInput& in : piece_.inputs) {
        if (in.value != late.value || in.by_content) continue;
        in.by_content = true;
        in.content.assign(rt.storage->host(), rt.storage->host() + rt.storage->logical_bytes());
      }
      t = make_concrete(rt.type, rt.storage);
    }
    attrs = attrs.with(n.op->name, late.field, late_value(n, late, t.type(), *t.impl()->storage, attrs));
    return true;
  }

  bool is_list(ValueId v) const { return env_[v].kind == RtValue::Kind::kList; }

  bool is_dead(ValueId v) {
    if (dead_[v]) return true;
    if (env_[v].kind != RtValue::Kind::kDead) return false;
    dead_[v] = true;
    PieceInput in;
    in.value = v;
    in.dead = true;
    piece_.inputs.push_back(std::move(in));
    return true;
  }

  // The value as a tensor of the piece: computed here, a constant of the model, or a placeholder for what `env` has.
  Tensor tensor(ValueId v) {
    if (tensors_[v].defined()) return tensors_[v];
    const ValueInfo& info = g_.value(v);
    if (info.kind == ValueInfo::Kind::kConstant) {
      return tensors_[v] = make_concrete(info.type, info.constant);
    }
    const RtValue& rt = env_[v];
    check(rt.kind == RtValue::Kind::kTensor, "a model value was read before it was computed");
    PieceInput in;
    in.value = v;
    in.type = rt.type;
    piece_.inputs.push_back(std::move(in));
    const ValueId id = piece_.trace->add_placeholder(rt.type);
    piece_.graph_inputs.push_back(v);
    placeholder_.emplace_back(id, static_cast<uint32_t>(piece_.graph_inputs.size() - 1));
    return tensors_[v] = piece_.trace->tensor_of(id);
  }

  void collect() {
    const Graph& piece = piece_.trace->graph();
    std::vector<uint32_t> output_of(piece.num_values(), ~uint32_t{0});
    for (uint32_t at = piece_.begin; at < piece_.end; ++at) {
      const Node& n = g_.node(order_[at]);
      for (uint32_t o = 0; o < n.num_outputs; ++o) {
        const ValueId v = n.first_output + o;
        if (last_use_[v] < piece_.end) continue;
        PieceResult r;
        r.value = v;
        if (dead_[v]) {
          r.from = PieceResult::From::kDead;
        } else {
          const TensorImpl& impl = *tensors_[v].impl();
          r.type = impl.type;
          if (!impl.trace) {
            r.from = PieceResult::From::kConstant;
            r.constant = impl.storage;
          } else {
            const ValueId root = root_of(piece, impl.value);
            const ValueInfo& info = piece.value(root);
            if (info.kind == ValueInfo::Kind::kConstant) {
              r.from = PieceResult::From::kConstant;
              r.constant = info.constant;
            } else if (info.kind == ValueInfo::Kind::kInput) {
              r.from = PieceResult::From::kInput;
              for (const auto& [id, index] : placeholder_) {
                if (id == root) r.index = index;
              }
            } else {
              if (output_of[root] == ~uint32_t{0}) {
                output_of[root] = static_cast<uint32_t>(piece_.outputs.size());
                piece_.outputs.push_back(root);
              }
              r.index = output_of[root];
            }
          }
        }
        piece_.results.push_back(std::move(r));
      }
    }
  }

  const Graph& g_;
  std::span<const uint32_t> order_;
  std::span<const RtValue> env_;
  std::span<const uint32_t> last_use_;
  std::vector<Tensor> tensors_;
  std::vector<bool> dead_;
  std::vector<std::pair<ValueId, uint32_t>> placeholder_;  // value in the piece, index in graph_inputs
  Piece piece_;
};

}  // namespace

AttrValue late_value(const Node& node, const LateAttr& late, const TensorType& type, const Storage& data, const Attrs& base) {
  const AttrField& field = node.op->attrs->fields()[static_cast<size_t>(late.field)];
  AttrValue value = read_attr(field, type, data);
  if (late.element < 0) return value;
  AttrValue whole = base.get(late.field);
  auto* list = std::get_if<std::vector<int64_t>>(&whole);
  check(list != nullptr && static_cast<size_t>(late.element) < list->size(), "a late attribute element is out of range");
  const auto* one = std::get_if<std::vector<int64_t>>(&value);
  require(one && one->size() == 1, "attribute '", field.name, "' needs one integer");
  (*list)[static_cast<size_t>(late.element)] = (*one)[0];
  return whole;
}

Piece specialize(const Graph& graph, std::span<const uint32_t> order, uint32_t begin, std::span<const RtValue> env,
                 std::span<const uint32_t> last_use) {
  return Specializer(graph, order, begin, env, last_use).run();
}

}  // namespace tsr
