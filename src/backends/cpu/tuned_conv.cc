// Convolutions on the CPU: conv2d, its gradients, depthwise.
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/kernels/conv.h"
#include "backends/cpu/kernels/conv_backprop.h"
#include "backends/cpu/kernels/depthwise.h"
#include "backends/cpu/repack.h"
#include "backends/cpu/tuned_util.h"
#include "core/window_attrs.h"

namespace tsr::cpu {
namespace {

Conv2DParams params_of(const Conv2DGeometry& g) {
  Conv2DParams p;
  const Window2D& w = g.window;
  p.batch = g.batch;
  p.in_h = w.in_h, p.in_w = w.in_w, p.in_c = g.in_c;
  p.out_h = w.out_h, p.out_w = w.out_w, p.out_c = g.out_c;
  p.k_h = w.k_h, p.k_w = w.k_w;
  p.stride_h = w.stride_h, p.stride_w = w.stride_w;
  p.dil_h = w.dil_h, p.dil_w = w.dil_w;
  p.pad_top = w.pad_top, p.pad_left = w.pad_left;
  p.groups = g.groups;
  return p;
}

DepthwiseParams depthwise_of(const Conv2DGeometry& g) {
  DepthwiseParams p;
  const Window2D& w = g.window;
  p.batch = g.batch;
  p.in_h = w.in_h, p.in_w = w.in_w, p.channels = g.in_c;
  p.multiplier = g.multiplier;
  p.out_h = w.out_h, p.out_w = w.out_w;
  p.k_h = w.k_h, p.k_w = w.k_w;
  p.stride_h = w.stride_h, p.stride_w = w.stride_w;
  p.dil_h = w.dil_h, p.dil_w = w.dil_w;
  p.pad_top = w.pad_top, p.pad_left = w.pad_left;
  return p;
}

RowOp row_op(const Conv2DGeometry& g, int64_t out_c) {
  const Window2D& w = g.window;
  RowOp op;
  op.batch = g.batch;
  op.window = {w.k_h, w.stride_h, w.dil_h, w.pad_top, w.in_h};
  op.in_row = w.in_w * g.in_c;
  op.out_row = w.out_w * out_c;
  op.out_rows = w.out_h;
  return op;
}

class ConvKernel : public TunedKernel {
 public:
  ConvKernel(const Group& group, const Conv2DGeometry& geometry, ThreadPool& pool)
      : pool_(pool), x_(operand_of(group, 0)), filter_(operand_of(group, 1)) {
    const Ref<Storage>& constant = group.operands[static_cast<size_t>(filter_)].constant;
    plan_ = conv2d_plan(params_of(geometry), constant ? constant->form() : StoredForm{});
    if (!constant) return;
    if (!plan_.packed_form.narrow() && conv2d_can_unpack(plan_)) constant->host();  // widens it for good: the panels replace it below
    const StoredForm form = constant->form();
    const auto pack = [&](const std::byte* from, std::byte* to) { conv2d_pack(plan_, {from, form}, to, pool_); };
    if (conv2d_can_unpack(plan_) && form.dtype == plan_.packed_form.dtype) {
      packed_ = repack(*constant, conv2d_packed_size(plan_), pack,
                       [plan = plan_](const std::byte* packed, std::byte* to) { conv2d_unpack(plan, packed, to); });
    } else {
      packed_ = Ref<HostBuffer>(new HostBuffer(conv2d_packed_size(plan_)));
      pack(constant->stored().data, packed_->data());
    }
  }
  size_t scratch_bytes() const override { return own_scratch() + (packed_ ? 0 : conv2d_packed_size(plan_)); }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue& e, std::byte* scratch) override {
    const std::byte* packed = packed_ ? packed_->data() : nullptr;
    if (!packed) {
      std::byte* place = scratch + own_scratch();
      conv2d_pack(plan_, {in[static_cast<size_t>(filter_)].host}, place, pool_);
      packed = place;
    }
    conv2d(plan_, floats(in[static_cast<size_t>(x_)]), packed, reinterpret_cast<float*>(out), e, scratch, pool_);
  }
  bool reads_operand(int i) const override { return i == x_ || (i == filter_ && !packed_); }
  std::string describe() const override { return std::string("conv2d[") + name_of(plan_.algorithm) + "]"; }
  size_t row_scratch_bytes() const override { return conv2d_scratch_bytes(plan_, 1); }
  void run_rows(std::span<const BufferView>, const ImageRows& x, const ImageRows& y, int64_t image, int64_t first, int64_t last,
                const Epilogue& e, std::byte* scratch) override {
    conv2d_rows(plan_, x, packed_->data(), y, e, image, first, last, scratch);
  }

