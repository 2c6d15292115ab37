#include "graph/partition.h"

#include <algorithm>

#include "graph/needed.h"

namespace tsr {
namespace {

constexpr uint32_t kNobody = ~uint32_t{0};
constexpr uint32_t kMany = ~uint32_t{0} - 1;

bool is_alias(const Node& n) { return n.kind == NodeKind::kOp && n.op->alias; }
bool has_body(const Node& n) { return n.kind == NodeKind::kOp && n.op->body != nullptr; }
bool fusible(const Node& n) { return has_body(n) && n.op->elementwise && n.num_outputs == 1; }

// Ops worth carrying an epilogue most: a group takes one of these before any other anchor.
bool is_heavy(const OpDef& op) {
  const std::string_view name = op.name;
  return name == "conv2d" || name == "depthwiseConv2d" || name == "matMul" || name == "conv2dBackpropInput" ||
         name == "conv2dTranspose";
}

class Partitioner {
 public:
  Partitioner(const Graph& graph, std::span<const ValueId> outputs, const PartitionLimits& limits)
      : g_(graph), limits_(limits), needed_(needed_nodes(graph, outputs)), owner_(graph.nodes().size(), kNobody),
        kept_(graph.num_values()), sole_user_(graph.num_values(), kNobody) {
    for (ValueId v : outputs) kept_[root_of(g_, v)] = true;
    find_users();
  }

  std::vector<PartitionItem> run() {
    std::vector<PartitionItem> items;
    const auto nodes = g_.nodes();
    for (auto i = static_cast<uint32_t>(nodes.size()); i-- > 0;) {
      const Node& n = nodes[i];
      if (!needed_[i] || owner_[i] != kNobody || is_alias(n)) continue;
      if (!has_body(n)) {
        PartitionItem item;
        item.is_host = true;
        item.host.node = i;
        items.push_back(std::move(item));
        continue;
      }
      for (uint32_t o = n.num_outputs; o-- > 0;) {
        const ValueId v = n.first_output + o;
        if (n.num_outputs > 1 && !kept_[v] && sole_user_[v] == kNobody) continue;
        items.push_back(make_group(i, o));
      }
    }
    std::reverse(items.begin(), items.end());
    return items;
  }

 private:
  // For each root value: the one node that reads it, kMany, or kNobody. Views count as their root's readers' reads.
  void find_users() {
    const auto nodes = g_.nodes();
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (!needed_[i] || is_alias(nodes[i])) continue;
      for (ValueId in : nodes[i].inputs) {
        const ValueId r = root_of(g_, in);
        users_.push_back({r, i});
        sole_user_[r] = sole_user_[r] == kNobody || sole_user_[r] == i ? i : kMany;
        if (r != in) viewed_.push_back(r);
      }
    }
    std::sort(users_.begin(), users_.end());
    std::sort(viewed_.begin(), viewed_.end());
  }

  bool read_through_view(ValueId v) const { return std::binary_search(viewed_.begin(), viewed_.end(), v); }

  // Every reader of v already belongs to the group of `root`.
  bool all_readers_in(ValueId v, uint32_t root) const {
    auto it = std::lower_bound(users_.begin(), users_.end(), std::pair<ValueId, uint32_t>{v, 0});
    for (; it != users_.end() && it->first == v; ++it) {
      if (owner_[it->second] != root) return false;
    }
    return true;
  }

  PartitionItem make_group(uint32_t root, uint32_t output) {
    const Node& n = g_.node(root);
    std::vector<uint32_t> members{root};
    owner_[root] = root;
    uint32_t anchor = kNobody;
    if (limits_.fuse && fusible(n)) anchor = grow(root, members);
    std::sort(members.begin(), members.end());
    if (anchor != kNobody) {  // the anchor goes first, whatever its place was: nothing in the group precedes it by need
      members.erase(std::find(members.begin(), members.end(), anchor));
      members.insert(members.begin(), anchor);
    }
    return build(members, output);
  }

  // Takes producers into the group of `root` until none fits; returns the anchor taken, if any.
  uint32_t grow(uint32_t root, std::vector<uint32_t>& members) {
    const Shape& shape = g_.value(g_.node(root).first_output).type.shape;
    const auto candidate = [&](ValueId v, bool elementwise) -> uint32_t {
      const ValueInfo& info = g_.value(v);
      if (info.kind != ValueInfo::Kind::kResult || kept_[v] || owner_[info.node] != kNobody) return kNobody;
      const Node& p = g_.node(info.node);
      if (!has_body(p) || p.num_outputs != 1 || p.op->elementwise != elementwise || !(info.type.shape == shape)) return kNobody;
      if (read_through_view(v) || !all_readers_in(v, root)) return kNobody;
      return info.node;
    };
    bool changed = true;
    while (changed && static_cast<int>(members.size()) < limits_.max_nodes) {
      changed = false;
      for (size_t m = 0; m < members.size(); ++m) {
        for (ValueId in : g_.node(members[m]).inputs) {
          const uint32_t p = candidate(in, true);
          if (p == kNobody || static_cast<int>(members.size()) >= limits_.max_nodes || !fits(members, p)) continue;
          owner_[p] = root;
          members.push_back(p);
          changed = true;
        }
      }
    }
    uint32_t anchor = kNobody;
    for (size_t m = 0; m < members.size(); ++m) {
      for (ValueId in : g_.node(members[m]).inputs) {
        const uint32_t p = candidate(in, false);
        if (p == kNobody || !fits(members, p)) continue;
        if (anchor == kNobody || (is_heavy(*g_.node(p).op) && !is_heavy(*g_.node(anchor).op))) anchor = p;
      }
    }
    if (anchor != kNobody) {
      owner_[anchor] = root;
      members.push_back(anchor);
      if (is_heavy(*g_.node(anchor).op)) release_other_tails(root, anchor, members);
    }
    return anchor;
  }

