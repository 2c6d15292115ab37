// Data movement on the CPU: transpose, concat, stack, split, unstack, slices, pads, gather.
#include "backends/cpu/cpu_device.h"
#include "backends/cpu/kernels/copy.h"
#include "backends/cpu/tuned_util.h"
#include "core/array_attrs.h"

#include <cstring>

namespace tsr::cpu {
namespace {

// A kernel that is one function of raw bytes.
class CopyKernel : public TunedKernel {
 public:
  using Fn = std::function<void(std::span<const BufferView> in, std::byte* out)>;
  CopyKernel(const char* name, Fn fn) : name_(name), fn_(std::move(fn)) {}
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte*) override { fn_(in, out); }
  std::string describe() const override { return name_; }

 private:
  const char* name_;
  Fn fn_;
};

// Narrow storage (float16, int8...) widens on the way, which moving bytes does not do: that is left to the body.
bool keeps_dtype(const Group& group) { return anchor_type(group, 0).dtype == group.anchor().type.dtype; }

std::unique_ptr<TunedKernel> copy_kernel(const Group& group, CopyKernel::Fn fn) {
  if (!keeps_dtype(group)) return nullptr;
  return std::make_unique<CopyKernel>(group.anchor().op->name, std::move(fn));
}

std::unique_ptr<TunedKernel> make_transpose(const Group& group, ThreadPool& pool) {
  const TensorType x = anchor_type(group, 0);
  if (x.shape.size() == 0) return nullptr;
  std::vector<int> perm;
  for (int64_t p : group.anchor().attrs.as<TransposeAttrs>().perm) perm.push_back(normalize_axis("transpose", p, x.shape.rank()));
  if (perm.empty()) {
    for (int d = x.shape.rank(); d-- > 0;) perm.push_back(d);
  }
  const int k = operand_of(group, 0);
  return copy_kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) {
    transpose(x.shape, perm, size_of(x.dtype), in[static_cast<size_t>(k)].host, out, pool);
  });
}

// concat and stack: rows of each input one after another.
std::unique_ptr<TunedKernel> make_join(const Group& group, ThreadPool& pool) {
  const GroupNode& n = group.anchor();
  const bool is_stack = std::string_view(n.op->name) == "stack";
  const int axis = normalize_axis(n.op->name, n.attrs.as<AxisAttrs>().axis, n.type.shape.rank());
  int64_t outer = 1;
  for (int d = 0; d < axis; ++d) outer *= n.type.shape[d];
  std::vector<ConcatInput> rows;
  std::vector<int> operands;
  for (size_t k = 0; k < n.inputs.size(); ++k) {
    const TensorType& t = anchor_type(group, k);
    if (t.dtype != n.type.dtype) return nullptr;
    int64_t bytes = static_cast<int64_t>(size_of(t.dtype));
    for (int d = axis; d < t.shape.rank(); ++d) bytes *= t.shape[d];
    if (!is_stack && bytes == 0) continue;
    rows.push_back({nullptr, bytes});
    operands.push_back(operand_of(group, k));
  }
  return copy_kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) mutable {
    for (size_t i = 0; i < rows.size(); ++i) rows[i].data = in[static_cast<size_t>(operands[i])].host;
    concat(outer, rows, out, pool);
  });
}

std::unique_ptr<TunedKernel> slice_kernel(const Group& group, const Shape& begin, const Shape& size, const Shape& step,
                                          ThreadPool& pool) {
  const TensorType x = anchor_type(group, 0);
  const int k = operand_of(group, 0);
  return copy_kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) {
    strided_slice(x.shape, begin, step, size, size_of(x.dtype), in[static_cast<size_t>(k)].host, out, pool);
  });
}

