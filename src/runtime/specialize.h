// Specialising: replaying part of a model's graph with known input shapes, until something depends on data that is not there yet.
//
// Replaying calls the model's ops like a user would, so composed ops expand, errors are the ops' own, and late attributes are
// ordinary values; the recorder is turned to a private trace for the while. What is known on the host and small is computed at
// once, which folds shape arithmetic and transformations of weights.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/tensor_impl.h"
#include "graph/graph.h"
#include "runtime/trace.h"

namespace tsr {

/// A model value while running: nothing yet, dead (the branch not taken), a tensor, or a list of tensors.
struct RtValue {
  enum class Kind : uint8_t { kNone, kDead, kTensor, kList };
  Kind kind = Kind::kNone;
  TensorType type;
  Ref<Storage> storage;
  std::shared_ptr<const std::vector<RtValue>> list;
};

/// What a piece took for granted about a value it reads: it may be reused when all of it holds again.
struct PieceInput {
  ValueId value = kNoValue;
  bool dead = false;
  TensorType type;
  bool by_content = false;         ///< a late attribute came from it: the bytes must be the same as well
  std::vector<std::byte> content;
};

/// How a model value is obtained once a piece has run.
struct PieceResult {
  enum class From : uint8_t { kOutput, kInput, kConstant, kDead };
  ValueId value = kNoValue;
  From from = From::kOutput;
  uint32_t index = 0;        ///< of the piece's outputs or inputs
  TensorType type;
  Ref<Storage> constant;
};

struct Piece {
  uint32_t begin = 0;         ///< positions in the program's order
  uint32_t end = 0;
  Ref<TraceGraph> trace;      ///< its graph; inputs are `inputs` in order (dead ones have none)
  std::vector<PieceInput> inputs;
  std::vector<ValueId> graph_inputs;  ///< model values of the trace's inputs, in order
  std::vector<ValueId> outputs;       ///< root values of the trace's graph to compute
  std::vector<PieceResult> results;
};

/// The attribute value that a late attribute takes from data on the host; `base` are the node's attributes so far.
AttrValue late_value(const Node& node, const LateAttr& late, const TensorType& type, const Storage& data, const Attrs& base);

/// Replays nodes order[begin..] of `graph`. `env` holds the values known so far. `needed_after(value, position)` says whether a
/// value is read by a node at or after that position, or is wanted. Stops before a joint, a node that needs data, and the end;
/// an empty piece (end == begin) means the very first node stopped it.
Piece specialize(const Graph& graph, std::span<const uint32_t> order, uint32_t begin, std::span<const RtValue> env,
                 std::span<const uint32_t> last_use);

}  // namespace tsr
