#include "formats/tfjs/control_flow.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

namespace tsr::formats {
namespace {

struct LoopVariable {
  uint32_t enter = 0, merge = 0;
  TfRef next;  // what NextIteration passes on
};

// One frame of the graph while it is being cut out.
class Frame {
 public:
  Frame(TfGraph& graph, std::string name, std::vector<uint32_t> enters)
      : g_(graph), name_(std::move(name)), enters_(std::move(enters)) {}

  // False when it holds a frame that must be done first.
  bool lower();

 private:
  // A function being cut out: nodes behind `roots`, as far back as the frame goes.
  struct Cut {
    TfGraph fn;
    std::vector<uint32_t> args;                     // one node a parameter, in the order of parameters
    std::unordered_map<uint32_t, uint32_t> copies;  // node of g_ -> node of fn
    bool postponed = false;
  };

  [[noreturn]] void wrong(const char* what) const {
    fail(ErrorCode::kBadFile, "the loop of frame '", name_, "' ", what);
  }
  const TfNode& at(uint32_t i) const { return g_.nodes[i]; }
  bool is_enter(uint32_t i) const { return std::binary_search(enters_.begin(), enters_.end(), i); }
  int variable_of_merge(uint32_t merge) const {
    const auto it = by_merge_.find(merge);
    return it == by_merge_.end() ? -1 : it->second;
  }
  // The loop variable that a Switch of this frame gates, or -1.
  int variable_of_switch(uint32_t i) const {
    const TfNode& n = at(i);
    if (n.op != "Switch" || n.inputs.size() != 2) return -1;
    if (have_cond_ && n.inputs[1].node != cond_) return -1;
    return variable_of_merge(n.inputs[0].node);
  }
  int variable_of_exit(uint32_t i) const {
    const TfNode& n = at(i);
    return n.op == "Exit" && !n.inputs.empty() ? variable_of_switch(n.inputs[0].node) : -1;
  }

  void find_variables();
  void find_condition();
  void find_inside();
  size_t parameters() const { return variables_.size() + constants_.size() + captures_.size(); }
  uint32_t capture(TfRef outside);
  int parameter(TfRef ref);
  bool cut(const std::vector<TfRef>& roots, Cut& c);
  void finish(Cut& c);

