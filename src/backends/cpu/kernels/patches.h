// Patches of an image as rows of a matrix: how a convolution becomes a matrix product.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backends/cpu/kernels/conv.h"

namespace tsr::cpu {

// n floats, mostly few: sixteen bytes at a time with an overlapping tail, so that no call and no scalar loop is needed.
inline void copy_floats(float* to, const float* from, int64_t n) {
  if (n < 4) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i + 4 <= n; i += 4) std::memcpy(to + i, from + i, 16);
  std::memcpy(to + n - 4, from + n - 4, 16);
}

inline void clear_floats(float* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = 0.0f;
}

// Copies the columns [k0, k0 + depth) of the patch matrix for output pixels [m0, m0 + rows): row-major, dense. A column is
// (ky, kx, channel within the group), in this order.
struct Patches {
  const Conv2DParams& p;
  const float* x;
  int64_t first_channel;  // of the group
  int64_t channels;       // in the group

  void copy(int64_t m0, int64_t rows, int64_t k0, int64_t depth, float* out) const {
    const int64_t k1 = k0 + depth;
    // Neighbouring taps of a row are neighbours in memory: then a run is a whole filter row, else one tap.
    const bool joined = p.dil_w == 1 && channels == p.in_c;
    const int64_t run_taps = joined ? p.k_w : 1;
    const int64_t run = run_taps * channels;
    int64_t ox = m0 % p.out_w, oy = m0 / p.out_w % p.out_h, image = m0 / (p.out_w * p.out_h);
    const bool whole_rows = joined && depth == p.k_h * run;
    for (int64_t m = 0; m < rows; ++m) {
      const int64_t x0 = ox * p.stride_w - p.pad_left, y0 = oy * p.stride_h - p.pad_top;
      if (whole_rows) {  // the whole patch at once: the first layers of networks, where a patch is but some 27 floats
        const int64_t lo = std::clamp<int64_t>(-x0, 0, p.k_w), hi = std::clamp<int64_t>(p.in_w - x0, lo, p.k_w);
        const float* row = x + ((image * p.in_h + y0) * p.in_w + x0) * p.in_c;
        const int64_t step = p.dil_h * p.in_w * p.in_c;
        for (int64_t ky = 0; ky < p.k_h; ++ky, row += step, out += run) {
          const int64_t iy = y0 + ky * p.dil_h;
          if (iy < 0 || iy >= p.in_h) {
            clear_floats(out, run);
          } else if (hi - lo == p.k_w) {
            copy_floats(out, row, run);
          } else {
            clear_floats(out, lo * channels);
            copy_floats(out + lo * channels, row + lo * channels, (hi - lo) * channels);
            clear_floats(out + hi * channels, run - hi * channels);
          }
        }
      }
      for (int64_t r = k0 / run; !whole_rows && r * run < k1; ++r) {
        const int64_t ky = r * run_taps / p.k_w, kx = r * run_taps % p.k_w;
        const int64_t iy = y0 + ky * p.dil_h, ix = x0 + kx * p.dil_w;
        // This part of the run is wanted, [a, b) of it; taps [lo, hi) of the run lie inside the image.
        const int64_t a = std::max<int64_t>(0, k0 - r * run), b = std::min(run, k1 - r * run);
        int64_t lo = 0, hi = 0;
        if (iy >= 0 && iy < p.in_h) {
          lo = std::clamp<int64_t>(-ix, 0, run_taps);
          hi = std::clamp<int64_t>(p.in_w - ix, lo, run_taps);
        }
        const int64_t from = std::clamp(lo * channels, a, b), to = std::clamp(hi * channels, from, b);
        clear_floats(out, from - a);
        if (to > from) copy_floats(out + (from - a), x + ((image * p.in_h + iy) * p.in_w + ix) * p.in_c + first_channel + from, to - from);
        clear_floats(out + (to - a), b - to);
        out += b - a;
      }
      if (++ox == p.out_w) {
        ox = 0;
        if (++oy == p.out_h) oy = 0, ++image;
      }
    }
  }
};

}  // namespace tsr::cpu
