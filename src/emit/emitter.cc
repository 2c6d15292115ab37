#include "emit/emitter.h"

#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "base/error.h"
#include "emit/lower.h"

namespace tsr::emit {
namespace {

using ir::Expr;
using ir::Node;
using ir::Op;
using ir::Reduce;
using ir::Type;

/// Terms that an f32 sum adds before they go to its total, so that a long sum's error grows with n/64 only.
constexpr int kSumBlock = 64;

std::string number(int32_t v) {
  if (v == INT32_MIN) return "(-2147483647 - 1)";  // 2147483648 is no int
  return v < 0 ? "(" + std::to_string(v) + ")" : std::to_string(v);
}

class Emitter {
 public:
  Emitter(const ir::Kernel& k, const LaunchLayout& layout, const Dialect& d, std::string indent)
      : k_(k), layout_(layout), d_(d), indent_(std::move(indent)) {}

  BodyText run() {
    Scope root;
    root.indent = indent_;
    BodyText out;
    out.result = emit(k_.body, root);
    out.statements = std::move(root.text);
    out.helpers = std::move(helpers_);
    return out;
  }

 private:
  /// The statements of one loop body (or of the whole function), and the names of the nodes computed there.
  struct Scope {
    Scope* parent = nullptr;
    uint32_t var_bit = 0;
    std::string var;
    std::string indent;
    std::string text;
    std::unordered_map<const Node*, std::string> names;
    void line(const std::string& s) { text += indent + s + "\n"; }
  };

  std::string fresh(const char* prefix) { return prefix + std::to_string(next_++); }

  const std::string& emit(const Expr& e, Scope& from) {
    Scope* s = &from;
    while (s->parent && (e->depends().vars & s->var_bit) == 0) s = s->parent;
    if (auto it = s->names.find(e.id()); it != s->names.end()) return it->second;
    kept_.push_back(e);  // names are keyed by address
    std::string name = value(e, *s);
    return s->names.emplace(e.id(), std::move(name)).first->second;
  }

  /// Declares the node's value and returns its name; leaves are spelled out where they are used.
  std::string value(const Expr& e, Scope& s) {
    switch (e->op()) {
      case Op::kConst:
        return constant(e.node());
      case Op::kAxis:
        return "a" + std::to_string(e->a());
      case Op::kOutDim:
        return word(layout_.out_dims + e->a());
      case Op::kDim:
        return word(layout_.input_dims[static_cast<size_t>(e->a())] + e->b());
      case Op::kParam: {
        const std::string w = word(layout_.params + e->a());
        return e.type() == Type::f32 ? d_.f32_of_bits(w) : e.type() == Type::i32 ? w : "(" + w + " != 0)";
      }
      case Op::kVar:
        for (Scope* p = &s; p; p = p->parent) {
          if (p->var_bit == 1u << e->a()) return p->var;
        }
        check(false, "kernel ", k_.name, ": an unbound reduction variable");
        return {};
      case Op::kReduce:
        return reduce(e.node(), s);
      default:
        break;
    }
    if (const Expr low = lower(e.node())) return emit(low, s);
    const std::string name = fresh("t");
    s.line(d_.let(e.type(), name, operation(e.node(), s)));
    return name;
  }

  std::string constant(const Node& n) {
    if (n.type() == Type::b1) return n.i32() ? "true" : "false";
    if (n.type() == Type::i32) return number(n.i32());
    const float f = n.f32();
    if (!std::isfinite(f)) return d_.f32_of_bits("(" + word(3) + " + " + number(n.i32()) + ")");
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(f));
    std::string s = text;
    if (s.find_first_of(".e") == std::string::npos) s += ".0";
    return std::signbit(f) ? "(" + s + ")" : s;
  }

