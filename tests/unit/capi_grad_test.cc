// Gradients through the C ABI, customGrad included.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tessera/tessera.h"

namespace {

tsr_tensor make(const std::vector<float>& values) {
  const int32_t dims[1] = {static_cast<int32_t>(values.size())};
  return tsr_tensor_new(TSR_FLOAT32, dims, 1, values.data(), values.size() * sizeof(float));
}

std::vector<float> read(tsr_tensor t) {
  size_t bytes = 0;
  const void* p = tsr_read_sync(t, &bytes);
  EXPECT_NE(p, nullptr) << tsr_last_error();
  std::vector<float> out(bytes / sizeof(float));
  if (p) std::memcpy(out.data(), p, bytes);
  return out;
}

tsr_tensor call(const char* op, std::vector<tsr_tensor> in) {
  tsr_tensor out = TSR_NONE;
  EXPECT_EQ(tsr_call(tsr_op_id(op), in.data(), static_cast<int>(in.size()), nullptr, 0, &out, 1, nullptr), 1) << tsr_last_error();
  return out;
}

class CapiGrad : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(tsr_scope_begin(), 0); }
  void TearDown() override { ASSERT_EQ(tsr_scope_end(nullptr, 0), 0); }
};

TEST_F(CapiGrad, OfAProduct) {
  const tsr_tensor x = make({3, -2});
  const tsr_tensor unused = make({1});
  ASSERT_EQ(tsr_tape_begin(), 0);
  const tsr_tensor y = call("mul", {x, x});
  const tsr_tensor xs[2] = {x, unused};
  tsr_tensor out[2] = {-1, -1};
  ASSERT_EQ(tsr_grad(y, TSR_NONE, xs, 2, out), 2) << tsr_last_error();
  ASSERT_EQ(tsr_tape_end(), 0);
  EXPECT_EQ(read(out[0]), (std::vector<float>{6, -4}));
  EXPECT_EQ(out[1], TSR_NONE);
}

TEST_F(CapiGrad, NeedsATape) {
  const tsr_tensor x = make({3});
  const tsr_tensor y = call("square", {x});
  tsr_tensor out = -1;
  EXPECT_LT(tsr_grad(y, TSR_NONE, &x, 1, &out), 0);
  EXPECT_NE(std::string(tsr_last_error()), "");
}

int g_calls = 0;

// d = 100 * dy, whatever the function was.
int hundredfold(int id, const tsr_tensor* dys, int num_dys, tsr_tensor* dxs, int num_dxs) {
  ++g_calls;
  EXPECT_EQ(id, 7);
  EXPECT_EQ(num_dys, 1);
  EXPECT_EQ(num_dxs, 1);
  dxs[0] = call("mul", {dys[0], make({100})});
  return 0;
}

int failing(int, const tsr_tensor*, int, tsr_tensor*, int) { return -1; }

TEST_F(CapiGrad, CustomCallsBack) {
  tsr_set_custom_grad_callback(hundredfold);
  const tsr_tensor x = make({2, 3});
  ASSERT_EQ(tsr_tape_begin(), 0);
  const tsr_tensor inner = call("square", {x});
  tsr_tensor y = TSR_NONE;
  ASSERT_EQ(tsr_custom_grad(7, &x, 1, &inner, 1, &y), 1) << tsr_last_error();
  EXPECT_EQ(read(y), (std::vector<float>{4, 9}));
  tsr_tensor dx = TSR_NONE;
  g_calls = 0;
  ASSERT_EQ(tsr_grad(y, TSR_NONE, &x, 1, &dx), 1) << tsr_last_error();
  ASSERT_EQ(tsr_tape_end(), 0);
  EXPECT_EQ(g_calls, 1);
  EXPECT_EQ(read(dx), (std::vector<float>{100, 100}));
}

TEST_F(CapiGrad, FailureOfTheCallbackIsAnError) {
  tsr_set_custom_grad_callback(failing);
  const tsr_tensor x = make({2});
  ASSERT_EQ(tsr_tape_begin(), 0);
  const tsr_tensor inner = call("square", {x});
  tsr_tensor y = TSR_NONE;
  ASSERT_EQ(tsr_custom_grad(1, &x, 1, &inner, 1, &y), 1);
  tsr_tensor dx = TSR_NONE;
  EXPECT_LT(tsr_grad(y, TSR_NONE, &x, 1, &dx), 0);
  ASSERT_EQ(tsr_tape_end(), 0);
  EXPECT_EQ(read(call("neg", {x})), std::vector<float>{-2});  // the engine goes on
}

}  // namespace
