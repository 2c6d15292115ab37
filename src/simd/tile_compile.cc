// Kernel and shapes -> tile code.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "simd/tile_code.h"
#include "simd/tile_program.h"

namespace tsr::simd {
namespace {

using ir::Expr;
using ir::Node;
using ir::Op;
using ir::Type;

// ---- Affine indices
// --------------------------------------------------------------------------------------------------------

/// An i32 expression as constant + sum of coefficient * atom. Atoms are axes, variables and whatever is not a sum or a
/// product with a constant.
struct Affine {
  int64_t constant = 0;
  std::vector<std::pair<Expr, int64_t>> terms;

  void add(const Expr& atom, int64_t c) {
    for (auto& [e, k] : terms) {
      if (e.id() == atom.id()) {
        k += c;
        return;
      }
    }
    terms.emplace_back(atom, c);
  }
  int64_t coefficient(Op op, int a) const {
    for (const auto& [e, k] : terms) {
      if (e->op() == op && e->a() == a) return k;
    }
    return 0;
  }
};

void decompose(const Expr& e, int64_t scale, Affine& out) {
  switch (e->op()) {
    case Op::kConst:
      out.constant += scale * e->i32();
      return;
    case Op::kNeg:
      decompose(e->arg(0), -scale, out);
      return;
    case Op::kAdd:
      decompose(e->arg(0), scale, out);
      decompose(e->arg(1), scale, out);
      return;
    case Op::kSub:
      decompose(e->arg(0), scale, out);
      decompose(e->arg(1), -scale, out);
      return;
    case Op::kMul:
      for (const int side : {0, 1}) {
        const Expr& c = e->arg(static_cast<size_t>(side));
        if (c->op() != Op::kConst) continue;
        decompose(e->arg(static_cast<size_t>(1 - side)), scale * c->i32(), out);
        return;
      }
      break;
    default:
      break;
  }
  out.add(e, scale);
}

Affine affine(const Expr& e) {
  Affine a;
  decompose(e, 1, a);
  std::erase_if(a.terms, [](const auto& t) { return t.second == 0; });
  return a;
}

// ---- Specialising for shapes
// -----------------------------------------------------------------------------------------------

Expr zero_of(Type t) { return t == Type::f32 ? ir::f32(0) : t == Type::i32 ? ir::i32(0) : ir::b1(false); }

/// Extents become constants, loads get one linear index, axes of extent 1 vanish, loads from empty tensors give 0.
Expr specialise(const ir::Kernel& k, std::span<const Shape> inputs, const Shape& out) {
  std::vector<Shape> strides;
  std::vector<int64_t> sizes;
  for (const Shape& s : inputs) strides.push_back(s.strides()), sizes.push_back(s.size());
  return ir::rewrite(k.body, [&](const Node& n, std::span<const Expr> index) -> Expr {
    switch (n.op()) {
      case Op::kDim:
        return ir::i32(inputs[static_cast<size_t>(n.a())][n.b()]);
      case Op::kOutDim:
        return ir::i32(out[n.a()]);
      case Op::kAxis:
        return out[n.a()] == 1 ? ir::i32(0) : Expr();
      case Op::kLoad: {
        const size_t in = static_cast<size_t>(n.a());
        if (sizes[in] == 0) return zero_of(n.type());
        Expr linear = ir::i32(0);
        for (size_t d = 0; d < index.size(); ++d) {
          // A dimension of extent 1 has but one valid index.
          if (inputs[in][static_cast<int>(d)] != 1)
            linear = linear + index[d] * ir::i32(strides[in][static_cast<int>(d)]);
        }
        return ir::load(n.a(), n.type(), {linear});
      }
      default:
        return {};
    }
  });
}

/// Axes used other than as terms of load indices, and the indices of all loads.
struct AxisUse {
  std::vector<Affine> loads;
  uint8_t opaque = 0;
};
AxisUse axis_use(const Expr& body) {
  AxisUse use;
  std::unordered_set<const Node*> seen;
  std::vector<Expr> work{body};
  while (!work.empty()) {
    const Expr e = work.back();
    work.pop_back();
    if (!seen.insert(e.id()).second) continue;
    if (e->op() == Op::kAxis) use.opaque |= static_cast<uint8_t>(1u << e->a());
    if (e->op() == Op::kLoad) {
      use.loads.push_back(affine(e->arg(0)));
      for (const auto& [atom, c] : use.loads.back().terms) {
        if (atom->op() != Op::kAxis) work.push_back(atom);
      }
      continue;
    }
    for (const Expr& x : e->args()) work.push_back(x);
  }
  return use;
}

/// Merges neighbouring axes that every load walks through as if they were one. Returns the extents of the axes left;
/// `body` then uses those.
std::vector<int64_t> merge_axes(Expr& body, const Shape& out) {
  const AxisUse use = axis_use(body);
  std::vector<int64_t> extents;
  std::vector<int> target(static_cast<size_t>(out.rank()), -1);  // the new axis of the innermost of each group
  int previous = -1;
  for (int d = 0; d < out.rank(); ++d) {
    if (out[d] == 1) continue;
    bool merge = previous >= 0 && ((use.opaque >> d) & 1) == 0 && ((use.opaque >> previous) & 1) == 0;
    for (const Affine& a : use.loads) {
      if (!merge) break;
      merge = a.coefficient(Op::kAxis, previous) == a.coefficient(Op::kAxis, d) * out[d];
    }
    if (merge) {
      extents.back() *= out[d];
      target[static_cast<size_t>(previous)] = -1;
    } else {
      extents.push_back(out[d]);
    }
    target[static_cast<size_t>(d)] = static_cast<int>(extents.size()) - 1;
    previous = d;
  }
  // The inner axis of a group stands for the whole; the outer ones' terms are part of it, so they become 0.
  body = ir::rewrite(body, [&](const Node& n, std::span<const Expr>) -> Expr {
    if (n.op() != Op::kAxis) return {};
    const int t = target[static_cast<size_t>(n.a())];
    return t < 0 ? ir::i32(0) : ir::axis(t);
  });
  return extents;
}

// ---- Code generation
// -------------------------------------------------------------------------------------------------------

struct Region {
  enum Kind { kOnce, kRow, kTile, kLoop };
  Kind kind;
  Region* parent;
  TileBlock* block;
  uint8_t axes = 0;  // output axes that this region gives values to
  int var = 0;       // kLoop: height of its reduction
  int var_slot = -1;
  bool vector = false;  // kTile, and kLoop along its variable: what depends on this region is a tile
  std::unordered_map<const Node*, TileOperand> slots{};

