// Window geometry against a plain statement of the rules, and convolution identities that cases cannot express.
#include <gtest/gtest.h>

#include "../runner/reference.h"
#include "core/window_attrs.h"
#include "tessera/ops.h"

namespace tsr {
namespace {

WindowAttrs window(PadMode pad, int64_t stride, int64_t dilation, DimRounding rounding = DimRounding::kFloor,
                   std::vector<int64_t> padding = {}) {
  return {{stride}, pad, std::move(padding), {dilation}, rounding};
}

TEST(WindowGeometry, SameIsCeilOfInputOverStride) {
  for (int64_t in = 1; in <= 12; ++in) {
    for (int64_t k = 1; k <= 5; ++k) {
      for (int64_t stride = 1; stride <= 4; ++stride) {
        for (int64_t dilation = 1; dilation <= 2; ++dilation) {
          const Window2D w = resolve_window("op", window(PadMode::kSame, stride, dilation), in, in, k, k);
          ASSERT_EQ(w.out_h, (in + stride - 1) / stride);
          const int64_t total = std::max<int64_t>(0, (w.out_h - 1) * stride + (k - 1) * dilation + 1 - in);
          ASSERT_EQ(w.pad_top + w.pad_bottom, total);
          ASSERT_TRUE(w.pad_bottom - w.pad_top == 0 || w.pad_bottom - w.pad_top == 1);  // the odd cell goes to the end
        }
      }
    }
  }
}

TEST(WindowGeometry, ValidCountsWindowsThatFit) {
  for (int64_t in = 1; in <= 12; ++in) {
    for (int64_t k = 1; k <= in; ++k) {
      for (int64_t stride = 1; stride <= 4; ++stride) {
        int64_t count = 0;
        for (int64_t at = 0; at + k <= in; at += stride) ++count;
        ASSERT_EQ(resolve_window("op", window(PadMode::kValid, stride, 1), in, in, k, k).out_w, count);
      }
    }
  }
}

TEST(WindowGeometry, RoundingModesOfExplicitPadding) {
  // (6 + 1 + 0 - 3) / 3 = 1 1/3 steps; (7 + 1 + 0 - 3) / 3 = 1 2/3; with stride 2 over 5: (5 - 2) / 2 = 1 1/2.
  const auto out = [](int64_t in, int64_t k, int64_t stride, DimRounding r, std::vector<int64_t> padding) {
    return resolve_window("op", window(PadMode::kExplicit, stride, 1, r, std::move(padding)), in, in, k, k).out_h;
  };
  EXPECT_EQ(out(6, 3, 3, DimRounding::kFloor, {1, 0, 0, 0}), 2);
  EXPECT_EQ(out(6, 3, 3, DimRounding::kRound, {1, 0, 0, 0}), 2);
  EXPECT_EQ(out(6, 3, 3, DimRounding::kCeil, {1, 0, 0, 0}), 3);
  EXPECT_EQ(out(7, 3, 3, DimRounding::kRound, {1, 0, 0, 0}), 3);
  EXPECT_EQ(out(5, 2, 2, DimRounding::kRound, {0}), 3);  // a half rounds up
}

TEST(WindowGeometry, ErrorsNameWhatIsWrong) {
  const auto message = [](const WindowAttrs& a, int64_t in, int64_t k) -> std::string {
    try {
      resolve_window("conv2d", a, in, in, k, k);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(window(PadMode::kValid, 1, 1), 3, 5),
            "[conv2d] a window of height 5 does not fit the input's height 3 with padding 0 + 0");
  EXPECT_EQ(message(window(PadMode::kValid, 0, 1), 3, 1), "[conv2d] strides must be at least 1, got 0");
  EXPECT_EQ(message(window(PadMode::kValid, 1, -2), 3, 1), "[conv2d] dilations must be at least 1, got -2");
  EXPECT_EQ(message(window(PadMode::kExplicit, 1, 1, DimRounding::kFloor, {1, 2}), 3, 1),
            "[conv2d] pad 'explicit' needs padding as [top, bottom, left, right], got 2 numbers");
  EXPECT_EQ(message(window(PadMode::kExplicit, 1, 1, DimRounding::kFloor, {-1}), 3, 1),
            "[conv2d] padding must not be negative, got -1");
}

TEST(ResizeGeometry, NearestIsExactAndInRange) {
  for (int64_t in = 1; in <= 40; ++in) {
    for (int64_t out = 1; out <= 40; ++out) {
      for (int mode = 0; mode < 3; ++mode) {
        const ResizeAxis a = resize_axis(in, out, mode == 1, mode == 2);
        int64_t before = 0;
        for (int64_t i = 0; i < out; ++i) {
          const int64_t s = nearest_source(a, i);
          ASSERT_GE(s, before);
          ASSERT_LT(s, in);
          before = s;
        }
        if (mode == 0 && in == out) {
          ASSERT_EQ(before, in - 1);
        }
      }
    }
  }
}

class WindowOps : public testing::Test {
 protected:
  cases::Reference reference_;  // ops run at once, on the interpreter

  static Tensor ramp(const Shape& shape, double step, double start) {
    std::vector<float> v(static_cast<size_t>(shape.size()));
    for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(start + step * static_cast<double>(i % 23));
    return Tensor::from(std::span<const float>(v), shape);
  }
  static void expect_near(const Tensor& a, const Tensor& b, double tolerance) {
    ASSERT_EQ(a.shape(), b.shape());
    const auto x = a.to_vector<float>(), y = b.to_vector<float>();
    for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], tolerance) << i;
  }
};

TEST_F(WindowOps, GroupsAreIndependentConvolutions) {
  const Tensor x = ramp({1, 5, 6, 4}, 0.1, -1), f = ramp({3, 3, 2, 6}, 0.05, -0.5);
  const Tensor y = conv2d(x, f, {1, 1}, "same");
  const Tensor first = conv2d(slice(x, {0, 0, 0, 0}, {1, 5, 6, 2}), slice(f, {0, 0, 0, 0}, {3, 3, 2, 3}), {1, 1}, "same");
  const Tensor second = conv2d(slice(x, {0, 0, 0, 2}, {1, 5, 6, 2}), slice(f, {0, 0, 0, 3}, {3, 3, 2, 3}), {1, 1}, "same");
  expect_near(slice(y, {0, 0, 0, 0}, {1, 5, 6, 3}), first, 1e-5);
  expect_near(slice(y, {0, 0, 0, 3}, {1, 5, 6, 3}), second, 1e-5);
}

TEST_F(WindowOps, TransposeIsTheAdjoint) {
  // <conv(x), y> = <x, conv_transpose(y)> for any x and y.
  const Tensor x = ramp({1, 7, 6, 2}, 0.07, -0.8), f = ramp({3, 2, 2, 3}, 0.05, -0.4);
  const Tensor cx = conv2d(x, f, {2, 1}, "same");
  const Tensor y = ramp(cx.shape(), 0.09, -1);
  const Tensor ty = conv2d_transpose(y, f, {1, 7, 6, 2}, {2, 1}, "same");
  const float a = sum(mul(cx, y)).to_vector<float>()[0], b = sum(mul(x, ty)).to_vector<float>()[0];
  EXPECT_NEAR(a, b, 1e-4 * std::abs(a));
}

TEST_F(WindowOps, DepthwiseEqualsGroupsOfOne) {
  const Tensor x = ramp({2, 5, 5, 3}, 0.1, -1), f = ramp({3, 3, 3, 1}, 0.05, -0.5);
  const Tensor as_groups = reshape(f, {3, 3, 1, 3});
  expect_near(depthwise_conv2d(x, f, {1, 1}, "same"), conv2d(x, as_groups, {1, 1}, "same"), 1e-5);
}

}  // namespace
}  // namespace tsr
