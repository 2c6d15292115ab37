// The parts of elementwise ops that do not depend on their functor or on the instruction set: dtype rules, how bodies
// read inputs, the ends of vectors. elementwise-inl.h builds on them; keeping them out of its templates keeps the code
// small.
#pragma once

#include <span>
#include <vector>

#include "core/op_def.h"
#include "ir/body.h"

namespace tsr::ops {

// ---- infer: shapes broadcast, and the output is ...
// ------------------------------------------------------------------------

void infer_elementwise_float(InferCtx& c);     ///< float32, whatever comes in
void infer_elementwise_same(InferCtx& c);      ///< the common dtype of the inputs (bool: int32)
void infer_elementwise_bool(InferCtx& c);      ///< bool, for inputs of any numeric dtypes
void infer_elementwise_logical(InferCtx& c);   ///< bool, and so must the inputs be
void infer_elementwise_int(InferCtx& c);       ///< int32, and so must the inputs be
void infer_elementwise_quotient(InferCtx& c);  ///< int32, for inputs of any numeric dtypes
void infer_elementwise_where(InferCtx& c);     ///< (bool, a, b): the common dtype of a and b

/// The expression type that holds every input's values: b1 < i32 < f32.
ir::Type common_type(ir::BodyCtx& c);
/// The first `inputs` inputs under broadcasting, then the bound attributes as parameters, all as `type`.
std::vector<ir::Expr> elementwise_operands(ir::BodyCtx& c, size_t inputs, ir::Type type, std::span<const double> bound);

/// Calls `whole` once or twice with a multiple of `lanes` elements: steps of 0 point to `lanes` copies then, and what
/// is left at the end goes through buffers, so that nothing past the end of a tensor is touched.
void run_in_vectors(const ElementwiseArgs& a, size_t inputs, int lanes, void (*whole)(const ElementwiseArgs& a));

/// What every elementwise op has: family, input names where `def` gives none, infer unless given, body, code.
OpDef&& complete_elementwise(OpDef&& def, size_t inputs, AttrSchemaRef attrs, void (*infer)(InferCtx&),
                           ir::Expr (*body)(ir::BodyCtx&), ElementwiseFn (*code)());

}  // namespace tsr::ops