  bool gives(const Node& n) const {
    if (kind == kOnce) return true;
    if (kind == kLoop) return ((n.depends().vars >> var) & 1) != 0;
    return (n.depends().axes & axes) != 0;
  }
};

class Compiler {
 public:
  Compiler(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out, TileCode& code)
      : kernel_(kernel), code_(code), ops_(tile_ops()) {
    code_.name = kernel.name;
    code_.size = out.size();
    code_.out_dtype = kernel.out_dtype;
    for (const Shape& s : inputs) code_.input_sizes.push_back(s.size());
    Expr body = specialise(kernel, inputs, out);
    code_.extents = merge_axes(body, out);
    if (code_.extents.size() > 7)
      fail(ErrorCode::kUnsupported, "kernel ", kernel.name, " has more than seven independent output axes");
    choose_mode(body);
    generate(body);
    allocate();
    code_.cost = cost_of(code_.per_tile);
    double run = static_cast<double>(std::max<int64_t>(code_.row, 1));  // output elements for which a block runs once
    for (size_t d = code_.per_axis.size(); d-- > 0;) {
      code_.cost += (cost_of(code_.per_axis[d]) + 10.0) / run;
      run *= static_cast<double>(code_.extents[d]);
    }
  }

 private:
  void choose_mode(const Expr& body) {
    const int rank = static_cast<int>(code_.extents.size());
    const int64_t inner = rank ? code_.extents.back() : 1;
    code_.row = inner;
    code_.mode = TileCode::kRows;
    const bool reduces = body->height() > 0;
    if (reduces) {
      // Along the rows of the input where lanes across outputs would jump from row to row.
      bool along = false, across = false;
      int64_t steps = 1;
      ir::for_each_node(body, [&](const Node& n) {
        if (n.op() == Op::kReduce && n.arg(0)->op() == Op::kConst) steps = std::max<int64_t>(steps, n.arg(0)->i32());
        if (n.op() != Op::kLoad || n.depends().vars == 0) return;
        const Affine a = affine(n.arg(0));
        const int64_t lane = rank ? a.coefficient(Op::kAxis, rank - 1) : 0;
        bool unit = false;
        for (const auto& [atom, c] : a.terms) unit = unit || (atom->op() == Op::kVar && c == 1);
        across = across || lane == 1;
        along = along || (lane != 0 && lane != 1 && unit);
      });
      const bool few = inner < 8 && code_.size < 16 && steps >= 32;
      if (rank == 0 || (along && !across) || few) {
        code_.mode = TileCode::kSingle;
        code_.row = 1;
        return;
      }
    }
    if (rank > 1 && inner < (reduces ? 8 : 32)) {
      code_.mode = TileCode::kFlat;
      code_.row = code_.size;
    }
  }

