#include "runtime/program.h"

#include <algorithm>
#include <cstring>

#include "graph/fold_idioms.h"
#include "graph/fold_scale.h"
#include "graph/needed.h"
#include "runtime/engine.h"

namespace tsr {
namespace {

// Pieces kept for one position: detections make shapes vary from frame to frame, and the last few dozen recur.
constexpr size_t kMaxPieces = 32;

std::shared_ptr<Plan> compile(const Piece& piece, Device& device) {
  const FoldedGraph plain = fold_idioms(piece.trace->graph(), piece.outputs);
  const FoldedGraph folded = fold_scale(plain.graph, plain.outputs);
  return Plan::compile(folded.graph, folded.outputs, device, true);
}

bool suits(const Piece& piece, std::span<const RtValue> env) {
  for (const PieceInput& in : piece.inputs) {
    const RtValue& v = env[in.value];
    if (in.dead != (v.kind == RtValue::Kind::kDead)) return false;
    if (in.dead) continue;
    if (v.kind != RtValue::Kind::kTensor || !(v.type == in.type)) return false;
    if (!in.by_content) continue;
    if (!v.storage->on_host() && v.storage->elements() > 0) return false;
    if (v.storage->logical_bytes() != in.content.size()) return false;
    if (!in.content.empty() && std::memcmp(v.storage->host(), in.content.data(), in.content.size()) != 0) return false;
  }
  return true;
}

}  // namespace

Program::Program(std::shared_ptr<const Graph> graph, std::vector<ValueId> wanted)
    : graph_(std::move(graph)), wanted_(std::move(wanted)), last_use_(graph_->num_values(), 0),
      reads_(graph_->num_values()) {
  const auto nodes = graph_->nodes();
  const std::vector<bool> needed = needed_nodes(*graph_, wanted_);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    const auto position = static_cast<uint32_t>(order_.size());
    order_.push_back(i);
    const auto read = [&](ValueId v) {
      last_use_[v] = std::max(last_use_[v], position);
      reads_[v] = true;
    };
    for (ValueId in : nodes[i].inputs) read(in);
    for (const LateAttr& late : nodes[i].late) read(late.value);
  }
  for (ValueId v : wanted_) {
    last_use_[v] = kForever;
    reads_[v] = true;
  }
}

std::shared_ptr<CompiledPiece> Program::piece_at(uint32_t position, std::span<const RtValue> env) {
  Device& device = Engine::get().device();
  auto& cached = pieces_[position];
  for (auto it = cached.begin(); it != cached.end(); ++it) {
    if ((*it)->device != &device || !suits((*it)->piece, env)) continue;
    std::shared_ptr<CompiledPiece> hit = *it;
    if (hit->plan && hit->plan->stale()) hit->plan = compile(hit->piece, device);
    if (it != cached.begin()) cached.splice(cached.begin(), cached, it);
    return hit;
  }
  auto made = std::make_shared<CompiledPiece>();
  made->device = &device;
  made->piece = specialize(*graph_, order_, position, env, last_use_);
  if (!made->piece.outputs.empty()) made->plan = compile(made->piece, device);
  // An empty piece before an op that waits for data must not be found again once the data has come.
  const Node& first = graph_->node(order_[position]);
  if (made->piece.end == position && first.kind == NodeKind::kOp && !first.op->dynamic_outputs) return made;
  cached.push_front(made);
  if (cached.size() > kMaxPieces) cached.pop_back();
  return made;
}

std::shared_ptr<Program> Program::function(const Node& node, size_t which) {
  const std::shared_ptr<const Graph>& g = node.functions.at(which);
  std::shared_ptr<Program>& p = functions_[g.get()];
  if (!p) p = std::make_shared<Program>(g, std::vector<ValueId>(g->outputs().begin(), g->outputs().end()));
  return p;
}

}  // namespace tsr
