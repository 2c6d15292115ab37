#include "ops/helpers.h"

#include <algorithm>

#include "base/shape.h"
#include "ir/scalar.h"

namespace tsr::ops {

DType value_dtype(DType t) { return t == DType::kBool || t == DType::kInt32 ? t : DType::kFloat32; }

DType want_numeric(const InferCtx& c, int k) {
  if (c.dtype(k) == DType::kComplex64 || c.dtype(k) == DType::kString) {
    c.want_dtype(k, {DType::kFloat32, DType::kInt32, DType::kBool});
  }
  return value_dtype(c.dtype(k));
}

DType common_dtype(const InferCtx& c, int a, int b) { return promote(c.op(), want_numeric(c, a), want_numeric(c, b)); }

bool is_float(DType t) { return t == DType::kFloat32 || t == DType::kFloat16 || t == DType::kComplex64; }

Shape checked_shape(const InferCtx& c, const char* attribute, const std::vector<int64_t>& shape) {
  c.want(shape.size() <= static_cast<size_t>(kMaxRank), "attribute '", attribute, "' may have at most ", kMaxRank,
         " entries, got ", shape.size());
  const Shape out(shape);
  for (int64_t d : shape) c.want(d >= 0, "attribute '", attribute, "' must not be negative, got ", out);
  out.size();
  return out;
}

void want_bounded(const InferCtx& c, const char* attribute, std::span<const int64_t> values) {
  for (int64_t v : values) {
    c.want(v >= -kMaxElements && v <= kMaxElements, "attribute '", attribute, "' must lie within +-", kMaxElements,
           ", got ", v);
  }
}

int axis_of(const InferCtx& c, int64_t axis, int rank) {
  c.want(rank > 0, "needs an axis, but the input is a scalar");
  return normalize_axis(c.op(), axis, rank);
}

Shape keep_dims_shape(const Shape& x, const std::vector<int>& axes) {
  Shape out = x;
  for (int d : axes) out[d] = 1;
  return out;
}

Shape reduced_shape(const Shape& x, const std::vector<int>& axes, bool keep_dims) {
  if (keep_dims) return keep_dims_shape(x, axes);
  Shape out;
  for (int d = 0; d < x.rank(); ++d) {
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) out.push_back(x[d]);
  }
  return out;
}

Tensor spread(const Tensor& grad, const Shape& to, const std::vector<int>& axes) {
  const Shape keep = keep_dims_shape(to, axes);
  const Tensor g = grad.shape() == keep ? grad : reshape(grad, keep);
  return keep == to ? g : broadcast_to(g, to);
}

Tensor sum_to(const Tensor& grad, const Shape& shape) {
  if (grad.shape() == shape) return grad;
  const int lead = grad.rank() - shape.rank();
  std::vector<int64_t> axes;
  for (int d = 0; d < grad.rank(); ++d) {
    if (d < lead || (shape[d - lead] == 1 && grad.shape()[d] != 1)) axes.push_back(d);
  }
  const Tensor g = axes.empty() ? grad : sum(grad, axes, true);
  return g.shape() == shape ? g : reshape(g, shape);
}

double fold_count(const Shape& x, const std::vector<int>& axes) {
  double n = 1;
  for (int d : axes) n *= static_cast<double>(x[d]);
  return n;
}

ir::Expr param_of(ir::BodyCtx& c, DType dtype, double value) {
  switch (ir::type_of(dtype)) {
    case ir::Type::f32:
      return c.pf(value);
    case ir::Type::i32:
      return c.pi(ir::to_int_saturated(value));
    case ir::Type::b1:
      return c.pi(value != 0 ? 1 : 0);
  }
  return c.pf(value);
}

ir::Expr clamp_index(ir::Expr i, const ir::Expr& extent) { return ir::max(ir::min(std::move(i), extent - 1), 0); }

}  // namespace tsr::ops