 private:
  size_t own_scratch() const { return (conv2d_scratch_bytes(plan_, pool_.size()) + 63) / 64 * 64; }
  Conv2DPlan plan_;
  ThreadPool& pool_;
  int x_, filter_;
  Ref<HostBuffer> packed_;
};

std::unique_ptr<TunedKernel> make_conv2d(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group)) return nullptr;
  const auto& n = group.anchor();
  const Conv2DGeometry g = conv2d_geometry("conv2d", n.attrs.as<Conv2DAttrs>().window(), anchor_shape(group, 0), anchor_shape(group, 1));
  if (g.in_c == 0 || anchor_shape(group, 0).size() == 0) return nullptr;
  return std::make_unique<ConvKernel>(group, g, pool);
}

std::optional<RowOp> conv2d_rows_of(const Group& group) {
  if (!anchor_is_float(group)) return {};
  const Conv2DGeometry g =
      conv2d_geometry("conv2d", group.anchor().attrs.as<Conv2DAttrs>().window(), anchor_shape(group, 0), anchor_shape(group, 1));
  const Ref<Storage>& filter = group.operands[static_cast<size_t>(operand_of(group, 1))].constant;
  if (!filter || g.in_c == 0 || anchor_shape(group, 0).size() == 0) return {};  // a filter that may change is packed for each run
  const Conv2DPlan plan = conv2d_plan(params_of(g), filter->form());
  if (!conv2d_has_rows(plan)) return {};
  RowOp op = row_op(g, g.out_c);
  op.whole_input = plan.algorithm == ConvAlgorithm::kStrips;
  op.weight_bytes = conv2d_packed_size(plan);
  return op;
}

class DepthwiseKernel : public TunedKernel {
 public:
  DepthwiseKernel(const Group& group, const Conv2DGeometry& g, ThreadPool& pool)
      : params_(depthwise_of(g)), pool_(pool), x_(operand_of(group, 0)), filter_(operand_of(group, 1)) {}
  size_t scratch_bytes() const override { return depthwise_scratch_bytes(params_, pool_.size()); }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue& e, std::byte* scratch) override {
    depthwise_conv2d(params_, floats(in[static_cast<size_t>(x_)]), floats(in[static_cast<size_t>(filter_)]),
                     reinterpret_cast<float*>(out), e, scratch, pool_);
  }
  std::string describe() const override { return "depthwiseConv2d"; }
  size_t row_scratch_bytes() const override { return depthwise_scratch_bytes(params_, 1); }
  void run_rows(std::span<const BufferView> in, const ImageRows& x, const ImageRows& y, int64_t image, int64_t first,
                int64_t last, const Epilogue& e, std::byte* scratch) override {
    depthwise_rows(params_, x, floats(in[static_cast<size_t>(filter_)]), y, e, image, first, last, scratch);
  }

 private:
  DepthwiseParams params_;
  ThreadPool& pool_;
  int x_, filter_;
};

std::unique_ptr<TunedKernel> make_depthwise(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group)) return nullptr;
  const auto& n = group.anchor();
  const Conv2DGeometry g =
      depthwise_geometry("depthwiseConv2d", n.attrs.as<Conv2DAttrs>().window(), anchor_shape(group, 0), anchor_shape(group, 1));
  if (anchor_shape(group, 0).size() == 0) return nullptr;
  return std::make_unique<DepthwiseKernel>(group, g, pool);
}

std::optional<RowOp> depthwise_rows_of(const Group& group) {
  if (!anchor_is_float(group) || anchor_shape(group, 0).size() == 0) return {};
  const Conv2DGeometry g = depthwise_geometry("depthwiseConv2d", group.anchor().attrs.as<Conv2DAttrs>().window(),
                                              anchor_shape(group, 0), anchor_shape(group, 1));
  return row_op(g, g.in_c * g.multiplier);
}

