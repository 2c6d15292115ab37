// Program: a graph prepared for being run with certain outputs: which nodes, in which order, and the pieces compiled so far.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "runtime/specialize.h"

namespace tsr {

/// A piece with its plan.
struct CompiledPiece {
  Piece piece;
  std::shared_ptr<Plan> plan;  ///< null when the piece computes nothing (all folded)
  Device* device = nullptr;
};

class Program {
 public:
  /// `wanted`: values that a run must give, in order.
  Program(std::shared_ptr<const Graph> graph, std::vector<ValueId> wanted);

  const Graph& graph() const { return *graph_; }
  std::span<const uint32_t> order() const { return order_; }
  std::span<const ValueId> wanted() const { return wanted_; }
  /// Position in `order` of the last node that reads the value; kForever when it is wanted.
  std::span<const uint32_t> last_use() const { return last_use_; }
  /// True when some node of the program reads the value, or it is wanted.
  bool reads(ValueId v) const { return reads_[v]; }
  static constexpr uint32_t kForever = ~uint32_t{0};

  /// The piece that begins at this position and suits what `env` holds: a cached one, or a new one. Its length may be 0.
  std::shared_ptr<CompiledPiece> piece_at(uint32_t position, std::span<const RtValue> env);

  /// Programs of a joint's functions, made when first needed.
  std::shared_ptr<Program> function(const Node& node, size_t which);

 private:
  std::shared_ptr<const Graph> graph_;
  std::vector<ValueId> wanted_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> last_use_;
  std::vector<bool> reads_;
  std::unordered_map<uint32_t, std::list<std::shared_ptr<CompiledPiece>>> pieces_;  // most recent first
  std::unordered_map<const Graph*, std::shared_ptr<Program>> functions_;
};

}  // namespace tsr
