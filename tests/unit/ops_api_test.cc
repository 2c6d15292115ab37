// The typed C++ functions of tessera/ops.h, run on the reference engine.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../runner/reference.h"
#include "tessera/ops.h"

namespace tsr {
namespace {

using Floats = std::vector<float>;

Tensor floats(const Floats& values, const Shape& shape) { return Tensor::from(values, shape); }

template <typename Fn>
std::string error_of(Fn fn) {
  try {
    fn();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

class OpsApi : public ::testing::Test {
  cases::Reference reference_;  // ops run at once, without an engine
};

TEST_F(OpsApi, ListsOfIntegers) {
  const Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(sum(x).to_vector<float>(), Floats{21});
  EXPECT_EQ(sum(x, 0).to_vector<float>(), (Floats{5, 7, 9}));
  EXPECT_EQ(sum(x, {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(sum(x, std::vector<int64_t>{-1}).to_vector<float>(), (Floats{6, 15}));
  EXPECT_EQ(reshape(x, Shape{3, 2}).shape(), (Shape{3, 2}));
  EXPECT_EQ(reshape(x, {-1}).shape(), Shape{6});
}

TEST_F(OpsApi, VariadicInputs) {
  const Tensor a = floats({1, 2}, {2}), b = floats({3}, {1});
  EXPECT_EQ(concat({a, b}).to_vector<float>(), (Floats{1, 2, 3}));
  const std::vector<Tensor> list{b, a, b};
  EXPECT_EQ(concat(list).to_vector<float>(), (Floats{3, 1, 2, 3}));
}

TEST_F(OpsApi, SeveralOutputs) {
  const std::vector<Tensor> parts = split(floats({1, 2, 3, 4}, {4}), 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].to_vector<float>(), (Floats{3, 4}));
  EXPECT_EQ(moments(floats({1, 3}, {2})).at(1).to_vector<float>(), Floats{1});
}

TEST_F(OpsApi, OptionalInputs) {
  const Tensor x = floats({1, 3}, {2}), mean = floats({1}, {}), variance = floats({3}, {}), two = floats({2}, {});
  EXPECT_EQ(batch_norm(x, mean, variance, {}, {}, 1).to_vector<float>(), (Floats{0, 1}));
  EXPECT_EQ(batch_norm(x, mean, variance, two, two, 1).to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(error_of([&] { batch_norm(x, mean, variance, {}, two); }),
            "[batchNorm] an optional input may be given only when those before it are");
}

TEST_F(OpsApi, NamesOfChoices) {
  const Tensor x = floats({1, 2, 3}, {3});
  EXPECT_EQ(mirror_pad(x, {1, 1}, "symmetric").to_vector<float>(), (Floats{1, 1, 2, 3, 3}));
  EXPECT_EQ(error_of([&] {
              mirror_pad(x, {1, 1}, "edge");
            }),
            "[mirrorPad] attribute 'mode' must be one of 'reflect' 'symmetric', got 'edge'");
}

TEST_F(OpsApi, ErrorsNameTheOp) {
  const Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(error_of([&] { mat_mul(x, x); }).substr(0, 8), "[matMul]");
  EXPECT_EQ(error_of([&] { reshape(x, {4}); }), "[reshape] cannot reshape [2,3] (6 elements) to [4] (4 elements)");
  EXPECT_NE(error_of([&] { abs(Tensor()); }).find("[abs] input 0 is not a tensor"), std::string::npos);
}

}  // namespace
}  // namespace tsr
