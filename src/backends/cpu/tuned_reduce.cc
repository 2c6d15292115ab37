// Reductions and running sums on the CPU, where the reduced axes are neighbours (others go to the tile program).
#include <algorithm>

#include "backends/cpu/cpu_device.h"
#include "backends/cpu/kernels/reduce.h"
#include "backends/cpu/kernels/rows.h"
#include "backends/cpu/tuned_util.h"
#include "core/array_attrs.h"

namespace tsr::cpu {
namespace {

// [outer, reduce, inner] when the axes (sorted) are consecutive once extents of 1 are left out; false otherwise.
bool as_middle(const Shape& x, const std::vector<int>& axes, ReduceShape& out) {
  out = {};
  int phase = 0;  // before, within, after the reduced axes
  for (int d = 0; d < x.rank(); ++d) {
    if (x[d] == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (reduced && phase == 2) return false;
    if (reduced) phase = 1;
    if (!reduced && phase == 1) phase = 2;
    (phase == 0 ? out.outer : phase == 1 ? out.reduce : out.inner) *= x[d];
  }
  return true;
}

class ReduceKernel : public TunedKernel {
 public:
  using Fn = void (*)(const ReduceKernel&, const std::byte* x, std::byte* y, std::byte* scratch);
  ReduceKernel(const Group& group, const ReduceShape& shape, size_t scratch, Fn fn, ThreadPool& pool)
      : shape(shape), pool(pool), name_(group.anchor().op->name), x_(operand_of(group, 0)), scratch_(scratch), fn_(fn) {}
  size_t scratch_bytes() const override { return scratch_; }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte* scratch) override {
    fn_(*this, in[static_cast<size_t>(x_)].host, out, scratch);
  }
  std::string describe() const override { return name_; }

  const ReduceShape shape;
  ThreadPool& pool;

 private:
  const char* name_;
  int x_;
  size_t scratch_;
  Fn fn_;
};

const float* f32(const std::byte* p) { return reinterpret_cast<const float*>(p); }
const int32_t* i32(const std::byte* p) { return reinterpret_cast<const int32_t*>(p); }
const uint8_t* u8(const std::byte* p) { return reinterpret_cast<const uint8_t*>(p); }

template <ReduceOp op>
std::unique_ptr<TunedKernel> make_reduce(const Group& group, ThreadPool& pool) {
  const TensorType& x = anchor_type(group, 0);
  if (x.shape.size() == 0) return nullptr;
  const auto& a = group.anchor().attrs.as<ReduceAttrs>();
  const std::vector<int> axes = normalize_axes(group.anchor().op->name, a.axis, x.shape.rank(), true);
  ReduceShape shape;
  if (!as_middle(x.shape, axes, shape)) return nullptr;
  const size_t scratch = reduce_scratch_bytes(shape, pool.size());
  if (x.dtype == DType::kFloat32 && group.anchor().type.dtype == DType::kFloat32) {
    return std::make_unique<ReduceKernel>(group, shape, scratch, [](const ReduceKernel& k, const std::byte* in, std::byte* out, std::byte* s) {
      reduce_f32(op, k.shape, f32(in), reinterpret_cast<float*>(out), s, k.pool);
    }, pool);
  }
  if (op != ReduceOp::kMean && x.dtype == DType::kInt32 && group.anchor().type.dtype == DType::kInt32) {
    return std::make_unique<ReduceKernel>(group, shape, scratch, [](const ReduceKernel& k, const std::byte* in, std::byte* out, std::byte* s) {
      reduce_i32(op, k.shape, i32(in), reinterpret_cast<int32_t*>(out), s, k.pool);
    }, pool);
  }
  return nullptr;
}

template <bool kAny>
std::unique_ptr<TunedKernel> make_any_all(const Group& group, ThreadPool& pool) {
  const TensorType& x = anchor_type(group, 0);
  if (x.shape.size() == 0 || x.dtype != DType::kBool) return nullptr;
  const auto& a = group.anchor().attrs.as<ReduceAttrs>();
  ReduceShape shape;
  if (!as_middle(x.shape, normalize_axes(group.anchor().op->name, a.axis, x.shape.rank(), true), shape)) return nullptr;
  return std::make_unique<ReduceKernel>(group, shape, 0, [](const ReduceKernel& k, const std::byte* in, std::byte* out, std::byte*) {
    if constexpr (kAny) {
      reduce_any(k.shape, u8(in), reinterpret_cast<uint8_t*>(out), k.pool);
    } else {
      reduce_all(k.shape, u8(in), reinterpret_cast<uint8_t*>(out), k.pool);
    }
  }, pool);
}

template <bool kMax>
std::unique_ptr<TunedKernel> make_arg(const Group& group, ThreadPool& pool) {
  const TensorType& x = anchor_type(group, 0);
  if (x.shape.size() == 0 || (x.dtype != DType::kFloat32 && x.dtype != DType::kInt32)) return nullptr;
  const int axis = normalize_axis(group.anchor().op->name, group.anchor().attrs.as<ArgReduceAttrs>().axis, x.shape.rank());
  ReduceShape shape;
  for (int d = 0; d < x.shape.rank(); ++d) (d < axis ? shape.outer : d == axis ? shape.reduce : shape.inner) *= x.shape[d];
  if (x.dtype == DType::kFloat32) {
    return std::make_unique<ReduceKernel>(group, shape, 0, [](const ReduceKernel& k, const std::byte* in, std::byte* out, std::byte*) {
      (kMax ? arg_max_f32 : arg_min_f32)(k.shape, f32(in), reinterpret_cast<int32_t*>(out), k.pool);
    }, pool);
  }
  return std::make_unique<ReduceKernel>(group, shape, 0, [](const ReduceKernel& k, const std::byte* in, std::byte* out, std::byte*) {
    (kMax ? arg_max_i32 : arg_min_i32)(k.shape, i32(in), reinterpret_cast<int32_t*>(out), k.pool);
  }, pool);
}

class CumulativeKernel : public TunedKernel {
 public:
  CumulativeKernel(const Group& group, bool product, ThreadPool& pool) : pool_(pool), product_(product), x_(operand_of(group, 0)) {
    const TensorType& x = anchor_type(group, 0);
    const auto& a = group.anchor().attrs.as<CumulativeAttrs>();
    const int axis = normalize_axis(group.anchor().op->name, a.axis, x.shape.rank());
    for (int d = 0; d < x.shape.rank(); ++d) (d < axis ? s_.outer : d == axis ? s_.reduce : s_.inner) *= x.shape[d];
    exclusive_ = a.exclusive;
    reverse_ = a.reverse;
    is_float_ = x.dtype == DType::kFloat32;
  }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte*) override {
    const std::byte* x = in[static_cast<size_t>(x_)].host;
    if (is_float_) {
      (product_ ? cumprod_f32 : cumsum_f32)(s_.outer, s_.reduce, s_.inner, exclusive_, reverse_, f32(x), reinterpret_cast<float*>(out), pool_);
    } else {
      (product_ ? cumprod_i32 : cumsum_i32)(s_.outer, s_.reduce, s_.inner, exclusive_, reverse_, i32(x), reinterpret_cast<int32_t*>(out), pool_);
    }
  }
  std::string describe() const override { return product_ ? "cumprod" : "cumsum"; }

