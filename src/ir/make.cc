// Type rules and constant folding of unary, binary and select nodes.
#include <bit>
#include <cmath>

#include "base/error.h"
#include "ir/expr.h"
#include "ir/interner.h"
#include "ir/scalar.h"

namespace tsr::ir {
namespace {

enum class Rule {
  kF32,       ///< f32... -> f32
  kI32,       ///< i32... -> i32
  kNumber,    ///< f32... -> f32 or i32... -> i32
  kTestF32,   ///< f32 -> b1
  kCompare,   ///< two of any equal type -> b1
  kLogic,     ///< b1... -> b1
  kToF32,     ///< any -> f32
  kToI32,     ///< any -> i32
  kToB1,      ///< any -> b1
  kBits,      ///< f32 -> i32
  kFromBits,  ///< i32 -> f32
};

Rule rule_of(Op op) {
  if (op >= Op::kExp && op <= Op::kTrunc) return Rule::kF32;
  if (op >= Op::kNeg && op <= Op::kSign) return Rule::kNumber;
  if (op >= Op::kAdd && op <= Op::kPow) return Rule::kNumber;
  if (op >= Op::kBitAnd && op <= Op::kShrLogical) return Rule::kI32;
  if (op >= Op::kEq && op <= Op::kGe) return Rule::kCompare;
  switch (op) {
    case Op::kAtan2:
      return Rule::kF32;
    case Op::kNot:
    case Op::kAnd:
    case Op::kOr:
      return Rule::kLogic;
    case Op::kIsNan:
    case Op::kIsInf:
    case Op::kIsFinite:
      return Rule::kTestF32;
    case Op::kToF32:
      return Rule::kToF32;
    case Op::kToI32:
      return Rule::kToI32;
    case Op::kToB1:
      return Rule::kToB1;
    case Op::kBitsToI32:
      return Rule::kBits;
    case Op::kBitsToF32:
      return Rule::kFromBits;
    default:
      check(false, name_of(op), " is not made by make()");
      return Rule::kF32;
  }
}

size_t arity_of(Op op) { return op == Op::kSelect ? 3 : op >= Op::kAdd ? 2 : 1; }

Type result_type(Op op, std::span<const Expr> args) {
  check(args.size() == arity_of(op), name_of(op), " takes ", arity_of(op), " operands, got ", args.size());
  for (const Expr& x : args) check(static_cast<bool>(x), "an empty Expr is an operand of ", name_of(op));
  if (op == Op::kSelect) {
    check(args[0].type() == Type::b1, "the condition of select must be b1, got ", name_of(args[0].type()));
    check(args[1].type() == args[2].type(), "the sides of select are ", name_of(args[1].type()), " and ",
          name_of(args[2].type()));
    return args[1].type();
  }
  const Type t = args[0].type();
  if (args.size() == 2) {
    check(args[1].type() == t, "operands of ", name_of(op), " are ", name_of(t), " and ", name_of(args[1].type()));
  }
  const auto wants = [&](bool ok, const char* what) { check(ok, name_of(op), " wants ", what, ", got ", name_of(t)); };
  switch (rule_of(op)) {
    case Rule::kF32:
      wants(t == Type::f32, "f32");
      return Type::f32;
    case Rule::kI32:
      wants(t == Type::i32, "i32");
      return Type::i32;
    case Rule::kNumber:
      wants(t != Type::b1, "f32 or i32");
      return t;
    case Rule::kTestF32:
      wants(t == Type::f32, "f32");
      return Type::b1;
    case Rule::kCompare:
      return Type::b1;
    case Rule::kLogic:
      wants(t == Type::b1, "b1");
      return Type::b1;
    case Rule::kToF32:
      return Type::f32;
    case Rule::kToI32:
      return Type::i32;
    case Rule::kToB1:
      return Type::b1;
    case Rule::kBits:
      wants(t == Type::f32, "f32");
      return Type::i32;
    case Rule::kFromBits:
      wants(t == Type::i32, "i32");
      return Type::f32;
  }
  return t;
}

bool is_const(const Expr& e) { return e->op() == Op::kConst; }
bool is_int(const Expr& e, int32_t v) { return is_const(e) && e.type() == Type::i32 && e->i32() == v; }
bool is_bool(const Expr& e, bool v) { return is_const(e) && e.type() == Type::b1 && (e->i32() != 0) == v; }
bool is_float(const Expr& e, float v) {
  return is_const(e) && e.type() == Type::f32 && e->bits() == std::bit_cast<uint32_t>(v);
}
bool is_one(const Expr& e) { return is_int(e, 1) || is_float(e, 1.0f); }

Value value_of(const Expr& e) {
  if (e.type() == Type::f32) return {e->f32(), 0};
  return {0, e->i32()};
}

/// An equal, simpler expression, or an empty one.
Expr simplify(Op op, Type type, std::span<const Expr> args) {
  bool constant = true;
  for (const Expr& x : args) constant = constant && is_const(x);
  if (constant) {
    const Value v = evaluate(op, args.back().type(), value_of(args[0]), args.size() > 1 ? value_of(args[1]) : Value{},
                             args.size() > 2 ? value_of(args[2]) : Value{});
    return type == Type::f32 ? f32(v.f) : type == Type::i32 ? i32(v.i) : b1(v.i != 0);
  }
  const Expr& x = args[0];
  switch (op) {
    case Op::kAdd:
      if (is_int(x, 0)) return args[1];
      if (is_int(args[1], 0)) return x;
      break;
    case Op::kSub:
      if (is_int(args[1], 0) || is_float(args[1], 0.0f)) return x;
      if (type == Type::i32 && x.id() == args[1].id()) return i32(0);
      break;
    case Op::kMul:
      if (is_one(args[1]) || is_int(x, 0)) return x;
      if (is_one(x) || is_int(args[1], 0)) return args[1];
      break;
    case Op::kDiv:
      if (is_one(args[1])) return x;
      break;
    case Op::kFloorDiv:
      if (is_int(args[1], 1)) return x;
      break;
    case Op::kRem:
    case Op::kFloorMod:
      if (is_int(args[1], 1)) return i32(0);
      break;
    case Op::kMin:
    case Op::kMax:
      if (x.id() == args[1].id()) return x;
      break;
    case Op::kAnd:
      if (is_bool(x, true) || is_bool(args[1], false)) return args[1];
      if (is_bool(args[1], true) || is_bool(x, false)) return x;
      break;
    case Op::kOr:
      if (is_bool(x, false) || is_bool(args[1], true)) return args[1];
      if (is_bool(args[1], false) || is_bool(x, true)) return x;
      break;
    case Op::kNot:
      if (x->op() == Op::kNot) return x->arg(0);
      break;
    case Op::kToF32:
    case Op::kToI32:
    case Op::kToB1:
      if (x.type() == type) return x;
      break;
    case Op::kSelect:
      if (is_bool(x, true)) return args[1];
      if (is_bool(x, false)) return args[2];
      if (args[1].id() == args[2].id()) return args[1];
      break;
    default:
      break;
  }
  return {};
}

}  // namespace

Expr make(Op op, std::span<const Expr> args) {
  const Type type = result_type(op, args);
  if (Expr e = simplify(op, type, args)) return e;
  return Interner::intern(op, type, Reduce::sum, 0, 0, args);
}

Expr make1(Op op, Expr x) {
  const Expr args[] = {std::move(x)};
  return make(op, args);
}

Expr make2(Op op, Expr x, Expr y) {
  const Expr args[] = {std::move(x), std::move(y)};
  return make(op, args);
}

Expr select(Expr condition, Expr then, Expr otherwise) {
  const Expr args[] = {std::move(condition), std::move(then), std::move(otherwise)};
  return make(Op::kSelect, args);
}

}  // namespace tsr::ir
