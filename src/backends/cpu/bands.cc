#include "backends/cpu/bands.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/cpu/tuned_launch.h"
#include "backends/cpu/tuned_util.h"

namespace tsr::cpu {
namespace {

// The group row by row, when a kernel can do that and all that follows its anchor is in the epilogue.
std::optional<RowOp> row_op_of(const Group& group) {
  const auto it = tuned_table().find(group.anchor().op->name);
  if (it == tuned_table().end() || !it->second.rows || !it->second.takes_epilogue) return {};
  if (match_epilogue(group).consumed != group.nodes.size()) return {};
  return it->second.rows(group);
}

size_t align64(size_t bytes) { return (bytes + 63) / 64 * 64; }

// How many rows of each stage's result are held while the last stage makes `band` rows.
std::vector<int64_t> held_rows(std::span<const RowOp> ops, int64_t band) {
  std::vector<int64_t> held(ops.size());
  int64_t rows = band;
  for (size_t s = ops.size(); s-- > 0;) {
    held[s] = std::min(rows, ops[s].out_rows);
    const RowWindow& w = ops[s].window;
    rows = (held[s] - 1) * w.stride + (w.k - 1) * w.dilation + 1;
  }
  return held;
}

size_t held_bytes(std::span<const RowOp> ops, int64_t band) {
  const std::vector<int64_t> held = held_rows(ops, band);
  size_t bytes = 0;
  for (size_t s = 0; s + 1 < ops.size(); ++s) bytes += align64(static_cast<size_t>(held[s] * ops[s].out_row) * sizeof(float));
  return bytes;
}

// Rows of the last stage made at a time: as many as the limit allows, at least one; but four bands or more, and two for each
// thread.
int64_t band_of(std::span<const RowOp> ops, const BandLimits& limits, int threads) {
  const int64_t most = std::max<int64_t>(1, ops.back().out_rows / std::max(4, 2 * threads));
  int64_t band = 1;
  while (band < most && held_bytes(ops, band + 1) <= limits.memory) ++band;
  return band;
}

class BandsLaunch : public Launch {
 public:
  BandsLaunch(std::span<const Group* const> groups, const BandLimits& limits, ThreadPool& pool) : pool_(pool) {
    std::vector<RowOp> ops;
    size_t operands = 0;
    for (size_t s = 0; s < groups.size(); ++s) {
      const Group& group = *groups[s];
      ops.push_back(*row_op_of(group));
      Stage stage;
      stage.op = ops.back();
      stage.launch = TunedLaunch::make(group, pool);
      check(stage.launch && stage.launch->only_kernel(), "a group was joined that has no kernel for rows");
      stage.image = operand_of(group, 0);
      stage.first_operand = operands;
      stage.views.resize(group.operands.size());
      operands += group.operands.size() - (s > 0 ? 1 : 0);
      scratch_ = std::max(scratch_, align64(stage.launch->kernel().row_scratch_bytes()));
      stages_.push_back(std::move(stage));
    }
    band_ = band_of(ops, limits, pool.size());
    const std::vector<int64_t> held = held_rows(ops, band_);
    for (size_t s = 0; s + 1 < stages_.size(); ++s) {
      stages_[s].memory = rows_bytes_;
      rows_bytes_ += align64(static_cast<size_t>(held[s] * ops[s].out_row) * sizeof(float));
    }
    made_.resize(stages_.size() * static_cast<size_t>(pool.size()));
  }

  size_t scratch_bytes() const override { return (rows_bytes_ + scratch_) * static_cast<size_t>(pool_.size()); }

  void run(std::span<const BufferView> operands, BufferView out, std::byte* scratch) override {
    for (Stage& stage : stages_) {
      size_t next = stage.first_operand;
      for (size_t i = 0; i < stage.views.size(); ++i) {
        const bool between = &stage != &stages_.front() && static_cast<int>(i) == stage.image;
        stage.views[i] = between ? BufferView{} : operands[next++];
      }
      stage.epilogue = stage.launch->epilogue(stage.views);
    }
    // What a call before this one left is not trusted, not even between instalments: another run of the same plan, with memory of
    // its own, may have come in between. A few rows are made again.
    std::fill(made_.begin(), made_.end(), Made{});
    const RowOp& last = stages_.back().op;
    pool_.parallel_for_slots(0, last.batch * last.out_rows, band_, [&](int64_t row, int64_t end, int slot) {
      const Job job{out.host, scratch + (rows_bytes_ + scratch_) * static_cast<size_t>(slot),
                    made_.data() + stages_.size() * static_cast<size_t>(slot)};
      while (row < end) {
        const int64_t image = row / last.out_rows, first = row % last.out_rows;
        const int64_t rows = std::min({band_, end - row, last.out_rows - first});
        make_rows(job, stages_.size() - 1, image, first, first + rows);
        row += rows;
      }
    });
  }

