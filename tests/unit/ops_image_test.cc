// Properties of image ops.
#include <gtest/gtest.h>

#include "../runner/case_file.h"
#include "../runner/reference.h"
#include "tessera/ops.h"

namespace tsr {
namespace {

class ImageOps : public testing::Test {
 protected:
  cases::Reference reference_;

  static Tensor noise(const Shape& shape, uint32_t seed) {
    const auto d = cases::generate("normal", DType::kFloat32, shape.size(), seed, {}, {});
    const std::vector<float> f(d.begin(), d.end());
    return Tensor::from(std::span<const float>(f), shape);
  }
};

// <resize(x), y> = <x, resize_grad(y)> for all sizes and conventions: the gradient kernels visit a bounded range of outputs, and this
// finds any that they miss.
TEST_F(ImageOps, ResizeGradientsAreAdjoints) {
  for (const auto& [forward, backward] : {std::pair{"resizeBilinear", "resizeBilinearGrad"},
                                          std::pair{"resizeNearestNeighbor", "resizeNearestNeighborGrad"}}) {
    for (int64_t in = 1; in <= 9; in += 2) {
      for (int64_t out : {1, 2, 3, 4, 7, 12, 31}) {
        for (int mode = 0; mode < 3; ++mode) {
          const Tensor x = noise({1, in, 1, 1}, 5), y = noise({1, out, 1, 1}, 6);
          const bool align = mode == 1, half = mode == 2;
          const Tensor xs[] = {x}, ys[] = {y};
          const AttrValue to_out[] = {std::vector<int64_t>{out, 1}, align, half};
          const AttrValue to_in[] = {std::vector<int64_t>{in, 1}, align, half};
          const auto rx = call(forward, xs, to_out)[0].to_vector<float>(), gy = call(backward, ys, to_in)[0].to_vector<float>();
          const auto xv = x.to_vector<float>(), yv = y.to_vector<float>();
          double a = 0, b = 0;
          for (size_t i = 0; i < rx.size(); ++i) a += static_cast<double>(rx[i]) * yv[i];
          for (size_t i = 0; i < xv.size(); ++i) b += static_cast<double>(xv[i]) * gy[i];
          ASSERT_NEAR(a, b, 1e-4) << forward << " " << in << " -> " << out << " mode " << mode;
        }
      }
    }
  }
}

TEST_F(ImageOps, FlippingTwiceIsNothing) {
  const Tensor x = noise({2, 3, 5, 3}, 1);
  EXPECT_EQ(flip_left_right(flip_left_right(x)).to_vector<float>(), x.to_vector<float>());
}

TEST_F(ImageOps, ACropOfEverythingIsResizingWithAlignedCorners) {
  const Tensor x = noise({1, 5, 7, 2}, 2);
  const float box[] = {0, 0, 1, 1};
  const int32_t which[] = {0};
  const auto a = crop_and_resize(x, Tensor::from(std::span<const float>(box), {1, 4}), Tensor::from(std::span<const int32_t>(which), {1}),
                                 {9, 4})
                     .to_vector<float>();
  const auto b = resize_bilinear(x, {9, 4}, true).to_vector<float>();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
}

}  // namespace
}  // namespace tsr
