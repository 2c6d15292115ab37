// Which nodes of a graph some values depend on.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace tsr {

/// One flag a node: whether `outputs` are computed from it. Iterative; visits each node once.
inline std::vector<bool> needed_nodes(const Graph& graph, std::span<const ValueId> outputs) {
  std::vector<bool> needed(graph.nodes().size());
  std::vector<ValueId> work(outputs.begin(), outputs.end());
  while (!work.empty()) {
    const ValueInfo& info = graph.value(work.back());
    work.pop_back();
    if (info.kind != ValueInfo::Kind::kResult || needed[info.node]) continue;
    needed[info.node] = true;
    const Node& n = graph.node(info.node);
    for (ValueId in : n.inputs) work.push_back(in);
    for (const LateAttr& late : n.late) work.push_back(late.value);
  }
  return needed;
}

}  // namespace tsr