  void update(const Group&) override { check(false, "joined groups have no attributes that change"); }
  bool reads_operand(int i) const override {
    for (size_t s = 0; s < stages_.size(); ++s) {
      const Stage& stage = stages_[s];
      const auto k = static_cast<size_t>(i) - stage.first_operand;
      if (static_cast<size_t>(i) < stage.first_operand || k >= stage.views.size() - (s > 0 ? 1 : 0)) continue;
      const int own = static_cast<int>(k) + (s > 0 && static_cast<int>(k) >= stage.image ? 1 : 0);
      return stage.launch->reads_operand(own);
    }
    return false;
  }
  std::string describe() const override {
    std::string text;
    for (const Stage& stage : stages_) text += (text.empty() ? "" : " > ") + stage.launch->describe();
    return text;
  }

 private:
  struct Stage {
    RowOp op;
    std::unique_ptr<TunedLaunch> launch;
    int image = 0;             // the operand of its group that its rows are made from
    size_t first_operand = 0;  // of its group's, among all
    std::vector<BufferView> views;
    Epilogue epilogue;
    size_t memory = 0;  // where its rows are in a thread's memory, in bytes; the last stage has none
  };
  // The rows [begin, end) of an image that a stage's memory holds.
  struct Made {
    int64_t image = -1, begin = 0, end = 0;
  };
  struct Job {
    std::byte* out;
    std::byte* memory;
    Made* made;  // by stage
  };

  ImageRows rows_of(const Job& job, size_t s) const {
    const Stage& stage = stages_[s];
    return {reinterpret_cast<float*>(job.memory + stage.memory), stage.op.out_row, job.made[s].begin};
  }

  void make_rows(const Job& job, size_t s, int64_t image, int64_t first, int64_t last) {
    Stage& stage = stages_[s];
    const RowOp& op = stage.op;
    ImageRows x{nullptr, op.in_row};
    if (s == 0) {
      x.data = reinterpret_cast<float*>(stage.views[static_cast<size_t>(stage.image)].host) + image * op.window.in * op.in_row;
    } else {
      const RowWindow::Range seen = op.window.seen(first, last);
      hold_rows(job, s - 1, image, seen.first, seen.last);
      x = rows_of(job, s - 1);
    }
    const bool is_last = s + 1 == stages_.size();
    const ImageRows y =
        is_last ? ImageRows{reinterpret_cast<float*>(job.out) + image * op.out_rows * op.out_row, op.out_row} : rows_of(job, s);
    stage.launch->kernel().run_rows(stage.views, x, y, image, first, last, stage.epilogue, job.memory + rows_bytes_);
  }

  // Sees to it that a stage's memory holds the rows [first, last). To make room, those that stay are moved to its front: a filter's
  // height less its stride for each band, so that kernels find their rows one after another and know nothing of rings.
  void hold_rows(const Job& job, size_t s, int64_t image, int64_t first, int64_t last) {
    Made& made = job.made[s];
    if (made.image != image || first < made.begin || first > made.end) made = {image, first, first};
    if (last <= made.end) return;
    if (first > made.begin) {
      const ImageRows rows = rows_of(job, s);
      std::memmove(rows.data, rows.row(first), static_cast<size_t>((made.end - first) * rows.row_floats) * sizeof(float));
      made.begin = first;
    }
    make_rows(job, s, image, made.end, last);
    made.end = last;
  }

  ThreadPool& pool_;
  std::vector<Stage> stages_;
  std::vector<Made> made_;  // by thread, then by stage
  int64_t band_ = 1;
  size_t rows_bytes_ = 0, scratch_ = 0;  // bytes for each thread
};

}  // namespace

size_t bands_join(std::span<const Group* const> groups, const BandLimits& limits) {
  std::vector<RowOp> ops;
  size_t smallest = 0, cut = 1;  // of what is in between, and the group after it
  for (const Group* group : groups) {
    const std::optional<RowOp> op = row_op_of(*group);
    if (!op || op->weight_bytes > limits.weights) break;
    if (ops.empty()) {
      ops.push_back(*op);
      continue;
    }
    const RowOp& before = ops.back();
    const auto between = static_cast<size_t>(before.batch * before.out_rows * before.out_row) * sizeof(float);
    const bool same = before.batch == op->batch && before.out_rows == op->window.in && before.out_row == op->in_row;
    if (!same || op->whole_input || between < limits.least_between) break;
    if (smallest == 0 || between < smallest) smallest = between, cut = ops.size();
    ops.push_back(*op);
    // Too many for the cache: two launches, with the least there is in between.
    if (held_bytes(ops, 1) > limits.memory) return cut;
  }
  return std::max<size_t>(1, ops.size());
}

std::unique_ptr<Launch> make_bands(std::span<const Group* const> groups, const BandLimits& limits, ThreadPool& pool) {
  return std::make_unique<BandsLaunch>(groups, limits, pool);
}

}  // namespace tsr::cpu