  void generate(const Expr& body) {
    const int rank = static_cast<int>(code_.extents.size());
    const uint8_t all = static_cast<uint8_t>((1u << rank) - 1);
    uint8_t inner = 0;
    if (code_.mode == TileCode::kFlat) inner = all;
    if (code_.mode == TileCode::kRows && rank) inner = static_cast<uint8_t>(1u << (rank - 1));
    code_.row_axes.assign(static_cast<size_t>(rank), -1);
    const int outer = code_.mode == TileCode::kFlat     ? 0
                      : code_.mode == TileCode::kSingle ? rank
                                                        : std::max(rank - 1, 0);
    code_.per_axis.resize(static_cast<size_t>(outer));
    std::vector<Region> rows;
    rows.reserve(static_cast<size_t>(outer));  // regions point to their parents
    Region once{Region::kOnce, nullptr, &code_.once};
    Region* parent = &once;
    for (int d = 0; d < outer; ++d) {
      rows.push_back({Region::kRow, parent, &code_.per_axis[static_cast<size_t>(d)], static_cast<uint8_t>(1u << d)});
      parent = &rows.back();
    }
    Region tile{Region::kTile, parent, &code_.per_tile, inner};
    tile.vector = true;
    code_.root = emit(body, code_.mode == TileCode::kSingle ? *parent : tile);
    if (!code_.root.scalar && !code_.per_tile.empty()) {
      const TileInstr& last = code_.per_tile.back();
      code_.root_direct = last.dst == code_.root.slot && last.kind != TileInstr::kBind &&
                          last.kind != TileInstr::kScalarOp && last.kind != TileInstr::kScalarLoad &&
                          kernel_.out_dtype != DType::kBool;
    }
  }

  static bool is_vector(const Node& n, const Region& from) {
    for (const Region* r = &from; r; r = r->parent) {
      if (r->vector && r->gives(n)) return true;
    }
    return false;
  }

  int new_scalar(Type t) {
    code_.scalar_types.push_back(t);
    code_.splat.push_back(false);
    return static_cast<int>(code_.scalar_types.size()) - 1;
  }
  int new_vector() {
    code_.place.push_back(-1);
    return static_cast<int>(code_.place.size()) - 1;
  }
  TileOperand push(Region& r, TileInstr instr, bool vector, Type type) {
    instr.dst = vector ? new_vector() : new_scalar(type);
    const TileOperand out{instr.dst, !vector};
    if (vector && instr.kind != TileInstr::kReduce) {
      for (const TileOperand& x : instr.in) {
        if (x.slot >= 0 && x.scalar && instr.kind == TileInstr::kVectorOp)
          code_.splat[static_cast<size_t>(x.slot)] = true;
      }
    }
    r.block->push_back(std::move(instr));
    return out;
  }

  TileOperand emit(const Expr& e, Region& from) {
    Region* r = &from;
    while (!r->gives(e.node())) r = r->parent;
    if (auto it = r->slots.find(e.id()); it != r->slots.end()) return it->second;
    const TileOperand out = emit_here(e, *r);
    r->slots.emplace(e.id(), out);
    keep_.push_back(e);  // slots are keyed by address
    return out;
  }

