// Cases on devices: single launches in poisoned memory, then the op and its gradients through the engine.
#include <algorithm>
#include <cstring>
#include <memory>

#include "case_runner.h"
#include "core/tensor_impl.h"
#include "graph/group.h"
#include "runtime/device.h"
#include "runtime/engine.h"

namespace tsr::cases {
namespace {

// Bytes around each output that must stay as they were, and what they and the output are filled with: a NaN as float32, an absurd
// number as int32, neither 0 nor 1 as bool.
constexpr size_t kGuard = 256;
constexpr int kPoison = 0xFB;
// Kernels may read (not write) this far beyond an operand: what HostBuffer promises.
constexpr size_t kSlack = 64;
// Gradients are sums over the op's own results: a looser bound than the op's.
constexpr double kGradientFactor = 10;

// Memory aligned like a HostBuffer's, with guards around.
class Guarded {
 public:
  explicit Guarded(size_t bytes) : bytes_(bytes), size_((bytes + kSlack + 2 * kGuard + 63) / 64 * 64) {
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(64, size_)));
    std::memset(memory_.get(), kPoison, size_);
  }
  std::byte* data() { return memory_.get() + kGuard; }
  bool intact() const {
    for (size_t i = 0; i < size_; ++i) {
      const bool inside = i >= kGuard && i < kGuard + bytes_;
      if (!inside && memory_.get()[i] != std::byte{kPoison}) return false;
    }
    return true;
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  size_t bytes_, size_;
  std::unique_ptr<std::byte, Free> memory_;
};

size_t bytes_of(const TensorType& t) { return static_cast<size_t>(t.shape.size()) * size_of(t.dtype); }

Tensor launch_on_host(Launch& launch, std::span<const Tensor> inputs, const TensorType& result, std::string& fault) {
  std::vector<std::unique_ptr<Guarded>> copies;
  std::vector<BufferView> views;
  for (const Tensor& t : inputs) {
    copies.push_back(std::make_unique<Guarded>(bytes_of(t.type())));
    const auto bytes = t.to_bytes();
    if (!bytes.empty()) std::memcpy(copies.back()->data(), bytes.data(), bytes.size());
    views.push_back({copies.back()->data(), nullptr});
  }
  Guarded out(bytes_of(result)), scratch(launch.scratch_bytes());
  launch.run(views, {out.data(), nullptr}, scratch.data());
  if (!out.intact()) fault = "wrote outside its output";
  if (!scratch.intact()) fault = "wrote outside its scratch memory";
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto bytes = inputs[i].to_bytes();
    if (!copies[i]->intact() || (!bytes.empty() && std::memcmp(copies[i]->data(), bytes.data(), bytes.size()) != 0)) {
      fault = str("changed its input ", i);
    }
  }
  return Tensor::from_bytes({out.data(), bytes_of(result)}, result.dtype, result.shape);
}

Tensor launch_on_gpu(Device& device, Launch& launch, std::span<const Tensor> inputs, const TensorType& result) {
  std::vector<Ref<DeviceBuffer>> buffers;
  std::vector<BufferView> views;
  for (const Tensor& t : inputs) {
    buffers.push_back(device.allocate(t.type()));
    device.upload(*buffers.back(), t.type(), t.to_bytes().data());
    views.push_back({nullptr, buffers.back().get()});
  }
  Ref<DeviceBuffer> out = device.allocate(result);
  std::vector<std::byte> host(bytes_of(result), std::byte{kPoison});
  device.upload(*out, result, host.data());
  launch.run(views, {nullptr, out.get()}, nullptr);
  device.submit();
  const int request = device.begin_read(*out, result);
  device.read_wait(request);
  device.take_read(request, host.data());
  return Tensor::from_bytes(host, result.dtype, result.shape);
}

Tensor copy_of(const Tensor& t) {
  if (t.dtype() == DType::kString) return Tensor::from_strings(t.to_strings(), t.shape());
  return Tensor::from_bytes(t.to_bytes(), t.dtype(), t.shape());
}

// Closes the tape when the gradient call throws, too.
struct TapeScope {
  TapeScope() { Engine::get().begin_tape(); }
  ~TapeScope() { Engine::get().end_tape(); }
};

