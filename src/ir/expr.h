// The pull-kernel language: one output element as an expression over the inputs.
//
// What every implementation (interpret() in kernel.h, the tile programs of src/simd, the shaders of src/emit) promises:
//
// Values. f32 (IEEE single), i32 (two's complement), b1 (false, true). The reference interpreter computes f32
// expressions in double, and rounds when a value is stored, tested (is_nan, is_inf, is_finite) or reinterpreted; the
// others compute in single. An f32 constant is rounded to single when it is made.
//
// Overflow. f32 overflows to infinity; subnormals may be flushed to zero. i32 + - * unary- abs << wrap.
//
// Division. f32 by IEEE: x/0 is an infinity or NaN. i32 `/` and `%` truncate toward zero; i32 floor_div and floor_mod
// round down. i32 division or remainder by 0 gives 0; INT_MIN / -1 wraps to INT_MIN, its remainder is 0. f32 `%` is C's
// fmod; f32 floor_mod has the sign of the divisor (numpy's mod); f32 floor_div is floor(x / y).
//
// NaN. Arithmetic and functions propagate it. min and max return NaN when either side is NaN (numpy's minimum and
// maximum); which zero max(-0, +0) returns is unspecified. Comparisons with NaN are false, except != which is true.
// select never looks at the side not taken: a NaN there does not leak. sign(NaN) is NaN. to_b1(NaN) is true.
//
// Conversion. to_i32(f32) truncates toward zero and saturates, NaN gives 0. to_f32(i32) rounds to nearest even. to_b1
// is x != 0. b1 converts to 0 or 1.
//
// Rounding. `round` rounds half to even; floor, ceil and trunc are exact. + - * / sqrt are within 1 ULP on CPUs
// (GPUs: 2.5 for division), other functions as the op that uses them states.
//
// pow. As C's pow for f32. For i32 exact with wrap; a negative exponent truncates 1/x^n toward zero (0 for a zero
// base).
//
// Shifts. Use the low five bits of the count; `>>` is arithmetic, shift_right_logical is not.
//
// Evaluation. Expressions have no effects, so any part may be evaluated at any time, once, many times or never; both
// sides of select and of && || may be evaluated. Therefore a load's index must be in range for EVERY output element and
// loop step, also where select drops the value: clamp the index. Violating that is a fault of the op: the interpreter
// throws; others return any value, but never touch memory outside the tensor. A load from a tensor without elements
// gives 0.
//
// Reductions. sum and prod may reassociate; long f32 sums are blocked, pairwise or compensated. argmax and argmin give
// the first index of the extreme; NaN counts as the extreme, the first NaN wins. extent <= 0 gives, for sum, prod, max,
// min, argmax, argmin, any, all: 0, 1, -inf (INT_MIN), +inf (INT_MAX), 0, 0, false, true. The extent is uniform: made
// of constants, dim, out_dim and param alone.
//
// Sizes. Every tensor has fewer than 2^31 elements, so i32 index arithmetic within a tensor never wraps.
//
// Expressions are immutable, shared and hash-consed: structurally equal ones are the same node, so equal ids mean equal
// structure, and a memo keyed by node is common-subexpression elimination. Making and dropping them is thread-safe.
// Constructors fold constants and the exact identities x*1, x/1, x-0, i+0, i*0, select(const), and go no further. They
// throw kInternal on type errors: a wrong body is a fault of Tessera's own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tsr::ir {

enum class Type : uint8_t { f32, i32, b1 };
const char* name_of(Type t);

enum class Reduce : uint8_t { sum, prod, max, min, argmax, argmin, any, all };
const char* name_of(Reduce r);

