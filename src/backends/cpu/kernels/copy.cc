#include "backends/cpu/kernels/copy.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/kernels/nd_copy.h"

namespace tsr::cpu {
namespace {

const std::byte* bytes(const void* p) { return static_cast<const std::byte*>(p); }
std::byte* bytes(void* p) { return static_cast<std::byte*>(p); }

// Bytes a task moves: some microseconds.
constexpr int64_t kTaskBytes = 64 * 1024;

// n elements of `size` bytes, all the same.
void fill(std::byte* to, int64_t n, size_t size, const void* value) {
  const auto* first = static_cast<const unsigned char*>(value);
  if (std::all_of(first, first + size, [&](unsigned char b) { return b == *first; })) {
    std::memset(to, *first, static_cast<size_t>(n) * size);
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * static_cast<int64_t>(size), value, size);
}

// A padded copy, with the axes behind the last padded one merged into its elements: rows of `n` units of `unit` bytes.
struct Padding {
  int rank = 0;  // axes before the rows
  int64_t extent[kMaxRank] = {}, out[kMaxRank] = {}, before[kMaxRank] = {};  // of those
  int64_t rows = 1;                                                         // product of `out`
  int64_t n = 1, n_out = 1, n_before = 0;                                    // of the row
  int64_t unit = 1;

  Padding(const Shape& x, const Shape& b, const Shape& a, size_t element_bytes) {
    unit = static_cast<int64_t>(element_bytes);
    int last = x.rank() - 1;
    for (; last >= 0 && b[last] == 0 && a[last] == 0; --last) unit *= x[last];
    if (last < 0) return;
    n = x[last], n_before = b[last], n_out = x[last] + b[last] + a[last];
    rank = last;
    for (int d = 0; d < last; ++d) {
      extent[d] = x[d], before[d] = b[d], out[d] = x[d] + b[d] + a[d];
      rows *= out[d];
    }
  }
};

// The index that a position outside [0, n) stands for.
int64_t mirror(int64_t i, int64_t n, MirrorMode mode) {
  const int64_t edge = mode == MirrorMode::kSymmetric ? 1 : 0;
  if (i < 0) i = -i - edge;
  if (i >= n) i = 2 * n - 2 + edge - i;
  return i;
}

// Calls row(y row, x row index or -1 where `map` says so) for every row.
template <typename Map, typename Row>
void for_each_row(const Padding& p, ThreadPool& pool, Map map, Row row) {
  const int64_t row_bytes = std::max<int64_t>(1, p.n_out * p.unit);
  pool.parallel_for(0, p.rows, std::max<int64_t>(1, kTaskBytes / row_bytes), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t index = 0, step = 1, rest = r;
      for (int d = p.rank - 1; d >= 0; --d) {
        const int64_t i = map(rest % p.out[d] - p.before[d], p.extent[d]);
        rest /= p.out[d];
        if (i < 0) {
          index = -1;
          break;
        }
        index += i * step;
        step *= p.extent[d];
      }
      row(r, index);
    }
  });
}

}  // namespace

void transpose(const Shape& x_shape, std::span<const int> perm, size_t element_bytes, const void* x, void* y, ThreadPool& pool) {
  const int rank = x_shape.rank();
  int64_t x_stride[kMaxRank];
  int64_t stride = static_cast<int64_t>(element_bytes);
  for (int d = rank - 1; d >= 0; --d) x_stride[d] = stride, stride *= x_shape[d];
  CopyAxis axes[kMaxRank];
  stride = static_cast<int64_t>(element_bytes);
  for (int d = rank - 1; d >= 0; --d) {
    const int from = perm[static_cast<size_t>(d)];
    axes[d] = {x_shape[from], x_stride[from], stride};
    stride *= x_shape[from];
  }
  nd_copy(element_bytes, axes, rank, bytes(x), bytes(y), pool);
}

void concat(int64_t outer, std::span<const ConcatInput> inputs, void* y, ThreadPool& pool) {
  int64_t total = 0;
  for (const ConcatInput& in : inputs) total += in.row_bytes;
  int64_t at = 0;
  for (const ConcatInput& in : inputs) {
    const CopyAxis axes[2] = {{outer, in.row_bytes, total}, {in.row_bytes, 1, 1}};
    nd_copy(1, axes, 2, bytes(in.data), bytes(y) + at, pool);
    at += in.row_bytes;
  }
}