  std::string operation(const Node& n, Scope& s) {
    const auto arg = [&](size_t i) -> const std::string& { return emit(n.arg(i), s); };
    const auto infix = [&](const char* op) { return arg(0) + " " + op + " " + arg(1); };
    const auto call = [&](const std::string& fn) {
      std::string text = fn + "(" + arg(0);
      if (n.args().size() > 1) text += ", " + arg(1);
      return text + ")";
    };
    const auto help = [&](const char* fn) {
      helpers_.insert(fn);
      return call(fn);
    };
    const bool is_f32 = !n.args().empty() && n.args().back().type() == Type::f32;
    switch (n.op()) {
      case Op::kLoad:
        return d_.load(n.a(), n.type(), linear_index(n, s));
      case Op::kAdd:
        return infix("+");
      case Op::kSub:
        return infix("-");
      case Op::kMul:
        return infix("*");
      case Op::kDiv:
        return is_f32 ? infix("/") : help("idiv");
      case Op::kRem:
        return help("irem");
      case Op::kNeg:
        return "-" + arg(0);
      case Op::kLog:
        return help("log_guarded");
      // Drivers may make anything of exp and sqrt of NaN, and of roots of negative numbers.
      case Op::kExp:
        helpers_.insert("is_nan_bits");
        return help("exp_guarded");
      case Op::kSqrt:
        return help("sqrt_guarded");
      case Op::kRsqrt:
      case Op::kFloor:
      case Op::kCeil:
      case Op::kRound:
      case Op::kTrunc:
      case Op::kAbs:
        return call(d_.function(n.op()));
      case Op::kMin:
        return call("min");
      case Op::kMax:
        return call("max");
      case Op::kToF32:
        return d_.f32_of_i32(arg(0));
      case Op::kToI32:
        return help("to_int");
      case Op::kBitsToI32:
        return d_.bits_of_f32(arg(0));
      case Op::kBitsToF32:
        return d_.f32_of_bits(arg(0));
      case Op::kBitAnd:
        return infix("&");
      case Op::kBitOr:
        return infix("|");
      case Op::kBitXor:
        return infix("^");
      case Op::kShl:
      case Op::kShr:
      case Op::kShrLogical:
        return d_.shift(n.op(), arg(0), arg(1));
      case Op::kEq:
        return infix("==");
      case Op::kNe:
        return infix("!=");
      case Op::kLt:
        return infix("<");
      case Op::kLe:
        return infix("<=");
      case Op::kGt:
        return infix(">");
      case Op::kGe:
        return infix(">=");
      case Op::kAnd:
        return infix("&&");
      case Op::kOr:
        return infix("||");
      case Op::kNot:
        return "!" + arg(0);
      case Op::kSelect: {
        const std::string c = arg(0), x = arg(1);
        return d_.select(c, x, arg(2));
      }
      default:
        check(false, "no shader text for ", ir::name_of(n.op()));
        return {};
    }
  }

  std::string linear_index(const Node& n, Scope& s) {
    const size_t rank = n.args().size();
    if (rank == 0) return "0";
    const int strides = layout_.input_dims[static_cast<size_t>(n.a())] + static_cast<int>(rank);
    std::string text;
    for (size_t d = 0; d < rank; ++d) {
      const Expr& i = n.arg(d);
      if (i->op() == Op::kConst && i->i32() == 0) continue;
      if (!text.empty()) text += " + ";
      text += emit(i, s);
      if (d + 1 < rank) text += " * " + word(strides + static_cast<int>(d));
    }
    return text.empty() ? "0" : text;
  }

