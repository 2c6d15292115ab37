// Activations that exporters spell out, recognised and replaced by the op that kernels apply to their output in passing:
//
//   relu(x) + c * (x - |x|)                              ->  prelu(x, 2c)        (c constant; converters of PReLU layers)
//   y + c * (y - |y|) with y = relu(x)                   ->  y                   (the same, after a relu was fused into x)
//   c * x * relu6(x + 3), the constant c at any place      ->  hardSwish(x, c)     (MobileNet v3: a sixth, or its float16)
#pragma once

#include <span>

#include "graph/fold_scale.h"

namespace tsr {

/// A graph with the same inputs (in order) that computes the same outputs, with the idioms above replaced; `folded` counts them.
/// Typed graphs of kOp nodes only. Values change by one rounding (prelu: not at all, but at infinity, where x - |x| was NaN).
FoldedGraph fold_idioms(const Graph& graph, std::span<const ValueId> outputs);

}  // namespace tsr
