#include "runtime/model.h"

#include <map>

#include "runtime/graph_run.h"
#include "runtime/program.h"

namespace tsr {

// A static model as one node of a trace. One object serves all calls of a program with the same input types, so that traces that
// call it share a plan.
class ModelCall : public CallTarget {
 public:
  explicit ModelCall(std::shared_ptr<Program> program) : program_(std::move(program)) {}

  std::unique_ptr<Task> start(std::vector<Ref<Storage>> inputs, std::vector<Ref<Storage>>* outputs) override {
    std::vector<RtValue> values(types.size());
    size_t next = 0;
    for (size_t i = 0; i < types.size(); ++i) {
      if (!present[i]) continue;
      values[i].kind = RtValue::Kind::kTensor;
      values[i].type = types[i];
      values[i].storage = inputs[next++];
    }
    return std::make_unique<Run>(std::make_unique<GraphRun>(program_, std::move(values)), outputs);
  }
  bool same(const ModelCall& o) const { return program_ == o.program_ && types == o.types && present == o.present; }

  std::vector<TensorType> types;  ///< of the graph's inputs
  std::vector<bool> present;      ///< whether the call has that input

 private:
  class Run : public Task {
   public:
    Run(std::unique_ptr<GraphRun> run, std::vector<Ref<Storage>>* outputs) : run_(std::move(run)), outputs_(outputs) {}
    Progress advance(const Deadline& deadline) override {
      const Progress p = run_->advance(deadline);
      if (p != Progress::kDone) return p;
      for (const RtValue& v : run_->results()) outputs_->push_back(v.storage);
      return Progress::kDone;
    }

   private:
    std::unique_ptr<GraphRun> run_;
    std::vector<Ref<Storage>>* outputs_;
  };
  std::shared_ptr<Program> program_;
};

struct Model::Impl {
  std::shared_ptr<const Graph> graph;
  ModelInfo info;
  std::map<std::vector<ValueId>, std::shared_ptr<Program>> programs;
  std::vector<std::shared_ptr<ModelCall>> calls;
  int dynamic = -1;  // not known yet

  std::shared_ptr<Program> program(std::vector<ValueId> wanted) {
    std::shared_ptr<Program>& p = programs[wanted];
    if (!p) p = std::make_shared<Program>(graph, wanted);
    return p;
  }

  std::shared_ptr<ModelCall> call(std::shared_ptr<ModelCall> fresh) {
    for (const auto& c : calls) {
      if (c->same(*fresh)) return c;
    }
    // A model whose input shapes vary without end keeps the latest ones only.
    constexpr size_t kMaxCalls = 16;
    if (calls.size() == kMaxCalls) calls.erase(calls.begin());
    calls.push_back(fresh);
    return fresh;
  }
};

namespace {

// "name:0" and "name" are the same value.
std::string without_zero(const std::string& name) {
  if (name.size() > 2 && name.ends_with(":0")) return name.substr(0, name.size() - 2);
  return name;
}

std::string list_names(std::span<const ModelInfo::Port> ports) {
  std::string out;
  for (const auto& p : ports) out += (out.empty() ? "'" : ", '") + p.name + "'";
  return out.empty() ? "none" : out;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? "," : "") + (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
  return out + "]";
}

void check_port(const ModelInfo::Port& port, const TensorType& type) {
  require(type.dtype == port.dtype, "[model] input '", port.name, "' must be ", name_of(port.dtype), ", got ", name_of(type.dtype));
  if (!port.shape_known) return;
  bool fits = static_cast<size_t>(type.shape.rank()) == port.shape.size();
  for (size_t d = 0; fits && d < port.shape.size(); ++d) {
    fits = port.shape[d] < 0 || port.shape[d] == type.shape[static_cast<int>(d)];
  }
  require(fits, "[model] input '", port.name, "' must have shape ", shape_text(port.shape), ", got ", type.shape);
}

RtValue value_of(const Tensor& t) {
  RtValue v;
  v.kind = RtValue::Kind::kTensor;
  v.type = t.type();
  v.storage = t.impl()->storage;
  return v;
}

Tensor tensor_from(const RtValue& v, const char* what) {
  require(v.kind != RtValue::Kind::kDead, "[model] output '", what, "' was not computed: it is on a branch that was not taken");
  require(v.kind == RtValue::Kind::kTensor, "[model] output '", what, "' is a tensor list, not a tensor");
  Ref<TensorImpl> impl(new TensorImpl(v.type, v.storage));
  impl->retain();
  return Tensor(impl.get());
}

// Inputs of the graph in its order; undefined where nothing needs one.
std::vector<Tensor> bind_inputs(const Graph& graph, const ModelInfo& info, const Program& program,
                         std::span<const std::pair<std::string, Tensor>> inputs) {
  const auto ids = graph.inputs();
  std::vector<Tensor> bound(ids.size());
  for (const auto& [name, tensor] : inputs) {
    require(tensor.defined(), "[model] input '", name, "' is not a tensor");
    size_t at = ids.size();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (without_zero(graph.input_names()[i]) == without_zero(name)) at = i;
    }
    if (at == ids.size()) {  // a signature's own key is a name as well
      for (const auto& port : info.inputs) {
        if (port.signature_key != name || name.empty()) continue;
        for (size_t i = 0; i < ids.size(); ++i) {
          if (without_zero(graph.input_names()[i]) == without_zero(port.name)) at = i;
        }
      }
    }
    require(at < ids.size(), "[model] has no input '", name, "'; its inputs are ", list_names(info.inputs));
    require(!bound[at].defined(), "[model] input '", name, "' is given twice");
    for (const auto& port : info.inputs) {
      if (without_zero(port.name) == without_zero(graph.input_names()[at])) check_port(port, tensor.type());
    }
    bound[at] = tensor;
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    require(bound[i].defined() || !program.reads(ids[i]), "[model] input '", graph.input_names()[i], "' is missing");
  }
  return bound;
}

class RunModel : public ModelTask {
 public:
  RunModel(std::shared_ptr<Program> program, std::vector<Tensor> inputs, std::vector<std::string> names)
      : program_(std::move(program)), inputs_(std::move(inputs)), names_(std::move(names)) {}

