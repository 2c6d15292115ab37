// Host ops against simple restatements on random data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../runner/case_file.h"
#include "../runner/reference.h"
#include "tessera/ops.h"

namespace tsr {
namespace {

class HostOps : public testing::Test {
 protected:
  cases::Reference reference_;
};

Tensor from(const std::vector<float>& v, const Shape& s) { return Tensor::from(std::span<const float>(v), s); }

TEST_F(HostOps, TopkIsAStableSort) {
  cases::Mulberry32 r(5);
  for (int64_t n : {1, 2, 7, 64, 301}) {
    std::vector<float> v(static_cast<size_t>(n));
    for (float& x : v) x = static_cast<float>(r.next() % 10);  // many ties
    std::vector<int32_t> order(v.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return v[static_cast<size_t>(a)] > v[static_cast<size_t>(b)]; });
    const int64_t k = (n + 1) / 2;
    order.resize(static_cast<size_t>(k));
    const auto got = call("topk", std::vector<Tensor>{from(v, {n})}, std::vector<AttrValue>{k});
    EXPECT_EQ(got[1].to_vector<int32_t>(), order);
  }
}

// Plain non-max suppression: of the boxes by falling score, each that overlaps no chosen one too much.
std::vector<int32_t> plain_nms(const std::vector<float>& b, const std::vector<float>& s, size_t most, double threshold) {
  std::vector<int32_t> order, chosen;
  for (size_t i = 0; i < s.size(); ++i) order.push_back(static_cast<int32_t>(i));
  std::stable_sort(order.begin(), order.end(), [&](int32_t x, int32_t y) { return s[static_cast<size_t>(x)] > s[static_cast<size_t>(y)]; });
  const auto iou = [&](int32_t i, int32_t j) {
    const float *p = &b[static_cast<size_t>(i) * 4], *q = &b[static_cast<size_t>(j) * 4];
    const double h = std::max(0.0, std::min<double>(p[2], q[2]) - std::max<double>(p[0], q[0]));
    const double w = std::max(0.0, std::min<double>(p[3], q[3]) - std::max<double>(p[1], q[1]));
    const double pa = (static_cast<double>(p[2]) - p[0]) * (static_cast<double>(p[3]) - p[1]);
    const double qa = (static_cast<double>(q[2]) - q[0]) * (static_cast<double>(q[3]) - q[1]);
    return pa <= 0 || qa <= 0 ? 0 : h * w / (pa + qa - h * w);
  };
  for (int32_t i : order) {
    if (chosen.size() == most) break;
    if (std::all_of(chosen.begin(), chosen.end(), [&](int32_t j) { return iou(i, j) < threshold; })) chosen.push_back(i);
  }
  return chosen;
}

TEST_F(HostOps, NonMaxSuppressionEqualsThePlainLoop) {
  cases::Mulberry32 r(11);
  for (int round = 0; round < 20; ++round) {
    const size_t n = 1 + r.next() % 60;
    std::vector<float> boxes, scores;
    for (size_t i = 0; i < n; ++i) {
      const double y = r.unit() * 4, x = r.unit() * 4;
      for (double v : {y, x, y + r.unit() * 2, x + r.unit() * 2}) boxes.push_back(static_cast<float>(v));
      scores.push_back(static_cast<float>(r.next() % 16) / 16);  // ties
    }
    const double threshold = r.unit();
    const Tensor got = non_max_suppression(from(boxes, {static_cast<int64_t>(n), 4}), from(scores, {static_cast<int64_t>(n)}), 20, threshold);
    EXPECT_EQ(got.to_vector<int32_t>(), plain_nms(boxes, scores, 20, threshold)) << "round " << round;
  }
}

TEST_F(HostOps, UniqueRebuildsItsInput) {
  cases::Mulberry32 r(3);
  std::vector<float> v(200);
  for (float& x : v) x = static_cast<float>(r.next() % 17);
  const auto out = call("unique", std::vector<Tensor>{from(v, {200})}, {});
  const auto values = out[0].to_vector<float>();
  const auto numbers = out[1].to_vector<int32_t>();
  EXPECT_EQ(values.size(), 17u);
  for (size_t i = 0; i < v.size(); ++i) EXPECT_EQ(values[static_cast<size_t>(numbers[i])], v[i]);
}

}  // namespace
}  // namespace tsr
