// Seeded sweeps over shapes around the edges of the kernels' tiles: whatever the CPU device chooses for an op, on every
// instruction set of this machine, against the reference interpreter within the op's own tolerance, in guarded memory.
//
// The interpreter takes some 30 ns for a multiply-add, so sizes are drawn until a case is small enough; each axis still meets all
// its values.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../runner/case_runner.h"
#include "core/op_def.h"
#include "cpu_kernels_test_util.h"
#include "runtime/device.h"

namespace tsr::cpu::test {
namespace {

using Values = std::vector<std::pair<std::string, AttrValue>>;
using List = std::vector<int64_t>;

// One below, at and one above the heights and widths of the register tiles (6, 8, 12 rows; 8, 16, 32 columns), their multiples,
// and 1.
constexpr int64_t kEdges[] = {1, 2, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65};
constexpr int64_t kChannels[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 67};

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(random_.bits() % static_cast<uint32_t>(n)); }
  bool flip() { return below(2) == 0; }
  template <size_t N>
  int64_t of(const int64_t (&list)[N]) {
    return list[below(static_cast<int64_t>(N))];
  }
  Tensor tensor(const Shape& shape) {
    const std::vector<float> v = random_.values(shape.size());
    return Tensor::from(std::span<const float>(v), shape);
  }

 private:
  Random random_;
};

// Runs one case on every instruction set, and again with input `weight` as a constant when there is one.
void check_op(const char* name, const Values& attrs, std::vector<Tensor> inputs, int weight = -1) {
  cases::CaseFile file;
  file.op = &get_op(name);
  cases::Case c;
  c.inputs = std::move(inputs);
  c.attrs = make_attrs(name, *file.op->attrs, attrs);
  std::string what = name;
  for (const Tensor& t : c.inputs) what += str(" ", t.shape());
  for (const auto& [key, value] : attrs) {
    what += " " + key;
    if (const auto* list = std::get_if<List>(&value)) {
      for (int64_t v : *list) what += " " + std::to_string(v);
    } else if (const auto* number = std::get_if<int64_t>(&value)) {
      what += " " + std::to_string(*number);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      what += " " + *text;
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      what += *flag ? " true" : " false";
    }
  }
  SCOPED_TRACE(what);
  const cases::Golden golden = cases::run_on_reference(file, c);
  ASSERT_EQ(golden.result.outcome, cases::Outcome::kPass) << golden.result.detail;
  for_each_target([&] {
    for (int constant : {-1, weight}) {
      const cases::Result r = cases::run_as_launches(file, c, golden, get_device("cpu"), constant);
      ASSERT_EQ(r.outcome, cases::Outcome::kPass) << r.detail << (constant >= 0 ? " (constant)" : "");
      if (weight < 0) break;  // there is no constant to try
    }
  });
}

struct WindowCase {
  Shape x, filter;  // filter: of convolutions; of pools [k_h, k_w]
  Values attrs;
  Shape out;  // height and width
};

// A window over an image of up to about 20 x 65, its taps inside the image.
WindowCase draw_window(Draw& d, int64_t channels) {
  WindowCase w;
  const int64_t h = 1 + d.below(9), width = d.of(kEdges);
  int64_t k_h = 1 + d.below(3), k_w = 1 + d.below(5);
  if (d.flip()) k_h = k_w = d.flip() ? 3 : 1;
  int64_t stride_h = 1 + d.below(2), stride_w = 1 + d.below(3), dil_h = 1, dil_w = 1;
  if (d.flip()) stride_h = stride_w = 1;
  if (stride_h == 1 && stride_w == 1 && d.below(3) == 0) dil_h = 1 + d.below(2), dil_w = 1 + d.below(3);
  const int64_t reach_h = (k_h - 1) * dil_h + 1, reach_w = (k_w - 1) * dil_w + 1;
  const bool same = d.flip() || reach_h > h || reach_w > width;
  w.x = {1 + d.below(2), h, width, channels};
  w.filter = {k_h, k_w};
  w.attrs = {
      {"pad", std::string(same ? "same" : "valid")}, {"strides", List{stride_h, stride_w}}, {"dilations", List{dil_h, dil_w}}};
  w.out = same ? Shape{(h + stride_h - 1) / stride_h, (width + stride_w - 1) / stride_w}
               : Shape{(h - reach_h) / stride_h + 1, (width - reach_w) / stride_w + 1};
  return w;
}

TEST(CpuSweep, MatMul) {
  Draw d(1);
  for (int64_t m : kEdges)
    for (int64_t n : kEdges) {
      const int64_t k = d.of(kEdges);
      const bool ta = d.flip(), tb = d.flip();
      const Values attrs = {{"transposeA", ta}, {"transposeB", tb}};
      const Shape a = ta ? Shape{k, m} : Shape{m, k}, b = tb ? Shape{n, k} : Shape{k, n};
      if (m * n * k < 20000) {
        check_op("matMul", attrs, {d.tensor(a), d.tensor(b)}, 1);
      } else if (d.below(4) == 0) {
        check_op("matMul", attrs, {d.tensor(a), d.tensor(b)}, d.flip() ? 1 : -1);
      }
      if (testing::Test::HasFailure()) return;
    }
  check_op("matMul", {}, {d.tensor({3, 600}), d.tensor({600, 33})}, 1);  // deeper than a block of k
  check_op("matMul", {{"transposeB", true}}, {d.tensor({13, 257}), d.tensor({17, 257})}, 1);
}