 private:
  ThreadPool& pool_;
  bool product_, exclusive_ = false, reverse_ = false, is_float_ = true;
  int x_;
  ReduceShape s_;
};

template <bool kProduct>
std::unique_ptr<TunedKernel> make_cumulative(const Group& group, ThreadPool& pool) {
  const TensorType& x = anchor_type(group, 0);
  if (x.shape.size() == 0 || x.dtype != group.anchor().type.dtype) return nullptr;
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kInt32) return nullptr;
  return std::make_unique<CumulativeKernel>(group, kProduct, pool);
}

const RegisterTuned kSum("sum", make_reduce<ReduceOp::kSum>);
const RegisterTuned kMean("mean", make_reduce<ReduceOp::kMean>);
const RegisterTuned kProd("prod", make_reduce<ReduceOp::kProd>);
const RegisterTuned kMax("max", make_reduce<ReduceOp::kMax>);
const RegisterTuned kMin("min", make_reduce<ReduceOp::kMin>);
const RegisterTuned kAny("any", make_any_all<true>);
const RegisterTuned kAll("all", make_any_all<false>);
const RegisterTuned kArgMax("argMax", make_arg<true>);
const RegisterTuned kArgMin("argMin", make_arg<false>);
const RegisterTuned kCumsum("cumsum", make_cumulative<false>);
const RegisterTuned kCumprod("cumprod", make_cumulative<true>);

}  // namespace
}  // namespace tsr::cpu
