#include "backends/cpu/kernels/nd_copy.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace tsr::cpu {
namespace {

// Bytes a task moves: some microseconds.
constexpr int64_t kTaskBytes = 64 * 1024;

// The element as the compiler sees it: moved by memcpy, so any alignment goes.
template <size_t kBytes>
struct Element {
  unsigned char bytes[kBytes];
};

// n elements, strided on either side.
template <typename E>
void copy_line(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step, int64_t n) {
  if (from_step == 0 && to_step == static_cast<int64_t>(sizeof(E))) {
    E value;
    std::memcpy(&value, from, sizeof(E));
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * static_cast<int64_t>(sizeof(E)), &value, sizeof(E));
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, sizeof(E));
}

// The vector extension of GCC and Clang rather than intrinsics: 16 bytes exist everywhere, or are taken apart by the compiler.
using Vec4 = uint32_t __attribute__((vector_size(16)));

// A 4x4 tile of 4-byte elements, transposed.
inline void transpose_4x4(const std::byte* from, int64_t from_row, std::byte* to, int64_t to_row) {
  Vec4 a, b, c, d;
  std::memcpy(&a, from, 16);
  std::memcpy(&b, from + from_row, 16);
  std::memcpy(&c, from + 2 * from_row, 16);
  std::memcpy(&d, from + 3 * from_row, 16);
  const Vec4 ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5), ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
  const Vec4 bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5), bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
  const Vec4 r0 = __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5), r1 = __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7);
  const Vec4 r2 = __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5), r3 = __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7);
  std::memcpy(to, &r0, 16);
  std::memcpy(to + to_row, &r1, 16);
  std::memcpy(to + 2 * to_row, &r2, 16);
  std::memcpy(to + 3 * to_row, &r3, 16);
}

// rows x cols elements: the source runs along cols, the target along rows. In blocks that use each cache line up while it is there.
template <typename E>
void transpose_plane(const std::byte* from, int64_t from_row, int64_t rows, int64_t cols, std::byte* to, int64_t to_col) {
  constexpr int64_t kSize = static_cast<int64_t>(sizeof(E));
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    const int64_t r1 = std::min(rows, r0 + kBlock);
    for (int64_t c0 = 0; c0 < cols; c0 += kBlock) {
      const int64_t c1 = std::min(cols, c0 + kBlock);
      int64_t r = r0;
      if constexpr (kSize == 4) {
        for (; r + 4 <= r1; r += 4) {
          int64_t c = c0;
          for (; c + 4 <= c1; c += 4) transpose_4x4(from + r * from_row + c * 4, from_row, to + c * to_col + r * 4, to_col);
          for (; c < c1; ++c)
            for (int64_t i = r; i < r + 4; ++i) std::memcpy(to + c * to_col + i * 4, from + i * from_row + c * 4, 4);
        }
      }
      for (; r < r1; ++r)
        for (int64_t c = c0; c < c1; ++c) std::memcpy(to + c * to_col + r * kSize, from + r * from_row + c * kSize, sizeof(E));
    }
  }
}

// Steps through the outer axes of a copy from any starting point.
class Odometer {
 public:
  Odometer(const CopyAxis* axes, int rank, int64_t index) : axes_(axes), rank_(rank) {
    for (int d = rank - 1; d >= 0; --d) {
      at_[d] = index % axes[d].extent;
      index /= axes[d].extent;
      from += at_[d] * axes[d].from;
      to += at_[d] * axes[d].to;
    }
  }
  void next() {
    for (int d = rank_ - 1; d >= 0; --d) {
      from += axes_[d].from;
      to += axes_[d].to;
      if (++at_[d] < axes_[d].extent) return;
      from -= axes_[d].extent * axes_[d].from;
      to -= axes_[d].extent * axes_[d].to;
      at_[d] = 0;
    }
  }
  int64_t from = 0, to = 0;

 private:
  const CopyAxis* axes_;
  int rank_;
  int64_t at_[kMaxRank + 1] = {};
};