/// Node kinds. Operand and result types: see make.cc.
enum class Op : uint8_t {
  // Leaves.
  kConst,   ///< bits() of the value
  kAxis,    ///< a() = output dimension
  kOutDim,  ///< a() = output dimension
  kDim,     ///< a() = input, b() = dimension
  kParam,   ///< a() = slot in Kernel::params
  kVar,     ///< a() = the height of the kReduce that binds it (the innermost reduce is 1)
  kLoad,    ///< a() = input, args = one i32 index a dimension
  kReduce,  ///< reduction() over kVar with a() = this node's height; args = extent, body
  // Unary, f32 -> f32.
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kFloor,
  kCeil,
  kRound,
  kTrunc,
  // Unary, same type (f32, i32).
  kNeg,
  kAbs,
  kSign,
  // Unary, others.
  kNot,
  kIsNan,
  kIsInf,
  kIsFinite,
  kToF32,
  kToI32,
  kToB1,
  kBitsToI32,
  kBitsToF32,
  // Binary, same type (f32, i32).
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kFloorDiv,
  kFloorMod,
  kMin,
  kMax,
  kPow,
  // Binary, f32 only; i32 only.
  kAtan2,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShl,
  kShr,
  kShrLogical,
  // Binary, any equal types -> b1; b1 only.
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kSelect,  ///< args = condition, then, else
};
const char* name_of(Op op);

class Node;

/// A handle to a node: one pointer, copied for nothing. A default-made Expr is empty and may only be assigned to or tested.
///
/// Nodes live in one table until collect() finds them unused; an Expr does not keep its node (HeldExpr does). Nothing but the start of
/// lower() collects, so expressions that are being built or taken apart are safe.
class Expr {
 public:
  Expr() = default;

  explicit operator bool() const { return node_ != nullptr; }
  bool empty() const { return node_ == nullptr; }  ///< say this rather than !e, which is a logical `not` node
  const Node* operator->() const { return node_; }
  const Node& node() const { return *node_; }
  const Node* id() const { return node_; }  ///< equal ids: structurally equal expressions
  Type type() const;

 private:
  friend class Interner;
  friend class HeldExpr;
  explicit Expr(Node* node) noexcept : node_(node) {}
  Node* node_ = nullptr;
};

/// An Expr whose nodes stay: what a kernel has.
class HeldExpr : public Expr {
 public:
  HeldExpr() = default;
  HeldExpr(Expr e) noexcept : Expr(e) { hold(1); }  // NOLINT: any expression can be held
  HeldExpr(const HeldExpr& o) noexcept : Expr(o) { hold(1); }
  HeldExpr& operator=(const HeldExpr& o) noexcept { return *this = static_cast<const Expr&>(o); }
  HeldExpr& operator=(Expr e) noexcept;
  ~HeldExpr() { hold(-1); }

 private:
  void hold(int change) const noexcept;
};

/// Frees the nodes that no HeldExpr needs when they have become many; Exprs made before are then not to be used. Few: does nothing.
void collect();
/// Nodes in the table.
size_t node_count();

/// What a node may depend on; see Node::depends().
struct Depends {
  uint8_t axes = 0;     ///< bit d: axis(d)
  bool params = false;  ///< param(...)
  bool dims = false;    ///< dim or out_dim
  bool loads = false;   ///< any load
  uint32_t vars = 0;    ///< bit h: the unbound reduction variable of height h; bit 31: one still being built
  bool uniform() const { return axes == 0 && !loads && vars == 0; }
};

class Node {
 public:
  Op op() const { return op_; }
  Type type() const { return type_; }
  Reduce reduction() const { return reduction_; }
  int a() const { return a_; }
  int b() const { return b_; }
  uint32_t bits() const { return static_cast<uint32_t>(a_); }  ///< kConst: the 32-bit pattern (b1: 0 or 1)
  float f32() const;                                           ///< kConst of f32
  int32_t i32() const { return a_; }                           ///< kConst of i32 or b1
  std::span<const Expr> args() const { return args_; }
  const Expr& arg(size_t i) const { return args_[i]; }
  uint64_t hash() const { return hash_; }  ///< of the structure; the same in every process
  const Depends& depends() const { return depends_; }
  int height() const { return height_; }  ///< nesting depth of reductions in it
  int depth() const { return depth_; }    ///< longest path to a leaf, for recursion limits

