#include "formats/tfjs/builder.h"

#include <algorithm>
#include <set>

#include "formats/tfjs/const_value.h"
#include "formats/tfjs/control_flow.h"
#include "formats/tfjs/convert.h"

namespace tsr::formats {
namespace {

bool is_loop(const std::string& op) { return op == "While" || op == "StatelessWhile"; }
bool is_if(const std::string& op) { return op == "If" || op == "StatelessIf"; }
bool is_input(const std::string& op) { return op == "Placeholder" || op == "_Arg"; }

}  // namespace

// A graph under construction.
struct GraphBuilder::Scope {
  const TfGraph& source;
  Graph graph;
  std::vector<std::vector<ValueId>> outputs;  // of each node of `source` converted so far
  bool named = false;                         // the model's own graph: values can be asked for by name
};

std::vector<bool> needed_nodes(const TfGraph& graph, const std::vector<TfRef>& results) {
  std::vector<bool> needed(graph.nodes.size(), false);
  std::vector<uint32_t> todo;
  const auto need = [&](uint32_t i) {
    if (!needed[i]) {
      needed[i] = true;
      todo.push_back(i);
    }
  };
  for (const TfRef& r : results) need(r.node);
  while (!todo.empty()) {
    const TfNode& n = graph.nodes[todo.back()];
    todo.pop_back();
    for (const TfRef& r : n.inputs) need(r.node);
    TfRef branch;
    if (n.inputs.empty() && branch_of(graph, n, branch)) need(branch.node);
  }
  return needed;
}

ValueId GraphBuilder::value(const Scope& s, const TfNode& user, TfRef ref) {
  const auto& outputs = s.outputs[ref.node];
  if (ref.output >= outputs.size()) {
    fail(ErrorCode::kBadFile, user.where(), " takes output ", ref.output, " of ", s.source.nodes[ref.node].where(),
         ", which has ", outputs.size());
  }
  return outputs[ref.output];
}

// The inputs of a node. A constant that belongs to a branch of a conditional is alive only when the branch is, which
// matters to Merge: it passes through a Switch of its own.
std::vector<ValueId> GraphBuilder::gated_inputs(Scope& s, const TfNode& node) {
  std::vector<ValueId> in;
  for (const TfRef& r : node.inputs) {
    ValueId v = value(s, node, r);
    const TfNode& from = s.source.nodes[r.node];
    TfRef branch;
    if (node.op == "Merge" && from.inputs.empty() && branch_of(s.source, from, branch)) {
      const TfNode& gate = s.source.nodes[branch.node];
      if (gate.inputs.size() < 2 || branch.output > 1)
        fail(ErrorCode::kBadFile, gate.where(), " must have two inputs and two outputs");
      const ValueId pred = value(s, gate, gate.inputs[1]);
      v = s.graph.add_joint(NodeKind::kSwitch, std::vector<ValueId>{v, pred}, 2, {}, from.name) + branch.output;
    }
    in.push_back(v);
  }
  return in;
}

void GraphBuilder::convert_const(Scope& s, uint32_t index) {
  const TfNode& node = s.source.nodes[index];
  const auto it = weights_.find(node.name);
  if (it == weights_.end() && !has_value(node)) {
    fail(ErrorCode::kBadFile, node.where(), " has no value: the manifest has no weight of that name");
  }
  const Weight w = it != weights_.end() ? it->second : value_of_const(node);
  s.outputs[index] = {s.graph.add_constant(w.type, w.storage)};
}

const TfGraph& GraphBuilder::named_function(const TfNode& node, const char* attr) const {
  const std::string name = node.get_function(attr);
  const auto it = def_.functions.find(name);
  if (it == def_.functions.end())
    fail(ErrorCode::kBadFile, node.where(), " names the function '", name, "', which does not exist");
  return it->second;
}

std::shared_ptr<const Graph> GraphBuilder::function(const TfGraph& f, const std::vector<bool>& lists) {
  // By identity: a loop inside a loop appears in the outer one's condition and in its body, as copies that share their functions.
  const auto key = std::make_pair(&f, lists);
  if (const auto it = built_.find(key); it != built_.end()) return it->second;
  if (std::find(open_.begin(), open_.end(), &f) != open_.end()) {
    fail(ErrorCode::kUnsupported, "function '", f.name, "' calls itself, which is not supported");
  }
  if (open_.size() >= static_cast<size_t>(2 * kMaxNesting)) {
    fail(ErrorCode::kBadFile, "loops and functions are nested too deep at '", f.name, "'");
  }
  if (lists.size() != f.arguments.size()) {
    fail(ErrorCode::kBadFile, "function '", f.name, "' takes ", f.arguments.size(), " arguments, but is given ",
         lists.size());
  }
  open_.push_back(&f);
  Scope s{f, {}, std::vector<std::vector<ValueId>>(f.nodes.size()), false};
  for (size_t i = 0; i < f.arguments.size(); ++i) {
    const ValueId v = s.graph.add_input(f.nodes[f.arguments[i]].name, {}, false);
    if (lists[i]) s.graph.mark_list(v);
    s.outputs[f.arguments[i]] = {v};
  }
  convert_all(s, f.results);
  for (size_t i = 0; i < f.results.size(); ++i) {
    const TfRef r = f.results[i];
    s.graph.add_output(f.nodes[r.node].name + ":" + std::to_string(r.output), value(s, f.nodes[r.node], r));
  }
  open_.pop_back();
  auto graph = std::make_shared<const Graph>(std::move(s.graph));
  built_[key] = graph;
  return graph;
}

void GraphBuilder::convert_loop(Scope& s, uint32_t index) {
  const TfNode& node = s.source.nodes[index];
  const std::vector<ValueId> in = gated_inputs(s, node);
  std::vector<bool> lists;
  for (ValueId v : in) lists.push_back(s.graph.value(v).is_list);
  const auto cond = function(node.cond ? *node.cond : named_function(node, "cond"), lists);
  const auto body = function(node.body ? *node.body : named_function(node, "body"), lists);
  if (cond->outputs().size() != 1)
    fail(ErrorCode::kBadFile, node.where(), ": its condition returns ", cond->outputs().size(), " values, not one");
  if (body->outputs().size() != in.size()) {
    fail(ErrorCode::kBadFile, node.where(), ": its body returns ", body->outputs().size(), " values for ", in.size(),
         " loop variables");
  }
  for (size_t i = 0; i < in.size(); ++i) {
    if (body->value(body->outputs()[i]).is_list != lists[i]) {
      fail(ErrorCode::kBadFile, node.where(), ": loop variable ", i,
           " is a tensor list before, but not after an iteration (or the other way round)");
    }
  }
  const auto n = static_cast<uint32_t>(in.size());
  const ValueId first = s.graph.add_joint(NodeKind::kWhile, in, n, {cond, body}, node.name);
  for (uint32_t i = 0; i < n; ++i) {
    if (lists[i]) s.graph.mark_list(first + i);
    s.outputs[index].push_back(first + i);
  }
}

void GraphBuilder::convert_if(Scope& s, uint32_t index) {
  const TfNode& node = s.source.nodes[index];
  const std::vector<ValueId> in = gated_inputs(s, node);
  if (in.empty()) fail(ErrorCode::kBadFile, node.where(), " has no condition");
  std::vector<bool> lists;
  for (size_t i = 1; i < in.size(); ++i) lists.push_back(s.graph.value(in[i]).is_list);
  const auto yes = function(named_function(node, "then_branch"), lists);
  const auto no = function(named_function(node, "else_branch"), lists);
  const auto n = static_cast<uint32_t>(yes->outputs().size());
  if (no->outputs().size() != n) {
    fail(ErrorCode::kBadFile, node.where(), ": its branches return ", n, " and ", no->outputs().size(), " values");
  }
  const ValueId first = s.graph.add_joint(NodeKind::kIf, in, n, {yes, no}, node.name);
  for (uint32_t i = 0; i < n; ++i) {
    if (yes->value(yes->outputs()[i]).is_list) s.graph.mark_list(first + i);
    s.outputs[index].push_back(first + i);
  }
}

void GraphBuilder::convert(Scope& s, uint32_t index) {
  const TfNode& node = s.source.nodes[index];
  if (node.op == "Const") return convert_const(s, index);
  if (is_loop(node.op)) return convert_loop(s, index);
  if (is_if(node.op)) return convert_if(s, index);
  if (node.op == "_Dead") {
    fail(ErrorCode::kBadFile, "node '", node.name,
         "' is inside a loop, but its result is used outside without passing an Exit");
  }
  if (node.op == "NoOp") return;
  const TfOp* op = find_tf_op(node.op);
  if (!op) fail(ErrorCode::kUnsupported, node.where(), ": this op is not supported");
  NodeCtx ctx(node, s.graph, gated_inputs(s, node));
  try {
    op->convert(ctx, op->op);
  } catch (const Error& e) {
    // Faults found by the registry know nothing of the file.
    const std::string where = node.where();
    if (std::string_view(e.what()).substr(0, where.size()) == where) throw;
    const ErrorCode code = e.code() == ErrorCode::kInvalidArgument ? ErrorCode::kBadFile : e.code();
    fail(code, where, ": ", e.what());
  }
  s.outputs[index] = std::move(ctx.outputs());
}

void GraphBuilder::convert_all(Scope& s, const std::vector<TfRef>& results) {
  const std::vector<bool> needed = needed_nodes(s.source, results);
  for (uint32_t i : topological_order(s.source)) {
    if (!needed[i]) continue;
    if (s.outputs[i].empty()) convert(s, i);  // inputs have theirs already
    if (!s.named) continue;
    const std::string& name = s.source.nodes[i].name;
    for (size_t k = 0; k < s.outputs[i].size(); ++k) {
      if (k == 0) s.graph.name_value(name, s.outputs[i][0]);
      s.graph.name_value(name + ":" + std::to_string(k), s.outputs[i][k]);
    }
  }
}

std::shared_ptr<const Graph> GraphBuilder::build(const std::vector<TfPort>& inputs,
                                                 const std::vector<TfPort>& outputs) {
  Scope s{def_.graph, {}, std::vector<std::vector<ValueId>>(def_.graph.nodes.size()), true};
  for (const TfPort& p : inputs) {
    const ValueId v = s.graph.add_input(def_.graph.nodes[p.value.node].name, p.type, p.shape_known);
    s.outputs[p.value.node] = {v};
  }
  std::vector<TfRef> results;
  for (const TfPort& p : outputs) results.push_back(p.value);
  convert_all(s, results);
  const auto alias = [&s](const std::string& name, ValueId v) {
    if (!name.empty() && s.graph.find(name) == kNoValue) s.graph.name_value(name, v);
  };
  for (const TfPort& p : outputs) {
    const TfNode& node = def_.graph.nodes[p.value.node];
    const ValueId v = value(s, node, p.value);
    if (s.graph.value(v).is_list)
      fail(ErrorCode::kBadFile, node.where(), " is an output of the model, but gives a tensor list");
    s.graph.add_output(p.name, v);
  }
  // Names that the signature alone knows, where no node has them.
  for (const TfPort& p : inputs) {
    const ValueId v = s.outputs[p.value.node][0];
    alias(def_.graph.nodes[p.value.node].name + ":0", v);
    alias(p.name, v);
    alias(p.signature_key, v);
  }
  for (const TfPort& p : outputs) {
    alias(p.name, s.outputs[p.value.node][p.value.output]);
    alias(p.signature_key, s.outputs[p.value.node][p.value.output]);
  }
  return std::make_shared<const Graph>(std::move(s.graph));
}

std::vector<std::pair<std::string, std::string>> GraphBuilder::unknown_ops(const std::vector<TfPort>& inputs,
                                                                           const std::vector<TfPort>& outputs,
                                                                           const Manifest& manifest) const {
  std::set<std::string> weights;
  for (const WeightSpec& w : manifest.weights) weights.insert(w.name);
  std::vector<std::pair<std::string, std::string>> unknown;
  std::set<std::string> seen;
  std::set<const TfGraph*> visited;
  std::vector<const TfGraph*> todo{&def_.graph};
  std::set<uint32_t> fed;  // nodes that the signature makes inputs, whatever their op
  for (const TfPort& p : inputs) fed.insert(p.value.node);
  std::vector<TfRef> results;
  for (const TfPort& p : outputs) results.push_back(p.value);
  while (!todo.empty()) {
    const TfGraph& g = *todo.back();
    todo.pop_back();
    if (!visited.insert(&g).second) continue;
    const bool main = &g == &def_.graph;
    const std::vector<bool> needed = needed_nodes(g, main ? results : g.results);
    for (uint32_t i = 0; i < g.nodes.size(); ++i) {
      const TfNode& n = g.nodes[i];
      if (!needed[i] || (main && fed.count(i)) || is_input(n.op) || n.op == "NoOp" || n.op == "_Dead") continue;
      if (n.op == "Const") {
        if (!weights.count(n.name) && !has_value(n)) {
          fail(ErrorCode::kBadFile, n.where(), " has no value: the manifest has no weight of that name");
        }
      } else if (is_loop(n.op)) {
        todo.push_back(n.cond ? n.cond.get() : &named_function(n, "cond"));
        todo.push_back(n.body ? n.body.get() : &named_function(n, "body"));
      } else if (is_if(n.op)) {
        todo.push_back(&named_function(n, "then_branch"));
        todo.push_back(&named_function(n, "else_branch"));
      } else if (!find_tf_op(n.op) && seen.insert(n.op).second) {
        unknown.emplace_back(n.op, n.name);
      }
    }
  }
  return unknown;
}

}  // namespace tsr::formats