template <typename E>
void copy_axes(CopyAxis* axes, int rank, const std::byte* from, std::byte* to, ThreadPool& pool) {
  constexpr int64_t kSize = static_cast<int64_t>(sizeof(E));
  CopyAxis inner = rank > 0 ? axes[rank - 1] : CopyAxis{1, kSize, kSize};
  int outer_rank = std::max(0, rank - 1);
  int64_t outer = 1;

  // The axis along which the source is dense, if the target is dense along another: then both sides in whole cache lines.
  int across = -1;
  if (inner.to == kSize && inner.from != kSize)
    for (int d = 0; d < outer_rank; ++d)
      if (axes[d].from == kSize) across = d;
  if (across >= 0) {
    const CopyAxis dense = axes[across];
    std::move(axes + across + 1, axes + outer_rank, axes + across);
    --outer_rank;
    for (int d = 0; d < outer_rank; ++d) outer *= axes[d].extent;
    // A task is a strip of the plane: all of the target's dense axis would be best, but a lone plane must be split, too.
    const int64_t strip = std::max<int64_t>(16, kTaskBytes / (kSize * std::max<int64_t>(1, inner.extent)) / 16 * 16);
    const int64_t strips = (dense.extent + strip - 1) / strip;
    pool.parallel_for(0, outer * strips, std::max<int64_t>(1, kTaskBytes / (kSize * inner.extent * std::min(strip, dense.extent))),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t t = begin; t < end; ++t) {
                          const Odometer at(axes, outer_rank, t / strips);
                          const int64_t c0 = t % strips * strip, cols = std::min(strip, dense.extent - c0);
                          transpose_plane<E>(from + at.from + c0 * kSize, inner.from, inner.extent, cols, to + at.to + c0 * dense.to,
                                             dense.to);
                        }
                      });
    return;
  }

  for (int d = 0; d < outer_rank; ++d) outer *= axes[d].extent;
  const bool dense = inner.from == kSize && inner.to == kSize;
  // Long lines are split, short ones go many to a task.
  const int64_t piece = std::min(inner.extent, std::max<int64_t>(1, kTaskBytes / kSize));
  const int64_t pieces = (inner.extent + piece - 1) / piece;
  pool.parallel_for(0, outer * pieces, std::max<int64_t>(1, kTaskBytes / (piece * kSize)), [&](int64_t begin, int64_t end) {
    Odometer at(axes, outer_rank, begin / pieces);
    for (int64_t t = begin; t < end; ++t) {
      const int64_t i0 = t % pieces * piece, n = std::min(piece, inner.extent - i0);
      const std::byte* source = from + at.from + i0 * inner.from;
      std::byte* target = to + at.to + i0 * inner.to;
      if (dense) {
        std::memcpy(target, source, static_cast<size_t>(n * kSize));
      } else {
        copy_line<E>(source, inner.from, target, inner.to, n);
      }
      if ((t + 1) % pieces == 0) at.next();
    }
  });
}

}  // namespace

void nd_copy(size_t element_bytes, const CopyAxis* given, int rank, const std::byte* from, std::byte* to, ThreadPool& pool) {
  CopyAxis axes[kMaxRank + 2];
  int n = 0;
  for (int d = 0; d < rank; ++d) {
    if (given[d].extent == 0) return;
    if (given[d].extent == 1) continue;
    // Continues the axis before: one step of that is all of this, on both sides.
    if (n > 0 && axes[n - 1].from == given[d].from * given[d].extent && axes[n - 1].to == given[d].to * given[d].extent) {
      axes[n - 1] = {axes[n - 1].extent * given[d].extent, given[d].from, given[d].to};
    } else {
      axes[n++] = given[d];
    }
  }
  switch (element_bytes) {
    case 1: return copy_axes<Element<1>>(axes, n, from, to, pool);
    case 2: return copy_axes<Element<2>>(axes, n, from, to, pool);
    case 4: return copy_axes<Element<4>>(axes, n, from, to, pool);
    case 8: return copy_axes<Element<8>>(axes, n, from, to, pool);
    default: fail(ErrorCode::kInternal, "internal fault: cannot copy elements of ", element_bytes, " bytes");
  }
}

void transpose_floats(const float* from, int64_t from_stride, int64_t rows, int64_t cols, float* to, int64_t to_stride) {
  transpose_plane<Element<4>>(reinterpret_cast<const std::byte*>(from), from_stride * 4, rows, cols, reinterpret_cast<std::byte*>(to),
                              to_stride * 4);
}

}  // namespace tsr::cpu
