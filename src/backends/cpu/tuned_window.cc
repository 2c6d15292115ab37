// Pooling and resizing on the CPU.
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/kernels/pool.h"
#include "backends/cpu/kernels/resize.h"
#include "backends/cpu/tuned_util.h"
#include "core/window_attrs.h"

namespace tsr::cpu {
namespace {

PoolParams pool_params(const Window2D& w, const Shape& x) {
  PoolParams p;
  p.batch = x[0], p.channels = x[3];
  p.in_h = w.in_h, p.in_w = w.in_w;
  p.out_h = w.out_h, p.out_w = w.out_w;
  p.k_h = w.k_h, p.k_w = w.k_w;
  p.stride_h = w.stride_h, p.stride_w = w.stride_w;
  p.dil_h = w.dil_h, p.dil_w = w.dil_w;
  p.pad_top = w.pad_top, p.pad_left = w.pad_left;
  return p;
}

// A kernel that is one function of float inputs: everything else is captured.
template <typename Fn>
class SimpleKernel : public TunedKernel {
 public:
  SimpleKernel(const char* name, std::vector<int> inputs, size_t scratch, Fn fn)
      : name_(name), inputs_(std::move(inputs)), scratch_(scratch), fn_(std::move(fn)) {}
  size_t scratch_bytes() const override { return scratch_; }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte* scratch) override {
    const float* a = floats(in[static_cast<size_t>(inputs_[0])]);
    const float* b = inputs_.size() > 1 ? floats(in[static_cast<size_t>(inputs_[1])]) : nullptr;
    fn_(a, b, reinterpret_cast<float*>(out), scratch);
  }
  std::string describe() const override { return name_; }

 private:
  const char* name_;
  std::vector<int> inputs_;
  size_t scratch_;
  Fn fn_;
};

template <typename Fn>
std::unique_ptr<TunedKernel> simple(const Group& group, size_t scratch, Fn fn) {
  std::vector<int> inputs;
  for (size_t k = 0; k < group.anchor().inputs.size(); ++k) inputs.push_back(operand_of(group, k));
  return std::make_unique<SimpleKernel<Fn>>(group.anchor().op->name, std::move(inputs), scratch, std::move(fn));
}

template <bool kMax>
std::unique_ptr<TunedKernel> make_pool(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group) || anchor_shape(group, 0).size() == 0) return nullptr;
  const auto& a = group.anchor().attrs.as<Pool2DAttrs>();
  const Shape& x = anchor_shape(group, 0);
  const PoolParams p = pool_params(pool_geometry(group.anchor().op->name, a.window(), a.filter_size, x), x);
  return simple(group, 0, [p, &pool](const float* in, const float*, float* out, std::byte*) {
    if constexpr (kMax) {
      max_pool(p, in, out, pool);
    } else {
      avg_pool(p, in, out, pool);
    }
  });
}

std::unique_ptr<TunedKernel> make_max_pool_grad(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group) || anchor_shape(group, 0).size() == 0) return nullptr;
  // Inputs are (dy, x): told apart by the op's own names.
  const auto& defs = group.anchor().op->inputs;
  int x_at = -1;
  int dy_at = -1;
  for (size_t i = 0; i < defs.size() && i < group.anchor().inputs.size(); ++i) {
    if (std::string_view(defs[i].name) == "x") x_at = static_cast<int>(i);
    if (std::string_view(defs[i].name) == "dy") dy_at = static_cast<int>(i);
  }
  if (x_at < 0 || dy_at < 0 || group.anchor().inputs.size() != 2) return nullptr;
  const auto& a = group.anchor().attrs.as<Pool2DAttrs>();
  const Shape& x = anchor_shape(group, static_cast<size_t>(x_at));
  const PoolParams p = pool_params(pool_geometry("maxPoolGrad", a.window(), a.filter_size, x), x);
  const bool x_first = x_at == 0;
  return simple(group, 0, [p, x_first, &pool](const float* in0, const float* in1, float* out, std::byte*) {
    max_pool_backprop(p, x_first ? in0 : in1, x_first ? in1 : in0, out, pool);
  });
}

std::unique_ptr<TunedKernel> make_avg_pool_grad(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group) || anchor_shape(group, 0).size() == 0) return nullptr;
  const auto& a = group.anchor().attrs.as<PoolGradAttrs>();
  const Shape x(a.input_shape);
  const PoolParams p = pool_params(pool_geometry("avgPoolGrad", a.window(), a.filter_size, x), x);
  return simple(group, 0, [p, &pool](const float* in, const float*, float* out, std::byte*) { avg_pool_backprop(p, in, out, pool); });
}

ResizeParams resize_params(const ResizeAttrs& a, const Shape& x, const Shape& y) {
  ResizeParams p;
  p.batch = x[0], p.channels = x[3];
  p.in_h = x[1], p.in_w = x[2];
  p.out_h = y[1], p.out_w = y[2];
  p.align_corners = a.align_corners;
  p.half_pixel_centers = a.half_pixel_centers;
  return p;
}

std::unique_ptr<TunedKernel> make_bilinear(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group) || anchor_shape(group, 0).size() == 0) return nullptr;
  const ResizeParams p =
      resize_params(group.anchor().attrs.as<ResizeAttrs>(), anchor_shape(group, 0), group.anchor().type.shape);
  return simple(group, resize_scratch_bytes(p),
                [p, &pool](const float* in, const float*, float* out, std::byte* scratch) { resize_bilinear(p, in, out, scratch, pool); });
}

std::unique_ptr<TunedKernel> make_bilinear_grad(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group) || anchor_shape(group, 0).size() == 0) return nullptr;
  const ResizeParams p =
      resize_params(group.anchor().attrs.as<ResizeAttrs>(), group.anchor().type.shape, anchor_shape(group, 0));
  return simple(group, 0, [p, &pool](const float* in, const float*, float* out, std::byte*) { resize_bilinear_backprop(p, in, out, pool); });
}

const RegisterTuned kMaxPool("maxPool", make_pool<true>);
const RegisterTuned kAvgPool("avgPool", make_pool<false>);
const RegisterTuned kMaxPoolGrad("maxPoolGrad", make_max_pool_grad);
const RegisterTuned kAvgPoolGrad("avgPoolGrad", make_avg_pool_grad);
const RegisterTuned kBilinear("resizeBilinear", make_bilinear);
const RegisterTuned kBilinearGrad("resizeBilinearGrad", make_bilinear_grad);

}  // namespace
}  // namespace tsr::cpu
