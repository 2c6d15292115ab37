#include "backends/cpu/chain.h"

#include <algorithm>
#include <cstring>

namespace tsr::cpu {
namespace {

// Elements of a tile: its 4 KB and those of the operands stay in an L1 cache of 32 KB, and a call of an op's code (some 20 ns) is
// little beside the work on them.
constexpr int64_t kTile = 1024;
constexpr size_t kPlaceBytes = kTile * 4;
// A longer row than this would not leave room for tiles in the cache.
constexpr int64_t kMaxColumn = 4096;

size_t align64(size_t n) { return (n + 63) / 64 * 64; }

// Elements times ops after which a chain is emitted: about a millisecond of work, against a tenth of one to compile it.
constexpr int64_t kHot = int64_t{1} << 23;
// More inputs than this are left alone.
constexpr size_t kMaxEmittedInputs = 12;

// One value for each index of the innermost axis.
bool is_column(const Shape& s, const Shape& out) {
  return s.rank() > 0 && s.rank() <= out.rank() && s.back() == out.back() && s.size() == s.back() && s.back() <= kMaxColumn;
}

}  // namespace

// Where intermediate values lie: node -> place, and which places hold a value that is still read.
struct Chain::Places {
  explicit Places(const Group& group) : of(group.nodes.size()), last_use(group.nodes.size()) {
    for (size_t i = 0; i < group.nodes.size(); ++i) {
      for (GroupRef r : group.nodes[i].inputs) {
        if (r.internal) last_use[r.index] = i;
      }
    }
  }
  std::vector<uint32_t> of;
  std::vector<size_t> last_use;
  std::vector<uint8_t> taken;
};

std::unique_ptr<Chain> Chain::compile(const Group& group) {
  auto chain = std::make_unique<Chain>();
  chain->out_ = group.result();
  const Shape& out = chain->out_.shape;
  chain->row_ = out.rank() ? std::max<int64_t>(1, out.back()) : 1;
  for (size_t k = 0; k < group.operands.size(); ++k) {
    const TensorType& t = group.operands[k].type;
    chain->operands_.push_back({t.shape == out ? Source::Kind::kWhole : Source::Kind::kSingle, static_cast<uint32_t>(k),
                                static_cast<uint32_t>(size_of(t.dtype))});
  }
  Places places(group);
  for (size_t i = 0; i < group.nodes.size(); ++i) {
    if (!chain->add_node(group, i, places)) return nullptr;
  }
  if (can_emit() && group.nodes.size() > 1 && group.operands.size() <= kMaxEmittedInputs) {
    chain->group_ = group;
    for (GroupOperand& o : chain->group_.operands) o.constant = {};
  } else {
    chain->settled_ = true;
  }
  size_t bytes = 0;
  for (Column& c : chain->columns_) {
    c.offset = bytes;
    bytes += align64(static_cast<size_t>(chain->row_ + kTile) * c.element);
  }
  chain->places_offset_ = bytes;
  chain->scratch_bytes_ = bytes + places.taken.size() * kPlaceBytes;
  for (size_t i = 0; i < group.operands.size() && chain->in_place_ < 0; ++i) {
    const TensorType& t = group.operands[i].type;
    if (t.shape == out && size_of(t.dtype) == size_of(chain->out_.dtype)) chain->in_place_ = static_cast<int>(i);
  }
  return chain;
}

bool Chain::add_node(const Group& group, size_t i, Places& places) {
  const GroupNode& n = group.nodes[i];
  const Shape& out = out_.shape;
  if (!n.op->elementwise || !n.op->elementwise_fn || n.inputs.size() > kMaxInputs || !(n.type.shape == out)) return false;
  Step step;
  step.fn = n.op->elementwise_fn();
  if (!step.fn) return false;
  step.attrs = n.attrs;
  step.out_dtype = n.type.dtype;
  step.name = n.op->name;
  for (GroupRef r : n.inputs) {
    Source s;
    DType dtype;
    if (r.internal) {
      dtype = group.nodes[r.index].type.dtype;
      s = {Source::Kind::kTemporary, places.of[r.index], static_cast<uint32_t>(size_of(dtype))};
    } else {
      const TensorType& t = group.operands[r.index].type;
      dtype = t.dtype;
      Source& operand = operands_[r.index];
      if (operand.kind == Source::Kind::kSingle && t.shape.size() != 1) {
        if (!is_column(t.shape, out)) return false;
        operand = {Source::Kind::kColumn, static_cast<uint32_t>(columns_.size()), operand.element};
        columns_.push_back({r.index, operand.element, 0});
      }
      s = operand;
    }
    step.sources.push_back(s);
    step.steps.push_back(s.kind == Source::Kind::kSingle ? 0 : 1);
    step.dtypes.push_back(dtype);
  }
  // Asked with nothing to do, the code says whether it knows these dtypes.
  ElementwiseArgs probe;
  const void* none[kMaxInputs] = {};
  probe.in = none;
  probe.step = step.steps.data();
  probe.in_dtype = step.dtypes.data();
  probe.out_dtype = step.out_dtype;
  probe.attrs = &n.attrs;
  if (!step.fn(probe)) return false;
  // The result goes where nothing that is still read lies. An op may write over its own operand when the elements are of one size.
  const auto release = [&](bool same_size) {
    for (size_t k = 0; k < i; ++k) {
      const bool same = size_of(group.nodes[k].type.dtype) == size_of(n.type.dtype);
      if (places.last_use[k] == i && same == same_size) places.taken[places.of[k]] = 0;
    }
  };
  release(true);
  if (i + 1 < group.nodes.size()) {
    const auto free = std::find(places.taken.begin(), places.taken.end(), uint8_t{0});
    step.place = places.of[i] = static_cast<uint32_t>(free - places.taken.begin());
    if (free == places.taken.end()) places.taken.push_back(1);
    places.taken[step.place] = 1;
  }
  release(false);
  steps_.push_back(std::move(step));
  return true;
}

const void* Chain::source(const Source& s, std::span<const BufferView> operands, int64_t at, std::byte* scratch,
                          bool direct) const {
  switch (s.kind) {
    case Source::Kind::kWhole: return operands[s.index].host + static_cast<size_t>(at) * s.element;
    case Source::Kind::kSingle: return operands[s.index].host;
    case Source::Kind::kColumn: {
      const std::byte* base = direct ? operands[columns_[s.index].operand].host : scratch + columns_[s.index].offset;
      return base + static_cast<size_t>(at % row_) * s.element;
    }
    case Source::Kind::kTemporary: break;
  }
  return scratch + places_offset_ + s.index * kPlaceBytes;
}

void Chain::run(std::span<const BufferView> operands, std::byte* out, int64_t begin, int64_t end, std::byte* scratch) const {
  // Within one row the columns serve as they are.
  const bool direct = begin % row_ + (end - begin) <= row_;
  if (!direct) {
    for (const Column& c : columns_) {
      std::byte* to = scratch + c.offset;
      const size_t row = static_cast<size_t>(row_) * c.element, all = static_cast<size_t>(row_ + kTile) * c.element;
      std::memcpy(to, operands[c.operand].host, row);
      for (size_t have = row; have < all; have *= 2) std::memcpy(to + have, to, std::min(have, all - have));
    }
  }
  if (emitted_) begin = run_emitted(operands, out, begin, end, scratch, direct);
  run_steps(operands, out, begin, end, scratch, direct);
}

void Chain::run_steps(std::span<const BufferView> operands, std::byte* out, int64_t begin, int64_t end, std::byte* scratch,
                      bool direct) const {
  const int64_t tile = scratch_bytes_ == 0 ? end - begin : kTile;
  const size_t out_element = size_of(out_.dtype);
  for (int64_t at = begin; at < end; at += tile) {
    for (const Step& step : steps_) {
      const void* in[kMaxInputs];
      for (size_t k = 0; k < step.sources.size(); ++k) in[k] = source(step.sources[k], operands, at, scratch, direct);
      ElementwiseArgs args;
      args.in = in;
      args.step = step.steps.data();
      args.in_dtype = step.dtypes.data();
      const bool last = &step == &steps_.back();
      args.out = last ? out + static_cast<size_t>(at) * out_element : scratch + places_offset_ + step.place * kPlaceBytes;
      args.out_dtype = step.out_dtype;
      args.n = std::min(tile, end - at);
      args.attrs = &step.attrs;
      check(step.fn(args), "elementwise code of '", step.name, "' refused dtypes that it took before");
    }
  }
}

// Whole vectors by the emitted function; returns where it stopped.
int64_t Chain::run_emitted(std::span<const BufferView> operands, std::byte* out, int64_t begin, int64_t end, std::byte* scratch,
                           bool direct) const {
  constexpr int64_t kLanes = 4;
  const int64_t piece = direct || columns_.empty() ? end - begin : kTile;  // columns are laid out for a tile
  while (begin + kLanes <= end) {
    const int64_t n = std::min(piece, end - begin) / kLanes * kLanes;
    const void* in[kMaxEmittedInputs] = {};
    for (size_t k = 0; k < operands_.size(); ++k) in[k] = source(operands_[k], operands, begin, scratch, direct);
    if (!emitted_->run(in, params_.data(), out + static_cast<size_t>(begin) * sizeof(float), static_cast<uint32_t>(n) * 4)) break;
    begin += n;
  }
  return begin;
}

void Chain::warm() {
  if (settled_) return;
  done_ += size() * static_cast<int64_t>(steps_.size());
  if (done_ < kHot) return;
  settled_ = true;
  const ir::Kernel kernel = lower(group_);
  std::vector<bool> single;
  for (const Source& s : operands_) single.push_back(s.kind == Source::Kind::kSingle);
  std::optional<std::vector<uint8_t>> module = emit_wasm(kernel, single, memory_is_shared());
  if (!module) return;
  take_params(kernel);
  emitted_ = std::make_unique<EmittedFunction>(std::move(*module));
}

void Chain::update(const Group& group) {
  for (size_t i = 0; i < steps_.size(); ++i) steps_[i].attrs = group.nodes[i].attrs;
  if (group_.nodes.empty()) return;
  for (size_t i = 0; i < steps_.size(); ++i) group_.nodes[i].attrs = group.nodes[i].attrs;
  if (!emitted_) return;
  take_params(lower(group_));
}

void Chain::take_params(const ir::Kernel& kernel) {
  params_.clear();
  for (const ir::ParamValue& p : kernel.params) params_.push_back(p.bits());
}

}  // namespace tsr::cpu
