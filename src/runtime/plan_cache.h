// PlanCache: compiled plans of traces by structure, so that a loop's body is compiled once.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "runtime/plan.h"

namespace tsr {

/// Least recently used entries go when the estimated bytes exceed the bound. A hit is verified by comparing graphs.
class PlanCache {
 public:
  static PlanCache& get();
  /// The plan of `graph` with these outputs for the engine's device.
  std::shared_ptr<Plan> find_or_compile(const Graph& graph, std::span<const ValueId> outputs);
  int64_t size() const { return static_cast<int64_t>(entries_.size()); }
  void clear();

 private:
  struct Entry {
    uint64_t hash = 0;
    uint64_t next = 0;  // hash of the entry that was wanted after this one, the last time
    Graph graph;
    std::vector<ValueId> outputs;
    std::shared_ptr<Plan> plan;
    size_t bytes = 0;
  };
  using Entries = std::list<Entry>;
  Entries::iterator find(uint64_t hash, const Graph& graph, std::span<const ValueId> outputs);

  Entries entries_;  // most recent first
  std::unordered_multimap<uint64_t, Entries::iterator> index_;
  size_t bytes_ = 0;
};

}  // namespace tsr