Result run_through_engine(const CaseFile& file, const Case& c, const Golden& golden, double tolerance) {
  std::vector<Tensor> inputs;
  for (const Tensor& t : c.inputs) inputs.push_back(copy_of(t));  // fresh: nothing left on another device
  {
    const std::vector<Tensor> out = apply(*file.op, inputs, c.attrs);
    if (out.size() != golden.outputs.size()) return {Outcome::kFail, str(out.size(), " outputs instead of ", golden.outputs.size())};
    for (size_t k = 0; k < out.size(); ++k) {
      const std::string d = difference(copy_of(out[k]), golden.outputs[k], tolerance);
      if (!d.empty()) return {Outcome::kFail, str("output ", k, ": ", d)};
    }
  }
  if (golden.grad_inputs.empty()) return {};
  TapeScope tape;
  const std::vector<Tensor> out = apply(*file.op, inputs, c.attrs);
  std::vector<Tensor> xs;
  for (int i : golden.grad_inputs) xs.push_back(inputs[static_cast<size_t>(i)]);
  std::vector<Tensor> sums(xs.size());
  for (size_t k = 0; k < out.size(); ++k) {
    if (!golden.dys[k].defined()) continue;
    const auto g = Engine::get().grad(out[k], copy_of(golden.dys[k]), xs);
    for (size_t i = 0; i < g.size(); ++i) {
      if (g[i].defined()) sums[i] = sums[i].defined() ? apply1(get_op("add"), {sums[i], g[i]}) : g[i];
    }
  }
  const double loose = std::max(kGradientFactor * tolerance, 1e-4);
  for (size_t i = 0; i < xs.size(); ++i) {
    const Tensor& want = golden.grads[i];
    if (!want.defined() && !sums[i].defined()) continue;
    Tensor zero;
    if (!want.defined() || !sums[i].defined()) zero = apply1(get_op("zerosLike"), {xs[i]});
    const std::string d = difference(copy_of(sums[i].defined() ? sums[i] : zero), want.defined() ? want : copy_of(zero), loose);
    if (!d.empty()) return {Outcome::kFail, str("gradient in input ", golden.grad_inputs[i], ": ", d)};
  }
  return {};
}

}  // namespace

Result run_as_launches(const CaseFile& file, const Case& c, const Golden& golden, Device& device, int constant) {
  const double tolerance = c.tolerance.value_or(file.op->tolerance);
  std::vector<TensorType> types;
  for (const Tensor& t : c.inputs) types.push_back(t.type());
  for (size_t k = 0; k < golden.outputs.size(); ++k) {
    const TensorType result = golden.outputs[k].type();
    if (result.shape.size() == 0) continue;
    Group group = single_op_group(*file.op, c.attrs, types, result, static_cast<int>(k));
    if (constant >= 0) {
      const auto weight = static_cast<size_t>(constant);
      group.operands[weight].constant = copy_of(c.inputs[weight]).impl()->storage;
    }
    const auto launch = device.compile(group);
    std::string fault;
    const Tensor got =
        device.is_host() ? launch_on_host(*launch, c.inputs, result, fault) : launch_on_gpu(device, *launch, c.inputs, result);
    if (fault.empty()) fault = difference(got, golden.outputs[k], tolerance);
    if (!fault.empty()) return {Outcome::kFail, str("launch ", launch->describe(), ", output ", k, ": ", fault)};
  }
  return {};
}

Result run_on_device(const CaseFile& file, const Case& c, const Golden& golden, const std::string& device) {
  const auto excluded = c.exclude.find(device);
  if (excluded != c.exclude.end()) return {Outcome::kExcluded, excluded->second};
  if (golden.throws || golden.result.outcome != Outcome::kPass) return golden.result;
  const double tolerance = c.tolerance.value_or(file.op->tolerance);
  try {
    if (file.op->body) {
      Result r = run_as_launches(file, c, golden, get_device(device));
      if (r.outcome != Outcome::kPass) return r;
    }
    return run_through_engine(file, c, golden, tolerance);
  } catch (const Error& e) {
    return {e.code() == ErrorCode::kUnsupported ? Outcome::kUnsupported : Outcome::kFail, e.what()};
  } catch (const std::exception& e) {
    return {Outcome::kFail, e.what()};
  }
}

}  // namespace tsr::cases
