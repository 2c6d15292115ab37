// fuzz_graphs [--seed N] [--count N] [--threads N] [DEVICE...]      default: seed 1, 120 programs, cpu
//
// Random programs of some twenty ops, recorded in one scope and run as one plan (fused, planned, in place), compared with the same
// program run op by op on the reference interpreter; then the gradients of a sum of the results. A program is a function of its seed.
// Prints the seed of each failure; the last line is "N passed, N failed".
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../runner/case_file.h"
#include "../runner/reference.h"
#include "runtime/engine.h"
#include "tessera/ops.h"

namespace {

using namespace tsr;
using cases::Mulberry32;

// Relative to the largest value of a result: some twenty ops, each with its own rounding.
constexpr double kTolerance = 2e-4;

struct Program {
  std::vector<Tensor> leaves;   // float32
  std::vector<Tensor> results;  // what is kept: a subset of all values
  std::string listing;
};

class Builder {
 public:
  explicit Builder(uint32_t seed) : r_(seed) {}

  Program build() {
    const int leaves = 2 + pick(2);
    for (int i = 0; i < leaves; ++i) values_.push_back(leaf(leaf_shape()));
    const int steps = 6 + pick(18);
    for (int i = 0; i < steps; ++i) step();
    Program p;
    p.leaves = leaves_;
    p.results.push_back(values_.back());
    for (size_t i = leaves_.size(); i + 1 < values_.size(); ++i) {
      if (pick(6) == 0) p.results.push_back(values_[i]);
    }
    p.listing = listing_;
    return p;
  }

 private:
  int pick(int n) { return static_cast<int>(r_.next() % static_cast<uint32_t>(n)); }
  int64_t extent() { return 1 + pick(9); }
  Shape leaf_shape() {
    if (pick(4)) return {1 + pick(2), 3 + extent(), 3 + extent(), 1 + pick(8)};
    Shape s;
    for (int d = pick(4); d >= 0; --d) s.push_back(extent());
    return s;
  }
  Tensor leaf(const Shape& shape) {
    const auto d = cases::generate("normal", DType::kFloat32, shape.size(), r_.next(), {}, {});
    const std::vector<float> f(d.begin(), d.end());
    leaves_.push_back(Tensor::from(std::span<const float>(f), shape));
    return leaves_.back();
  }
  // Recent values are likelier, so that chains form.
  Tensor& any() {
    const int n = static_cast<int>(values_.size());
    return values_[static_cast<size_t>(pick(3) ? n - 1 - pick(std::min(n, 3)) : pick(n))];
  }
  void add_value(const char* what, Tensor t) {
    listing_ += std::string(what) + to_string(t.shape()) + " ";
    // Values stay small, or differences would say nothing.
    values_.push_back(std::move(t));
  }

  void step() {
    const Tensor x = any();
    switch (pick(22)) {
      case 0: return add_value("relu", relu(x));
      case 1: return add_value("tanh", tanh(x));
      case 2: return add_value("sigmoid", sigmoid(x));
      case 3: return add_value("relu6", relu6(x));
      case 4: return add_value("abs", abs(x));
      case 5: return add_value("scale", mul(x, 0.5f));
      case 6: return add_value("addscalar", add(x, 0.25f));
      case 7: return add_value("bias", add(x, leaf({x.rank() ? x.shape().back() : 1})));
      case 8: return add_value("gate", mul(x, sigmoid(leaf({x.rank() ? x.shape().back() : 1}))));
      case 9: {
        const Tensor y = any();
        if (y.shape() == x.shape()) return add_value("add", add(x, y));
        return add_value("residual", add(x, tanh(x)));
      }
      case 10: {
        const Tensor y = any();
        if (y.shape() == x.shape()) return add_value("max", maximum(x, y));
        return add_value("square", mul(square(x), 0.125f));
      }
      case 11: {
        if (x.rank() < 1) return;
        const int64_t axis = pick(x.rank());
        return add_value("mean", mean(x, axis, true));
      }
      case 12: {
        if (x.rank() < 1) return;
        const int64_t axis = pick(x.rank());
        return add_value("center", sub(x, max(x, axis, true)));
      }
      case 13: return add_value("flatten", reshape(x, {1, x.size()}));
      case 14: {
        if (x.rank() != 4) return;
        const int64_t k = 1 + pick(3), out = 1 + pick(9);
        const Tensor f = mul(leaf({k, k, x.shape()[3], out}), 0.3f);
        return add_value("conv", conv2d(x, f, {1 + pick(2)}, "same"));
      }
      case 15: {
        if (x.rank() != 4) return;
        const Tensor f = mul(leaf({3, 3, x.shape()[3], 1}), 0.3f);
        return add_value("depthwise", depthwise_conv2d(x, f, {1 + pick(2)}, "same"));
      }
      case 16: {
        if (x.rank() != 4 || x.shape()[1] < 2 || x.shape()[2] < 2) return;
        return add_value("maxpool", max_pool(x, {2}, {2}, "same"));
      }
      case 17: {
        if (x.rank() != 4) return;
        return add_value("resize", resize_bilinear(x, {2 + pick(9), 2 + pick(9)}, false, true));
      }
      case 18: {
        if (x.rank() < 2 || x.size() > 4000) return;
        Ints perm;
        for (int d = 0; d < x.rank(); ++d) perm.values.push_back(x.rank() - 1 - d);
        return add_value("transpose", transpose(x, perm));
      }
      case 19: {
        if (x.rank() < 2) return;
        const Tensor rows = reshape(x, {x.size() / x.shape().back(), x.shape().back()});
        return add_value("matmul", mat_mul(rows, mul(leaf({x.shape().back(), 1 + pick(12)}), 0.3f)));
      }
      case 20: {
        if (x.rank() < 1) return;
        return add_value("softmax", softmax(x));
      }
      default: {
        if (x.rank() < 1) return;
        Ints begin, size;
        for (int d = 0; d < x.rank(); ++d) {
          const int64_t at = pick(static_cast<int>(std::min<int64_t>(x.shape()[d], 3)));
          begin.values.push_back(at);
          size.values.push_back(x.shape()[d] - at);
        }
        return add_value("slice", slice(x, begin, size));
      }
    }
  }