void strided_slice(const Shape& x_shape, const Shape& begin, const Shape& step, const Shape& size, size_t element_bytes, const void* x,
                   void* y, ThreadPool& pool) {
  CopyAxis axes[kMaxRank];
  int64_t x_stride = static_cast<int64_t>(element_bytes), y_stride = x_stride, offset = 0;
  for (int d = x_shape.rank() - 1; d >= 0; --d) {
    axes[d] = {size[d], x_stride * step[d], y_stride};
    offset += begin[d] * x_stride;
    x_stride *= x_shape[d];
    y_stride *= size[d];
  }
  if (size.size() > 0) nd_copy(element_bytes, axes, x_shape.rank(), bytes(x) + offset, bytes(y), pool);
}

void strided_write(const Shape& y_shape, const Shape& begin, const Shape& step, const Shape& size, size_t element_bytes, const void* x,
                   void* y, ThreadPool& pool) {
  CopyAxis axes[kMaxRank];
  int64_t y_stride = static_cast<int64_t>(element_bytes), x_stride = y_stride, offset = 0;
  for (int d = y_shape.rank() - 1; d >= 0; --d) {
    axes[d] = {size[d], x_stride, y_stride * step[d]};
    offset += begin[d] * y_stride;
    y_stride *= y_shape[d];
    x_stride *= size[d];
  }
  if (size.size() > 0) nd_copy(element_bytes, axes, y_shape.rank(), bytes(x), bytes(y) + offset, pool);
}

void pad_constant(const Shape& x_shape, const Shape& before, const Shape& after, size_t element_bytes, const void* value, const void* x,
                  void* y, ThreadPool& pool) {
  const Padding p(x_shape, before, after, element_bytes);
  const int64_t per_unit = p.unit / static_cast<int64_t>(element_bytes);
  if (p.unit == 0) return;
  const int64_t left = std::clamp<int64_t>(p.n_before, 0, p.n_out);
  const int64_t skip = std::max<int64_t>(0, -p.n_before);
  const int64_t middle = std::clamp<int64_t>(p.n - skip, 0, p.n_out - left);
  auto inside = [](int64_t i, int64_t n) { return i < n ? i : -1; };
  for_each_row(p, pool, inside, [&](int64_t r, int64_t from) {
    std::byte* row = bytes(y) + r * p.n_out * p.unit;
    if (from < 0) return fill(row, p.n_out * per_unit, element_bytes, value);
    fill(row, left * per_unit, element_bytes, value);
    if (middle > 0)
      std::memcpy(row + left * p.unit, bytes(x) + (from * p.n + skip) * p.unit, static_cast<size_t>(middle * p.unit));
    fill(row + (left + middle) * p.unit, (p.n_out - left - middle) * per_unit, element_bytes, value);
  });
}

void pad_mirror(const Shape& x_shape, const Shape& before, const Shape& after, MirrorMode mode, size_t element_bytes, const void* x,
                void* y, ThreadPool& pool) {
  const Padding p(x_shape, before, after, element_bytes);
  if (p.unit == 0) return;
  auto map = [mode](int64_t i, int64_t n) { return mirror(i, n, mode); };
  for_each_row(p, pool, map, [&](int64_t r, int64_t from) {
    std::byte* row = bytes(y) + r * p.n_out * p.unit;
    const std::byte* source = bytes(x) + from * p.n * p.unit;
    const size_t unit = static_cast<size_t>(p.unit);
    for (int64_t i = 0; i < p.n_before; ++i) std::memcpy(row + i * p.unit, source + mirror(i - p.n_before, p.n, mode) * p.unit, unit);
    std::memcpy(row + p.n_before * p.unit, source, static_cast<size_t>(p.n) * unit);
    for (int64_t i = p.n_before + p.n; i < p.n_out; ++i)
      std::memcpy(row + i * p.unit, source + mirror(i - p.n_before, p.n, mode) * p.unit, unit);
  });
}

void gather(int64_t outer, int64_t axis, int64_t row_bytes, std::span<const int32_t> indices, const void* x, void* y, ThreadPool& pool) {
  const int64_t count = static_cast<int64_t>(indices.size());
  if (row_bytes == 0) return;
  pool.parallel_for(0, outer * count, std::max<int64_t>(1, kTaskBytes / row_bytes), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t index = indices[static_cast<size_t>(r % count)];
      std::byte* to = bytes(y) + r * row_bytes;
      if (index < 0 || index >= axis) {
        std::memset(to, 0, static_cast<size_t>(row_bytes));
      } else if (row_bytes == 4) {
        std::memcpy(to, bytes(x) + (r / count * axis + index) * 4, 4);
      } else {
        std::memcpy(to, bytes(x) + (r / count * axis + index) * row_bytes, static_cast<size_t>(row_bytes));
      }
    }
  });
}

}  // namespace tsr::cpu