  TileOperand emit_here(const Expr& e, Region& r) {
    const bool vector = is_vector(e.node(), r);
    switch (e->op()) {
      case Op::kConst: {
        const int slot = new_scalar(e.type());
        code_.constants.push_back({slot, e->bits()});
        return {slot, true};
      }
      case Op::kParam: {
        const int slot = new_scalar(e.type());
        code_.params.push_back({slot, e->a()});
        return {slot, true};
      }
      case Op::kAxis: {
        if (!vector) {
          int& slot = code_.row_axes[static_cast<size_t>(e->a())];
          if (slot < 0) slot = new_scalar(Type::i32);
          return {slot, true};
        }
        TileInstr i;
        i.kind = code_.mode == TileCode::kFlat ? TileInstr::kFlatAxis : TileInstr::kIota;
        i.axis = e->a();
        return push(r, std::move(i), true, Type::i32);
      }
      case Op::kVar: {
        if (!vector) return {r.var_slot, true};
        TileInstr i;
        i.kind = TileInstr::kIota;
        return push(r, std::move(i), true, Type::i32);
      }
      case Op::kLoad:
        return emit_load(e, r, vector);
      case Op::kReduce:
        return emit_reduce(e, r, vector);
      default: {
        TileInstr i;
        i.kind = vector ? TileInstr::kVectorOp : TileInstr::kScalarOp;
        i.op = e->op();
        i.operand_type = e->args().back().type();
        for (size_t k = 0; k < e->args().size(); ++k) i.in[k] = emit(e->arg(k), r);
        if (vector) {
          i.fn = ops_.fn[static_cast<int>(e->op())][static_cast<int>(i.operand_type)];
          check(i.fn != nullptr, "no tile operation for ", ir::name_of(e->op()), " of ", ir::name_of(i.operand_type));
        }
        return push(r, std::move(i), vector, e.type());
      }
    }
  }

  /// How lanes walk through an input: evenly (stride), or again and again through a short stretch (period).
  struct Walk {
    int64_t stride = 0;
    int64_t period = 0;
  };
  /// Finds the walk and removes from `a` the terms that make it; false when lanes jump.
  bool take_walk(Affine& a, const Region& r, Walk& walk) {
    const Region* v = &r;
    while (v && !v->vector) v = v->parent;
    check(v != nullptr, "a vector load outside a tile");
    const auto take = [&a](Op op, int which) {
      int64_t c = 0;
      std::erase_if(a.terms, [&](const auto& t) {
        if (t.first->op() != op || t.first->a() != which) return false;
        c = t.second;
        return true;
      });
      return c;
    };
    const int rank = static_cast<int>(code_.extents.size());
    if (v->kind == Region::kLoop) {
      walk.stride = take(Op::kVar, v->var);
    } else if (code_.mode == TileCode::kRows) {
      walk.stride = take(Op::kAxis, rank - 1);
    } else {
      // Flat: the coefficients must be those of the output's own order times a stride, or end in those of stride 1 and
      // be 0 before.
      int64_t expected = 0, inner = 1;
      for (int d = rank - 1; d >= 0; --d) {
        const int64_t c = take(Op::kAxis, d);
        if (d == rank - 1) walk.stride = expected = c;
        if (c != expected || walk.period) {
          if (c != 0 || walk.stride != 1) return false;
          if (!walk.period) walk.period = inner;
        }
        expected *= code_.extents[static_cast<size_t>(d)];
        inner *= code_.extents[static_cast<size_t>(d)];
      }
    }
    for (const auto& [atom, c] : a.terms) {
      if (is_vector(atom.node(), r)) return false;
    }
    return true;
  }