  Progress advance(const Deadline& deadline) override {
    Engine& engine = Engine::get();
    while (!run_) {
      bool ready = true;
      for (const Tensor& t : inputs_) {
        if (!t.defined()) continue;
        if (t.impl()->error) throw *t.impl()->error;
        ready = ready && t.impl()->storage->ready();
      }
      if (ready) {
        std::vector<RtValue> values;
        for (const Tensor& t : inputs_) values.push_back(t.defined() ? value_of(t) : RtValue{});
        run_ = std::make_unique<GraphRun>(program_, std::move(values));
        break;
      }
      const Progress p = engine.advance_queue(deadline);
      if (p != Progress::kDone) return p;
    }
    return run_->advance(deadline);
  }

  std::vector<Tensor> take_outputs() override {
    std::vector<Tensor> out;
    const auto& results = run_->results();
    for (size_t i = 0; i < results.size(); ++i) out.push_back(tensor_from(results[i], names_[i].c_str()));
    return out;
  }

 private:
  std::shared_ptr<Program> program_;
  std::vector<Tensor> inputs_;
  std::vector<std::string> names_;
  std::unique_ptr<GraphRun> run_;
};

// The piece that covers the whole program for inputs of these types, or null when data must be seen in between.
std::shared_ptr<CompiledPiece> whole_piece(Program& program, std::span<const std::pair<TensorType, bool>> inputs) {
  std::vector<RtValue> env(program.graph().num_values());
  const auto ids = program.graph().inputs();
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!inputs[i].second) continue;
    RtValue& v = env[ids[i]];
    v.kind = RtValue::Kind::kTensor;
    v.type = inputs[i].first;
    v.storage = Ref<Storage>(new Storage(v.type.dtype, v.type.shape.size()));
  }
  if (program.order().empty()) return nullptr;
  std::shared_ptr<CompiledPiece> piece = program.piece_at(0, env);
  return piece->piece.end == program.order().size() ? piece : nullptr;
}

// Records the piece's nodes one by one, so that a tape sees them.
std::vector<Tensor> replay(const Program& program, const Piece& piece, std::span<const Tensor> inputs) {
  const Graph& g = piece.trace->graph();
  std::vector<Tensor> values(g.num_values());
  const auto ids = program.graph().inputs();
  const auto model_input = [&](ValueId v) -> const Tensor& {
    size_t i = 0;
    while (ids[i] != v) ++i;
    return inputs[i];
  };
  for (size_t k = 0; k < g.inputs().size(); ++k) values[g.inputs()[k]] = model_input(piece.graph_inputs[k]);
  for (ValueId v = 0; v < g.num_values(); ++v) {
    if (g.value(v).kind != ValueInfo::Kind::kConstant) continue;
    Ref<TensorImpl> impl(new TensorImpl(g.value(v).type, g.value(v).constant));
    impl->retain();
    values[v] = Tensor(impl.get());
  }
  for (const Node& n : g.nodes()) {
    std::vector<Tensor> in;
    for (ValueId v : n.inputs) in.push_back(values[v]);
    const std::vector<Tensor> out = apply(*n.op, in, n.attrs);
    for (uint32_t o = 0; o < n.num_outputs; ++o) values[n.first_output + o] = out[o];
  }
  std::vector<Tensor> out;
  for (ValueId wanted : program.wanted()) {
    for (const PieceResult& r : piece.results) {
      if (r.value != wanted) continue;
      Tensor t;
      if (r.from == PieceResult::From::kOutput) {
        t = values[piece.outputs[r.index]];
      } else if (r.from == PieceResult::From::kInput) {
        t = model_input(piece.graph_inputs[r.index]);
      } else {
        Ref<TensorImpl> impl(new TensorImpl(r.type, r.constant));
        impl->retain();
        t = Tensor(impl.get());
      }
      if (!(t.shape() == r.type.shape)) {
        const AttrValue shape = r.type.shape.vector();
        t = call("reshape", {&t, 1}, {&shape, 1}).at(0);
      }
      out.push_back(std::move(t));
      break;
    }
  }
  return out;
}

}  // namespace

