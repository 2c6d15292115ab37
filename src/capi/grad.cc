// Gradients, and the way back into the host for functions whose gradient it computes itself.
#include <utility>

#include "capi/errors.h"
#include "capi/tensors.h"
#include "runtime/engine.h"

namespace tsr::capi {
namespace {

tsr_custom_grad_fn g_callback = nullptr;

// Everything the callback makes but does not keep is gone when it returns; the gradients themselves live on as values.
class CallbackScope {
 public:
  CallbackScope() { Tensors::get().begin_scope(); }
  ~CallbackScope() {
    guard(0, [] {
      Tensors::get().end_scope({});
      return 0;
    });
  }
};

std::vector<Tensor> call_back(int id, size_t num_inputs, std::span<const Tensor> grads) {
  require(g_callback != nullptr, "[customGrad] no callback is set");
  Tensors& tensors = Tensors::get();
  const CallbackScope scope;
  std::vector<tsr_tensor> dys;
  for (const Tensor& g : grads) dys.push_back(g.defined() ? tensors.add(g) : TSR_NONE);
  std::vector<tsr_tensor> dxs(num_inputs, TSR_NONE);
  const int status = g_callback(id, dys.data(), static_cast<int>(dys.size()), dxs.data(), static_cast<int>(dxs.size()));
  if (status < 0) fail(ErrorCode::kInternal, "[customGrad] the gradient function failed");
  std::vector<Tensor> out;
  for (const tsr_tensor t : dxs) out.push_back(t == TSR_NONE ? Tensor() : tensors.value(t, "customGrad", "gradient"));
  return out;
}

int grad(tsr_tensor y, tsr_tensor dy, const tsr_tensor* xs, int num_xs, tsr_tensor* out) {
  Tensors& tensors = Tensors::get();
  const Tensor target = tensors.value(y, "grad", "y");
  const Tensor seed = dy == TSR_NONE ? Tensor() : tensors.value(dy, "grad", "dy");
  const std::vector<Tensor> wrt = tensors.values(xs, num_xs, "grad");
  std::vector<Tensor> grads = Engine::get().grad(target, seed, wrt);
  check(grads.size() == wrt.size(), "grad gave ", grads.size(), " tensors for ", wrt.size());
  std::vector<Tensor> defined;
  for (const Tensor& g : grads) {
    if (g.defined()) defined.push_back(g);
  }
  std::vector<tsr_tensor> handles(defined.size());
  tensors.add_all(std::move(defined), handles.data(), static_cast<int>(handles.size()));
  size_t next = 0;
  for (size_t i = 0; i < grads.size(); ++i) out[i] = grads[i].defined() ? handles[next++] : TSR_NONE;
  return num_xs;
}

}  // namespace
}  // namespace tsr::capi

using tsr::capi::guard;
using tsr::capi::Tensors;

extern "C" {

int tsr_tape_begin(void) {
  return guard(-1, [] {
    tsr::Engine::get().begin_tape();
    return 0;
  });
}

int tsr_tape_end(void) {
  return guard(-1, [] {
    tsr::Engine::get().end_tape();
    return 0;
  });
}

int tsr_grad(tsr_tensor y, tsr_tensor dy, const tsr_tensor* xs, int num_xs, tsr_tensor* out) {
  return guard(-1, [&] { return tsr::capi::grad(y, dy, xs, num_xs, out); });
}

int tsr_custom_grad(int id, const tsr_tensor* inputs, int num_inputs, const tsr_tensor* outputs, int num_outputs,
                    tsr_tensor* new_outputs) {
  return guard(-1, [&] {
    const std::vector<tsr::Tensor> in = Tensors::get().values(inputs, num_inputs, "customGrad");
    const std::vector<tsr::Tensor> out = Tensors::get().values(outputs, num_outputs, "customGrad");
    const size_t n = in.size();
    auto made = tsr::Engine::get().custom_grad(
        in, out, [id, n](std::span<const tsr::Tensor> grads) { return tsr::capi::call_back(id, n, grads); });
    return Tensors::get().add_all(std::move(made), new_outputs, num_outputs);
  });
}

void tsr_set_custom_grad_callback(tsr_custom_grad_fn fn) { tsr::capi::g_callback = fn; }

}  // extern "C"