  TfGraph& g_;
  std::string name_;
  std::vector<uint32_t> enters_;  // sorted
  std::vector<LoopVariable> variables_;
  std::unordered_map<uint32_t, int> by_merge_;
  std::vector<uint32_t> constants_;  // Enter nodes of values that the loop only reads
  std::vector<TfRef> captures_;      // values read from outside without an Enter
  bool have_cond_ = false;
  uint32_t cond_ = 0;  // the LoopCond node
  std::vector<bool> inside_;
};

void Frame::find_variables() {
  std::sort(enters_.begin(), enters_.end());
  std::vector<bool> has_merge(g_.nodes.size(), false);
  for (uint32_t i = 0; i < g_.nodes.size(); ++i) {
    const TfNode& n = at(i);
    if (n.op != "Merge" || n.inputs.size() != 2) continue;
    for (int k = 0; k < 2; ++k) {
      const uint32_t from = n.inputs[static_cast<size_t>(k)].node;
      const uint32_t back = n.inputs[static_cast<size_t>(1 - k)].node;
      if (!is_enter(from) || at(back).op != "NextIteration") continue;
      if (at(back).inputs.empty()) wrong("has a NextIteration without input");
      by_merge_[i] = static_cast<int>(variables_.size());
      variables_.push_back({from, i, at(back).inputs[0]});
      has_merge[from] = true;
      break;
    }
  }
  for (uint32_t e : enters_) {
    if (at(e).inputs.empty()) wrong("has an Enter without input");
    if (!has_merge[e]) constants_.push_back(e);
  }
}

void Frame::find_condition() {
  for (uint32_t i = 0; i < g_.nodes.size(); ++i) {
    if (variable_of_switch(i) < 0) continue;
    const uint32_t pred = at(i).inputs[1].node;
    if (at(pred).op != "LoopCond") continue;
    if (at(pred).inputs.empty()) wrong("has a LoopCond without input");
    cond_ = pred;
    have_cond_ = true;
    return;
  }
  wrong("has no condition (LoopCond)");
}

// Everything that depends on the frame's Enter nodes, up to its Exit nodes.
void Frame::find_inside() {
  std::vector<std::vector<uint32_t>> users(g_.nodes.size());
  for (uint32_t i = 0; i < g_.nodes.size(); ++i) {
    for (const TfRef& r : at(i).inputs) users[r.node].push_back(i);
  }
  inside_.assign(g_.nodes.size(), false);
  std::vector<uint32_t> todo = enters_;
  for (uint32_t e : enters_) inside_[e] = true;
  while (!todo.empty()) {
    const uint32_t i = todo.back();
    todo.pop_back();
    for (uint32_t u : users[i]) {
      if (inside_[u] || variable_of_exit(u) >= 0) continue;
      inside_[u] = true;
      todo.push_back(u);
    }
  }
}

uint32_t Frame::capture(TfRef outside) {
  const auto it = std::find(captures_.begin(), captures_.end(), outside);
  const auto k = static_cast<size_t>(it - captures_.begin());
  if (it == captures_.end()) captures_.push_back(outside);
  return static_cast<uint32_t>(variables_.size() + constants_.size() + k);
}

// The parameter that a reference stands for, or -1 when its node belongs to the function.
int Frame::parameter(TfRef ref) {
  if (const int v = variable_of_merge(ref.node); v >= 0) {
    if (ref.output != 0) wrong("uses the index output of a Merge");
    return v;
  }
  if (const int v = variable_of_switch(ref.node); v >= 0) return v;
  if (is_enter(ref.node)) {
    const auto it = std::find(constants_.begin(), constants_.end(), ref.node);
    if (it != constants_.end())
      return static_cast<int>(variables_.size() + static_cast<size_t>(it - constants_.begin()));
    for (size_t v = 0; v < variables_.size(); ++v) {
      if (variables_[v].enter == ref.node) return static_cast<int>(v);
    }
  }
  // Constants are copied, whichever frame they are in: their data is shared by name.
  if (!inside_[ref.node] && at(ref.node).op != "Const") return static_cast<int>(capture(ref));
  return -1;
}

bool Frame::cut(const std::vector<TfRef>& roots, Cut& c) {
  const auto arg = [&](int p) {
    while (c.args.size() <= static_cast<size_t>(p)) {
      TfNode node;
      node.name = name_ + "/argument" + std::to_string(c.args.size());
      node.op = "_Arg";
      c.args.push_back(static_cast<uint32_t>(c.fn.nodes.size()));
      c.fn.nodes.push_back(std::move(node));
    }
    return TfRef{c.args[static_cast<size_t>(p)], 0};
  };
  std::vector<uint32_t> todo;
  const auto copy_of = [&](uint32_t i) {
    const auto [it, fresh] = c.copies.emplace(i, static_cast<uint32_t>(c.fn.nodes.size()));
    if (fresh) {
      c.fn.nodes.push_back(at(i));
      TfNode& n = c.fn.nodes.back();
      n.inputs.clear();
      n.controls.clear();
      if (n.op == "LoopCond") n.op = "Identity";
      todo.push_back(i);
    }
    return it->second;
  };
  const auto here = [&](TfRef ref) {
    const int p = parameter(ref);
    return p >= 0 ? arg(p) : TfRef{copy_of(ref.node), ref.output};
  };
  for (const TfRef& r : roots) c.fn.results.push_back(here(r));
  while (!todo.empty()) {
    const uint32_t i = todo.back();
    todo.pop_back();
    const TfNode& n = at(i);
    if (n.op == "Exit" || n.op == "Enter") return false;  // of an inner frame
    if (n.op == "NextIteration") wrong("is entangled with another loop");
    const uint32_t mine = c.copies.at(i);
    for (const TfRef& r : n.inputs) {
      const TfRef mapped = here(r);
      c.fn.nodes[mine].inputs.push_back(mapped);
    }
    // A constant in a branch of a conditional must know its branch: see the conversion of Merge.
    TfRef branch;
    if (n.inputs.empty() && branch_of(g_, n, branch) && variable_of_switch(branch.node) < 0 && inside_[branch.node]) {
      const uint32_t gate = copy_of(branch.node);
      TfNode identity;
      identity.name = n.name + "/branch";
      identity.op = "Identity";
      identity.inputs.push_back({gate, branch.output});
      c.fn.nodes[mine].controls.push_back(static_cast<uint32_t>(c.fn.nodes.size()));
      c.fn.nodes.push_back(std::move(identity));
    }
  }
  return true;
}

// Gives the function all parameters, also those it does not read.
void Frame::finish(Cut& c) {
  while (c.args.size() < parameters()) {
    TfNode node;
    node.name = name_ + "/argument" + std::to_string(c.args.size());
    node.op = "_Arg";
    c.args.push_back(static_cast<uint32_t>(c.fn.nodes.size()));
    c.fn.nodes.push_back(std::move(node));
  }
  c.fn.arguments = c.args;
  c.fn.depth = 1;
  for (const TfNode& n : c.fn.nodes) {
    for (const auto& inner : {n.cond, n.body}) {
      if (inner) c.fn.depth = std::max(c.fn.depth, inner->depth + 1);
    }
  }
  if (c.fn.depth > kMaxNesting) wrong("is nested too deep");
}

bool Frame::lower() {
  find_variables();
  if (variables_.empty()) wrong("has no loop variable");
  find_condition();
  find_inside();
  Cut cond, body;
  cond.fn.name = name_ + "/cond";
  body.fn.name = name_ + "/body";
  std::vector<TfRef> next;
  for (const LoopVariable& v : variables_) next.push_back(v.next);
  if (!cut({at(cond_).inputs[0]}, cond) || !cut(next, body)) return false;
  finish(cond);
  finish(body);
  for (size_t p = variables_.size(); p < parameters(); ++p) body.fn.results.push_back({body.args[p], 0});

  TfNode loop;
  loop.name = name_;
  loop.op = "While";
  for (const LoopVariable& v : variables_) loop.inputs.push_back(at(v.enter).inputs[0]);
  for (uint32_t e : constants_) loop.inputs.push_back(at(e).inputs[0]);
  for (const TfRef& r : captures_) loop.inputs.push_back(r);
  loop.cond = std::make_shared<const TfGraph>(std::move(cond.fn));
  loop.body = std::make_shared<const TfGraph>(std::move(body.fn));
  const auto loop_index = static_cast<uint32_t>(g_.nodes.size());
  std::vector<std::pair<uint32_t, int>> exits;
  for (uint32_t i = 0; i < g_.nodes.size(); ++i) {
    if (const int v = variable_of_exit(i); v >= 0) exits.emplace_back(i, v);
  }
  for (const auto& [i, v] : exits) {
    g_.nodes[i].op = "Identity";
    g_.nodes[i].inputs = {{loop_index, static_cast<uint32_t>(v)}};
    g_.nodes[i].controls.clear();
  }
  for (uint32_t i = 0; i < inside_.size(); ++i) {
    if (!inside_[i]) continue;
    g_.nodes[i].op = "_Dead";
    g_.nodes[i].inputs.clear();
    g_.nodes[i].controls.clear();
  }
  g_.nodes.push_back(std::move(loop));
  return true;
}

}  // namespace

void recover_loops(TfGraph& graph) {
  std::map<std::string, std::vector<uint32_t>> frames;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const TfNode& n = graph.nodes[i];
    if (n.op == "Enter" || n.op == "RefEnter") frames[n.get_string("frame_name", "")].push_back(i);
  }
  while (!frames.empty()) {
    bool progress = false;
    for (auto it = frames.begin(); it != frames.end();) {
      if (Frame(graph, it->first, it->second).lower()) {
        it = frames.erase(it);
        progress = true;
      } else {
        ++it;
      }
    }
    if (!progress) {
      fail(ErrorCode::kBadFile, "the loop of frame '", frames.begin()->first, "' is entangled with another loop");
    }
  }
}

bool branch_of(const TfGraph& graph, const TfNode& node, TfRef& branch) {
  for (uint32_t control : node.controls) {
    TfRef ref{control, 0};
    // A chain of Identity nodes; bounded, as a broken file could make it circular.
    for (size_t steps = 0; steps <= graph.nodes.size(); ++steps) {
      const TfNode& n = graph.nodes[ref.node];
      if (n.op == "Switch" || n.op == "RefSwitch") {
        branch = ref;
        return true;
      }
      if (n.op != "Identity" || n.inputs.empty()) break;
      ref = n.inputs[0];
    }
  }
  return false;
}

}  // namespace tsr::formats
