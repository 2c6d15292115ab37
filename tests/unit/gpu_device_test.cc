// The GPU device over native GLES: pull kernels against the reference interpreter, memory, readback, splitting, losses.
#ifdef TESSERA_GL

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backends/gpu/gpu_device.h"
#include "backends/webgl/egl_driver.h"
#include "ir/body.h"

namespace tsr::gpu {
namespace {

/// A device, or nothing where the machine has no GLES 3.
class GpuDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      auto driver = make_egl_driver();
      driver_ = driver.get();
      device_ = std::make_unique<GpuDevice>("gl", std::move(driver), Language::kGlsl);
    } catch (const Error& e) {
      GTEST_SKIP() << e.what();
    }
  }

  template <typename T>
  Ref<DeviceBuffer> put(const std::vector<T>& v, const TensorType& type) {
    Ref<DeviceBuffer> b = device_->allocate(type);
    device_->upload(*b, type, reinterpret_cast<const std::byte*>(v.data()));
    return b;
  }

  template <typename T>
  std::vector<T> get(DeviceBuffer& b, const TensorType& type) {
    const int request = device_->begin_read(b, type);
    device_->read_wait(request);
    EXPECT_EQ(device_->poll_read(request), Progress::kDone);
    std::vector<T> v(static_cast<size_t>(type.shape.size()));
    device_->take_read(request, reinterpret_cast<std::byte*>(v.data()));
    return v;
  }

  /// Runs the op on the device and in the interpreter; T is the result's element type.
  template <typename T>
  void compare(const OpDef& op, const std::vector<std::vector<float>>& data, const std::vector<TensorType>& in, const TensorType& out,
               double tolerance) {
    const Group group = single_op_group(op, NoAttrs{}, in, out);
    std::vector<Ref<DeviceBuffer>> buffers;
    std::vector<BufferView> views;
    std::vector<ir::InputView> host;
    for (size_t k = 0; k < in.size(); ++k) {
      buffers.push_back(put(data[k], in[k]));
      views.push_back({nullptr, buffers[k].get()});
      host.push_back({data[k].data(), in[k].dtype, in[k].shape});
    }
    const auto launch = device_->compile(group);
    const Ref<DeviceBuffer> result = device_->allocate(out);
    launch->run(views, {nullptr, result.get()}, nullptr);
    const std::vector<T> got = get<T>(*result, out);
    std::vector<T> want(got.size());
    ir::interpret(lower(group), host, out.shape, want.data());
    for (size_t i = 0; i < got.size(); ++i) {
      const double g = static_cast<double>(got[i]), w = static_cast<double>(want[i]);
      if (std::isnan(w)) {
        ASSERT_TRUE(std::isnan(g)) << op.name << " at " << i;
      } else if (std::isinf(w)) {
        ASSERT_EQ(g, w) << op.name << " at " << i;
      } else {
        ASSERT_LE(std::abs(g - w), tolerance * std::max(1.0, std::abs(w))) << op.name << " at " << i;
      }
    }
  }

  GpuDriver* driver_ = nullptr;
  std::unique_ptr<GpuDevice> device_;
};

std::vector<float> ramp(int64_t n, float step, float from) {
  std::vector<float> v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i) v[i] = from + step * static_cast<float>(i % 997);
  return v;
}

OpDef op_with(const char* name, ir::Expr (*body)(ir::BodyCtx&)) {
  OpDef op;
  op.name = name;
  op.body = body;
  return op;
}