 private:
  friend class Interner;
  friend class HeldExpr;
  Op op_{};
  Type type_{};
  Reduce reduction_{};
  int16_t height_ = 0;
  int32_t a_ = 0, b_ = 0, depth_ = 1;
  bool marked_ = false;                 // while collecting
  std::atomic<int32_t> holders_{0};
  uint64_t hash_ = 0;
  Depends depends_;
  std::vector<Expr> args_;
};

inline Type Expr::type() const { return node_->type(); }

// ---- Constants and leaves
// --------------------------------------------------------------------------------------------------

Expr f32(double value);
Expr i32(int64_t value);  ///< wraps to 32 bits
Expr b1(bool value);
Expr axis(int d);
Expr out_dim(int d);
Expr dim(int input, int d);
Expr param(int slot, Type type);
/// An element of an input; `type` is f32 for float32 and all narrow dtypes, i32 for int32, b1 for bool. One i32 index a
/// dimension.
Expr load(int input, Type type, std::span<const Expr> index);
Expr load(int input, Type type, std::initializer_list<Expr> index);
/// Folds body(0) ... body(extent - 1). Result: the body's type; i32 for argmax and argmin; b1 (of b1) for any and all.
Expr reduce(Reduce r, Expr extent, const std::function<Expr(Expr var)>& body);

// ---- Operators
// -------------------------------------------------------------------------------------------------------------

/// Any unary, binary or select node by its kind: what rewriters use. Checks types and folds like the named functions.
Expr make(Op op, std::span<const Expr> args);
Expr make1(Op op, Expr x);
Expr make2(Op op, Expr x, Expr y);
Expr select(Expr condition, Expr then, Expr otherwise);

template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// Literals take the other operand's type: x * 2 and x * 0.5 need no conversion. To compare nodes use id(): == makes an
/// expression.

/// The number as a constant of x's type (for b1: value != 0). Generic lambdas use it to make constants for Expr and
/// lanes alike.
Expr like(const Expr& x, double value);

#define TSR_IR_UNARY(fn, op) \
  inline Expr fn(Expr x) { return make1(Op::op, std::move(x)); }
#define TSR_IR_BINARY(fn, op)                                                          \
  inline Expr fn(Expr x, Expr y) { return make2(Op::op, std::move(x), std::move(y)); } \
  template <Number T>                                                                  \
  Expr fn(Expr x, T y) {                                                               \
    Expr c = like(x, static_cast<double>(y));                                          \
    return make2(Op::op, std::move(x), std::move(c));                                  \
  }                                                                                    \
  template <Number T>                                                                  \
  Expr fn(T x, Expr y) {                                                               \
    Expr c = like(y, static_cast<double>(x));                                          \
    return make2(Op::op, std::move(c), std::move(y));                                  \
  }

TSR_IR_BINARY(operator+, kAdd)
TSR_IR_BINARY(operator-, kSub)
TSR_IR_BINARY(operator*, kMul)
TSR_IR_BINARY(operator/, kDiv)
TSR_IR_BINARY(operator%, kRem)
TSR_IR_BINARY(floor_div, kFloorDiv)
TSR_IR_BINARY(floor_mod, kFloorMod)
TSR_IR_BINARY(min, kMin)
TSR_IR_BINARY(max, kMax)
TSR_IR_BINARY(pow, kPow)
TSR_IR_BINARY(atan2, kAtan2)
TSR_IR_BINARY(operator&, kBitAnd)
TSR_IR_BINARY(operator|, kBitOr)
TSR_IR_BINARY(operator^, kBitXor)
TSR_IR_BINARY(operator<<, kShl)
TSR_IR_BINARY(operator>>, kShr)
TSR_IR_BINARY(shift_right_logical, kShrLogical)
TSR_IR_BINARY(operator==, kEq)
TSR_IR_BINARY(operator!=, kNe)
TSR_IR_BINARY(operator<, kLt)
TSR_IR_BINARY(operator<=, kLe)
TSR_IR_BINARY(operator>, kGt)
TSR_IR_BINARY(operator>=, kGe)
TSR_IR_BINARY(operator&&, kAnd)
TSR_IR_BINARY(operator||, kOr)

