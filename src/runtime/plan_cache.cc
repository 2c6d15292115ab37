#include "runtime/plan_cache.h"

#include <algorithm>

#include "base/hash.h"
#include "runtime/engine.h"

namespace tsr {
namespace {

// Enough for hundreds of training-step-sized plans; a leak in a loop of ever new shapes stops here.
constexpr size_t kMaxBytes = size_t{64} << 20;
// A node with its attributes, values, group and launch: measured near 1.5 KB on convolutional nets.
constexpr size_t kBytesPerNode = 1536;

}  // namespace

PlanCache& PlanCache::get() {
  static PlanCache cache;
  return cache;
}

// The entry of that hash which is for this graph and these outputs on the engine's device, or the end.
PlanCache::Entries::iterator PlanCache::find(uint64_t hash, const Graph& graph, std::span<const ValueId> outputs) {
  const Device* device = &Engine::get().device();
  const auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Entry& e = *it->second;
    if (&e.plan->device() == device && std::equal(e.outputs.begin(), e.outputs.end(), outputs.begin(), outputs.end()) &&
        same_structure(e.graph, graph)) {
      return it->second;
    }
  }
  return entries_.end();
}

std::shared_ptr<Plan> PlanCache::find_or_compile(const Graph& graph, std::span<const ValueId> outputs) {
  Device& device = Engine::get().device();
  // A loop wants its plans in the same order again and again: the comparison alone, which is needed anyway, mostly finds the next
  // one.
  uint64_t key = entries_.empty() ? 0 : entries_.front().next;
  auto found = find(key, graph, outputs);
  if (found == entries_.end()) {
    Hasher h;
    h.add(structural_hash(graph));
    for (ValueId v : outputs) h.add(v);
    h.add(reinterpret_cast<uintptr_t>(&device));
    key = h.value();
    found = find(key, graph, outputs);
  }
  if (!entries_.empty()) entries_.front().next = key;
  if (found != entries_.end()) {
    if (found->plan->stale()) found->plan = Plan::compile(graph, outputs, device, false);
    entries_.splice(entries_.begin(), entries_, found);
    return found->plan;
  }
  Entry entry;
  entry.hash = key;
  entry.plan = Plan::compile(graph, outputs, device, false);
  entry.graph = graph;
  entry.outputs.assign(outputs.begin(), outputs.end());
  entry.bytes = kBytesPerNode * (graph.nodes().size() + 1);
  bytes_ += entry.bytes;
  std::shared_ptr<Plan> plan = entry.plan;
  entries_.push_front(std::move(entry));
  index_.emplace(key, entries_.begin());
  while (bytes_ > kMaxBytes && entries_.size() > 1) {
    const auto last = std::prev(entries_.end());
    const auto [b, e] = index_.equal_range(last->hash);
    for (auto it = b; it != e; ++it) {
      if (it->second == last) {
        index_.erase(it);
        break;
      }
    }
    bytes_ -= last->bytes;
    entries_.erase(last);
  }
  return plan;
}

void PlanCache::clear() {
  index_.clear();
  entries_.clear();
  bytes_ = 0;
}

}  // namespace tsr
