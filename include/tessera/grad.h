// Gradients of C++ functions over tensors, by reverse-mode differentiation.
//
//   tsr::Tensor x = tsr::Tensor::scalar(3);
//   auto [y, dx] = tsr::value_and_grad([](const tsr::Tensor& v) { return tsr::mul(v, v); }, x);   // 9 and 6
//
// The function is called once, at once; calls of grad inside it give higher-order gradients.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tessera/tensor.h"

namespace tsr {

using TensorFn = std::function<Tensor(const Tensor&)>;
using TensorsFn = std::function<Tensor(std::span<const Tensor>)>;

struct ValueAndGrads {
  Tensor value;
  /// One for each x, of its shape; zeros where the value does not depend on it.
  std::vector<Tensor> grads;
};

/// f(xs) and d(sum(f(xs) * dy)) / dx for each x; dy (of f's shape) defaults to ones. Throws when f's result is not float32, or an op on
/// the way is not differentiable (naming it).
ValueAndGrads value_and_grads(const TensorsFn& f, std::span<const Tensor> xs, const Tensor& dy = {});

struct ValueAndGrad {
  Tensor value, grad;
};
ValueAndGrad value_and_grad(const TensorFn& f, const Tensor& x, const Tensor& dy = {});

/// The gradient alone.
Tensor grad(const TensorFn& f, const Tensor& x, const Tensor& dy = {});

/// A result whose gradient the caller states: `f` computes it from the inputs without being recorded, and `gradient` gets dy and the
/// result and returns one gradient for each input (an undefined Tensor where none flows).
using GradientFn = std::function<std::vector<Tensor>(const Tensor& dy, const Tensor& result)>;
Tensor custom_gradient(const TensorsFn& f, GradientFn gradient, std::span<const Tensor> inputs);

}  // namespace tsr
