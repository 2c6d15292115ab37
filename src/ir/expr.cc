#include "ir/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "ir/interner.h"

namespace tsr::ir {
namespace {

/// Expressions nest at most this deep, so that recursive walks fit the smallest stack they run on (a WebAssembly
/// worker).
constexpr int kMaxDepth = 1500;

/// Nodes worth looking through for unused ones: some 2 MB.
constexpr size_t kEnough = size_t{1} << 14;

uint64_t mix(uint64_t h, uint64_t v) {  // the finaliser of splitmix64 over a running hash
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  h ^= h >> 30;
  h *= 0xbf58476d1ce4e5b9ull;
  h ^= h >> 27;
  h *= 0x94d049bb133111ebull;
  return h ^ (h >> 31);
}

}  // namespace

struct Interner::Hash {
  using is_transparent = void;
  size_t operator()(const Node* n) const { return static_cast<size_t>(n->hash_); }
};
struct Interner::Equal {
  bool operator()(const Node* x, const Node* y) const {
    if (x->hash_ != y->hash_ || x->op_ != y->op_ || x->type_ != y->type_ || x->reduction_ != y->reduction_ ||
        x->a_ != y->a_ || x->b_ != y->b_ || x->args_.size() != y->args_.size()) {
      return false;
    }
    for (size_t i = 0; i < x->args_.size(); ++i) {
      if (x->args_[i].id() != y->args_[i].id()) return false;
    }
    return true;
  }
};
struct Interner::Table {
  std::mutex mutex;
  std::unordered_set<Node*, Hash, Equal> nodes;
  size_t enough = kEnough;  // collecting begins with so many
};

Interner::Table& Interner::table() {
  static Table* t = new Table;  // never destroyed: static Exprs elsewhere may outlive any order of destruction
  return *t;
}

Expr Interner::intern(Op op, Type type, Reduce reduction, int32_t a, int32_t b, std::span<const Expr> args) {
  auto fresh = std::make_unique<Node>();
  Node& n = *fresh;
  n.op_ = op;
  n.type_ = type;
  n.reduction_ = reduction;
  n.a_ = a;
  n.b_ = b;
  n.args_.assign(args.begin(), args.end());
  uint64_t h =
      mix(static_cast<uint64_t>(op) | static_cast<uint64_t>(type) << 8 | static_cast<uint64_t>(reduction) << 16,
          static_cast<uint64_t>(static_cast<uint32_t>(a)) << 32 | static_cast<uint32_t>(b));
  Depends& d = n.depends_;
  for (const Expr& x : args) {
    check(static_cast<bool>(x), "an empty Expr is used as an operand of ", name_of(op));
    h = mix(h, x->hash_);
    d.axes |= x->depends_.axes;
    d.params |= x->depends_.params;
    d.dims |= x->depends_.dims;
    d.loads |= x->depends_.loads;
    d.vars |= x->depends_.vars;
    n.height_ = std::max(n.height_, x->height_);
    n.depth_ = std::max(n.depth_, x->depth_ + 1);
  }
  check(n.depth_ <= kMaxDepth, "an expression nests more than ", kMaxDepth, " deep");
  n.hash_ = h;
  switch (op) {
    case Op::kAxis:
      d.axes |= static_cast<uint8_t>(1u << a);
      break;
    case Op::kParam:
      d.params = true;
      break;
    case Op::kDim:
    case Op::kOutDim:
      d.dims = true;
      break;
    case Op::kLoad:
      d.loads = true;
      break;
    case Op::kVar:
      d.vars |= a >= kFirstPlaceholder ? kPlaceholderBit : 1u << a;
      break;
    case Op::kReduce:
      n.height_ = static_cast<int16_t>(a);
      d.vars &= ~(1u << a);
      break;
    default:
      break;
  }
  Table& t = table();
  std::lock_guard lock(t.mutex);
  auto [it, inserted] = t.nodes.insert(&n);
  if (inserted) fresh.release();
  return Expr(*it);
}

void Interner::collect() {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  if (t.nodes.size() < t.enough) return;
  std::vector<Node*> work;
  for (Node* n : t.nodes) {
    if (n->holders_.load(std::memory_order_acquire) > 0) work.push_back(n);
  }
  while (!work.empty()) {
    Node* n = work.back();
    work.pop_back();
    if (std::exchange(n->marked_, true)) continue;
    for (const Expr& x : n->args_) work.push_back(x.node_);
  }
  for (auto it = t.nodes.begin(); it != t.nodes.end();) {
    Node* n = *it;
    if (std::exchange(n->marked_, false)) {
      ++it;
    } else {
      it = t.nodes.erase(it);
      delete n;
    }
  }
  t.enough = std::max(kEnough, 2 * t.nodes.size());
}

size_t Interner::count() {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  return t.nodes.size();
}

void collect() { Interner::collect(); }
size_t node_count() { return Interner::count(); }

HeldExpr& HeldExpr::operator=(Expr e) noexcept {
  if (e.node_) e.node_->holders_.fetch_add(1, std::memory_order_relaxed);
  hold(-1);
  Expr::operator=(e);
  return *this;
}

void HeldExpr::hold(int change) const noexcept {
  if (node_) node_->holders_.fetch_add(change, std::memory_order_acq_rel);
}

float Node::f32() const { return std::bit_cast<float>(a_); }

Expr Interner::leaf(Op op, Type type, int32_t a, int32_t b) { return intern(op, type, Reduce::sum, a, b, {}); }

Expr Interner::bind(Reduce r, Expr extent, const Expr& placeholder, const Expr& body) {
  check(extent.type() == Type::i32, "the extent of a reduction must be i32, got ", name_of(extent.type()));
  check(extent->depends().uniform(),
        "the extent of a reduction must be made of constants, dim, out_dim and param alone");
  Type type = body.type();
  switch (r) {
    case Reduce::sum:
    case Reduce::prod:
    case Reduce::max:
    case Reduce::min:
      check(type != Type::b1, name_of(r), " of b1");
      break;
    case Reduce::argmax:
    case Reduce::argmin:
      check(type != Type::b1, name_of(r), " of b1");
      type = Type::i32;
      break;
    case Reduce::any:
    case Reduce::all:
      check(type == Type::b1, name_of(r), " of ", name_of(type));
      break;
  }
  const int height = body->height() + 1;
  check(height < 30, "reductions nest too deep");
  const Expr var = leaf(Op::kVar, Type::i32, height, 0);
  const Expr args[] = {std::move(extent), replace_var(body, placeholder->a(), var)};
  return intern(Op::kReduce, type, r, height, 0, args);
}

Expr Interner::fresh_placeholder() {
  static std::atomic<int32_t> next{kFirstPlaceholder};
  int32_t id = next.fetch_add(1, std::memory_order_relaxed);
  if (id < kFirstPlaceholder) {  // wrapped after two billion; those ids are long gone
    next.store(kFirstPlaceholder + 1, std::memory_order_relaxed);
    id = kFirstPlaceholder;
  }
  return leaf(Op::kVar, Type::i32, id, 0);
}

// ---- Leaves
// ----------------------------------------------------------------------------------------------------------------

Expr f32(double value) {
  float v = static_cast<float>(value);
  if (v != v) v = std::numeric_limits<float>::quiet_NaN();  // one NaN, so that equal expressions stay equal
  return Interner::leaf(Op::kConst, Type::f32, std::bit_cast<int32_t>(v), 0);
}
Expr i32(int64_t value) {
  return Interner::leaf(Op::kConst, Type::i32,
                        static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(value))), 0);
}
Expr b1(bool value) { return Interner::leaf(Op::kConst, Type::b1, value ? 1 : 0, 0); }

