// Partition: decides which nodes run together. Elementwise chains become one launch; a chain after a convolution, matmul or
// any other body op becomes that op's epilogue.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "graph/group.h"

namespace tsr {

/// One launch to be: a group and where its operands and its result live in the graph.
struct GroupSite {
  Group group;
  std::vector<ValueId> operands;  ///< as the group sees them; may be views (see `root_of`)
  ValueId result = kNoValue;
};

/// A host op (or a joint that a plan carries: kCall): run as it is.
struct HostSite {
  uint32_t node = 0;
};

struct PartitionItem {
  bool is_host = false;
  GroupSite site;
  HostSite host;
};

struct PartitionLimits {
  int max_operands = 1 << 20;  ///< operands of one launch (GPUs bind a limited number)
  /// Longest chain: a tile interpreter's registers and a shader's size stay small, and nothing is gained beyond.
  int max_nodes = 48;
  bool fuse = true;
};

/// The value whose memory `v` shares: follows alias ops (reshape, identity) to their source.
ValueId root_of(const Graph& graph, ValueId v);

/// Splits a typed graph into items in an order that respects dependencies. `outputs` are the values that must exist in memory
/// afterwards. Nodes that nothing needs are dropped.
std::vector<PartitionItem> partition(const Graph& graph, std::span<const ValueId> outputs, const PartitionLimits& limits);

}  // namespace tsr
