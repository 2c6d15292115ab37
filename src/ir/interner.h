// The table that makes structurally equal expressions one node. For the files of src/ir alone.
#pragma once

#include <memory>

#include "ir/expr.h"

namespace tsr::ir {

class Interner {
 public:
  /// kVar nodes from here on stand for variables of reductions still being built or rewritten.
  static constexpr int32_t kFirstPlaceholder = 1 << 8;
  static constexpr uint32_t kPlaceholderBit = 1u << 31;

  static Expr intern(Op op, Type type, Reduce reduction, int32_t a, int32_t b, std::span<const Expr> args);
  static Expr leaf(Op op, Type type, int32_t a, int32_t b);
  static Expr fresh_placeholder();

  /// The reduction over `placeholder` of `body`. Its variable is named by the height of nested reductions, so equal
  /// reductions are equal nodes.
  static Expr bind(Reduce r, Expr extent, const Expr& placeholder, const Expr& body);
  /// `root` with kVar `id` replaced; binders inside keep their heights.
  static Expr replace_var(const Expr& root, int32_t id, const Expr& with);

  static void collect();
  static size_t count();

 private:
  struct Hash;
  struct Equal;
  struct Table;
  static Table& table();
};

}  // namespace tsr::ir
