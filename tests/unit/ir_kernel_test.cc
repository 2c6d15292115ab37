#include "ir/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "ir/body.h"

namespace tsr::ir {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

InputView view(const std::vector<float>& v, const Shape& s) { return {v.data(), DType::kFloat32, s}; }
InputView view(const std::vector<int32_t>& v, const Shape& s) { return {v.data(), DType::kInt32, s}; }

Kernel kernel(const char* name, std::vector<KernelInput> in, int rank, DType out, Expr body,
              std::vector<ParamValue> p = {}) {
  return {name, std::move(in), rank, out, std::move(body), std::move(p)};
}

TEST(IrKernel, InterpretsElementwise) {
  const Expr x = load(0, Type::f32, {axis(0), axis(1)});
  const Expr b = load(1, Type::f32, {axis(1)});
  const Kernel k = kernel("scale", {{DType::kFloat32, 2}, {DType::kFloat32, 1}}, 2, DType::kFloat32,
                          select(x > 0.0, x, 0.0) * param(0, Type::f32) + b, {ParamValue::f32(10)});
  const std::vector<float> xs{1, -2, 3, -4, 5, NAN}, bs{100, 200, 300};
  std::vector<float> out(6);
  const InputView in[] = {view(xs, {2, 3}), view(bs, {3})};
  interpret(k, in, {2, 3}, out.data());
  EXPECT_EQ(out, (std::vector<float>{110, 200, 330, 100, 250, 300}));
  EXPECT_TRUE(is_elementwise(k));
}

TEST(IrKernel, InterpretsReductions) {
  const std::vector<float> xs{1, 5, 5, NAN, 2, NAN};
  const InputView in[] = {view(xs, {2, 3})};
  const auto run = [&](Reduce r) {
    const Kernel k = kernel("r", {{DType::kFloat32, 2}}, 1,
                            r == Reduce::argmax || r == Reduce::argmin ? DType::kInt32 : DType::kFloat32,
                            reduce(r, dim(0, 1), [](Expr v) {
                              return load(0, Type::f32, {axis(0), v});
                            }));
    std::vector<float> out(2);
    interpret(k, in, {2}, out.data());
    return out;
  };
  EXPECT_EQ(run(Reduce::sum)[0], 11);
  EXPECT_EQ(run(Reduce::prod)[0], 25);
  EXPECT_EQ(run(Reduce::max)[0], 5);
  EXPECT_TRUE(std::isnan(run(Reduce::max)[1]));
  EXPECT_EQ(std::bit_cast<int32_t>(run(Reduce::argmax)[0]), 1);
  EXPECT_EQ(std::bit_cast<int32_t>(run(Reduce::argmax)[1]), 0);
  EXPECT_EQ(std::bit_cast<int32_t>(run(Reduce::argmin)[0]), 0);
  const InputView none[] = {view(xs, {2, 0})};
  const Kernel k = kernel("r", {{DType::kFloat32, 2}}, 1, DType::kFloat32, reduce(Reduce::max, dim(0, 1), [](Expr v) {
                            return load(0, Type::f32, {axis(0), v});
                          }));
  std::vector<float> out(2);
  interpret(k, none, {2}, out.data());
  EXPECT_EQ(out[0], -kInf);
}

TEST(IrKernel, SumsAreCompensated) {
  const int n = 100000;
  std::vector<float> xs(n, 0.1f);
  const InputView in[] = {view(xs, {n})};
  const Kernel k = kernel("sum", {{DType::kFloat32, 1}}, 0, DType::kFloat32,
                          reduce(Reduce::sum, dim(0, 0), [](Expr v) { return load(0, Type::f32, {v}); }));
  float out = 0;
  interpret(k, in, {}, &out);
  EXPECT_EQ(out, static_cast<float>(static_cast<double>(0.1f) * n));
}

TEST(IrKernel, OutOfRangeLoadsThrowAndEmptyTensorsGiveZero) {
  const Kernel k = kernel("shift", {{DType::kInt32, 1}}, 1, DType::kInt32, load(0, Type::i32, {axis(0) + 1}));
  const std::vector<int32_t> xs{1, 2, 3};
  std::vector<int32_t> out(3);
  const InputView in[] = {view(xs, {3})};
  EXPECT_THROW(interpret(k, in, {3}, out.data()), Error);
  interpret(k, in, {2}, out.data());
  EXPECT_EQ(out[1], 3);
  const InputView none[] = {view(xs, {0})};
  interpret(k, none, {3}, out.data());
  EXPECT_EQ(out, (std::vector<int32_t>{0, 0, 0}));
}

TEST(IrKernel, FusesAProducerIntoAReduction) {
  // mean over rows of (x * c + dim): dims of the tensor fused away become parameters.
  const Kernel producer =
      kernel("affine", {{DType::kFloat32, 2}}, 2, DType::kFloat32,
             load(0, Type::f32, {axis(0), axis(1)}) * param(0, Type::f32) + to_f32(out_dim(1)), {ParamValue::f32(2)});
  const Kernel consumer = kernel("mean", {{DType::kFloat32, 1}, {DType::kFloat32, 2}}, 1, DType::kFloat32,
                                 load(0, Type::f32, {axis(0)}) + reduce(Reduce::sum, dim(1, 1),
                                                                        [](Expr v) {
                                                                          return load(1, Type::f32, {axis(0), v});
                                                                        }) /
                                                                     to_f32(dim(1, 1)) * param(0, Type::f32),
                                 {ParamValue::f32(10)});
  const Kernel k = fuse(consumer, 1, producer, {2, 3});
  ASSERT_EQ(k.inputs.size(), 2u);
  ASSERT_EQ(k.params.size(), 3u);
  EXPECT_EQ(k.params[2].i, 3);
  const std::vector<float> b{1000, 2000}, xs{1, 2, 3, 4, 5, 6};
  const InputView in[] = {view(b, {2}), view(xs, {2, 3})};
  std::vector<float> out(2);
  interpret(k, in, {2}, out.data());
  EXPECT_FLOAT_EQ(out[0], 1000 + 10 * (2 * 2 + 3));
  EXPECT_FLOAT_EQ(out[1], 2000 + 10 * (5 * 2 + 3));
  // The same structure from other parameter values.
  Kernel other = producer;
  other.params[0].f = 7;
  EXPECT_TRUE(same_structure(fuse(consumer, 1, other, {9, 9}), k));
  EXPECT_EQ(structural_hash(fuse(consumer, 1, other, {9, 9})), structural_hash(k));
}

TEST(IrKernel, MergesEqualInputs) {
  const Kernel k = kernel("mul", {{DType::kFloat32, 1}, {DType::kFloat32, 1}}, 1, DType::kFloat32,
                          load(0, Type::f32, {axis(0)}) * load(1, Type::f32, {axis(0)}));
  const Kernel square = merge_inputs(k, 0, 1);
  EXPECT_EQ(square.inputs.size(), 1u);
  const Expr x = load(0, Type::f32, {axis(0)});
  EXPECT_EQ(square.body.id(), (x * x).id());
}

TEST(IrKernel, VerifyNamesTheFault) {
  const auto message = [](const Kernel& k) -> std::string {
    try {
      verify(k);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const Expr x = load(0, Type::f32, {axis(0)});
  EXPECT_NE(message(kernel("k", {{DType::kFloat32, 2}}, 1, DType::kFloat32, x)).find("rank 2"), std::string::npos);
  EXPECT_NE(message(kernel("k", {{DType::kInt32, 1}}, 1, DType::kFloat32, x)).find("int32"), std::string::npos);
  EXPECT_NE(message(kernel("k", {{DType::kFloat32, 1}}, 0, DType::kFloat32, x)).find("axis(0)"), std::string::npos);
  EXPECT_NE(message(kernel("k", {{DType::kFloat32, 1}}, 1, DType::kInt32, x)).find("int32"), std::string::npos);
  EXPECT_NE(message(kernel("k", {}, 1, DType::kFloat32, x)).find("input 0"), std::string::npos);
  EXPECT_NE(message(kernel("k", {{DType::kFloat32, 1}}, 1, DType::kFloat32, x + param(0, Type::f32))).find("param(0)"),
            std::string::npos);
  EXPECT_EQ(message(kernel("k", {{DType::kFloat32, 1}}, 1, DType::kFloat32, x)), "");
}

TEST(IrKernel, BodyContextBroadcasts) {
  const TensorType in[] = {{{3, 1}, DType::kFloat32}, {{4}, DType::kInt32}, {{}, DType::kBool}};
  const Attrs attrs;
  BodyCtx ctx(in, {{2, 3, 4}, DType::kFloat32}, attrs);
  const Expr body =
      ctx.in(0).broadcast() + ctx.in(1).broadcast(Type::f32) * ctx.pf(0.5) + ctx.in(2).broadcast(Type::f32);
  const Kernel k = ctx.finish("mix", body);
  EXPECT_TRUE(is_elementwise(k));
  const std::vector<float> a{1, 2, 3};
  const std::vector<int32_t> b{10, 20, 30, 40};
  const uint8_t c = 1;
  std::vector<float> out(24);
  const InputView views[] = {view(a, {3, 1}), view(b, {4}), {&c, DType::kBool, {}}};
  interpret(k, views, {2, 3, 4}, out.data());
  EXPECT_EQ(out[0], 1 + 5 + 1);
  EXPECT_EQ(out[23], 3 + 20 + 1);
  EXPECT_NE(print(k).find("mix(in0: float32 rank 2"), std::string::npos) << print(k);
}

TEST(IrKernel, NarrowDtypesWiden) {
  const uint16_t half[] = {0x3c00, 0xc000, 0x0001, 0x7c00};
  const Kernel k = kernel("widen", {{DType::kFloat16, 1}}, 1, DType::kFloat32, load(0, Type::f32, {axis(0)}));
  std::vector<float> out(4);
  const InputView in[] = {{half, DType::kFloat16, {4}}};
  interpret(k, in, {4}, out.data());
  EXPECT_EQ(out, (std::vector<float>{1, -2, std::ldexp(1.0f, -24), kInf}));
}

}  // namespace
}  // namespace tsr::ir
