// The ahead-of-time code of every elementwise op against the interpreter on its body, on every instruction set of this
// machine.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "simd/targets.h"

#include "core/op_def.h"
#include "hwy/highway.h"
#include "hwy/targets.h"
#include "ir/body.h"

namespace tsr {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const std::vector<float> kFloats{0.0f, -0.0f, 1.0f, -1.0f, 0.5f,   -0.5f,  2.5f, -2.5f, 3.5f,
                                 kInf, -kInf, kNan, 1e-3f, -7.25f, 6.0f,   6.5f, 30.0f, -30.f,
                                 88.f, -88.f, 1e6f, -1e6f, 1e-20f, 0.999f, 2.0f, 3.0f,  -3.0f};
const std::vector<int32_t> kInts{0, 1, -1, 2, -2, 3, 7, -7, 100, -100, INT32_MAX, INT32_MIN, 6, 5};

struct Data {
  std::vector<float> f;
  std::vector<int32_t> i;
  std::vector<uint8_t> b;
  const void* of(DType t) const {
    return t == DType::kFloat32 ? static_cast<const void*>(f.data())
           : t == DType::kInt32 ? static_cast<const void*>(i.data())
                                : b.data();
  }
};

// n elements that meet each other in all pairs when `stride` differs between inputs.
Data make_data(size_t n, size_t stride) {
  Data d;
  for (size_t k = 0; k < n; ++k) {
    d.f.push_back(kFloats[(k / stride) % kFloats.size()]);
    d.i.push_back(kInts[(k / stride) % kInts.size()]);
    d.b.push_back((k / stride) % 2);
  }
  return d;
}

Attrs default_attrs(const OpDef& op) {
  if (std::string(op.name) == "clipByValue") {
    const std::pair<std::string, AttrValue> v[] = {{"clipValueMin", -2.0}, {"clipValueMax", 2.5}};
    return make_attrs(op.name, *op.attrs, v);
  }
  return make_attrs(op.name, *op.attrs, std::span<const AttrValue>());
}

void check_op(const OpDef& op, const std::vector<DType>& dtypes, bool scalar_second) {
  const int64_t n = static_cast<int64_t>(kFloats.size() * kFloats.size()) + 3;  // not a multiple of any vector
  const Data x = make_data(static_cast<size_t>(n), 1), y = make_data(static_cast<size_t>(n), kFloats.size());
  const Data* data[] = {&x, &y, &y};
  std::vector<TensorType> types;
  std::vector<ir::InputView> views;
  std::vector<const void*> pointers;
  std::vector<uint8_t> steps;
  for (size_t k = 0; k < dtypes.size(); ++k) {
    const bool scalar = k == 1 && scalar_second;
    types.push_back({scalar ? Shape{} : Shape{n}, dtypes[k]});
    const void* p =
        scalar ? static_cast<const char*>(data[k]->of(dtypes[k])) + 7 * size_of(dtypes[k]) : data[k]->of(dtypes[k]);
    views.push_back({p, dtypes[k], types.back().shape});
    pointers.push_back(p);
    steps.push_back(scalar ? 0 : 1);
  }
  const Attrs attrs = default_attrs(op);
  std::vector<TensorType> out;
  infer_types(op, types, attrs, out);
  const size_t bytes = static_cast<size_t>(n) * size_of(out[0].dtype);
  std::vector<char> want(bytes);
  ir::interpret(ir::make_kernel(op, types, out[0], attrs), views, out[0].shape, want.data());
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    std::vector<char> got(bytes + 64, 0x55);
    ElementwiseArgs args;
    args.in = pointers.data();
    args.step = steps.data();
    args.in_dtype = dtypes.data();
    args.out = got.data();
    args.out_dtype = out[0].dtype;
    args.n = n;
    args.attrs = &attrs;
    const bool ran = op.elementwise_fn()(args);
    bool same = true;
    for (size_t k = 1; k < dtypes.size(); ++k)
      same = same && (dtypes[k] == dtypes[0] || k == 0 || std::string(op.name) == "where");
    if (ran) {
      for (size_t k = bytes; k < got.size(); ++k) ASSERT_EQ(got[k], 0x55) << op.name << " wrote past the end";
      for (int64_t k = 0; k < n; ++k) {
        if (out[0].dtype == DType::kFloat32) {
          float g, w;
          std::memcpy(&g, got.data() + k * 4, 4);
          std::memcpy(&w, want.data() + k * 4, 4);
          const bool ok = std::isnan(w) ? std::isnan(g)
                          : std::isinf(w)
                              ? g == w
                              : std::fabs(g - w) <= std::max(op.tolerance, 0.0) * std::max(1.0f, std::fabs(w));
          ASSERT_TRUE(ok) << op.name << " on " << hwy::TargetName(target) << " at " << x.f[static_cast<size_t>(k)]
                          << ", " << y.f[static_cast<size_t>(k)] << ": got " << g << ", want " << w;
        } else {
          const size_t s = size_of(out[0].dtype);
          ASSERT_EQ(std::memcmp(got.data() + static_cast<size_t>(k) * s, want.data() + static_cast<size_t>(k) * s, s),
                    0)
              << op.name << " on " << hwy::TargetName(target) << " at " << x.f[static_cast<size_t>(k)] << ", "
              << y.f[static_cast<size_t>(k)] << " or " << x.i[static_cast<size_t>(k)] << ", "
              << y.i[static_cast<size_t>(k)];
        }
      }
    } else if (same && dtypes[0] == DType::kFloat32) {
      ADD_FAILURE() << op.name << " has no float32 code";
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(OpsElementwise, CodeEqualsInterpreter) {
  int count = 0;
  for (const OpDef* op : all_ops()) {
    if (!op->elementwise || !op->elementwise_fn) continue;
    SCOPED_TRACE(op->name);
    ++count;
    for (const DType t : {DType::kFloat32, DType::kInt32, DType::kBool}) {
      std::vector<DType> dtypes(op->inputs.size(), t);
      if (std::string(op->name) == "where") dtypes[0] = DType::kBool;
      const bool logical = std::string(op->name).rfind("logical", 0) == 0 && op->zero_gradient;
      if (logical && t != DType::kBool) continue;
      // A quotient next to an integer is floored to either side by its last bit, and double has more bits.
      if (std::string(op->name) == "floorDiv" && t == DType::kFloat32) continue;
      if (std::string(op->name) == "bitwiseAnd" && t != DType::kInt32) continue;
      check_op(*op, dtypes, false);
      if (dtypes.size() > 1) check_op(*op, dtypes, true);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(count, 60);
}

TEST(OpsElementwise, DtypesAndShapes) {
  const auto out = [](const char* name, std::vector<TensorType> in) {
    std::vector<TensorType> types;
    infer_types(get_op(name), in, default_attrs(get_op(name)), types);
    return types.at(0);
  };
  const TensorType f{{2, 3}, DType::kFloat32}, i{{3}, DType::kInt32}, b{{2, 1}, DType::kBool}, h{{3}, DType::kFloat16};
  EXPECT_EQ(out("add", {f, i}), f);
  EXPECT_EQ(out("add", {i, b}), (TensorType{{2, 3}, DType::kInt32}));
  EXPECT_EQ(out("add", {b, b}), (TensorType{{2, 1}, DType::kInt32}));
  EXPECT_EQ(out("add", {h, h}), (TensorType{{3}, DType::kFloat32}));
  EXPECT_EQ(out("div", {i, i}), i);
  EXPECT_EQ(out("exp", {i}), (TensorType{{3}, DType::kFloat32}));
  EXPECT_EQ(out("relu", {i}), i);
  EXPECT_EQ(out("less", {f, i}), (TensorType{{2, 3}, DType::kBool}));
  EXPECT_EQ(out("floorDiv", {f, f}), (TensorType{{2, 3}, DType::kInt32}));
  EXPECT_EQ(out("where", {b, f, i}), f);
  EXPECT_THROW(out("logicalAnd", {f, b}), Error);
  EXPECT_THROW(out("add", {f, {{2}, DType::kFloat32}}), Error);
  EXPECT_THROW(out("exp", {{{2}, DType::kString}}), Error);
}

}  // namespace
}  // namespace tsr
