// Distributions, independence and reproducibility of the random ops. Seeds are fixed, so nothing here fails by chance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../runner/reference.h"
#include "tessera/ops.h"

namespace tsr {
namespace {

class RandomOps : public testing::Test {
 protected:
  cases::Reference reference_;
};

struct Moments {
  double mean = 0, variance = 0, low = 0, high = 0;
};

Moments moments_of(const std::vector<float>& v) {
  Moments m;
  m.mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  for (float x : v) m.variance += (x - m.mean) * (x - m.mean) / static_cast<double>(v.size());
  m.low = *std::min_element(v.begin(), v.end());
  m.high = *std::max_element(v.begin(), v.end());
  return m;
}

constexpr int64_t kN = 40000;  // the mean of so many has a standard error of 0.5 %

TEST_F(RandomOps, UniformFillsItsRangeEvenly) {
  const auto v = random_uniform({kN}, 0, 1, DType::kFloat32, 42).to_vector<float>();
  const Moments m = moments_of(v);
  EXPECT_NEAR(m.mean, 0.5, 0.01);
  EXPECT_NEAR(m.variance, 1.0 / 12, 0.002);
  EXPECT_GE(m.low, 0);
  EXPECT_LT(m.high, 1);
  // Chi-squared over 64 cells: 63 degrees of freedom, 3.3 standard deviations.
  std::vector<int> cells(64);
  for (float x : v) ++cells[static_cast<size_t>(x * 64)];
  double chi = 0;
  for (int c : cells) chi += (c - kN / 64.0) * (c - kN / 64.0) / (kN / 64.0);
  EXPECT_LT(chi, 100);
  EXPECT_GT(chi, 30);
}

TEST_F(RandomOps, NeighboursAndSeedsAreIndependent) {
  const auto a = random_uniform({kN}, -1, 1, DType::kFloat32, 1).to_vector<float>();
  const auto b = random_uniform({kN}, -1, 1, DType::kFloat32, 2).to_vector<float>();
  double lag = 0, cross = 0;
  for (size_t i = 1; i < a.size(); ++i) lag += a[i] * a[i - 1] * 3 / static_cast<double>(kN), cross += a[i] * b[i] * 3 / static_cast<double>(kN);
  EXPECT_NEAR(lag, 0, 0.02);
  EXPECT_NEAR(cross, 0, 0.02);
}

TEST_F(RandomOps, NormalHasItsMoments) {
  const auto v = random_normal({kN}, 2, 3, DType::kFloat32, 7).to_vector<float>();
  const Moments m = moments_of(v);
  EXPECT_NEAR(m.mean, 2, 0.06);
  EXPECT_NEAR(std::sqrt(m.variance), 3, 0.05);
  const auto within = std::count_if(v.begin(), v.end(), [](float x) { return std::fabs(x - 2) < 3; });
  EXPECT_NEAR(static_cast<double>(within) / kN, 0.6827, 0.01);
}

TEST_F(RandomOps, TruncatedNormalStaysWithinTwoDeviations) {
  const auto v = truncated_normal({kN}, 0, 1, DType::kFloat32, 9).to_vector<float>();
  const Moments m = moments_of(v);
  EXPECT_GE(m.low, -2);
  EXPECT_LE(m.high, 2);
  EXPECT_LT(m.low, -1.99);
  EXPECT_GT(m.high, 1.99);
  EXPECT_NEAR(m.mean, 0, 0.02);
  EXPECT_NEAR(m.variance, 0.7737, 0.02);  // of the standard normal cut at 2
}

TEST_F(RandomOps, WholeNumbersAreEvenOverTheirRange) {
  const auto v = random_uniform_int({kN}, -2, 3, 5).to_vector<int32_t>();
  std::vector<int> counts(5);
  for (int32_t x : v) {
    ASSERT_GE(x, -2);
    ASSERT_LT(x, 3);
    ++counts[static_cast<size_t>(x + 2)];
  }
  for (int c : counts) EXPECT_NEAR(c, kN / 5, 350);
}

TEST_F(RandomOps, MultinomialFollowsTheProbabilities) {
  const float p[] = {0.1f, 0.6f, 0.3f};
  const auto v = multinomial(Tensor::from(std::span<const float>(p), {3}), 20000, 3, true).to_vector<int32_t>();
  std::vector<int> counts(3);
  for (int32_t x : v) ++counts[static_cast<size_t>(x)];
  EXPECT_NEAR(counts[0], 2000, 200);
  EXPECT_NEAR(counts[1], 12000, 300);
  EXPECT_NEAR(counts[2], 6000, 300);
}

TEST_F(RandomOps, SeedsReproduceAndItsAbsenceDoesNot) {
  const auto draw = [](double seed) { return random_uniform({100}, 0, 1, DType::kFloat32, seed).to_vector<float>(); };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(3.5));
  EXPECT_NE(draw(3), draw(-3));
  EXPECT_EQ(draw(0.0), draw(-0.0));
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(draw(none), draw(none));
}

// Fixed numbers: a change of the generator would change the results of everybody's seeded programs.
TEST_F(RandomOps, TheGeneratorDoesNotChange) {
  const auto v = random_uniform_int({4}, 0, 2147483647, 42).to_vector<int32_t>();
  EXPECT_EQ(v, (std::vector<int32_t>{1873317339, 1589415527, 1973898331, 1939383405}));
}

TEST_F(RandomOps, DropoutKeepsTheMean) {
  const std::vector<float> ones(static_cast<size_t>(kN), 1.0f);
  const Tensor x = Tensor::from(std::span<const float>(ones), {kN});
  const auto v = dropout(x, 0.25, {}, 8).to_vector<float>();
  const Moments m = moments_of(v);
  EXPECT_NEAR(m.mean, 1, 0.02);
  EXPECT_EQ(m.low, 0);
  EXPECT_NEAR(m.high, 1 / 0.75, 1e-6);
}

}  // namespace
}  // namespace tsr
