#include "case_runner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference.h"

namespace tsr::cases {
namespace {

// Finite differences: the step in x (relative above 1). With 2^-8 the truncation error of a smooth function is some 1e-5 and the
// rounding of single-precision outputs some 1e-5 of their size.
constexpr double kStep = 1.0 / 256;
// Allowed difference between a derivative and its finite difference.
constexpr double kDifferenceTolerance = 5e-3;
// At most so many elements of each input are varied.
constexpr size_t kSamples = 10;

std::vector<double> values_of(const Tensor& t) {
  std::vector<double> out;
  const auto add = [&](const auto& v) { out.assign(v.begin(), v.end()); };
  switch (t.dtype()) {
    case DType::kFloat32: add(t.to_vector<float>()); break;
    case DType::kInt32: add(t.to_vector<int32_t>()); break;
    case DType::kBool: add(t.to_vector<uint8_t>()); break;
    case DType::kComplex64: {
      const auto bytes = t.to_bytes();
      const auto* p = reinterpret_cast<const float*>(bytes.data());
      out.assign(p, p + bytes.size() / sizeof(float));
      break;
    }
    default: fail(ErrorCode::kUnsupported, "cannot compare tensors of dtype ", name_of(t.dtype()));
  }
  return out;
}

// The random direction in which gradients are tested.
Tensor direction(const Tensor& like, uint32_t seed) {
  const auto d = generate("normal", DType::kFloat32, like.size(), seed, {}, {});
  const std::vector<float> f(d.begin(), d.end());
  return Tensor::from(std::span<const float>(f), like.shape());
}

// Something with a value: sum of ys * dys.
struct Loss {
  std::vector<Tensor> ys, dys;
  double value() const {
    double sum = 0;
    for (size_t i = 0; i < ys.size(); ++i) {
      const auto y = values_of(ys[i]), d = values_of(dys[i]);
      for (size_t k = 0; k < y.size(); ++k) sum += y[k] * d[k];
    }
    return sum;
  }
  // Bound on the rounding error of value().
  double noise() const {
    double sum = 0;
    for (size_t i = 0; i < ys.size(); ++i) {
      const auto y = values_of(ys[i]), d = values_of(dys[i]);
      for (size_t k = 0; k < y.size(); ++k) sum += std::fabs(y[k] * d[k]) * 6e-8;
    }
    return sum;
  }
};

Loss loss_of(std::span<const Tensor> outputs) {
  Loss loss;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k].dtype() != DType::kFloat32) continue;
    loss.ys.push_back(outputs[k]);
    loss.dys.push_back(direction(outputs[k], 99 + static_cast<uint32_t>(k)));
  }
  return loss;
}

class GradientCheck {
 public:
  using Evaluate = std::function<Loss(std::span<const Tensor> inputs)>;

  GradientCheck(Reference& ref, const Case& c, const std::vector<int>& wanted) : ref_(ref), c_(c), wanted_(wanted) {}

  // Gradients of evaluate(inputs) in the wanted inputs.
  std::vector<Tensor> gradients(const Evaluate& evaluate, Loss* loss = nullptr) {
    ref_.forget();
    Loss l = evaluate(c_.inputs);
    std::vector<Tensor> xs;
    for (int i : wanted_) xs.push_back(c_.inputs[static_cast<size_t>(i)]);
    std::vector<Tensor> g = ref_.grad(l.ys, l.dys, xs);
    if (loss) *loss = std::move(l);
    return g;
  }

  // Empty when they agree with finite differences.
  std::string compare(const Evaluate& evaluate, const std::vector<Tensor>& grads, const Loss& at) {
    for (size_t w = 0; w < wanted_.size(); ++w) {
      const auto input = static_cast<size_t>(wanted_[w]);
      const Tensor& x = c_.inputs[input];
      const std::vector<double> g = grads[w].defined() ? values_of(grads[w]) : std::vector<double>(static_cast<size_t>(x.size()), 0.0);
      for (size_t i : samples(static_cast<size_t>(x.size()))) {
        std::vector<float> v = x.to_vector<float>();
        const float before = v[i];
        const double h = kStep * std::max(1.0, std::fabs(static_cast<double>(before)));
        const auto value_at = [&](float xi) {
          v[i] = xi;
          std::vector<Tensor> in = c_.inputs;
          in[input] = Tensor::from(std::span<const float>(v), x.shape());
          ref_.forget();
          return evaluate(in).value();
        };
        const auto up = static_cast<float>(before + h), down = static_cast<float>(before - h);
        const double step = static_cast<double>(up) - static_cast<double>(down);
        const double want = (value_at(up) - value_at(down)) / step;
        const double allowed = kDifferenceTolerance * std::max({1.0, std::fabs(want), std::fabs(g[i])}) + 4 * at.noise() / step;
        if (!(std::fabs(want - g[i]) <= allowed)) {
          return str("gradient in input ", input, ", element ", i, ": ", g[i], ", by finite differences ", want);
        }
      }
    }
    return {};
  }

 private:
  static std::vector<size_t> samples(size_t n) {
    std::vector<size_t> all(n);
    std::iota(all.begin(), all.end(), size_t{0});
    if (n <= kSamples) return all;
    Mulberry32 r(7);
    for (size_t k = 0; k < kSamples; ++k) std::swap(all[k], all[k + r.next() % (n - k)]);
    all.resize(kSamples);
    return all;
  }

  Reference& ref_;
  const Case& c_;
  const std::vector<int>& wanted_;
};

