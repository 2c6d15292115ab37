// Rows of an image that need not all be in memory: what kernels that work row by row read and write.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tsr::cpu {

/// Row r lies at data + (r - first) * row_floats.
struct ImageRows {
  float* data = nullptr;
  int64_t row_floats = 0;
  int64_t first = 0;  ///< the row at `data`

  float* row(int64_t r) const { return data + (r - first) * row_floats; }
};

/// Which rows of its input an output row of a convolution or pooling sees: those of its taps that lie inside.
struct RowWindow {
  int64_t k = 1, stride = 1, dilation = 1, pad = 0;
  int64_t in = 0;  ///< rows of the input

  struct Range {
    int64_t first, last;
  };
  /// The input rows [first, last) that the output rows [first, last) see; empty when they see none.
  Range seen(int64_t first, int64_t last) const {
    const int64_t begin = std::max<int64_t>(0, first * stride - pad);
    return {begin, std::max(begin, std::min(in, (last - 1) * stride - pad + (k - 1) * dilation + 1))};
  }
};

}  // namespace tsr::cpu
