// CommandList: work for the GPU, recorded as a flat stream of 32-bit words and handed to the driver in one call.
//
// The stream is a sequence of runs:
//   length    words in this run, this one included
//   program   id
//   output    memory id
//   inputs    how many, then that many memory ids
//   uniforms  how many, then that many words
//   grid      3 words. Compute: workgroups in x, y, z. Textures: width of the output, first row, number of rows
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tsr::gpu {

struct Grid {
  uint32_t x = 0, y = 0, z = 0;
};

class CommandList {
 public:
  void run(uint32_t program, uint32_t output, std::span<const uint32_t> inputs, std::span<const uint32_t> uniforms, Grid grid) {
    words_.push_back(static_cast<uint32_t>(8 + inputs.size() + uniforms.size()));
    words_.push_back(program);
    words_.push_back(output);
    words_.push_back(static_cast<uint32_t>(inputs.size()));
    words_.insert(words_.end(), inputs.begin(), inputs.end());
    words_.push_back(static_cast<uint32_t>(uniforms.size()));
    words_.insert(words_.end(), uniforms.begin(), uniforms.end());
    words_.insert(words_.end(), {grid.x, grid.y, grid.z});
    ++runs_;
  }
  std::span<const uint32_t> words() const { return words_; }
  int runs() const { return runs_; }
  bool empty() const { return runs_ == 0; }
  void clear() {
    words_.clear();  // keeps its capacity: lists of one plan are equally long
    runs_ = 0;
  }

 private:
  std::vector<uint32_t> words_;
  int runs_ = 0;
};

/// One run, decoded in place. What drivers in C++ loop over:
///   for (RecordedRun run; next_run(words, run);) ...
struct RecordedRun {
  uint32_t program = 0, output = 0;
  std::span<const uint32_t> inputs, uniforms;
  Grid grid;
};

/// Takes the next run off the front of `words`; false at the end.
inline bool next_run(std::span<const uint32_t>& words, RecordedRun& run) {
  if (words.empty()) return false;
  const uint32_t* p = words.data();
  run.program = p[1];
  run.output = p[2];
  run.inputs = {p + 4, p[3]};
  p += 4 + p[3];
  run.uniforms = {p + 1, p[0]};
  p += 1 + p[0];
  run.grid = {p[0], p[1], p[2]};
  words = words.subspan(words[0]);
  return true;
}

}  // namespace tsr::gpu