  Mulberry32 r_;
  std::vector<Tensor> leaves_, values_;
  std::string listing_;
};

Tensor loss_of(const Program& p) {
  Tensor loss;
  for (const Tensor& t : p.results) {
    const Tensor part = sum(mul(t, t));
    loss = loss.defined() ? add(loss, part) : part;
  }
  return loss;
}

struct Outcome {
  std::vector<std::vector<float>> results, grads;
  std::string listing;
};

// Shapes with no elements and the loss's gradient where nothing flows read as empty lists.
std::vector<float> read(const Tensor& t) { return t.defined() ? t.to_vector<float>() : std::vector<float>(); }

Outcome on_reference(uint32_t seed) {
  cases::Reference ref;
  const Program p = Builder(seed).build();
  const Tensor loss = loss_of(p);
  const Tensor ys[] = {loss}, dys[] = {Tensor::scalar(1)};
  Outcome o;
  for (const Tensor& t : p.results) o.results.push_back(read(t));
  for (const Tensor& t : ref.grad(ys, dys, p.leaves)) o.grads.push_back(read(t));
  o.listing = p.listing;
  return o;
}

Outcome on_engine(uint32_t seed) {
  Engine& e = Engine::get();
  Outcome o;
  {
    Program p;
    e.begin_scope();
    {
      p = Builder(seed).build();
    }
    e.end_scope();
    for (const Tensor& t : p.results) o.results.push_back(read(t));
  }
  e.begin_scope();
  e.begin_tape();
  std::vector<Tensor> grads;
  try {
    const Program p = Builder(seed).build();
    grads = e.grad(loss_of(p), Tensor(), p.leaves);
  } catch (...) {
    e.end_tape();
    e.end_scope();
    throw;
  }
  e.end_tape();
  e.end_scope();
  for (const Tensor& t : grads) o.grads.push_back(read(t));
  return o;
}

std::string compare(const char* what, const std::vector<std::vector<float>>& got, const std::vector<std::vector<float>>& want,
                    double tolerance) {
  for (size_t k = 0; k < want.size(); ++k) {
    // No gradient and a gradient of zeros are the same thing.
    std::vector<float> a = got[k], b = want[k];
    if (a.empty()) a.assign(b.size(), 0);
    if (b.empty()) b.assign(a.size(), 0);
    if (a.size() != b.size()) return str(what, " ", k, " has ", a.size(), " elements instead of ", b.size());
    double scale = 1;
    for (float v : b) scale = std::max(scale, std::fabs(static_cast<double>(v)));
    for (size_t i = 0; i < a.size(); ++i) {
      if (std::fabs(static_cast<double>(a[i]) - b[i]) <= tolerance * scale) continue;
      return str(what, " ", k, ", element ", i, " of ", a.size(), ": ", a[i], ", the reference says ", b[i]);
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t seed = 1;
  int count = 120, threads = 0;
  std::vector<std::string> devices;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--seed" && i + 1 < argc) {
      seed = static_cast<uint32_t>(std::atoll(argv[++i]));
    } else if (a == "--count" && i + 1 < argc) {
      count = std::atoi(argv[++i]);
    } else if (a == "--threads" && i + 1 < argc) {
      threads = std::atoi(argv[++i]);
    } else {
      devices.push_back(a);
    }
  }
  if (devices.empty()) devices.push_back("cpu");
  int passed = 0, failed = 0;
  for (int k = 0; k < count; ++k) {
    const uint32_t s = seed * 1000003u + static_cast<uint32_t>(k);
    try {
      const Outcome want = on_reference(s);
      for (const std::string& device : devices) {
        std::string wrong;
        try {
          Engine::get().set_device(device);
          if (threads) Engine::get().set_threads(threads);
          const Outcome got = on_engine(s);
          wrong = compare("result", got.results, want.results, kTolerance);
          if (wrong.empty()) wrong = compare("gradient", got.grads, want.grads, 10 * kTolerance);
        } catch (const std::exception& e) {
          wrong = e.what();
        }
        if (wrong.empty()) {
          ++passed;
          continue;
        }
        ++failed;
        std::printf("FAIL %s --seed %u program %d: %s\n  %s\n", device.c_str(), seed, k, wrong.c_str(), want.listing.c_str());
      }
    } catch (const std::exception& e) {
      ++failed;
      std::printf("FAIL reference --seed %u program %d: %s\n", seed, k, e.what());
    }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
