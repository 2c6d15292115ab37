// Folding of per-channel factors into weights: what batch normalisation becomes once its statistics are constants.
//
//   conv(x, W) * s          ->  conv(x, W * s)
//   (conv(x, W) + b) * s    ->  conv(x, W * s) + b * s
//
// for conv2d, depthwiseConv2d and matMul with constant float32 W, b and s, where s and b have one value a channel (or one at all)
// and nothing else reads the inner values.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace tsr {

struct FoldedGraph {
  Graph graph;
  std::vector<ValueId> outputs;  ///< the given outputs, in the new graph
  int folded = 0;                ///< factors that went into weights
};

/// A graph with the same inputs (in order) that computes the same outputs. Typed graphs of kOp nodes only; nodes that nothing needs
/// are dropped. Products are rounded once more or less than before: a relative change of some 1e-7.
FoldedGraph fold_scale(const Graph& graph, std::span<const ValueId> outputs);

}  // namespace tsr
