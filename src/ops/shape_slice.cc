// slice and stridedSlice. Both are resolved when they are called, and come down to one kernel, sliceAt, whose offsets
// are parameters of a plan: out[i] = x[begin + i * strides].
#include <algorithm>

#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

// ---- sliceAt and its transpose
// ----------------------------------------------------------------------------------------------------

bool is_whole(const Shape& x, const SliceAtAttrs& a) {
  if (a.size != x.vector()) return false;
  for (size_t d = 0; d < a.size.size(); ++d) {
    if (a.begin[d] != 0 || a.strides[d] != 1) return false;
  }
  return true;
}

Tensor slice_at(const Tensor& x, SliceAtAttrs a) {
  if (is_whole(x.shape(), a)) return identity(x);
  return apply1(get_op("sliceAt"), {x}, Attrs(std::move(a)));
}

// Every position begin + i * strides, for i below `size`, lies in `shape`.
void check_positions(const InferCtx& c, const std::vector<int64_t>& begin, const std::vector<int64_t>& size,
                     const std::vector<int64_t>& strides, const Shape& shape) {
  const auto rank = static_cast<size_t>(shape.rank());
  c.want(begin.size() == rank && size.size() == rank && strides.size() == rank, "begin, size and strides need ", rank,
         " entries each");
  want_bounded(c, "begin", begin);
  want_bounded(c, "size", size);
  want_bounded(c, "strides", strides);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t first = begin[d];
    const int64_t last = first + (size[d] - 1) * strides[d];
    const int64_t n = shape[static_cast<int>(d)];
    c.want(size[d] >= 0 && strides[d] != 0 && (size[d] == 0 || (first >= 0 && first < n && last >= 0 && last < n)),
           "positions ", first, " to ", last, " of axis ", d, " are outside of shape ", shape);
  }
}

void infer_slice_at(InferCtx& c) {
  const auto& a = c.attrs<SliceAtAttrs>();
  const DType t = want_numeric(c, 0);
  check_positions(c, a.begin, a.size, a.strides, c.shape(0));
  c.out(Shape(a.size), t);
}

Expr body_slice_at(BodyCtx& c) {
  const auto& a = c.attrs<SliceAtAttrs>();
  const ir::In x = c.in(0);
  std::vector<Expr> index = c.out_index();
  for (size_t d = 0; d < index.size(); ++d) {
    index[d] = (a.strides[d] == 1 ? index[d] : index[d] * static_cast<double>(a.strides[d])) + c.pi(a.begin[d]);
  }
  return x(index);
}

std::vector<Tensor> vjp_slice_at(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  const auto& a = c.attrs<SliceAtAttrs>();
  return {apply1(get_op("sliceAtGrad"), {c.grad[0]}, SliceAtGradAttrs{a.begin, c.in[0].shape().vector(), a.strides})};
}

void infer_slice_at_grad(InferCtx& c) {
  const auto& a = c.attrs<SliceAtGradAttrs>();
  const DType t = want_numeric(c, 0);
  const Shape out = checked_shape(c, "shape", a.shape);
  check_positions(c, a.begin, c.shape(0).vector(), a.strides, out);
  c.out(out, t);
}

Expr body_slice_at_grad(BodyCtx& c) {
  const auto& a = c.attrs<SliceAtGradAttrs>();
  const ir::In dy = c.in(0);
  std::vector<Expr> index = c.out_index();
  Expr inside = ir::b1(true);
  for (size_t d = 0; d < index.size(); ++d) {
    const int axis = static_cast<int>(d);
    const Expr from = index[d] - c.pi(a.begin[d]);
    Expr at = from;
    if (a.strides[d] != 1) {
      at = from / static_cast<double>(a.strides[d]);
      inside = inside && at * static_cast<double>(a.strides[d]) == from;
    }
    inside = inside && at >= 0 && at < dy.dim(axis);
    index[d] = clamp_index(at, dy.dim(axis));
  }
  return ir::select(inside, dy(index), 0);
}

