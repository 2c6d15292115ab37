#include "backends/cpu/kernels/copy.h"

#include <gtest/gtest.h>

#include <functional>

#include "cpu_kernels_test_util.h"

namespace tsr::cpu::test {
namespace {

// Elements 0, 1, 2, ... of any size, told apart by all their bytes.
std::vector<uint8_t> counted(int64_t n, size_t size) {
  std::vector<uint8_t> v(static_cast<size_t>(n) * size);
  for (size_t i = 0; i < static_cast<size_t>(n); ++i)
    for (size_t b = 0; b < size; ++b) v[i * size + b] = static_cast<uint8_t>(i * 7 + b * 31 + (i >> 8) * 13);
  return v;
}

// Calls f(index) for every index of the shape, in row-major order.
void for_each_index(const Shape& shape, const std::function<void(const std::vector<int64_t>&)>& f) {
  std::vector<int64_t> at(static_cast<size_t>(shape.rank()));
  for (int64_t i = 0, n = shape.size(); i < n; ++i) {
    int64_t rest = i;
    for (int d = shape.rank() - 1; d >= 0; --d) at[static_cast<size_t>(d)] = rest % shape[d], rest /= shape[d];
    f(at);
  }
}

int64_t linear(const Shape& shape, const std::vector<int64_t>& at) {
  int64_t i = 0;
  for (int d = 0; d < shape.rank(); ++d) i = i * shape[d] + at[static_cast<size_t>(d)];
  return i;
}

TEST(CpuCopy, Transpose) {
  ThreadPool pool(2);
  const std::vector<std::pair<Shape, std::vector<int>>> cases = {
      {{}, {}},           {{5}, {0}},           {{3, 4}, {1, 0}},          {{33, 70}, {1, 0}},          {{1, 7}, {1, 0}},
      {{2, 3, 4}, {2, 0, 1}}, {{5, 17, 9}, {0, 2, 1}}, {{5, 17, 9}, {1, 0, 2}},   {{4, 5, 6, 7}, {3, 2, 1, 0}}, {{2, 19, 18, 5}, {0, 3, 1, 2}},
      {{2, 5, 19, 18}, {0, 2, 3, 1}}, {{2, 3, 2, 3, 2, 3}, {5, 3, 1, 0, 2, 4}}, {{3, 0, 2}, {2, 1, 0}}, {{300, 200}, {1, 0}},
      {{4, 1, 5}, {2, 1, 0}}, {{3, 4, 5}, {0, 1, 2}},
  };
  for (const auto& [shape, perm] : cases)
    for (size_t size : {1, 2, 4, 8}) {
      const auto x = exact(counted(shape.size(), size));
      Shape out;
      for (int d : perm) out.push_back(shape[d]);
      const auto y = exact(std::vector<uint8_t>(static_cast<size_t>(shape.size()) * size));
      transpose(shape, perm, size, x.get(), y.get(), pool);
      int64_t i = 0;
      for_each_index(out, [&](const std::vector<int64_t>& at) {
        std::vector<int64_t> from(at.size());
        for (size_t d = 0; d < perm.size(); ++d) from[static_cast<size_t>(perm[d])] = at[d];
        ASSERT_EQ(0, std::memcmp(y.get() + static_cast<size_t>(i++) * size, x.get() + static_cast<size_t>(linear(shape, from)) * size, size))
            << to_string(shape);
      });
    }
}

TEST(CpuCopy, Concat) {
  ThreadPool pool(2);
  for (int64_t outer : {1, 3, 100}) {
    const std::vector<int64_t> rows = {5, 0, 12, 1000};
    std::vector<std::vector<uint8_t>> data;
    std::vector<ConcatInput> inputs;
    for (int64_t r : rows) data.push_back(counted(outer * r, 1));
    for (size_t i = 0; i < rows.size(); ++i) inputs.push_back({data[i].data(), rows[i]});
    std::vector<uint8_t> y(static_cast<size_t>(outer * 1017)), want;
    concat(outer, inputs, y.data(), pool);
    for (int64_t o = 0; o < outer; ++o)
      for (size_t i = 0; i < rows.size(); ++i) want.insert(want.end(), data[i].begin() + o * rows[i], data[i].begin() + (o + 1) * rows[i]);
    EXPECT_EQ(y, want);
  }
}

TEST(CpuCopy, StridedSliceAndWrite) {
  ThreadPool pool(2);
  struct Case {
    Shape x, begin, step, size;
  };
  const std::vector<Case> cases = {
      {{10}, {2}, {1}, {5}},
      {{10}, {9}, {-2}, {4}},
      {{4, 6}, {1, 0}, {1, 1}, {2, 6}},
      {{4, 6}, {3, 5}, {-1, -1}, {4, 6}},
      {{5, 6, 7}, {0, 1, 2}, {2, 3, 1}, {3, 2, 4}},
      {{5, 6, 7}, {0, 0, 0}, {1, 1, 1}, {5, 6, 7}},
      {{3, 4, 5, 6}, {1, 0, 1, 2}, {1, 2, 1, 3}, {1, 2, 3, 2}},
      {{3, 4}, {0, 0}, {1, 1}, {0, 4}},
  };
  for (const Case& c : cases)
    for (size_t size : {1, 2, 4, 8}) {
      const auto x = exact(counted(c.x.size(), size));
      const size_t n = static_cast<size_t>(c.size.size()) * size;
      const auto y = exact(std::vector<uint8_t>(n));
      strided_slice(c.x, c.begin, c.step, c.size, size, x.get(), y.get(), pool);
      const auto back = exact(std::vector<uint8_t>(static_cast<size_t>(c.x.size()) * size, 0xee));
      std::vector<uint8_t> want_back(static_cast<size_t>(c.x.size()) * size, 0xee);
      strided_write(c.x, c.begin, c.step, c.size, size, y.get(), back.get(), pool);
      size_t i = 0;
      for_each_index(c.size, [&](const std::vector<int64_t>& at) {
        std::vector<int64_t> from(at.size());
        for (size_t d = 0; d < at.size(); ++d) from[d] = c.begin[static_cast<int>(d)] + at[d] * c.step[static_cast<int>(d)];
        const size_t at_x = static_cast<size_t>(linear(c.x, from)) * size;
        ASSERT_EQ(0, std::memcmp(y.get() + i++ * size, x.get() + at_x, size));
        std::memcpy(want_back.data() + at_x, x.get() + at_x, size);
      });
      EXPECT_EQ(0, std::memcmp(want_back.data(), back.get(), want_back.size()));
    }
}

TEST(CpuCopy, Pads) {
  ThreadPool pool(2);
  struct Case {
    Shape x, before, after;
  };
  const std::vector<Case> cases = {
      {{5}, {2}, {3}},
      {{5}, {0}, {0}},
      {{4, 6}, {1, 2}, {2, 0}},
      {{2, 4, 5, 3}, {0, 1, 2, 0}, {0, 2, 1, 0}},
      {{2, 3, 4}, {1, 0, 2}, {0, 0, 3}},
      {{3, 4}, {2, 0}, {1, 0}},
  };
  for (const Case& c : cases) {
    Shape out;
    for (int d = 0; d < c.x.rank(); ++d) out.push_back(c.x[d] + c.before[d] + c.after[d]);
    for (size_t size : {1, 2, 4, 8}) {
      const auto x = exact(counted(c.x.size(), size));
      const std::vector<uint8_t> value = {1, 2, 3, 4, 5, 6, 7, 8};
      for (int mode : {0, 1, 2}) {  // constant, reflect, symmetric
        const auto y = exact(std::vector<uint8_t>(static_cast<size_t>(out.size()) * size));
        if (mode == 0) pad_constant(c.x, c.before, c.after, size, value.data(), x.get(), y.get(), pool);
        if (mode == 1) pad_mirror(c.x, c.before, c.after, MirrorMode::kReflect, size, x.get(), y.get(), pool);
        if (mode == 2) pad_mirror(c.x, c.before, c.after, MirrorMode::kSymmetric, size, x.get(), y.get(), pool);
        size_t i = 0;
        for_each_index(out, [&](const std::vector<int64_t>& at) {
          std::vector<int64_t> from(at.size());
          bool inside = true;
          for (size_t d = 0; d < at.size(); ++d) {
            int64_t v = at[d] - c.before[static_cast<int>(d)];
            const int64_t n = c.x[static_cast<int>(d)];
            inside &= v >= 0 && v < n;
            if (v < 0) v = mode == 1 ? -v : -v - 1;
            if (v >= n) v = mode == 1 ? 2 * n - 2 - v : 2 * n - 1 - v;
            from[d] = v;
          }
          const uint8_t* want = mode == 0 && !inside ? value.data() : x.get() + static_cast<size_t>(linear(c.x, from)) * size;
          ASSERT_EQ(0, std::memcmp(y.get() + i++ * size, want, size)) << to_string(c.x) << " mode " << mode;
        });
      }
    }
  }
  // Negative counts crop; everything may be padding.
  const std::vector<int32_t> x = {1, 2, 3, 4, 5, 6};
  std::vector<int32_t> y(4);
  const int32_t zero = 0;
  pad_constant({2, 3}, {1, -1}, {-1, 0}, 4, &zero, x.data(), y.data(), pool);
  EXPECT_EQ(y, (std::vector<int32_t>{0, 0, 2, 3}));
}

TEST(CpuCopy, Gather) {
  ThreadPool pool(2);
  for (int64_t row : {1, 4, 12, 100}) {
    const int64_t outer = 3, axis = 5;
    const std::vector<int32_t> indices = {4, 0, -1, 2, 2, 5, 1};
    const auto x = exact(counted(outer * axis * row, 1));
    const auto y = exact(std::vector<uint8_t>(static_cast<size_t>(outer * 7 * row), 0xee));
    gather(outer, axis, row, indices, x.get(), y.get(), pool);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < 7; ++i)
        for (int64_t b = 0; b < row; ++b) {
          const int32_t index = indices[static_cast<size_t>(i)];
          const uint8_t want = index < 0 || index >= axis ? 0 : x[static_cast<size_t>((o * axis + index) * row + b)];
          ASSERT_EQ(y[static_cast<size_t>((o * 7 + i) * row + b)], want);
        }
  }
}

TEST(CpuCopy, Widen) {
  ThreadPool pool(1);
  const std::vector<uint16_t> halves = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x83ff, 0x7c00, 0xfc00, 0x7e01};
  const std::vector<float> want = {0.0f, -0.0f, 1.0f, -2.0f, 65504.0f, 6.103515625e-05f, 5.9604644775390625e-08f, -6.0975551605224609e-05f,
                                   std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), std::nanf("")};
  std::vector<float> y(halves.size());
  widen({DType::kFloat16}, halves.data(), static_cast<int64_t>(halves.size()), y.data(), pool);
  for (size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(want[i])) EXPECT_TRUE(std::isnan(y[i]));
    else EXPECT_EQ(y[i], want[i]) << i;
  }
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
  const std::vector<int8_t> small = {-128, 0, 127};
  widen({DType::kInt8, 0.5, 1.0}, small.data(), 3, y.data(), pool);
  EXPECT_EQ(y[0], -63.0f);
  EXPECT_EQ(y[1], 1.0f);
  EXPECT_EQ(y[2], 64.5f);
}

}  // namespace
}  // namespace tsr::cpu::test