Expr axis(int d) {
  check(d >= 0 && d < 8, "axis(", d, ") does not exist");
  return Interner::leaf(Op::kAxis, Type::i32, d, 0);
}
Expr out_dim(int d) {
  check(d >= 0 && d < 8, "out_dim(", d, ") does not exist");
  return Interner::leaf(Op::kOutDim, Type::i32, d, 0);
}
Expr dim(int input, int d) {
  check(input >= 0 && d >= 0 && d < 8, "dim(", input, ", ", d, ") does not exist");
  return Interner::leaf(Op::kDim, Type::i32, input, d);
}
Expr param(int slot, Type type) {
  check(slot >= 0, "param(", slot, ") does not exist");
  return Interner::leaf(Op::kParam, type, slot, 0);
}
Expr load(int input, Type type, std::span<const Expr> index) {
  check(input >= 0, "load from input ", input);
  for (const Expr& e : index) {
    check(e.id() != nullptr && e.type() == Type::i32, "an index of a load must be i32");
  }
  return Interner::intern(Op::kLoad, type, Reduce::sum, input, 0, index);
}
Expr load(int input, Type type, std::initializer_list<Expr> index) {
  return load(input, type, std::span<const Expr>(index.begin(), index.size()));
}

Expr reduce(Reduce r, Expr extent, const std::function<Expr(Expr var)>& body) {
  const Expr var = Interner::fresh_placeholder();
  const Expr b = body(var);
  check(static_cast<bool>(b), "the body of a reduction is empty");
  return Interner::bind(r, std::move(extent), var, b);
}

Expr like(const Expr& x, double value) {
  switch (x.type()) {
    case Type::f32:
      return f32(value);
    case Type::i32:
      return i32(static_cast<int64_t>(value));
    case Type::b1:
      return b1(value != 0);
  }
  return {};
}

Expr convert(Expr x, Type type) {
  if (x.type() == type) return x;
  return make1(type == Type::f32 ? Op::kToF32 : type == Type::i32 ? Op::kToI32 : Op::kToB1, std::move(x));
}

// ---- Names
// -----------------------------------------------------------------------------------------------------------------

const char* name_of(Type t) {
  switch (t) {
    case Type::f32:
      return "f32";
    case Type::i32:
      return "i32";
    case Type::b1:
      return "b1";
  }
  return "?";
}

const char* name_of(Reduce r) {
  static constexpr const char* kNames[] = {"sum", "prod", "max", "min", "argmax", "argmin", "any", "all"};
  return kNames[static_cast<size_t>(r)];
}

const char* name_of(Op op) {
  static constexpr const char* kNames[] = {
      "const",     "axis",   "out_dim",   "dim",       "param",       "var",         "load",  "reduce", "exp",
      "expm1",     "log",    "log1p",     "sqrt",      "rsqrt",       "sin",         "cos",   "tan",    "asin",
      "acos",      "atan",   "sinh",      "cosh",      "tanh",        "asinh",       "acosh", "atanh",  "floor",
      "ceil",      "round",  "trunc",     "neg",       "abs",         "sign",        "not",   "is_nan", "is_inf",
      "is_finite", "to_f32", "to_i32",    "to_b1",     "bitcast_i32", "bitcast_f32", "add",   "sub",    "mul",
      "div",       "rem",    "floor_div", "floor_mod", "min",         "max",         "pow",   "atan2",  "and",
      "or",        "xor",    "shl",       "shr",       "shr_logical", "eq",          "ne",    "lt",     "le",
      "gt",        "ge",     "land",      "lor",       "select"};
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == static_cast<size_t>(Op::kSelect) + 1);
  return kNames[static_cast<size_t>(op)];
}

}  // namespace tsr::ir
