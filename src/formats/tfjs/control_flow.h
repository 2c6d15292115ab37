// TensorFlow 1's loops, taken apart and put together as functional ones.
//
// TensorFlow 1 writes a while loop as a "frame" of five kinds of nodes, one set for each loop variable:
//
//     init -> Enter -> Merge -> Switch -> (true) body ... -> NextIteration -> back to Merge
//                        |        | \-> (false) Exit -> result
//                        \-> condition ... -> LoopCond -> pred of every Switch
//
// Values that the loop only reads come in through Enter(is_constant). recover_loops cuts condition and body out as
// functions over [loop variables..., constants..., other values from outside] and puts one node "While" in the frame's
// place; what Exit gave, the node's outputs give. Inner loops are done before those around them.
#pragma once

#include "formats/tfjs/graphdef.h"

namespace tsr::formats {

/// Deepest nesting of loops and functions; a file that goes deeper is refused before it can exhaust the stack.
inline constexpr int kMaxNesting = 64;

/// Changes `graph` in place; its indices stay valid. Nodes of loops become "_Dead", each Exit an "Identity" of the
/// While node. Throws kBadFile on a frame without a condition, or frames that are entangled or nested deeper than
/// kMaxNesting.
void recover_loops(TfGraph& graph);

/// Follows a node's control inputs to the branch of a conditional that it belongs to: true when one of them is,
/// directly or through Identity nodes, an output of a Switch; `branch` is that output.
bool branch_of(const TfGraph& graph, const TfNode& node, TfRef& branch);

}  // namespace tsr::formats