TSR_IR_UNARY(operator-, kNeg)
TSR_IR_UNARY(operator!, kNot)
TSR_IR_UNARY(exp, kExp)
TSR_IR_UNARY(expm1, kExpm1)
TSR_IR_UNARY(log, kLog)
TSR_IR_UNARY(log1p, kLog1p)
TSR_IR_UNARY(sqrt, kSqrt)
TSR_IR_UNARY(rsqrt, kRsqrt)
TSR_IR_UNARY(sin, kSin)
TSR_IR_UNARY(cos, kCos)
TSR_IR_UNARY(tan, kTan)
TSR_IR_UNARY(asin, kAsin)
TSR_IR_UNARY(acos, kAcos)
TSR_IR_UNARY(atan, kAtan)
TSR_IR_UNARY(sinh, kSinh)
TSR_IR_UNARY(cosh, kCosh)
TSR_IR_UNARY(tanh, kTanh)
TSR_IR_UNARY(asinh, kAsinh)
TSR_IR_UNARY(acosh, kAcosh)
TSR_IR_UNARY(atanh, kAtanh)
TSR_IR_UNARY(floor, kFloor)
TSR_IR_UNARY(ceil, kCeil)
TSR_IR_UNARY(round, kRound)
TSR_IR_UNARY(trunc, kTrunc)
TSR_IR_UNARY(abs, kAbs)
TSR_IR_UNARY(sign, kSign)
TSR_IR_UNARY(is_nan, kIsNan)
TSR_IR_UNARY(is_inf, kIsInf)
TSR_IR_UNARY(is_finite, kIsFinite)
TSR_IR_UNARY(to_f32, kToF32)
TSR_IR_UNARY(to_i32, kToI32)
TSR_IR_UNARY(to_b1, kToB1)
TSR_IR_UNARY(bitcast_i32, kBitsToI32)  ///< the bits of an f32
TSR_IR_UNARY(bitcast_f32, kBitsToF32)  ///< the f32 with these bits
#undef TSR_IR_UNARY
#undef TSR_IR_BINARY

template <Number T>
Expr select(Expr c, Expr x, T y) {
  Expr k = like(x, static_cast<double>(y));
  return select(std::move(c), std::move(x), std::move(k));
}
template <Number T>
Expr select(Expr c, T x, Expr y) {
  Expr k = like(y, static_cast<double>(x));
  return select(std::move(c), std::move(k), std::move(y));
}

/// min(max(x, low), high).
template <typename Low, typename High>
Expr clamp(Expr x, Low low, High high) {
  return min(max(std::move(x), low), high);
}

/// x converted to `type` by to_f32, to_i32 or to_b1 (itself if it has that type).
Expr convert(Expr x, Type type);

// ---- Rewriting
// -------------------------------------------------------------------------------------------------------------

/// Rebuilds `root` bottom up. `leaf` sees each axis, dim, out_dim, param and load node once, with its arguments already
/// rebuilt (loads), and returns the replacement, or an empty Expr to keep it. Bound variables are never captured.
Expr rewrite(const Expr& root, const std::function<Expr(const Node& leaf, std::span<const Expr> args)>& leaf);

/// Calls `visit` once for each distinct node, arguments before users.
void for_each_node(const Expr& root, const std::function<void(const Node&)>& visit);

/// One line a shared node, for people: "%3 = f32 mul %1 %2".
std::string print(const Expr& root);

}  // namespace tsr::ir