std::vector<Tensor> vjp_slice_at_grad(const VjpCtx& c) {
  const auto& a = c.attrs<SliceAtGradAttrs>();
  return {slice_at(c.grad[0], SliceAtAttrs{a.begin, c.in[0].shape().vector(), a.strides})};
}

const RegisterOp kSliceAt{{
    .name = "sliceAt",
    .doc = "out[i] = x[begin + i * strides]: what slice and stridedSlice come down to.",
    .family = "shape",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<SliceAtAttrs>,
    .infer = infer_slice_at,
    .body = body_slice_at,
    .vjp = vjp_slice_at,
    .in_js = false,
    .tolerance = 0,
}};

const RegisterOp kSliceAtGrad{{
    .name = "sliceAtGrad",
    .doc = "The transpose of sliceAt: zeros, with out[begin + i * strides] = dy[i].",
    .family = "shape",
    .inputs = {{"dy", "any numeric tensor"}},
    .attrs = &AttrSchema::of<SliceAtGradAttrs>,
    .infer = infer_slice_at_grad,
    .body = body_slice_at_grad,
    .vjp = vjp_slice_at_grad,
    .in_js = false,
    .tolerance = 0,
}};

// ---- slice
// ----------------------------------------------------------------------------------------------------------------------

SliceAtAttrs resolve_slice(const char* op, const SliceAttrs& a, const Shape& x) {
  const auto rank = static_cast<size_t>(x.rank());
  require(a.begin.size() <= rank && a.size.size() <= rank, "[", op, "] begin (", a.begin.size(), " entries) and size (",
          a.size.size(), ") may have at most ", rank, " entries for shape ", x);
  SliceAtAttrs out;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t n = x[static_cast<int>(d)];
    const int64_t begin = d < a.begin.size() ? a.begin[d] : 0;
    int64_t size = d < a.size.size() ? a.size[d] : -1;
    require(begin >= 0 && begin <= n, "[", op, "] begin ", begin, " of axis ", d, " is outside of shape ", x);
    if (size == -1) size = n - begin;
    require(size >= 0 && size <= n - begin, "[", op, "] begin ", begin, " and size ", size, " of axis ", d,
            " are outside of shape ", x);
    out.begin.push_back(begin);
    out.size.push_back(size);
    out.strides.push_back(1);
  }
  return out;
}

void infer_slice(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  c.out(Shape(resolve_slice(c.op(), c.attrs<SliceAttrs>(), c.shape(0)).size), t);
}

std::vector<Tensor> compose_slice(const ComposeCtx& c) {
  return {slice_at(c.in[0], resolve_slice(c.op.name, c.attrs<SliceAttrs>(), c.in[0].shape()))};
}

const RegisterOp kSlice{{
    .name = "slice",
    .doc = "The block of a tensor that starts at `begin` and has the extents `size`.",
    .family = "shape",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<SliceAttrs>,
    .infer = infer_slice,
    .compose = compose_slice,
    .tolerance = 0,
}};

// ---- stridedSlice
// ---------------------------------------------------------------------------------------------------------------

struct ResolvedStrided {
  SliceAtAttrs slice;
  Shape shape;  ///< of the result: with new axes, without shrunk ones
};

