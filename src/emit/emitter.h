// What WGSL and GLSL share: a walk over the expression that prints one statement a node, loops for reductions, and
// hoists what does not depend on a loop's variable. A Dialect prints the words of its language.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emit/launch.h"
#include "ir/expr.h"

namespace tsr::emit {

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual std::string type(ir::Type t) const = 0;
  /// Declarations of locals: a value, and a variable.
  virtual std::string let(ir::Type t, const std::string& name, const std::string& value) const = 0;
  virtual std::string var(ir::Type t, const std::string& name, const std::string& value) const = 0;
  virtual std::string select(const std::string& c, const std::string& x, const std::string& y) const = 0;
  /// The element of an input at a linear index, as its type.
  virtual std::string load(int input, ir::Type t, const std::string& index) const = 0;
  virtual std::string f32_of_i32(const std::string& x) const = 0;
  virtual std::string bits_of_f32(const std::string& x) const = 0;
  virtual std::string f32_of_bits(const std::string& x) const = 0;
  virtual std::string shift(ir::Op op, const std::string& x, const std::string& count) const = 0;
  /// The language's function for exp, sqrt (which helpers wrap), rsqrt, floor, ceil, round (half to even), trunc, abs.
  virtual std::string function(ir::Op op) const = 0;
  /// The text of a helper function that the emitter asked for by name: idiv, irem, exp_guarded, sqrt_guarded,
  /// log_guarded, to_int, is_nan_bits, f32_max, f32_min.
  virtual std::string helper(const std::string& name) const = 0;
};

/// Word k of the block.
std::string word(int k);

/// The body as statements, each on a line with that indent, and the expression of the result. Reads the axes from
/// locals a0, a1...
struct BodyText {
  std::string statements;
  std::string result;
  std::set<std::string> helpers;
};
BodyText emit_body(const ir::Kernel& k, const LaunchLayout& layout, const Dialect& dialect, const std::string& indent);

/// Statements that make a0, a1... from the linear output index `i`.
std::string emit_axes(const ir::Kernel& k, const LaunchLayout& layout, const Dialect& dialect,
                      const std::string& indent);

/// The helpers' text, in an order that declares before use.
std::string helper_text(const std::set<std::string>& helpers, const Dialect& dialect);

}  // namespace tsr::emit
