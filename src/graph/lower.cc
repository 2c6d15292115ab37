#include <algorithm>

#include "graph/group.h"
#include "ir/body.h"

namespace tsr {
namespace {

std::string group_name(const Group& g) {
  std::string name;
  for (const GroupNode& n : g.nodes) name += (name.empty() ? "" : "+") + std::string(n.op->name);
  return name;
}

const TensorType& type_of(const Group& g, GroupRef r) {
  return r.internal ? g.nodes[r.index].type : g.operands[r.index].type;
}

// One node as a kernel over its own inputs.
ir::Kernel node_kernel(const Group& g, const GroupNode& n) {
  check(n.op->body != nullptr, "op '", n.op->name, "' has no body to lower");
  std::vector<TensorType> inputs;
  for (GroupRef r : n.inputs) inputs.push_back(type_of(g, r));
  ir::BodyCtx ctx(inputs, n.type, n.attrs, n.output);
  ir::Expr body = n.op->body(ctx);
  return ctx.finish(n.op->name, std::move(body));
}

// A kernel whose inputs stand for group references, in order.
struct Partial {
  ir::Kernel kernel;
  std::vector<GroupRef> refs;
};

bool same(GroupRef a, GroupRef b) { return a.internal == b.internal && a.index == b.index; }

// Equal references become one kernel input.
void merge_equal(Partial& p) {
  for (size_t i = 0; i < p.refs.size(); ++i) {
    for (size_t j = p.refs.size() - 1; j > i; --j) {
      if (!same(p.refs[i], p.refs[j])) continue;
      p.kernel = ir::merge_inputs(p.kernel, static_cast<int>(i), static_cast<int>(j));
      p.refs.erase(p.refs.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

}  // namespace

ir::Kernel lower(const Group& group) {
  check(!group.nodes.empty(), "an empty group");
  ir::collect();  // no expression is in the making here: kernels hold theirs
  // Start at the result and replace references to inner nodes, the latest first: each is then replaced once, after all its users.
  Partial p{node_kernel(group, group.nodes.back()), group.nodes.back().inputs};
  merge_equal(p);
  for (;;) {
    int at = -1;
    for (size_t i = 0; i < p.refs.size(); ++i) {
      if (p.refs[i].internal && (at < 0 || p.refs[i].index > p.refs[static_cast<size_t>(at)].index)) at = static_cast<int>(i);
    }
    if (at < 0) break;
    const GroupNode& producer = group.nodes[p.refs[static_cast<size_t>(at)].index];
    p.kernel = ir::fuse(p.kernel, at, node_kernel(group, producer), {producer.type.shape});
    p.refs.erase(p.refs.begin() + at);
    p.refs.insert(p.refs.end(), producer.inputs.begin(), producer.inputs.end());
    merge_equal(p);
  }
  // The kernel's inputs in the order of the group's operands; operands that nothing reads keep their place.
  const auto count = static_cast<int>(group.operands.size());
  std::vector<int> where(p.refs.size());
  for (size_t i = 0; i < p.refs.size(); ++i) where[i] = static_cast<int>(p.refs[i].index);
  ir::Kernel out = std::move(p.kernel);
  out.body = ir::rewrite(out.body, [&](const ir::Node& leaf, std::span<const ir::Expr> args) -> ir::Expr {
    if (leaf.op() == ir::Op::kLoad) return ir::load(where[static_cast<size_t>(leaf.a())], leaf.type(), args);
    if (leaf.op() == ir::Op::kDim) return ir::dim(where[static_cast<size_t>(leaf.a())], leaf.b());
    return {};
  });
  out.inputs.clear();
  for (int i = 0; i < count; ++i) {
    const TensorType& t = group.operands[static_cast<size_t>(i)].type;
    out.inputs.push_back({t.dtype, t.shape.rank()});
  }
  out.name = group_name(group);
  return out;
}

Group single_op_group(const OpDef& op, const Attrs& attrs, std::vector<TensorType> inputs, const TensorType& result,
                      int output) {
  Group g;
  GroupNode n;
  n.op = &op;
  n.attrs = attrs;
  n.type = result;
  n.output = output;
  for (size_t i = 0; i < inputs.size(); ++i) {
    n.inputs.push_back({false, static_cast<uint32_t>(i)});
    g.operands.push_back({std::move(inputs[i]), {}});
  }
  g.nodes.push_back(std::move(n));
  return g;
}

}  // namespace tsr
