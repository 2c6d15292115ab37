#include "runtime/plan.h"

#include <algorithm>

#include "graph/memory_plan.h"
#include "graph/partition.h"

namespace tsr {

class PlanCompiler {
 public:
  PlanCompiler(const Graph& graph, std::span<const ValueId> outputs, Device& device, bool static_attrs)
      : g_(graph), outputs_(outputs), device_(device), static_attrs_(static_attrs), plan_(std::make_shared<Plan>()),
        buffer_of_(graph.num_values(), Plan::kNoBuffer) {}

  std::shared_ptr<Plan> compile() {
    plan_->device_ = &device_;
    plan_->epoch_ = device_.epoch();
    PartitionLimits limits;
    limits.max_operands = device_.max_operands();
    const std::vector<PartitionItem> items = partition(g_, outputs_, limits);
    name_outputs();
    const std::vector<std::vector<const GroupSite*>> launches = join(items);
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_host) {
        add_host(items[i].host.node);
      } else if (!launches[i].empty()) {
        add_launch(launches[i]);
      }
    }
    for (const Plan::Step& step : plan_->steps_) {
      for (size_t i = 0; i < step.operands.size(); ++i) {
        if (step.kind == Plan::Step::Kind::kLaunch && !step.reads[i]) continue;
        plan_->buffers_[step.operands[i]].read = true;
      }
    }
    place();
    return std::move(plan_);
  }

 private:
  void name_outputs() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const ValueId v = outputs_[i];
      check(root_of(g_, v) == v && g_.value(v).kind == ValueInfo::Kind::kResult, "plan output ", i, " is a view or an input");
      Plan::Buffer b;
      b.kind = Plan::Buffer::Kind::kOutput;
      b.index = static_cast<uint32_t>(i);
      b.type = g_.value(v).type;
      buffer_of_[v] = add(b);
    }
  }

  uint32_t add(Plan::Buffer b) {
    plan_->buffers_.push_back(std::move(b));
    return static_cast<uint32_t>(plan_->buffers_.size() - 1);
  }

  uint32_t buffer(ValueId view) {
    const ValueId v = root_of(g_, view);
    if (buffer_of_[v] != Plan::kNoBuffer) return buffer_of_[v];
    const ValueInfo& info = g_.value(v);
    Plan::Buffer b;
    b.type = info.type;
    switch (info.kind) {
      case ValueInfo::Kind::kInput: {
        const auto inputs = g_.inputs();
        b.kind = Plan::Buffer::Kind::kInput;
        b.index = static_cast<uint32_t>(std::lower_bound(inputs.begin(), inputs.end(), v) - inputs.begin());
        break;
      }
      case ValueInfo::Kind::kConstant:
        b.kind = Plan::Buffer::Kind::kConstant;
        b.index = static_cast<uint32_t>(plan_->constants_.size());
        plan_->constants_.push_back(info.constant);
        break;
      case ValueInfo::Kind::kResult: b.kind = Plan::Buffer::Kind::kArena; break;
    }
    return buffer_of_[v] = add(b);
  }

  bool has_runtime(const GroupSite& site) const {
    if (static_attrs_) return false;
    return std::any_of(site.group.nodes.begin(), site.group.nodes.end(),
                       [](const GroupNode& n) { return n.op->attrs->has_runtime(); });
  }

  // The item that reads this one's result as its anchor's first input, and is the only one to read it, once; else null.
  const PartitionItem* follower(const PartitionItem& item, std::span<const PartitionItem* const> reader_of) const {
    const ValueId v = item.site.result;
    const PartitionItem* next = reader_of[v];
    if (!next || next->is_host || next->site.group.anchor().inputs.empty()) return nullptr;
    const GroupSite& site = next->site;
    const GroupRef image = site.group.anchor().inputs[0];
    if (site.operands[image.index] != v || has_runtime(site)) return nullptr;
    int uses = 0;
    for (const GroupNode& n : site.group.nodes) {
      uses += static_cast<int>(
          std::count_if(n.inputs.begin(), n.inputs.end(), [&](GroupRef r) { return !r.internal && r.index == image.index; }));
    }
    return uses == 1 ? next : nullptr;
  }

  // For each item the groups of its launch: where the device joins several, the last of them has them all and the others none.
  // (Nothing but the last reads what is in between, so the rest may run as late as it.)
  std::vector<std::vector<const GroupSite*>> join(std::span<const PartitionItem> items) {
    std::vector<const PartitionItem*> reader_of(g_.num_values());  // the only one, or null
    std::vector<bool> read(g_.num_values());
    const auto mark = [&](ValueId view, const PartitionItem* by) {
      const ValueId v = root_of(g_, view);
      reader_of[v] = read[v] ? nullptr : by;
      read[v] = true;
    };
    for (ValueId v : outputs_) mark(v, nullptr);
    for (const PartitionItem& item : items) {
      if (item.is_host) {
        for (ValueId v : g_.node(item.host.node).inputs) mark(v, nullptr);
      } else {
        for (ValueId v : item.site.operands) mark(v, &item);
      }
    }
    std::vector<std::vector<const GroupSite*>> launches(items.size());
    std::vector<bool> done(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_host || done[i]) continue;
      std::vector<const PartitionItem*> run{&items[i]};
      std::vector<const Group*> groups{&items[i].site.group};
      size_t n = 1;
      const bool fixed = !has_runtime(items[i].site);
      // As long as the device takes them all: most take none, and chains may be long.
      while (const PartitionItem* next = fixed && n == run.size() ? follower(*run.back(), reader_of) : nullptr) {
        run.push_back(next);
        groups.push_back(&next->site.group);
        n = device_.joins(groups);
      }
      const auto last = static_cast<size_t>(run[n - 1] - items.data());
      for (size_t k = 0; k < n; ++k) {
        launches[last].push_back(&run[k]->site);
        done[static_cast<size_t>(run[k] - items.data())] = true;
      }
    }
    return launches;
  }

  void add_launch(std::span<const GroupSite* const> sites) {
    Plan::Step step;
    step.kind = Plan::Step::Kind::kLaunch;
    std::vector<const Group*> groups;
    for (size_t s = 0; s < sites.size(); ++s) {
      const GroupSite& site = *sites[s];
      groups.push_back(&site.group);
      for (ValueId v : site.operands) {
        if (s > 0 && v == sites[s - 1]->result) continue;  // in between
        step.operands.push_back(buffer(v));
        step.operand_types.push_back(g_.value(v).type);
      }
    }
    const GroupSite& last = *sites.back();
    step.results.push_back(buffer(last.result));
    step.result_types.push_back(last.group.result());
    if (last.group.result().shape.size() > 0) {
      step.launch = groups.size() > 1 ? device_.compile_joined(groups) : device_.compile(last.group);
      plan_->scratch_bytes_ = std::max(plan_->scratch_bytes_, step.launch->scratch_bytes());
    }
    for (size_t i = 0; i < step.operands.size(); ++i)
      step.reads.push_back(step.launch && step.launch->reads_operand(static_cast<int>(i)));
    step.has_runtime = step.launch && has_runtime(last);
    if (step.has_runtime) step.group = last.group;
    plan_->steps_.push_back(std::move(step));
  }

  void add_host(uint32_t index) {
    const Node& n = g_.node(index);
    Plan::Step step;
    step.source = index;
    if (n.kind == NodeKind::kCall) {
      step.kind = Plan::Step::Kind::kCall;
      step.call = std::static_pointer_cast<CallTarget>(n.call);
    } else {
      check(n.kind == NodeKind::kOp && n.op->host, "a plan cannot hold this node");
      step.kind = Plan::Step::Kind::kHost;
      step.op = n.op;
      step.attrs = n.attrs;
      step.has_runtime = !static_attrs_ && n.op->attrs->has_runtime();
    }
    for (ValueId v : n.inputs) {
      step.operands.push_back(buffer(v));
      step.operand_types.push_back(g_.value(v).type);
    }
    for (uint32_t o = 0; o < n.num_outputs; ++o) {
      step.results.push_back(buffer(n.first_output + o));
      step.result_types.push_back(g_.value(n.first_output + o).type);
    }
    plan_->steps_.push_back(std::move(step));
  }

  // Lets results take over the memory of an operand that dies with the step, then packs what is left into the arena.
  void place() {
    auto& buffers = plan_->buffers_;
    std::vector<Lifetime> life(buffers.size());
    for (size_t b = 0; b < buffers.size(); ++b) {
      life[b].first = ~uint32_t{0};
      life[b].bytes = static_cast<size_t>(buffers[b].type.shape.size()) * size_of(buffers[b].type.dtype);
    }
    const auto touch = [&](uint32_t b, uint32_t s) {
      life[b].first = std::min(life[b].first, s);
      life[b].last = std::max(life[b].last, s);
    };
    for (uint32_t s = 0; s < plan_->steps_.size(); ++s) {
      for (uint32_t b : plan_->steps_[s].operands) touch(b, s);
      for (uint32_t b : plan_->steps_[s].results) touch(b, s);
    }
    std::vector<uint32_t> alias(buffers.size());
    for (uint32_t b = 0; b < alias.size(); ++b) alias[b] = b;
    if (device_.is_host()) {
      for (uint32_t s = 0; s < plan_->steps_.size(); ++s) share_in_place(plan_->steps_[s], s, life, alias);
    }
    std::vector<Lifetime> blocks;
    std::vector<uint32_t> owners;
    for (uint32_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].kind != Plan::Buffer::Kind::kArena || alias[b] != b) continue;
      blocks.push_back(life[b]);
      owners.push_back(b);
    }
    const MemoryPlan mem = plan_memory(blocks);
    plan_->arena_bytes_ = mem.arena_bytes;
    plan_->slot_bytes_ = mem.slot_bytes;
    for (size_t i = 0; i < owners.size(); ++i) {
      buffers[owners[i]].offset = blocks[i].offset;
      buffers[owners[i]].index = blocks[i].slot;
    }
    for (Plan::Step& step : plan_->steps_) {
      for (uint32_t& b : step.operands) b = alias[b];
      for (uint32_t& b : step.results) b = alias[b];
    }
  }

  void share_in_place(const Plan::Step& step, uint32_t s, std::vector<Lifetime>& life, std::vector<uint32_t>& alias) {
    if (step.kind != Plan::Step::Kind::kLaunch || !step.launch) return;
    const int k = step.launch->in_place_operand();
    if (k < 0) return;
    auto& buffers = plan_->buffers_;
    const uint32_t from = alias[step.operands[static_cast<size_t>(k)]];
    const uint32_t to = step.results[0];
    // The operand's memory must be the arena's, last used here, of the same size, and read by this step through it alone.
    if (buffers[from].kind != Plan::Buffer::Kind::kArena || life[from].last != s || life[from].bytes != life[to].bytes) return;
    int uses = 0;
    for (uint32_t b : step.operands) uses += alias[b] == from;
    if (uses != 1) return;
    if (buffers[to].kind == Plan::Buffer::Kind::kOutput) {
      // The output's own memory serves the operand from the start.
      for (uint32_t& a : alias) a = a == from ? to : a;
      life[to].first = std::min(life[to].first, life[from].first);
      return;
    }
    alias[to] = from;
    life[from].last = std::max(life[from].last, life[to].last);
  }

  const Graph& g_;
  std::span<const ValueId> outputs_;
  Device& device_;
  bool static_attrs_;
  std::shared_ptr<Plan> plan_;
  std::vector<uint32_t> buffer_of_;
};

std::shared_ptr<Plan> Plan::compile(const Graph& graph, std::span<const ValueId> outputs, Device& device,
                                    bool static_attrs) {
  std::shared_ptr<Plan> plan = PlanCompiler(graph, outputs, device, static_attrs).compile();
  // The guess: a megabyte of weights, intermediates and results is worth a millisecond.
  size_t bytes = plan->arena_bytes();
  for (const Plan::Buffer& b : plan->buffers()) {
    if (b.kind == Plan::Buffer::Kind::kConstant || b.kind == Plan::Buffer::Kind::kOutput) {
      bytes += static_cast<size_t>(b.type.shape.size()) * size_of(b.type.dtype);
    }
  }
  plan->last_run_ms = static_cast<double>(bytes) / 1e6;
  return plan;
}

}  // namespace tsr