  TileOperand emit_load(const Expr& e, Region& r, bool vector) {
    TileInstr i;
    i.input = e->a();
    i.dtype = kernel_.inputs[static_cast<size_t>(e->a())].dtype;
    if (!vector) {
      i.kind = TileInstr::kScalarLoad;
      i.in[0] = emit(e->arg(0), r);
      return push(r, std::move(i), false, e.type());
    }
    Affine a = affine(e->arg(0));
    Walk walk;
    if (!take_walk(a, r, walk)) {
      i.kind = TileInstr::kGather;
      i.in[0] = emit(e->arg(0), r);
      check(!i.in[0].scalar, "a gather by a scalar");
      return push(r, std::move(i), true, e.type());
    }
    // What changes most often comes last, so that the sum of the rest is computed outside its loop.
    const auto turn = [](const Expr& atom) {
      const ir::Depends& d = atom->depends();
      if (d.vars) return 100 - std::countr_zero(d.vars);  // inner loops have lower heights
      return d.axes ? static_cast<int>(std::bit_width(static_cast<unsigned>(d.axes))) : 0;
    };
    std::stable_sort(a.terms.begin(), a.terms.end(),
                     [&](const auto& x, const auto& y) { return turn(x.first) < turn(y.first); });
    Expr offset = ir::i32(a.constant);
    for (const auto& [atom, c] : a.terms) offset = offset + atom * ir::i32(c);
    i.in[0] = emit(offset, r);
    const bool four_bytes = i.dtype == DType::kFloat32 || i.dtype == DType::kInt32;
    i.stride = walk.period ? walk.period : walk.stride;
    i.kind = walk.period                      ? TileInstr::kPeriodic
             : walk.stride == 1 && four_bytes ? TileInstr::kBind
                                              : TileInstr::kStrided;
    return push(r, std::move(i), true, e.type());
  }

  TileOperand emit_reduce(const Expr& e, Region& r, bool vector) {
    TileInstr i;
    i.kind = TileInstr::kReduce;
    i.loop = std::make_unique<TileLoop>();
    TileLoop& loop = *i.loop;
    const Expr& body = e->arg(1);
    loop.reduce = e->reduction();
    loop.type = body.type();
    loop.extent = emit(e->arg(0), r);
    if (vector) {
      loop.mode = TileLoop::kAcross;
    } else {
      // The innermost loop runs along its variable, unless it is too short to fill a vector. (Reductions in the body
      // that do not depend on the variable are computed before the loop.)
      bool nested = false, short_inside = false;
      ir::for_each_node(body, [&](const Node& n) {
        if (n.op() != Op::kReduce || ((n.depends().vars >> e->a()) & 1) == 0) return;
        nested = true;
        short_inside = short_inside || (n.arg(0)->op() == Op::kConst && n.arg(0)->i32() < 8);
      });
      loop.mode = !nested || short_inside ? TileLoop::kAlong : TileLoop::kScalar;
    }
    Region inside{Region::kLoop, &r, &loop.body};
    inside.var = e->a();
    inside.vector = loop.mode == TileLoop::kAlong;
    if (!inside.vector) inside.var_slot = loop.var = new_scalar(Type::i32);
    loop.result = emit(body, inside);
    if (loop.mode == TileLoop::kAcross) {
      if (loop.result.scalar) code_.splat[static_cast<size_t>(loop.result.slot)] = true;
      for (int& a : loop.aux) a = new_vector();
    }
    return push(r, std::move(i), vector, e.type());
  }

  // ---- Places in scratch: a tile is reused once the last instruction that reads it is past.

  template <typename Visit>
  static void for_each_use(const TileInstr& i, Visit visit) {
    for (const TileOperand& x : i.in) {
      if (x.slot >= 0 && !x.scalar) visit(x.slot);
    }
    if (!i.loop) return;
    if (!i.loop->result.scalar) visit(i.loop->result.slot);
    for (const TileInstr& inner : i.loop->body) for_each_use(inner, visit);
  }

  int take_place() {
    if (free_.empty()) return code_.places++;
    const int p = free_.back();
    free_.pop_back();
    return p;
  }