  // Two branches that end in a sum, each with a heavy op of its own: the tail of the other branch (its bias, its activation) goes
  // back to its own op, which applies it in passing and leaves one operand to be added here.
  void release_other_tails(uint32_t root, uint32_t anchor, std::vector<uint32_t>& members) {
    std::sort(members.begin(), members.end());  // producers before readers
    std::vector<uint32_t> after_anchor, of_others;
    const auto has = [](const std::vector<uint32_t>& list, uint32_t m) { return std::find(list.begin(), list.end(), m) != list.end(); };
    for (uint32_t m : members) {
      bool from_anchor = m == anchor, from_other = false;
      for (ValueId in : g_.node(m).inputs) {
        const ValueInfo& info = g_.value(in);
        if (info.kind != ValueInfo::Kind::kResult || m == anchor) continue;
        const uint32_t p = info.node;
        from_anchor = from_anchor || has(after_anchor, p);
        from_other = from_other || has(of_others, p) ||
                     (owner_[p] == kNobody && g_.node(p).kind == NodeKind::kOp && is_heavy(*g_.node(p).op) && sole_user_[in] == m &&
                      !kept_[in] && info.type.shape == g_.value(g_.node(m).first_output).type.shape);
      }
      if (from_anchor) after_anchor.push_back(m);
      else if (from_other && m != root) of_others.push_back(m);
    }
    // What a released node reads must exist outside of this group, too.
    for (size_t i = 0; i < of_others.size(); ++i) {
      for (ValueId in : g_.node(of_others[i]).inputs) {
        const ValueInfo& info = g_.value(in);
        if (info.kind == ValueInfo::Kind::kResult && has(members, info.node) && !has(of_others, info.node)) of_others.push_back(info.node);
      }
    }
    for (uint32_t m : of_others) {
      owner_[m] = kNobody;
      members.erase(std::find(members.begin(), members.end(), m));
    }
  }

  bool fits(const std::vector<uint32_t>& members, uint32_t extra) const {
    std::vector<ValueId> reads;
    const auto add = [&](uint32_t m) {
      for (ValueId in : g_.node(m).inputs) {
        const ValueInfo& info = g_.value(in);
        const bool inner = info.kind == ValueInfo::Kind::kResult &&
                           (info.node == extra || std::find(members.begin(), members.end(), info.node) != members.end());
        if (!inner && std::find(reads.begin(), reads.end(), in) == reads.end()) reads.push_back(in);
      }
    };
    for (uint32_t m : members) add(m);
    add(extra);
    return static_cast<int>(reads.size()) <= limits_.max_operands;
  }

  PartitionItem build(const std::vector<uint32_t>& members, uint32_t output) const {
    PartitionItem item;
    GroupSite& site = item.site;
    const auto ref = [&](ValueId v) -> GroupRef {
      const ValueInfo& info = g_.value(v);
      if (info.kind == ValueInfo::Kind::kResult) {
        const auto it = std::find(members.begin(), members.end(), info.node);
        if (it != members.end()) return {true, static_cast<uint32_t>(it - members.begin())};
      }
      const auto it = std::find(site.operands.begin(), site.operands.end(), v);
      if (it != site.operands.end()) return {false, static_cast<uint32_t>(it - site.operands.begin())};
      site.operands.push_back(v);
      GroupOperand operand{info.type, {}};
      const ValueInfo& source = g_.value(root_of(g_, v));
      if (source.kind == ValueInfo::Kind::kConstant) operand.constant = source.constant;
      site.group.operands.push_back(std::move(operand));
      return {false, static_cast<uint32_t>(site.operands.size() - 1)};
    };
    for (uint32_t m : members) {
      const Node& n = g_.node(m);
      GroupNode gn;
      gn.op = n.op;
      gn.attrs = n.attrs;
      gn.source = m;
      gn.output = static_cast<int>(members.size() == 1 ? output : 0);
      gn.type = g_.value(n.first_output + static_cast<uint32_t>(gn.output)).type;
      for (ValueId in : n.inputs) gn.inputs.push_back(ref(in));
      site.group.nodes.push_back(std::move(gn));
    }
    site.result = g_.node(members.back()).first_output + (members.size() == 1 ? output : 0);
    return item;
  }

  const Graph& g_;
  const PartitionLimits& limits_;
  std::vector<bool> needed_;
  std::vector<uint32_t> owner_;  // root node of the group a node went into
  std::vector<bool> kept_;       // root values that must stay in memory
  std::vector<uint32_t> sole_user_;
  std::vector<std::pair<ValueId, uint32_t>> users_;
  std::vector<ValueId> viewed_;
};

}  // namespace

ValueId root_of(const Graph& graph, ValueId v) {
  for (;;) {
    const ValueInfo& info = graph.value(v);
    if (info.kind != ValueInfo::Kind::kResult || !is_alias(graph.node(info.node))) return v;
    v = graph.node(info.node).inputs[0];
  }
}

std::vector<PartitionItem> partition(const Graph& graph, std::span<const ValueId> outputs, const PartitionLimits& limits) {
  return Partitioner(graph, outputs, limits).run();
}

}  // namespace tsr