std::string check_expected(const Case& c, const Golden& g, double tolerance) {
  if (c.expected.empty()) return {};
  if (c.expected.size() != g.outputs.size()) return str("expected ", c.expected.size(), " outputs, got ", g.outputs.size());
  for (size_t k = 0; k < c.expected.size(); ++k) {
    const Expected& e = c.expected[k];
    const Tensor& t = g.outputs[k];
    if (e.shape && *e.shape != t.shape()) return str("output ", k, " has shape ", t.shape(), ", expected ", *e.shape);
    if (e.dtype && *e.dtype != t.dtype()) return str("output ", k, " is ", name_of(t.dtype()), ", expected ", name_of(*e.dtype));
    if (!e.values) continue;
    if (e.values->size() != t.size()) return str("output ", k, " has ", t.size(), " values, expected ", e.values->size());
    // The dtype of expected values is checked above where it was stated; the numbers are compared here.
    std::string d;
    if (t.dtype() == DType::kString) {
      if (t.to_strings() != e.values->to_strings()) d = "strings differ";
    } else {
      const auto got = values_of(t), want = values_of(*e.values);
      for (size_t i = 0; i < got.size() && d.empty(); ++i) {
        const bool same = got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])) ||
                          std::fabs(got[i] - want[i]) <= tolerance * std::max(1.0, std::fabs(want[i]));
        if (!same) d = str("element ", i, " is ", got[i], ", expected ", want[i]);
      }
    }
    if (!d.empty()) return str("output ", k, ": ", d);
  }
  return {};
}

std::vector<int> wanted_gradients(const Case& c) {
  if (!c.grad_all) return c.grad;
  std::vector<int> out;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.inputs[i].dtype() == DType::kFloat32) out.push_back(static_cast<int>(i));
  }
  return out;
}

Golden golden_of(const CaseFile& file, const Case& c) {
  Golden g;
  const auto failed = [&](const std::string& why) {
    g.result = {Outcome::kFail, why};
    return g;
  };
  Reference ref;
  if (!c.error.empty()) {
    std::string message = c.attr_error;
    if (message.empty()) {
      try {
        ref.run(*file.op, c.inputs, c.attrs);
      } catch (const Error& e) {
        if (e.code() == ErrorCode::kInternal) return failed(e.what());
        message = e.what();
      }
    }
    g.throws = true;
    if (message.empty()) return failed("expected an error with '" + c.error + "', got none");
    if (message.find(c.error) == std::string::npos) return failed("expected an error with '" + c.error + "', got: " + message);
    return g;
  }
  const GradientCheck::Evaluate first = [&](std::span<const Tensor> in) { return loss_of(ref.run(*file.op, in, c.attrs)); };
  g.outputs = ref.run(*file.op, c.inputs, c.attrs);
  if (const std::string d = check_expected(c, g, c.tolerance.value_or(std::max(file.op->tolerance, 1e-6))); !d.empty()) return failed(d);

  g.grad_inputs = wanted_gradients(c);
  if (g.grad_inputs.empty()) return g;
  for (size_t k = 0; k < g.outputs.size(); ++k) {
    g.dys.push_back(g.outputs[k].dtype() == DType::kFloat32 ? direction(g.outputs[k], 99 + static_cast<uint32_t>(k)) : Tensor());
  }
  GradientCheck check(ref, c, g.grad_inputs);
  Loss at;
  g.grads = check.gradients(first, &at);
  if (const std::string d = check.compare(first, g.grads, at); !d.empty()) return failed(d);
  if (c.grad2) {
    const GradientCheck::Evaluate second = [&](std::span<const Tensor> in) {
      const Loss l = first(in);
      std::vector<Tensor> xs;
      for (int i : g.grad_inputs) xs.push_back(in[static_cast<size_t>(i)]);
      std::vector<Tensor> dx;
      for (const Tensor& t : ref.grad(l.ys, l.dys, xs)) {
        if (t.defined()) dx.push_back(t);
      }
      return loss_of(dx);
    };
    const auto grads2 = check.gradients(second, &at);
    if (const std::string d = check.compare(second, grads2, at); !d.empty()) return failed("second derivative: " + d);
  }
  return g;
}

}  // namespace

const char* name_of(Outcome o) {
  switch (o) {
    case Outcome::kPass: return "PASS";
    case Outcome::kFail: return "FAIL";
    case Outcome::kUnsupported: return "UNSUPPORTED";
    case Outcome::kExcluded: return "EXCLUDED";
  }
  return "?";
}

std::string difference(const Tensor& got, const Tensor& want, double tolerance) {
  if (got.dtype() != want.dtype()) return str("dtype ", name_of(got.dtype()), " instead of ", name_of(want.dtype()));
  if (got.shape() != want.shape()) return str("shape ", got.shape(), " instead of ", want.shape());
  if (got.dtype() == DType::kString) return got.to_strings() == want.to_strings() ? "" : "strings differ";
  const auto a = values_of(got), b = values_of(want);
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
                      (std::isfinite(a[i]) && std::fabs(a[i] - b[i]) <= tolerance * std::max(1.0, std::fabs(b[i])));
    if (!same) return str("element ", i, " of ", a.size(), " is ", a[i], ", the reference says ", b[i]);
  }
  return {};
}

Golden run_on_reference(const CaseFile& file, const Case& c) {
  try {
    return golden_of(file, c);
  } catch (const std::exception& e) {
    Golden g;
    g.result = {Outcome::kFail, e.what()};
    return g;
  }
}

}  // namespace tsr::cases
