#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/expr.h"
#include "ir/interner.h"

namespace tsr::ir {
namespace {

using Memo = std::unordered_map<const Node*, Expr>;

Expr replace_var_in(const Expr& e, int32_t id, uint32_t bit, const Expr& with, Memo& memo) {
  if ((e->depends().vars & bit) == 0) return e;
  if (e->op() == Op::kVar) return e->a() == id ? with : e;
  if (auto it = memo.find(e.id()); it != memo.end()) return it->second;
  std::vector<Expr> args;
  args.reserve(e->args().size());
  for (const Expr& x : e->args()) args.push_back(replace_var_in(x, id, bit, with, memo));
  // Renaming a variable changes neither types nor what folds, so the node is rebuilt as it is.
  Expr out = Interner::intern(e->op(), e->type(), e->reduction(), e->a(), e->b(), args);
  memo.emplace(e.id(), out);
  return out;
}

class Rewriter {
 public:
  explicit Rewriter(const std::function<Expr(const Node&, std::span<const Expr>)>& leaf) : leaf_(leaf) {}

  Expr go(const Expr& e) {
    if (e->op() == Op::kConst || e->op() == Op::kVar) return e;
    if (auto it = memo_.find(e.id()); it != memo_.end()) return it->second;
    Expr out;
    switch (e->op()) {
      case Op::kAxis:
      case Op::kOutDim:
      case Op::kDim:
      case Op::kParam:
        out = leaf_(e.node(), {});
        if (out.empty()) out = e;
        break;
      case Op::kLoad: {
        const std::vector<Expr> args = rebuilt(e->args());
        out = leaf_(e.node(), args);
        if (out.empty()) out = load(e->a(), e->type(), args);
        break;
      }
      case Op::kReduce: {
        // Open the binder with a fresh name, so that what replaces leaves may contain reductions of any height.
        const Expr var = Interner::fresh_placeholder();
        const Expr body = go(keep(Interner::replace_var(e->arg(1), e->a(), var)));
        out = Interner::bind(e->reduction(), go(e->arg(0)), var, body);
        break;
      }
      default:
        out = make(e->op(), rebuilt(e->args()));
        break;
    }
    check(out.type() == e.type(), "a rewrite changed ", name_of(e->op()), " from ", name_of(e.type()), " to ",
          name_of(out.type()));
    memo_.emplace(e.id(), out);
    return out;
  }

 private:
  std::vector<Expr> rebuilt(std::span<const Expr> args) {
    std::vector<Expr> out;
    out.reserve(args.size());
    for (const Expr& x : args) out.push_back(go(x));
    return out;
  }
  /// The memo is keyed by address, so opened bodies must stay alive.
  const Expr& keep(Expr e) {
    kept_.push_back(std::make_unique<Expr>(std::move(e)));
    return *kept_.back();
  }

  const std::function<Expr(const Node&, std::span<const Expr>)>& leaf_;
  Memo memo_;
  std::vector<std::unique_ptr<Expr>> kept_;
};

}  // namespace

Expr Interner::replace_var(const Expr& root, int32_t id, const Expr& with) {
  Memo memo;
  return replace_var_in(root, id, id >= kFirstPlaceholder ? kPlaceholderBit : 1u << id, with, memo);
}

Expr rewrite(const Expr& root, const std::function<Expr(const Node& leaf, std::span<const Expr> args)>& leaf) {
  return Rewriter(leaf).go(root);
}

void for_each_node(const Expr& root, const std::function<void(const Node&)>& visit) {
  std::unordered_set<const Node*> done;
  std::vector<std::pair<const Node*, size_t>> stack{{root.id(), 0}};
  done.insert(root.id());
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < node->args().size()) {
      const Node* child = node->arg(next++).id();
      if (done.insert(child).second) stack.emplace_back(child, 0);
      continue;
    }
    visit(*node);
    stack.pop_back();
  }
}

}  // namespace tsr::ir
