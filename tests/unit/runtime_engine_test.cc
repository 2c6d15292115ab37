// Traces, reading, errors, gradients, memory: what the engine promises whatever the device.
#include "runtime/engine.h"

#include <gtest/gtest.h>

#include "runtime/plan_cache.h"
#include "tessera/grad.h"
#include "tessera/ops.h"

namespace tsr {
namespace {

Tensor vec(std::vector<float> v) {
  const auto n = static_cast<int64_t>(v.size());
  return Tensor::from(std::span<const float>(v), {n});
}
using Floats = std::vector<float>;

TEST(Engine, ComputesWhenRead) {
  const Tensor y = add(mul(vec({1, 2, 3}), Tensor(2.0f)), vec({10, 20, 30}));
  EXPECT_EQ(y.shape(), Shape({3}));
  EXPECT_EQ(y.to_vector<float>(), (Floats{12, 24, 36}));
  EXPECT_EQ(y.to_vector<float>(), (Floats{12, 24, 36}));  // a second read gives the same
}

TEST(Engine, ValuesThatAreHeldAreKeptInsideAScope) {
  Engine::get().begin_scope();
  const Tensor a = square(vec({1, 2}));
  const Tensor b = neg(a);
  Tensor dropped = exp(b);
  dropped = {};
  Engine::get().end_scope();
  EXPECT_EQ(b.to_vector<float>(), (Floats{-1, -4}));
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 4}));
}

TEST(Engine, ReadInsideAScopeGoesOn) {
  Engine::get().begin_scope();
  const Tensor a = square(vec({1, 2}));
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 4}));
  const Tensor b = add(a, a);
  Engine::get().end_scope();
  EXPECT_EQ(b.to_vector<float>(), (Floats{2, 8}));
}

TEST(Engine, ReshapeSharesStorage) {
  const Tensor a = square(vec({1, 2, 3, 4}));
  const Tensor b = reshape(a, {2, 2});
  EXPECT_EQ(a.impl()->storage.get(), b.impl()->storage.get());
  EXPECT_EQ(add(b, b).to_vector<float>(), (Floats{2, 8, 18, 32}));
  EXPECT_EQ(b.to_vector<float>(), (Floats{1, 4, 9, 16}));
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 4, 9, 16}));
}

TEST(Engine, LoopBodyIsCompiledOnce) {
  const auto step = [](const Tensor& w, float rate) {
    Engine::get().begin_scope();
    const Tensor next = sub(w, mul(square(w), Tensor(rate)));
    Engine::get().end_scope();
    return next;
  };
  Tensor w = vec({0.5f, 0.25f});
  w = step(w, 0.1f);
  w.to_vector<float>();
  const int64_t plans = PlanCache::get().size();
  for (int i = 0; i < 20; ++i) {
    w = step(w, 0.1f / static_cast<float>(i + 1));
    w.to_vector<float>();
  }
  EXPECT_EQ(PlanCache::get().size(), plans);
}

TEST(Engine, RuntimeAttributesReachACachedPlan) {
  for (const double v : {1.0, 2.0, 3.5}) {
    const Tensor y = pad(vec({7}), {1, 1}, v);
    const auto f = static_cast<float>(v);
    EXPECT_EQ(y.to_vector<float>(), (Floats{f, 7, f}));
  }
}

TEST(Engine, WrongArgumentsThrowAtOnceAndLeaveTheEngineUsable) {
  EXPECT_THROW(add(vec({1, 2}), vec({1, 2, 3})), Error);
  try {
    mat_mul(vec({1}), vec({1}));
    FAIL() << "a matrix product of vectors must be refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(e.what()).find("[matMul]"), std::string::npos);
  }
  EXPECT_EQ(add(vec({1}), vec({2})).to_vector<float>(), Floats{3});
}

TEST(Engine, MemoryCapFailsTheReadAndNothingElse) {
  const size_t before = HostBuffer::cap();
  HostBuffer::set_cap(HostBuffer::total() + (1 << 20));
  const Tensor small = square(vec({3}));
  const Tensor large = fill({1 << 20}, 1.0);
  EXPECT_THROW(large.to_vector<float>(), Error);
  EXPECT_EQ(small.to_vector<float>(), Floats{9});
  HostBuffer::set_cap(before);
  EXPECT_EQ(add(small, small).to_vector<float>(), Floats{18});
}

TEST(Engine, LongChainsAreFine) {
  Tensor x = vec({0});
  Engine::get().begin_scope();
  for (int i = 0; i < 20000; ++i) x = add(x, Tensor(1.0f));
  Engine::get().end_scope();
  EXPECT_EQ(x.to_vector<float>(), Floats{20000});
}

TEST(Engine, NothingLeaks) {
  const auto once = [] {
    const Tensor x = vec({1, 2, 3});
    const Tensor g = grad([](const Tensor& v) { return sum(mul(square(v), v)); }, x);
    return g.to_vector<float>();
  };
  once();
  const int64_t storages = Storage::live_count();
  const int64_t tensors = TensorImpl::live_count();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(once(), (Floats{3, 12, 27}));
  Engine::get().flush();
  EXPECT_EQ(Storage::live_count(), storages);
  EXPECT_EQ(TensorImpl::live_count(), tensors);
}

TEST(Gradient, HigherOrder) {
  const auto cube = [](const Tensor& x) { return mul(mul(x, x), x); };
  const auto first = [&](const Tensor& x) { return grad(cube, x); };
  const auto second = [&](const Tensor& x) { return grad(first, x); };
  const Tensor x = vec({2, -1});
  EXPECT_EQ(first(x).to_vector<float>(), (Floats{12, 3}));
  EXPECT_EQ(second(x).to_vector<float>(), (Floats{12, -6}));
}

TEST(Gradient, UnusedInputGivesZeros) {
  const Tensor xs[] = {vec({1, 2}), vec({3, 4})};
  const auto r = value_and_grads([](std::span<const Tensor> t) { return sum(t[0]); }, xs);
  EXPECT_EQ(r.grads[0].to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(r.grads[1].to_vector<float>(), (Floats{0, 0}));
}

TEST(Gradient, ReadingInsideTheFunctionKeepsTheTape) {
  float seen = 0;
  const Tensor g = grad(
      [&](const Tensor& x) {
        const Tensor y = square(x);
        seen = y.to_vector<float>()[0];
        return mul(y, Tensor(seen));
      },
      vec({3}));
  EXPECT_EQ(seen, 9);
  EXPECT_EQ(g.to_vector<float>(), Floats{54});
}

TEST(Gradient, CustomGradientReplacesTheOwn) {
  const Tensor x = vec({1, 2});
  const Tensor g = grad(
      [](const Tensor& v) {
        return custom_gradient([](std::span<const Tensor> in) { return square(in[0]); },
                               [](const Tensor& dy, const Tensor&) { return std::vector<Tensor>{mul(dy, Tensor(100.0f))}; }, {&v, 1});
      },
      x);
  EXPECT_EQ(g.to_vector<float>(), (Floats{100, 100}));
}

TEST(Gradient, OfIntegersIsRefused) {
  const std::vector<int32_t> ints{1, 2};
  const Tensor x = Tensor::from(std::span<const int32_t>(ints), {2});
  EXPECT_THROW(grad([](const Tensor& v) { return v; }, x), Error);
}

}  // namespace
}  // namespace tsr