TEST(CpuSweep, BatchedMatMul) {
  Draw d(2);
  for (int i = 0; i < 60; ++i) {
    const int64_t m = d.of(kEdges), n = d.of(kEdges), k = d.of(kEdges);
    if (m * n * k > 8000) continue;
    const bool ta = d.flip(), tb = d.flip();
    const int64_t ba = d.flip() ? 3 : 1, bb = ba == 1 || d.flip() ? 3 : 1;
    check_op("matMul", {{"transposeA", ta}, {"transposeB", tb}},
             {d.tensor(ta ? Shape{2, ba, k, m} : Shape{2, ba, m, k}), d.tensor(tb ? Shape{bb, n, k} : Shape{bb, k, n})});
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CpuSweep, Conv2D) {
  Draw d(3);
  for (int done = 0; done < 300;) {
    const int64_t in_c = d.of(kChannels), out_c = d.of(kChannels);
    WindowCase w = draw_window(d, in_c);
    const int64_t work = w.x[0] * w.out.size() * w.filter.size() * in_c * out_c;
    if (work > 300000) continue;
    ++done;
    check_op("conv2d", w.attrs, {d.tensor(w.x), d.tensor({w.filter[0], w.filter[1], in_c, out_c})}, 1);
    if (testing::Test::HasFailure()) return;
  }
}

// 3 x 3 with stride 1 from 16 channels and 16 tiles on: Winograd, whose tiles stick out at the edges.
TEST(CpuSweep, Conv2DWinograd) {
  Draw d(4);
  for (auto [h, w] : {std::pair<int64_t, int64_t>{16, 16}, {15, 17}, {14, 18}, {13, 20}, {19, 12}}) {
    const int64_t in_c = 16 + d.below(3), out_c = 16 + d.below(4);
    check_op("conv2d", {{"pad", std::string(d.flip() ? "same" : "valid")}},
             {d.tensor({1, h, w, in_c}), d.tensor({3, 3, in_c, out_c})}, 1);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CpuSweep, Conv2DGradients) {
  Draw d(5);
  for (int done = 0; done < 80;) {
    const int64_t in_c = d.of(kChannels), out_c = d.of(kChannels);
    WindowCase w = draw_window(d, in_c);
    if (w.x[0] * w.out.size() * w.filter.size() * in_c * out_c > 60000) continue;
    ++done;
    const Shape filter = {w.filter[0], w.filter[1], in_c, out_c}, dy = {w.x[0], w.out[0], w.out[1], out_c};
    Values input = w.attrs, weights = w.attrs;
    input.emplace_back("inputShape", w.x.vector());
    weights.emplace_back("filterShape", filter.vector());
    check_op("conv2dBackpropInput", input, {d.tensor(dy), d.tensor(filter)}, 1);  // the transposed convolution
    check_op("conv2dBackpropFilter", weights, {d.tensor(w.x), d.tensor(dy)});
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CpuSweep, DepthwiseConv2D) {
  Draw d(6);
  for (int done = 0; done < 200;) {
    const int64_t channels = d.of(kChannels), multiplier = d.below(4) == 0 ? 2 : 1;
    WindowCase w = draw_window(d, channels);
    if (w.x[0] * w.out.size() * w.filter.size() * channels * multiplier > 60000) continue;
    ++done;
    check_op("depthwiseConv2d", w.attrs, {d.tensor(w.x), d.tensor({w.filter[0], w.filter[1], channels, multiplier})}, 1);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CpuSweep, Pools) {
  Draw d(7);
  for (int done = 0; done < 80;) {
    const int64_t channels = d.of(kChannels);
    WindowCase w = draw_window(d, channels);
    if (w.x[0] * w.out.size() * w.filter.size() * channels > 30000) continue;
    ++done;
    w.attrs.emplace_back("filterSize", w.filter.vector());
    check_op("maxPool", w.attrs, {d.tensor(w.x)});
    check_op("avgPool", w.attrs, {d.tensor(w.x)});
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CpuSweep, Reductions) {
  Draw d(8);
  for (int64_t inner : {int64_t{1}, int64_t{3}, int64_t{8}, int64_t{17}})
    for (int64_t n : kEdges) {
      const Shape shape = {1 + d.below(5), n, inner};
      for (const char* op : {"sum", "mean", "max", "min", "prod"})
        check_op(op, {{"axis", List{1}}, {"keepDims", d.flip()}}, {d.tensor(shape)});
      for (const char* op : {"argMax", "argMin"}) check_op(op, {{"axis", int64_t{1}}}, {d.tensor(shape)});
      if (testing::Test::HasFailure()) return;
    }
}

TEST(CpuSweep, Softmax) {
  Draw d(9);
  for (int64_t n : kEdges) {
    check_op("softmax", {}, {d.tensor({d.of(kEdges), n})});
    check_op("logSoftmax", {}, {d.tensor({1 + d.below(7), n})});
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tsr::cpu::test