const OpDef kGelu = op_with("gelu", [](ir::BodyCtx& c) {
  const ir::Expr x = c.in(0).broadcast();
  return x * 0.5 * (1 + ir::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
});
const OpDef kAddRows = op_with("addRows", [](ir::BodyCtx& c) { return c.in(0).broadcast() + c.in(1).broadcast(); });
const OpDef kLess = op_with("less", [](ir::BodyCtx& c) { return c.in(0).broadcast() < c.in(1).broadcast(); });
const OpDef kMatmul = op_with("matmulPlain", [](ir::BodyCtx& c) {
  return ir::reduce(ir::Reduce::sum, c.in(0).dim(1), [&](ir::Expr k) { return c.in(0)({c.out(0), k}) * c.in(1)({k, c.out(1)}); });
});
const OpDef kTranspose = op_with("transposePlain", [](ir::BodyCtx& c) { return c.in(0)({c.out(2), c.out(0), c.out(1)}); });
const OpDef kArgMax = op_with("argMaxRows", [](ir::BodyCtx& c) {
  return ir::reduce(ir::Reduce::argmax, c.in(0).dim(1), [&](ir::Expr k) { return c.in(0)({c.out(0), k}); });
});

TEST_F(GpuDeviceTest, ElementwiseWithBroadcastingAgreesWithTheInterpreter) {
  compare<float>(kGelu, {ramp(5 * 7 * 11, 0.01f, -4)}, {{{5, 7, 11}}}, {{5, 7, 11}}, 1e-5);
  compare<float>(kAddRows, {ramp(5 * 7, 0.3f, -4), ramp(7, 1, 0)}, {{{5, 7}}, {{7}}}, {{5, 7}}, 0);
  compare<float>(kAddRows, {ramp(7, 0.3f, -4), ramp(1, 1, 3)}, {{{7, 1}}, {{}}}, {{7, 1}}, 0);
  std::vector<float> odd = {0, -0.0f, INFINITY, -INFINITY, NAN, 1e30f, 3};
  compare<float>(kAddRows, {odd, ramp(1, 1, 1)}, {{{7}}, {{1}}}, {{7}}, 0);
  compare<float>(kGelu, {{2.5f}}, {{{}}}, {{}}, 1e-5);
}

TEST_F(GpuDeviceTest, BoolAndIntResultsComeBackInTheirHostForm) {
  compare<uint8_t>(kLess, {ramp(300, 0.3f, -4), ramp(300, -0.3f, 4)}, {{{300}}, {{300}}}, {{300}, DType::kBool}, 0);
  compare<int32_t>(kArgMax, {ramp(13 * 29, 7.3f, -4)}, {{{13, 29}}}, {{13}, DType::kInt32}, 0);
}

TEST_F(GpuDeviceTest, ReductionsAndReorderingAgreeWithTheInterpreter) {
  compare<float>(kMatmul, {ramp(17 * 33, 0.01f, -1), ramp(33 * 21, -0.02f, 2)}, {{{17, 33}}, {{33, 21}}}, {{17, 21}}, 1e-5);
  compare<float>(kTranspose, {ramp(3 * 5 * 7, 1, 0)}, {{{3, 5, 7}}}, {{5, 7, 3}}, 0);
  compare<float>(kMatmul, {{}, {}}, {{{3, 0}}, {{0, 4}}}, {{3, 4}}, 0);  // empty operands: sums of nothing
}

TEST_F(GpuDeviceTest, ProgramsAreSharedByShapes) {
  compare<float>(kMatmul, {ramp(6, 1, 0), ramp(6, 1, 0)}, {{{2, 3}}, {{3, 2}}}, {{2, 2}}, 1e-5);
  const size_t before = device_->programs().size();
  compare<float>(kMatmul, {ramp(20, 1, 0), ramp(30, 1, 0)}, {{{4, 5}}, {{5, 6}}}, {{4, 6}}, 1e-5);
  EXPECT_EQ(device_->programs().size(), before);
}

TEST_F(GpuDeviceTest, EmptyResultsAreFine) {
  const TensorType type{{0, 3}};
  const Ref<DeviceBuffer> b = put<float>({}, type);
  EXPECT_TRUE(get<float>(*b, type).empty());
  compare<float>(kGelu, {{}}, {type}, type, 0);
}

TEST_F(GpuDeviceTest, AnUploadIntoReusedMemoryWaitsForTheWorkThatReadsIt) {
  const TensorType type{{100}};
  const auto launch = device_->compile(single_op_group(kAddRows, NoAttrs{}, {type, type}, type));
  const Ref<DeviceBuffer> y = device_->allocate(type);
  {
    const Ref<DeviceBuffer> a = put(std::vector<float>(100, 1.0f), type), b = put(std::vector<float>(100, 2.0f), type);
    const BufferView views[] = {{nullptr, a.get()}, {nullptr, b.get()}};
    launch->run(views, {nullptr, y.get()}, nullptr);
  }
  const Ref<DeviceBuffer> c = put(std::vector<float>(100, 50.0f), type);  // takes the memory of a or b
  EXPECT_EQ(get<float>(*y, type)[99], 3.0f);
  EXPECT_EQ(get<float>(*c, type)[99], 50.0f);
}

TEST_F(GpuDeviceTest, NarrowWeightsAreWidened) {
  const TensorType u8{{4}, DType::kUint8}, f32{{4}};
  const Ref<DeviceBuffer> x = put<uint8_t>({0, 1, 128, 255}, u8);
  const auto launch = device_->compile(single_op_group(kAddRows, NoAttrs{}, {u8, u8}, f32));
  const Ref<DeviceBuffer> y = device_->allocate(f32);
  const BufferView views[] = {{nullptr, x.get()}, {nullptr, x.get()}};
  launch->run(views, {nullptr, y.get()}, nullptr);
  EXPECT_EQ(get<float>(*y, f32), (std::vector<float>{0, 2, 256, 510}));
}

TEST_F(GpuDeviceTest, LongLaunchesAreSplitAndComplete) {
  const TensorType a{{700, 700}}, out{{700, 700}};
  const std::vector<float> ones(700 * 700, 1.0f);
  const Ref<DeviceBuffer> x = put(ones, a), y = device_->allocate(out);
  const auto launch = device_->compile(single_op_group(kMatmul, NoAttrs{}, {a, a}, out));
  const BufferView views[] = {{nullptr, x.get()}, {nullptr, x.get()}};
  launch->run(views, {nullptr, y.get()}, nullptr);
  for (const float v : get<float>(*y, out)) ASSERT_EQ(v, 700.0f);
}

TEST_F(GpuDeviceTest, ALossRejectsReadsAndTheNextRunWorks) {
  const TensorType type{{10}};
  const auto launch = device_->compile(single_op_group(kAddRows, NoAttrs{}, {type, type}, type));
  const Ref<DeviceBuffer> old = put(std::vector<float>(10, 1.0f), type);
  const int request = device_->begin_read(*old, type);
  lose_context_for_test(*driver_);
  EXPECT_EQ(device_->epoch(), 1u);
  EXPECT_FALSE(old->alive());
  const auto code = [](auto f) {
    try {
      f();
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode{};
  };
  EXPECT_EQ(code([&] { device_->poll_read(request); }), ErrorCode::kDeviceLost);
  const BufferView stale[] = {{nullptr, old.get()}, {nullptr, old.get()}};
  const Ref<DeviceBuffer> y = device_->allocate(type);
  EXPECT_EQ(code([&] { launch->run(stale, {nullptr, y.get()}, nullptr); }), ErrorCode::kDeviceLost);
  // The launch itself compiles again by itself.
  const Ref<DeviceBuffer> fresh = put(std::vector<float>(10, 2.0f), type);
  const BufferView views[] = {{nullptr, fresh.get()}, {nullptr, fresh.get()}};
  launch->run(views, {nullptr, y.get()}, nullptr);
  EXPECT_EQ(get<float>(*y, type)[9], 4.0f);
}

TEST_F(GpuDeviceTest, TooManyOperandsSaySo) {
  const OpDef wide = op_with("wide", [](ir::BodyCtx& c) {
    ir::Expr sum = c.in(0).broadcast();
    for (int k = 1; k < c.num_inputs(); ++k) sum = sum + c.in(k).broadcast();
    return sum;
  });
  const std::vector<TensorType> in(static_cast<size_t>(device_->max_operands()) + 1, TensorType{{2}});
  try {
    device_->compile(single_op_group(wide, NoAttrs{}, in, {{2}}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(e.what()).find("wide"), std::string::npos);
  }
}

}  // namespace
}  // namespace tsr::gpu

#endif  // TESSERA_GL