// The rules of tf.strided_slice (numpy's, spelled with masks).
ResolvedStrided resolve_strided(const char* op, const StridedSliceAttrs& a, const Shape& x) {
  const size_t n = a.begin.size();
  for (int64_t mask : {a.begin_mask, a.end_mask, a.ellipsis_mask, a.new_axis_mask, a.shrink_axis_mask}) {
    require(mask >= 0, "[", op, "] masks must not be negative, got ", mask);
  }
  require(a.end.size() == n && (a.strides.empty() || a.strides.size() == n), "[", op,
          "] begin, end and strides must have as many entries, got ", n, ", ", a.end.size(), " and ", a.strides.size());
  const auto bit = [](int64_t mask, size_t i) { return i < 63 && (mask >> i & 1) != 0; };
  require((a.ellipsis_mask & (a.ellipsis_mask - 1)) == 0, "[", op, "] only one ellipsis is allowed");
  size_t named = 0;
  bool ellipsis = false;
  for (size_t i = 0; i < n; ++i) {
    if (bit(a.ellipsis_mask, i))
      ellipsis = true;
    else if (!bit(a.new_axis_mask, i))
      ++named;
  }
  const auto rank = static_cast<size_t>(x.rank());
  require(named <= rank, "[", op, "] names ", named, " axes of shape ", x);

  ResolvedStrided r;
  int axis = 0;
  const auto whole = [&] {
    r.slice.begin.push_back(0);
    r.slice.size.push_back(x[axis]);
    r.slice.strides.push_back(1);
    r.shape.push_back(x[axis++]);
  };
  for (size_t i = 0; i < n; ++i) {
    if (bit(a.ellipsis_mask, i)) {
      for (size_t k = named; k < rank; ++k) whole();
      continue;
    }
    if (bit(a.new_axis_mask, i)) {
      r.shape.push_back(1);
      continue;
    }
    const int64_t extent = x[axis];
    const bool shrink = bit(a.shrink_axis_mask, i);
    // A stride beyond the extent takes the first element alone, whatever it is.
    const int64_t stride = shrink || a.strides.empty() ? 1 : std::clamp(a.strides[i], -kMaxElements, kMaxElements);
    require(stride != 0, "[", op, "] stride of axis ", axis, " must not be 0");
    const int64_t from_end = a.begin[i] < 0 ? a.begin[i] + extent : a.begin[i];
    if (shrink) {
      const int64_t at = bit(a.begin_mask, i) ? 0 : from_end;
      require(at >= 0 && at < extent, "[", op, "] index ", a.begin[i], " of axis ", axis, " is outside of shape ", x);
      r.slice.begin.push_back(at);
      r.slice.size.push_back(1);
      r.slice.strides.push_back(1);
      ++axis;
      continue;
    }
    // Positions from which a walk in the stride's direction may start and where it must stop.
    const int64_t low = stride > 0 ? 0 : -1;
    const int64_t high = stride > 0 ? extent : extent - 1;
    const int64_t end_value = a.end[i] < 0 ? a.end[i] + extent : a.end[i];
    const int64_t begin = bit(a.begin_mask, i) ? (stride > 0 ? low : high) : std::clamp(from_end, low, high);
    const int64_t end = bit(a.end_mask, i) ? (stride > 0 ? high : low) : std::clamp(end_value, low, high);
    const int64_t span = stride > 0 ? end - begin : begin - end;
    const int64_t step = stride > 0 ? stride : -stride;
    const int64_t size = span <= 0 ? 0 : (span - 1) / step + 1;
    r.slice.begin.push_back(begin);
    r.slice.size.push_back(size);
    r.slice.strides.push_back(stride);
    r.shape.push_back(size);
    ++axis;
  }
  if (!ellipsis) {
    while (axis < x.rank()) whole();
  }
  return r;
}

void infer_strided_slice(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  c.out(resolve_strided(c.op(), c.attrs<StridedSliceAttrs>(), c.shape(0)).shape, t);
}

std::vector<Tensor> compose_strided_slice(const ComposeCtx& c) {
  ResolvedStrided r = resolve_strided(c.op.name, c.attrs<StridedSliceAttrs>(), c.in[0].shape());
  const Tensor y = slice_at(c.in[0], std::move(r.slice));
  return {y.shape() == r.shape ? y : reshape(y, r.shape)};
}

const RegisterOp kStridedSlice{{
    .name = "stridedSlice",
    .doc = "numpy's x[begin:end:strides, ...], with masks for what numpy spells as ':', '...', 'newaxis' and a plain "
           "index.",
    .family = "shape",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<StridedSliceAttrs>,
    .infer = infer_strided_slice,
    .compose = compose_strided_slice,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