Model::Model(std::shared_ptr<const Graph> graph, ModelInfo info) : impl_(std::make_shared<Impl>()) {
  impl_->graph = std::move(graph);
  impl_->info = std::move(info);
}

const ModelInfo& Model::info() const {
  require(defined(), "[model] no model is loaded");
  return impl_->info;
}

const Graph& Model::graph() const {
  require(defined(), "[model] no model is loaded");
  return *impl_->graph;
}

bool Model::dynamic() const {
  if (!graph().is_dynamic()) return false;
  if (impl_->dynamic >= 0) return impl_->dynamic == 1;
  // Shape arithmetic may come out constant once the inputs' shapes are known: try the declared ones.
  impl_->dynamic = 1;
  std::vector<std::pair<TensorType, bool>> types;
  for (const std::string& name : graph().input_names()) {
    TensorType t;
    bool known = false;
    for (const auto& port : impl_->info.inputs) {
      if (without_zero(port.name) != without_zero(name) || !port.shape_known) continue;
      t.dtype = port.dtype;
      for (int64_t d : port.shape) t.shape.push_back(d < 0 ? 1 : d);
      known = true;
    }
    if (!known) return true;
    types.emplace_back(t, true);
  }
  try {
    const auto outputs = graph().outputs();
    if (whole_piece(*impl_->program({outputs.begin(), outputs.end()}), types)) impl_->dynamic = 0;
  } catch (const Error&) {
    // A 1 in place of an unknown extent may not fit; then the model is taken for dynamic.
  }
  return impl_->dynamic == 1;
}

namespace {

std::vector<ValueId> wanted_values(const Graph& graph, const ModelInfo& info, std::span<const std::string> outputs,
                                   std::vector<std::string>& names) {
  std::vector<ValueId> wanted;
  if (outputs.empty()) {
    wanted.assign(graph.outputs().begin(), graph.outputs().end());
    names.assign(graph.output_names().begin(), graph.output_names().end());
    return wanted;
  }
  for (const std::string& name : outputs) {
    ValueId v = graph.find(name);
    if (v == kNoValue) v = graph.find(without_zero(name));
    if (v == kNoValue) v = graph.find(name + ":0");
    for (const auto& port : info.outputs) {
      if (v == kNoValue && port.signature_key == name && !name.empty()) v = graph.find(port.name);
    }
    require(v != kNoValue, "[model] has no output or node '", name, "'; its outputs are ", list_names(info.outputs));
    wanted.push_back(v);
    names.push_back(name);
  }
  return wanted;
}

}  // namespace

std::vector<Tensor> Model::run(std::span<const std::pair<std::string, Tensor>> inputs,
                               std::span<const std::string> outputs) const {
  std::vector<std::string> names;
  std::shared_ptr<Program> program = impl_->program(wanted_values(graph(), info(), outputs, names));
  std::vector<Tensor> bound = bind_inputs(graph(), info(), *program, inputs);
  std::vector<std::pair<TensorType, bool>> types;
  for (const Tensor& t : bound) types.emplace_back(t.defined() ? t.type() : TensorType{}, t.defined());
  Engine& engine = Engine::get();
  std::shared_ptr<CompiledPiece> whole = whole_piece(*program, types);
  if (!whole) {
    RunModel task(std::move(program), std::move(bound), std::move(names));
    engine.flush();
    engine.wait(task);
    return task.take_outputs();
  }
  if (engine.tape_open()) return replay(*program, whole->piece, bound);
  auto target = std::make_shared<ModelCall>(program);
  std::vector<Tensor> given;
  for (const Tensor& t : bound) {
    target->types.push_back(t.defined() ? t.type() : TensorType{});
    target->present.push_back(t.defined());
    if (t.defined()) given.push_back(t);
  }
  std::vector<TensorType> out_types;
  for (ValueId wanted : program->wanted()) {
    const ValueInfo& info = program->graph().value(wanted);
    TensorType type = info.type;
    if (info.kind == ValueInfo::Kind::kInput) {
      for (size_t i = 0; i < graph().inputs().size(); ++i) {
        if (graph().inputs()[i] == wanted) type = types[i].first;
      }
    }
    for (const PieceResult& r : whole->piece.results) {
      if (r.value == wanted) type = r.type;
    }
    out_types.push_back(type);
  }
  return engine.record_call(impl_->call(std::move(target)), given, out_types);
}

std::unique_ptr<ModelTask> Model::start(std::span<const std::pair<std::string, Tensor>> inputs,
                                        std::span<const std::string> outputs) const {
  std::vector<std::string> names;
  std::shared_ptr<Program> program = impl_->program(wanted_values(graph(), info(), outputs, names));
  std::vector<Tensor> bound = bind_inputs(graph(), info(), *program, inputs);
  Engine::get().flush();
  return std::make_unique<RunModel>(std::move(program), std::move(bound), std::move(names));
}

}  // namespace tsr