class SliceAtKernel : public TunedKernel {
 public:
  SliceAtKernel(const Group& group, ThreadPool& pool)
      : pool_(pool), x_(anchor_type(group, 0)), k_(operand_of(group, 0)), a_(group.anchor().attrs.as<SliceAtAttrs>()) {}
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte*) override {
    strided_slice(x_.shape, Shape(a_.begin), Shape(a_.strides), Shape(a_.size), size_of(x_.dtype),
                  in[static_cast<size_t>(k_)].host, out, pool_);
  }
  void update(const GroupNode& n) override { a_ = n.attrs.as<SliceAtAttrs>(); }
  std::string describe() const override { return "sliceAt"; }

 private:
  ThreadPool& pool_;
  TensorType x_;
  int k_;
  SliceAtAttrs a_;
};

std::unique_ptr<TunedKernel> make_slice_at(const Group& group, ThreadPool& pool) {
  if (anchor_shape(group, 0).rank() == 0 || !keeps_dtype(group)) return nullptr;
  return std::make_unique<SliceAtKernel>(group, pool);
}

// split and unstack: output o is a slice along one axis. Where it begins follows from the shapes of the outputs alone.
std::unique_ptr<TunedKernel> make_unstack(const Group& group, ThreadPool& pool) {
  const GroupNode& n = group.anchor();
  const Shape& x = anchor_shape(group, 0);
  const int axis = normalize_axis("unstack", n.attrs.as<AxisAttrs>().axis, x.rank());
  Shape begin = Shape::filled(x.rank(), 0);
  Shape size = x;
  begin[axis] = n.output;
  size[axis] = 1;
  return slice_kernel(group, begin, size, Shape::filled(x.rank(), 1), pool);
}

std::unique_ptr<TunedKernel> make_split(const Group& group, ThreadPool& pool) {
  const GroupNode& n = group.anchor();
  const auto& a = n.attrs.as<SplitAttrs>();
  const Shape& x = anchor_shape(group, 0);
  const int axis = normalize_axis("split", a.axis, x.rank());
  int64_t at = 0;
  if (a.num_or_size_splits.size() == 1) {
    at = n.output * n.type.shape[axis];
  } else {
    int64_t known = 0;
    for (int64_t s : a.num_or_size_splits) known += s < 0 ? 0 : s;
    for (int i = 0; i < n.output; ++i) {
      const int64_t s = a.num_or_size_splits[static_cast<size_t>(i)];
      at += s < 0 ? x[axis] - known : s;
    }
  }
  Shape begin = Shape::filled(x.rank(), 0);
  begin[axis] = at;
  return slice_kernel(group, begin, n.type.shape, Shape::filled(x.rank(), 1), pool);
}

std::unique_ptr<TunedKernel> make_reverse(const Group& group, ThreadPool& pool) {
  const Shape& x = anchor_shape(group, 0);
  if (x.rank() == 0 || x.size() == 0) return nullptr;
  Shape begin = Shape::filled(x.rank(), 0);
  Shape step = Shape::filled(x.rank(), 1);
  for (int d : normalize_axes("reverse", group.anchor().attrs.as<AxesAttrs>().axis, x.rank(), true)) {
    begin[d] = x[d] - 1;
    step[d] = -1;
  }
  return slice_kernel(group, begin, x, step, pool);
}

class PadKernel : public TunedKernel {
 public:
  PadKernel(const Group& group, ThreadPool& pool) : pool_(pool), x_(anchor_type(group, 0)), k_(operand_of(group, 0)) {
    const auto& a = group.anchor().attrs.as<PadAttrs>();
    for (int d = 0; d < x_.shape.rank(); ++d) {
      before_.push_back(a.paddings[static_cast<size_t>(2 * d)]);
      after_.push_back(a.paddings[static_cast<size_t>(2 * d + 1)]);
    }
    update(group.anchor());
  }
  void update(const GroupNode& n) override {
    const double v = n.attrs.as<PadAttrs>().constant_value;
    const float f = static_cast<float>(v);
    const int32_t i = v != v ? 0 : static_cast<int32_t>(std::min(std::max(v, -2147483648.0), 2147483647.0));
    const uint8_t b = v != 0;
    if (x_.dtype == DType::kFloat32) std::memcpy(value_, &f, 4);
    if (x_.dtype == DType::kInt32) std::memcpy(value_, &i, 4);
    if (x_.dtype == DType::kBool) std::memcpy(value_, &b, 1);
  }
  void run(std::span<const BufferView> in, std::byte* out, const Epilogue&, std::byte*) override {
    pad_constant(x_.shape, before_, after_, size_of(x_.dtype), value_, in[static_cast<size_t>(k_)].host, out, pool_);
  }
  std::string describe() const override { return "pad"; }