  std::string reduce(const Node& n, Scope& s) {
    const Reduce r = n.reduction();
    const Expr& body = n.arg(1);
    const Type t = body.type();
    const std::string extent = emit(n.arg(0), s);
    const std::string acc = fresh("r");
    const bool arg = r == Reduce::argmax || r == Reduce::argmin;
    const bool blocks =
        r == Reduce::sum && t == Type::f32 && !(n.arg(0)->op() == Op::kConst && n.arg(0)->i32() <= kSumBlock);
    const std::string extra = arg ? fresh("best") : blocks ? fresh("part") : "";

    Scope in;
    in.parent = &s;
    in.var_bit = 1u << n.a();
    in.var = fresh("v");
    in.indent = s.indent + "  ";
    const std::string x = emit(body, in);
    const auto combined = [&]() -> std::string {
      switch (r) {
        case Reduce::prod:
          return acc + " * " + x;
        case Reduce::max:
        case Reduce::min: {
          const bool largest = r == Reduce::max;
          if (t == Type::i32) return std::string(largest ? "max(" : "min(") + acc + ", " + x + ")";
          helpers_.insert("is_nan_bits");
          helpers_.insert(largest ? "f32_max" : "f32_min");
          return std::string(largest ? "f32_max(" : "f32_min(") + acc + ", " + x + ")";
        }
        case Reduce::any:
          return acc + " || " + x;
        case Reduce::all:
          return acc + " && " + x;
        default:
          return acc + " + " + x;
      }
    };
    if (arg) {
      std::string better = x + (r == Reduce::argmax ? " > " : " < ") + extra;
      if (t == Type::f32) {
        helpers_.insert("is_nan_bits");
        better = "!is_nan_bits(" + extra + ") && (is_nan_bits(" + x + ") || " + better + ")";
      }
      in.line("if (" + in.var + " == 0 || (" + better + ")) { " + extra + " = " + x + "; " + acc + " = " + in.var +
              "; }");
    } else if (blocks) {
      in.line(extra + " = " + extra + " + " + x + ";");
      in.line("if ((" + in.var + " & " + std::to_string(kSumBlock - 1) + ") == " + std::to_string(kSumBlock - 1) +
              ") { " + acc + " = " + acc + " + " + extra + "; " + extra + " = 0.0; }");
    } else {
      in.line(acc + " = " + combined() + ";");
    }

    s.line(d_.var(n.type(), acc, arg ? "0" : identity(r, t)));
    if (arg) s.line(d_.var(t, extra, t == Type::f32 ? "0.0" : "0"));
    if (blocks) s.line(d_.var(Type::f32, extra, "0.0"));
    const std::string init = d_.var(Type::i32, in.var, "0");  // ends in ";"
    s.line("for (" + init + " " + in.var + " < " + extent + "; " + in.var + "++) {");
    s.text += in.text;
    s.line("}");
    if (!blocks) return acc;
    const std::string total = fresh("t");
    s.line(d_.let(Type::f32, total, acc + " + " + extra));
    return total;
  }

  std::string identity(Reduce r, Type t) {
    const bool f = t == Type::f32;
    switch (r) {
      case Reduce::prod:
        return f ? "1.0" : "1";
      case Reduce::max:
        return constant(f ? ir::f32(-INFINITY).node() : ir::i32(INT32_MIN).node());
      case Reduce::min:
        return constant(f ? ir::f32(INFINITY).node() : ir::i32(INT32_MAX).node());
      case Reduce::any:
        return "false";
      case Reduce::all:
        return "true";
      default:
        return f ? "0.0" : "0";
    }
  }

  const ir::Kernel& k_;
  const LaunchLayout& layout_;
  const Dialect& d_;
  std::string indent_;
  std::set<std::string> helpers_;
  std::vector<Expr> kept_;
  int next_ = 0;
};

}  // namespace

std::string word(int k) { return "u[" + std::to_string(k / 4) + "][" + std::to_string(k % 4) + "]"; }

BodyText emit_body(const ir::Kernel& k, const LaunchLayout& layout, const Dialect& dialect, const std::string& indent) {
  return Emitter(k, layout, dialect, indent).run();
}

std::string emit_axes(const ir::Kernel& k, const LaunchLayout& layout, const Dialect& dialect,
                      const std::string& indent) {
  std::string text, rest = "i";
  for (int d = k.out_rank - 1; d >= 0; --d) {
    const std::string a = "a" + std::to_string(d);
    if (d == 0) {
      text += indent + dialect.let(Type::i32, a, rest) + "\n";
      break;
    }
    const std::string extent = word(layout.out_dims + d);
    const std::string next = "q" + std::to_string(d);
    text += indent + dialect.let(Type::i32, next, rest + " / " + extent) + "\n";
    text += indent + dialect.let(Type::i32, a, rest + " - " + next + " * " + extent) + "\n";
    rest = next;
  }
  return text;
}

std::string helper_text(const std::set<std::string>& helpers, const Dialect& dialect) {
  std::string text;
  for (const char* name :
       {"is_nan_bits", "f32_max", "f32_min", "idiv", "irem", "exp_guarded", "sqrt_guarded", "log_guarded", "to_int"}) {
    if (helpers.count(name)) text += dialect.helper(name);
  }
  return text;
}

}  // namespace tsr::emit