// conv2dBackpropInput(dy, filter): the transposed convolution.
class BackpropInputKernel : public TunedKernel {
 public:
  BackpropInputKernel(const Group& group, const Conv2DParams& forward, ThreadPool& pool)
      : forward_(forward), pool_(pool), dy_(operand_of(group, 0)), filter_(operand_of(group, 1)) {
    if (const Ref<Storage>& constant = group.operands[static_cast<size_t>(filter_)].constant) {
      const Storage::HostBytes bytes = constant->stored();
      packed_ = Ref<HostBuffer>(new HostBuffer(conv2d_backprop_input_packed_size(forward_)));
      conv2d_backprop_input_pack(forward_, {bytes.data, constant->form()}, packed_->data(), pool_);
    }
  }
  size_t scratch_bytes() const override {
    return own_scratch() + (packed_ ? 0 : conv2d_backprop_input_packed_size(forward_));
  }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue& e, std::byte* scratch) override {
    const std::byte* packed = packed_ ? packed_->data() : nullptr;
    if (!packed) {
      std::byte* place = scratch + own_scratch();
      conv2d_backprop_input_pack(forward_, {in[static_cast<size_t>(filter_)].host}, place, pool_);
      packed = place;
    }
    conv2d_backprop_input(forward_, floats(in[static_cast<size_t>(dy_)]), packed, reinterpret_cast<float*>(out), e, scratch, pool_);
  }
  bool reads_operand(int i) const override { return i == dy_ || (i == filter_ && !packed_); }
  std::string describe() const override { return "conv2dBackpropInput"; }

 private:
  size_t own_scratch() const { return (conv2d_backprop_input_scratch_bytes(forward_, pool_.size()) + 63) / 64 * 64; }
  Conv2DParams forward_;
  ThreadPool& pool_;
  int dy_, filter_;
  Ref<HostBuffer> packed_;
};

std::unique_ptr<TunedKernel> make_backprop_input(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group)) return nullptr;
  const auto& a = group.anchor().attrs.as<ConvBackpropInputAttrs>();
  const Conv2DGeometry g =
      conv2d_geometry("conv2dBackpropInput", a.window(), Shape(a.input_shape), anchor_shape(group, 1));
  if (g.groups != 1 || anchor_shape(group, 0).size() == 0) return nullptr;
  return std::make_unique<BackpropInputKernel>(group, params_of(g), pool);
}

class BackpropFilterKernel : public TunedKernel {
 public:
  BackpropFilterKernel(const Group& group, const Conv2DParams& forward, ThreadPool& pool)
      : forward_(forward), pool_(pool), x_(operand_of(group, 0)), dy_(operand_of(group, 1)) {}
  size_t scratch_bytes() const override { return conv2d_backprop_filter_scratch_bytes(forward_, pool_.size()); }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte* scratch) override {
    conv2d_backprop_filter(forward_, floats(in[static_cast<size_t>(x_)]), floats(in[static_cast<size_t>(dy_)]),
                           reinterpret_cast<float*>(out), scratch, pool_);
  }
  std::string describe() const override { return "conv2dBackpropFilter"; }

 private:
  Conv2DParams forward_;
  ThreadPool& pool_;
  int x_, dy_;
};

std::unique_ptr<TunedKernel> make_backprop_filter(const Group& group, ThreadPool& pool) {
  if (!anchor_is_float(group)) return nullptr;
  const auto& a = group.anchor().attrs.as<ConvBackpropFilterAttrs>();
  const Conv2DGeometry g =
      conv2d_geometry("conv2dBackpropFilter", a.window(), anchor_shape(group, 0), Shape(a.filter_shape));
  if (g.groups != 1 || anchor_shape(group, 0).size() == 0) return nullptr;
  return std::make_unique<BackpropFilterKernel>(group, params_of(g), pool);
}

const RegisterTuned kConv("conv2d", make_conv2d, true, conv2d_rows_of);
const RegisterTuned kDepthwise("depthwiseConv2d", make_depthwise, true, depthwise_rows_of);
const RegisterTuned kBackpropInput("conv2dBackpropInput", make_backprop_input, true);
const RegisterTuned kBackpropFilter("conv2dBackpropFilter", make_backprop_filter);

}  // namespace
}  // namespace tsr::cpu
