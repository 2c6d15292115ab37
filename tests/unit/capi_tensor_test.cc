// Tensors through the C ABI: life of handles, scopes, reading, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tessera/tessera.h"

namespace {

tsr_tensor make(const std::vector<float>& values, std::vector<int32_t> dims) {
  return tsr_tensor_new(TSR_FLOAT32, dims.data(), static_cast<int>(dims.size()), values.data(), values.size() * sizeof(float));
}

std::vector<float> read(tsr_tensor t) {
  size_t bytes = 0;
  const void* p = tsr_read_sync(t, &bytes);
  EXPECT_NE(p, nullptr) << tsr_last_error();
  std::vector<float> out(bytes / sizeof(float));
  if (p && bytes) std::memcpy(out.data(), p, bytes);
  return out;
}

std::vector<tsr_tensor> call(const char* op, std::vector<tsr_tensor> in, std::vector<double> words = {}) {
  tsr_tensor out[8];
  const int n = tsr_call(tsr_op_id(op), in.data(), static_cast<int>(in.size()), words.data(), static_cast<int>(words.size()), out, 8, nullptr);
  if (n < 0) return {};
  return {out, out + n};
}

struct Memory {
  double v[8];
  Memory() { EXPECT_EQ(tsr_memory(v), 0); }
  double tensors() const { return v[0]; }
  double buffers() const { return v[1]; }
  double bytes() const { return v[2]; }
};

bool last_error_has(const char* text) { return std::string(tsr_last_error()).find(text) != std::string::npos; }

TEST(CapiTensor, CreateInfoReadDispose) {
  const Memory before;
  const tsr_tensor t = make({1, 2, 3, 4, 5, 6}, {2, 3});
  ASSERT_GT(t, 0) << tsr_last_error();
  int32_t info[10];
  ASSERT_EQ(tsr_tensor_info(t, info), 0);
  EXPECT_EQ(std::vector<int32_t>(info, info + 4), (std::vector<int32_t>{TSR_FLOAT32, 2, 2, 3}));
  EXPECT_EQ(read(t), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const Memory during;
  EXPECT_EQ(during.tensors() - before.tensors(), 1);
  EXPECT_EQ(during.buffers() - before.buffers(), 1);
  EXPECT_EQ(during.bytes() - before.bytes(), 24);
  tsr_dispose(t);
  tsr_dispose(t);
  EXPECT_EQ(tsr_is_alive(t), 0);
  const Memory after;
  EXPECT_EQ(after.tensors(), before.tensors());
  EXPECT_EQ(after.buffers(), before.buffers());
  EXPECT_EQ(after.bytes(), before.bytes());
}

TEST(CapiTensor, UseAfterDisposeIsAnError) {
  const tsr_tensor t = make({1}, {1});
  tsr_dispose(t);
  size_t bytes = 0;
  EXPECT_EQ(tsr_read_sync(t, &bytes), nullptr);
  EXPECT_EQ(tsr_last_error_code(), TSR_DISPOSED);
  EXPECT_EQ(tsr_read_begin(t), TSR_NONE);
  EXPECT_EQ(tsr_clone(t), TSR_NONE);
  EXPECT_LT(tsr_keep(t), 0);
  EXPECT_TRUE(call("neg", {t}).empty());
  EXPECT_EQ(tsr_last_error_code(), TSR_DISPOSED);
  EXPECT_TRUE(last_error_has("[neg]")) << tsr_last_error();
}

TEST(CapiTensor, WrongBytesAndDims) {
  const int32_t dims[2] = {2, -1};
  const float data[2] = {1, 2};
  EXPECT_EQ(tsr_tensor_new(TSR_FLOAT32, dims, 2, data, 8), TSR_NONE);
  EXPECT_EQ(tsr_last_error_code(), TSR_INVALID_ARGUMENT);
  const int32_t good[1] = {2};
  EXPECT_EQ(tsr_tensor_new(TSR_FLOAT32, good, 1, data, 4), TSR_NONE);
  EXPECT_EQ(tsr_tensor_new(99, good, 1, data, 8), TSR_NONE);
  EXPECT_EQ(tsr_tensor_new(TSR_FLOAT32, good, 9, data, 8), TSR_NONE);
  EXPECT_EQ(tsr_tensor_new(TSR_FLOAT32, good, 1, nullptr, 8), TSR_NONE);
}

TEST(CapiTensor, CloneSharesMemory) {
  const Memory before;
  const tsr_tensor a = make({1, 2}, {2});
  const tsr_tensor b = tsr_clone(a);
  const tsr_tensor c = make({1, 2}, {2});
  EXPECT_EQ(tsr_data_id(a), tsr_data_id(b));
  EXPECT_NE(tsr_data_id(a), tsr_data_id(c));
  const Memory during;
  EXPECT_EQ(during.tensors() - before.tensors(), 3);
  EXPECT_EQ(during.buffers() - before.buffers(), 2);
  tsr_dispose(a);
  EXPECT_EQ(read(b), (std::vector<float>{1, 2}));
  tsr_dispose(b);
  tsr_dispose(c);
}

TEST(CapiTensor, ScopeDisposesAllButResultsAndKept) {
  const Memory before;
  ASSERT_EQ(tsr_scope_begin(), 0);
  const tsr_tensor gone = make({1}, {1});
  const tsr_tensor result = call("neg", {gone}).at(0);
  const tsr_tensor kept = make({2}, {1});
  ASSERT_EQ(tsr_keep(kept), 0);
  const tsr_tensor variable = tsr_variable_new(gone);
  ASSERT_EQ(tsr_scope_end(&result, 1), 0);
  EXPECT_EQ(tsr_is_alive(gone), 0);
  EXPECT_EQ(tsr_is_alive(result), 1);
  EXPECT_EQ(tsr_is_alive(kept), 1);
  EXPECT_EQ(tsr_is_alive(variable), 1);
  EXPECT_EQ(read(result), std::vector<float>{-1});
  EXPECT_EQ(read(variable), std::vector<float>{1});
  for (const tsr_tensor t : {result, kept, variable}) tsr_dispose(t);
  EXPECT_EQ(Memory().tensors(), before.tensors());
}

TEST(CapiTensor, ResultsPassToTheScopeAround) {
  ASSERT_EQ(tsr_scope_begin(), 0);
  ASSERT_EQ(tsr_scope_begin(), 0);
  const tsr_tensor t = make({1}, {1});
  ASSERT_EQ(tsr_scope_end(&t, 1), 0);
  EXPECT_EQ(tsr_is_alive(t), 1);
  ASSERT_EQ(tsr_scope_end(nullptr, 0), 0);
  EXPECT_EQ(tsr_is_alive(t), 0);
}

TEST(CapiTensor, ScopeEndWithoutBegin) {
  EXPECT_LT(tsr_scope_end(nullptr, 0), 0);
  EXPECT_EQ(tsr_last_error_code(), TSR_INVALID_ARGUMENT);
}

TEST(CapiTensor, VariablesCaptureWhenRead) {
  const tsr_tensor one = make({1}, {1});
  const tsr_tensor v = tsr_variable_new(one);
  const tsr_tensor minus_one = call("neg", {v}).at(0);
  const tsr_tensor two = make({2}, {1});
  ASSERT_EQ(tsr_variable_assign(v, two), 0);
  EXPECT_EQ(read(minus_one), std::vector<float>{-1});  // from the value at the time of the call
  EXPECT_EQ(read(v), std::vector<float>{2});
  const tsr_tensor wrong = make({1, 2}, {2});
  EXPECT_LT(tsr_variable_assign(v, wrong), 0);
  EXPECT_LT(tsr_variable_assign(one, two), 0);  // not a variable
  EXPECT_EQ(read(v), std::vector<float>{2});
  for (const tsr_tensor t : {one, v, minus_one, two, wrong}) tsr_dispose(t);
}

TEST(CapiTensor, StringsGoRound) {
  const int32_t dims[1] = {3};
  const int32_t lengths[3] = {2, 0, 3};
  const Memory before;
  const tsr_tensor t = tsr_tensor_new_strings(dims, 1, "abcde", lengths);
  ASSERT_GT(t, 0) << tsr_last_error();
  EXPECT_EQ(Memory().bytes() - before.bytes(), 5);
  size_t bytes = 0;
  const char* p = static_cast<const char*>(tsr_read_sync(t, &bytes));
  ASSERT_NE(p, nullptr) << tsr_last_error();
  ASSERT_EQ(bytes, 3 * sizeof(int32_t) + 5);
  EXPECT_EQ(std::memcmp(p, lengths, sizeof lengths), 0);
  EXPECT_EQ(std::string(p + sizeof lengths, 5), "abcde");
  tsr_dispose(t);
}

TEST(CapiTensor, EmptyTensorReadsAsNoBytes) {
  const tsr_tensor t = make({}, {0, 3});
  ASSERT_GT(t, 0) << tsr_last_error();
  size_t bytes = 1;
  EXPECT_NE(tsr_read_sync(t, &bytes), nullptr);
  EXPECT_EQ(bytes, 0u);
  tsr_dispose(t);
}

TEST(CapiTensor, TicketsPollAndEnd) {
  const tsr_tensor t = make({4, 9}, {2});
  const tsr_tensor root = call("sqrt", {t}).at(0);
  const tsr_ticket ticket = tsr_read_begin(root);
  ASSERT_GT(ticket, 0) << tsr_last_error();
  tsr_dispose(t);
  tsr_dispose(root);  // a read that has begun does not need its handle
  int state = 0;
  for (int i = 0; i < 100000 && state != 1; ++i) {
    state = tsr_poll(ticket, 8);
    ASSERT_GE(state, 0) << tsr_last_error();
  }
  ASSERT_EQ(state, 1);
  size_t bytes = 0;
  const float* p = static_cast<const float*>(tsr_read_result(ticket, &bytes));
  ASSERT_NE(p, nullptr) << tsr_last_error();
  EXPECT_EQ(p[0], 2);
  EXPECT_EQ(p[1], 3);
  tsr_ticket_end(ticket);
  tsr_ticket_end(ticket);
  EXPECT_LT(tsr_poll(ticket, 0), 0);
  EXPECT_EQ(tsr_last_error_code(), TSR_DISPOSED);
}

TEST(CapiTensor, OpsByNumber) {
  EXPECT_GT(tsr_op_count(), 50);
  EXPECT_EQ(std::string(tsr_op_name(tsr_op_id("neg"))), "neg");
  EXPECT_LT(tsr_op_id("noSuchOp"), 0);
  EXPECT_EQ(tsr_last_error_code(), TSR_NOT_FOUND);
  EXPECT_TRUE(last_error_has("noSuchOp"));
  EXPECT_EQ(tsr_op_name(-1), nullptr);
  EXPECT_EQ(tsr_op_name(1 << 20), nullptr);
}

TEST(CapiTensor, AttributesAsWords) {
  const tsr_tensor t = make({1, 2, 3, 4}, {2, 2});
  const auto sum = call("sum", {t}, {1, 0, 1});  // axis [0], keepDims
  ASSERT_EQ(sum.size(), 1u) << tsr_last_error();
  EXPECT_EQ(read(sum[0]), (std::vector<float>{4, 6}));
  const auto all = call("sum", {t}, {NAN});  // the default: all axes
  ASSERT_EQ(all.size(), 1u) << tsr_last_error();
  EXPECT_EQ(read(all[0]), std::vector<float>{10});
  EXPECT_TRUE(call("sum", {t}, {1, 5}).empty());
  EXPECT_TRUE(last_error_has("[sum]")) << tsr_last_error();
  for (const tsr_tensor x : {t, sum[0], all[0]}) tsr_dispose(x);
}

TEST(CapiTensor, AFailedCallMakesNothing) {
  const tsr_tensor a = make({1, 2}, {2});
  const tsr_tensor b = make({1, 2, 3}, {3});
  const Memory before;
  EXPECT_TRUE(call("add", {a, b}).empty());
  EXPECT_TRUE(last_error_has("[add]")) << tsr_last_error();
  tsr_tensor out[1];
  EXPECT_LT(tsr_call(tsr_op_id("neg"), &a, 1, nullptr, 0, out, 0, nullptr), 0);  // no room for the output
  EXPECT_EQ(Memory().tensors(), before.tensors());
  EXPECT_EQ(Memory().buffers(), before.buffers());
  tsr_dispose(a);
  tsr_dispose(b);
}

TEST(CapiTensor, MemoryCapNamesTidyAndTheEngineLives) {
  Memory now;
  ASSERT_EQ(tsr_set_memory_cap(now.v[3] + (1 << 20)), 0);
  std::vector<tsr_tensor> made;
  const std::vector<float> values(64 << 10);
  tsr_tensor t = 1;
  while (made.size() < 100 && (t = make(values, {64 << 10})) > 0) made.push_back(t);
  EXPECT_EQ(t, TSR_NONE);
  EXPECT_EQ(tsr_last_error_code(), TSR_OUT_OF_MEMORY);
  EXPECT_TRUE(last_error_has("tidy")) << tsr_last_error();
  for (const tsr_tensor x : made) tsr_dispose(x);
  t = make({1}, {1});
  EXPECT_EQ(read(t), std::vector<float>{1});
  tsr_dispose(t);
  ASSERT_EQ(tsr_set_memory_cap(INFINITY), 0);
}

}  // namespace