  void allocate_block(TileBlock& block, int live_out) {
    std::unordered_map<int, size_t> last;
    for (size_t k = 0; k < block.size(); ++k) {
      for_each_use(block[k], [&](int slot) { last[slot] = k; });
    }
    if (live_out >= 0) last[live_out] = block.size();
    std::unordered_set<int> mine;
    const auto define = [&](int slot) {
      code_.place[static_cast<size_t>(slot)] = take_place();
      mine.insert(slot);
    };
    for (size_t k = 0; k < block.size(); ++k) {
      TileInstr& i = block[k];
      const bool vector = i.kind == TileInstr::kReduce ? i.loop->mode == TileLoop::kAcross : i.kind >= TileInstr::kBind;
      // A reduction's result is live during its loop, and other results must not share the place of a gather's index or
      // a bound pointer's copy; so operands are freed after the result has its place.
      if (vector) define(i.dst);
      if (i.loop) {
        if (i.loop->mode == TileLoop::kAcross) {
          for (const int a : i.loop->aux) define(a);
        }
        allocate_block(i.loop->body, i.loop->result.scalar ? -1 : i.loop->result.slot);
        if (i.loop->mode == TileLoop::kAcross) {
          for (const int a : i.loop->aux) release(a, mine);
        }
      }
      std::vector<int> dead;
      for_each_use(i, [&](int slot) {
        if (mine.count(slot) && last[slot] == k) dead.push_back(slot);
      });
      for (const int slot : dead) release(slot, mine);
    }
    for (const int slot : std::vector<int>(mine.begin(), mine.end())) release(slot, mine);
  }
  void release(int slot, std::unordered_set<int>& mine) {
    if (mine.erase(slot)) free_.push_back(code_.place[static_cast<size_t>(slot)]);
  }

  void allocate() {
    // Blocks outside the tile loop leave scalars only, so each may use all of scratch.
    std::vector<TileBlock*> blocks{&code_.once, &code_.per_tile};
    for (TileBlock& b : code_.per_axis) blocks.push_back(&b);
    for (TileBlock* b : blocks) {
      free_.resize(static_cast<size_t>(code_.places));
      std::iota(free_.begin(), free_.end(), 0);
      allocate_block(*b, b == &code_.per_tile && !code_.root.scalar ? code_.root.slot : -1);
    }
  }

  double cost_of(const TileBlock& block) const {
    double ns = 0;
    for (const TileInstr& i : block) {
      switch (i.kind) {
        case TileInstr::kReduce: {
          double steps = 16;
          for (const TileCode::Init& c : code_.constants) {
            if (c.slot == i.loop->extent.slot) steps = std::max(0.0, static_cast<double>(static_cast<int32_t>(c.bits)));
          }
          ns += steps * (cost_of(i.loop->body) + 0.2);
          break;
        }
        case TileInstr::kScalarOp:
        case TileInstr::kScalarLoad:
          ns += i.loop ? 0 : 0.05;
          break;
        case TileInstr::kGather:
        case TileInstr::kStrided:
        case TileInstr::kFlatAxis:
          ns += 1;
          break;
        case TileInstr::kVectorOp:
          ns += i.op >= Op::kExp && i.op <= Op::kAtanh ? 1.5 : i.op == Op::kPow ? 4 : 0.2;
          break;
        default:
          break;
      }
    }
    return ns;
  }

  const ir::Kernel& kernel_;
  TileCode& code_;
  const TileOps& ops_;
  std::vector<Expr> keep_;
  std::vector<int> free_;
};

}  // namespace

TileProgram TileProgram::compile(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out) {
  ir::verify(kernel);
  check(inputs.size() == kernel.inputs.size() && out.rank() == kernel.out_rank, "tile program of ", kernel.name, ": ",
        inputs.size(), " inputs and an output of shape ", out);
  for (size_t i = 0; i < inputs.size(); ++i) {
    check(inputs[i].rank() == kernel.inputs[i].rank, "tile program of ", kernel.name, ": input ", i, " has shape ",
          inputs[i]);
  }
  auto code = std::make_shared<TileCode>();
  if (out.size() > 0) Compiler(kernel, inputs, out, *code);
  TileProgram p;
  p.code_ = std::move(code);
  return p;
}

int64_t TileProgram::size() const { return code_->size; }
int64_t TileProgram::grain() const {
  if (code_->mode == TileCode::kSingle) return 1;
  return code_->mode == TileCode::kRows && code_->row < kTile ? code_->row : kTile;
}
double TileProgram::cost() const { return code_->cost; }
size_t TileProgram::scratch_bytes() const {
  return code_->scalar_bytes() + code_->splat_bytes() + code_->pointer_bytes() +
         static_cast<size_t>(code_->places) * code_->place_bytes();
}

}  // namespace tsr::simd