 private:
  ThreadPool& pool_;
  TensorType x_;
  int k_;
  Shape before_, after_;
  std::byte value_[8]{};
};

std::unique_ptr<TunedKernel> make_pad(const Group& group, ThreadPool& pool) {
  const TensorType& x = anchor_type(group, 0);
  if (x.shape.rank() == 0 || x.shape.size() == 0) return nullptr;
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kInt32 && x.dtype != DType::kBool) return nullptr;
  return std::make_unique<PadKernel>(group, pool);
}

std::unique_ptr<TunedKernel> make_mirror_pad(const Group& group, ThreadPool& pool) {
  const TensorType x = anchor_type(group, 0);
  if (x.shape.rank() == 0 || x.shape.size() == 0) return nullptr;
  const auto& a = group.anchor().attrs.as<MirrorPadAttrs>();
  Shape before, after;
  for (int d = 0; d < x.shape.rank(); ++d) {
    before.push_back(a.paddings[static_cast<size_t>(2 * d)]);
    after.push_back(a.paddings[static_cast<size_t>(2 * d + 1)]);
  }
  const auto mode = a.mode == tsr::MirrorMode::kReflect ? MirrorMode::kReflect : MirrorMode::kSymmetric;
  const int k = operand_of(group, 0);
  return copy_kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) {
    pad_mirror(x.shape, before, after, mode, size_of(x.dtype), in[static_cast<size_t>(k)].host, out, pool);
  });
}

std::unique_ptr<TunedKernel> make_gather(const Group& group, ThreadPool& pool) {
  const GroupNode& n = group.anchor();
  const auto& a = n.attrs.as<GatherAttrs>();
  if (a.batch_dims != 0 || anchor_type(group, 1).dtype != DType::kInt32) return nullptr;
  const TensorType& x = anchor_type(group, 0);
  if (x.shape.rank() == 0 || x.shape.size() == 0) return nullptr;
  const int axis = normalize_axis("gather", a.axis, x.shape.rank());
  int64_t outer = 1;
  auto row_bytes = static_cast<int64_t>(size_of(x.dtype));
  for (int d = 0; d < axis; ++d) outer *= x.shape[d];
  for (int d = axis + 1; d < x.shape.rank(); ++d) row_bytes *= x.shape[d];
  const int64_t extent = x.shape[axis];
  const auto count = static_cast<size_t>(anchor_shape(group, 1).size());
  const int xk = operand_of(group, 0);
  const int ik = operand_of(group, 1);
  return copy_kernel(group, [=, &pool](std::span<const BufferView> in, std::byte* out) {
    const auto* indices = reinterpret_cast<const int32_t*>(in[static_cast<size_t>(ik)].host);
    gather(outer, extent, row_bytes, {indices, count}, in[static_cast<size_t>(xk)].host, out, pool);
  });
}

const RegisterTuned kTranspose("transpose", make_transpose);
const RegisterTuned kConcat("concat", make_join);
const RegisterTuned kStack("stack", make_join);
const RegisterTuned kSliceAt("sliceAt", make_slice_at);
const RegisterTuned kUnstack("unstack", make_unstack);
const RegisterTuned kSplit("split", make_split);
const RegisterTuned kReverse("reverse", make_reverse);
const RegisterTuned kPad("pad", make_pad);
const RegisterTuned kMirrorPad("mirrorPad", make_mirror_pad);
const RegisterTuned kGather("gather", make_gather);

}  // namespace
}  // namespace tsr::cpu
