// Rewrites what shading languages lack, or leave undefined or imprecise, into what they have.
#pragma once

#include "ir/expr.h"

namespace tsr::emit {

/// An expression of simpler nodes with the node's meaning, or an empty one when the node is simple itself. What is left
/// for dialects to print: constants, leaves, loads and reductions; + - * / unary-; exp, log (guarded), sqrt, rsqrt,
/// floor, ceil, round, trunc, abs; / and % of i32 (guarded); min and max of i32; comparisons except of b1 by order;
/// logic, bits, shifts, select; conversions (to_i32 guarded) and bit casts.
///
/// GPUs may compute sin to an absolute 2^-11 and atan to 4096 ULP (the WebGPU standard's limits), so these are
/// polynomials here, those of src/simd/math-inl.h.
ir::Expr lower(const ir::Node& n);

}  // namespace tsr::emit
