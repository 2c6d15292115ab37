// gather, gatherND and their transposes. An index out of range reads 0 (TensorFlow's GPU kernels do that, its CPU
// kernels throw: an error that depends on values would make every call wait for them).
#include <functional>

#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

Expr in_range(const Expr& i, const Expr& extent) { return i >= 0 && i < extent; }
Expr zero_like(const Expr& x) { return ir::select(ir::b1(false), x, 0); }

// Folds body(index) over all elements of dimensions [from, to) of input k; the rest of `index` is the caller's.
Expr fold_dims(BodyCtx& c, ir::Reduce r, int k, int from, int to, std::vector<Expr>& index,
               const std::function<Expr()>& body) {
  if (from == to) return body();
  return ir::reduce(r, c.in(k).dim(from), [&](Expr v) {
    index[static_cast<size_t>(from)] = v;
    return fold_dims(c, r, k, from + 1, to, index, body);
  });
}

// ---- gather
// ---------------------------------------------------------------------------------------------------------------------

struct GatherPlan {
  int axis, batch;
};
GatherPlan gather_plan(const char* op, const GatherAttrs& a, int x_rank, int indices_rank) {
  const int axis = normalize_axis(op, a.axis, x_rank);
  const int64_t batch = a.batch_dims < 0 ? a.batch_dims + indices_rank : a.batch_dims;
  require(batch >= 0 && batch <= indices_rank && batch <= axis, "[", op, "] batchDims ", a.batch_dims,
          " must be between 0 and the rank of indices (", indices_rank, ") and at most axis (", axis, ")");
  return {axis, static_cast<int>(batch)};
}

Shape gather_shape(const InferCtx& c, const GatherAttrs& a, const Shape& x, const Shape& indices) {
  c.want(x.rank() >= 1, "'x' must have rank 1 or more, got shape ", x);
  const GatherPlan p = gather_plan(c.op(), a, x.rank(), indices.rank());
  Shape out;
  for (int d = 0; d < p.axis; ++d) out.push_back(x[d]);
  for (int d = 0; d < p.batch; ++d) {
    c.want(x[d] == indices[d], "x and indices differ in batch axis ", d, ": shapes ", x, " and ", indices);
  }
  c.want(x.rank() - 1 + indices.rank() - p.batch <= kMaxRank, "the result would have more than ", kMaxRank,
         " dimensions");
  for (int d = p.batch; d < indices.rank(); ++d) out.push_back(indices[d]);
  for (int d = p.axis + 1; d < x.rank(); ++d) out.push_back(x[d]);
  return out;
}

void infer_gather(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  c.want_dtype(1, {DType::kInt32});
  c.out(gather_shape(c, c.attrs<GatherAttrs>(), c.shape(0), c.shape(1)), t);
}

Expr body_gather(BodyCtx& c) {
  const ir::In x = c.in(0), indices = c.in(1);
  const GatherPlan p = gather_plan("gather", c.attrs<GatherAttrs>(), x.rank(), indices.rank());
  std::vector<Expr> at, index;
  for (int d = 0; d < p.batch; ++d) at.push_back(c.out(d));
  const int chosen = indices.rank() - p.batch;
  for (int d = 0; d < chosen; ++d) at.push_back(c.out(p.axis + d));
  const Expr i = indices(at);
  for (int d = 0; d < p.axis; ++d) index.push_back(c.out(d));
  index.push_back(clamp_index(i, x.dim(p.axis)));
  for (int d = p.axis + 1; d < x.rank(); ++d) index.push_back(c.out(d - 1 + chosen));
  const Expr value = x(index);
  return ir::select(in_range(i, x.dim(p.axis)), value, zero_like(value));
}

std::vector<Tensor> vjp_gather(const VjpCtx& c) {
  const Tensor &x = c.in[0], &indices = c.in[1];
  if (!is_float(x.dtype())) return {Tensor(), Tensor()};
  const auto& a = c.attrs<GatherAttrs>();
  const GatherPlan p = gather_plan("gather", a, x.rank(), indices.rank());
  if (p.axis == 0) return {unsorted_segment_sum(c.grad[0], indices, x.shape()[0]), Tensor()};
  return {apply1(get_op("gatherGrad"), {c.grad[0], indices}, GatherGradAttrs{a.axis, p.batch, x.shape().vector()}),
          Tensor()};
}

void infer_gather_grad(InferCtx& c) {
  const auto& a = c.attrs<GatherGradAttrs>();
  const DType t = want_numeric(c, 0);
  c.want(t != DType::kBool, "'dy' must be float32 or int32, got bool");
  c.want_dtype(1, {DType::kInt32});
  const Shape out = checked_shape(c, "shape", a.shape);
  const Shape dy = gather_shape(c, a.gather(), out, c.shape(1));
  c.want(c.shape(0) == dy, "'dy' must have shape ", dy, ", got ", c.shape(0));
  c.out(out, t);
}

Expr body_gather_grad(BodyCtx& c) {
  const ir::In dy = c.in(0), indices = c.in(1);
  const GatherPlan p = gather_plan("gatherGrad", c.attrs<GatherGradAttrs>().gather(), c.out_rank(), indices.rank());
  const int chosen = indices.rank() - p.batch;
  std::vector<Expr> at(static_cast<size_t>(indices.rank())), from(static_cast<size_t>(dy.rank()));
  for (int d = 0; d < p.batch; ++d) at[static_cast<size_t>(d)] = c.out(d);
  for (int d = 0; d < p.axis; ++d) from[static_cast<size_t>(d)] = c.out(d);
  for (int d = p.axis + 1; d < c.out_rank(); ++d) from[static_cast<size_t>(d - 1 + chosen)] = c.out(d);
  return fold_dims(c, ir::Reduce::sum, 1, p.batch, indices.rank(), at, [&] {
    for (int d = 0; d < chosen; ++d) from[static_cast<size_t>(p.axis + d)] = at[static_cast<size_t>(p.batch + d)];
    return ir::select(indices(at) == c.out(p.axis), dy(from), 0);
  });
}

std::vector<Tensor> vjp_gather_grad(const VjpCtx& c) {
  const auto& a = c.attrs<GatherGradAttrs>();
  return {gather(c.grad[0], c.in[1], a.axis, a.batch_dims), Tensor()};
}

const RegisterOp kGather{{
    .name = "gather",
    .doc = "The slices of x along an axis that indices name: out[..., i, ...] = x[..., indices[i], ...]. An index out "
           "of range gives 0.",
    .family = "index",
    .inputs = {{"x", "a numeric tensor of rank 1 or more"}, {"indices", "an int32 tensor"}},
    .attrs = &AttrSchema::of<GatherAttrs>,
    .infer = infer_gather,
    .body = body_gather,
    .vjp = vjp_gather,
    .tolerance = 0,
}};

const RegisterOp kGatherGrad{{
    .name = "gatherGrad",
    .doc = "The transpose of gather: each slice of x is the sum of dy over the indices that named it.",
    .family = "index",
    .inputs = {{"dy", "of the gather's result"}, {"indices", "of the gather"}},
    .attrs = &AttrSchema::of<GatherGradAttrs>,
    .infer = infer_gather_grad,
    .body = body_gather_grad,
    .vjp = vjp_gather_grad,
    .in_js = false,
    .tolerance = 1e-5,
}};

// ---- gatherND
// -------------------------------------------------------------------------------------------------------------------

void infer_gather_nd(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  c.want_dtype(1, {DType::kInt32});
  c.want_rank_at_least(1, 1);
  const Shape &x = c.shape(0), &indices = c.shape(1);
  const int64_t depth = indices.back();
  c.want(depth <= x.rank(), "indices of shape ", indices, " name ", depth, " axes of shape ", x);
  Shape out;
  c.want(indices.rank() - 1 + x.rank() - depth <= kMaxRank, "the result would have more than ", kMaxRank,
         " dimensions");
  for (int d = 0; d + 1 < indices.rank(); ++d) out.push_back(indices[d]);
  for (int d = static_cast<int>(depth); d < x.rank(); ++d) out.push_back(x[d]);
  c.out(out, t);
}

Expr body_gather_nd(BodyCtx& c) {
  const ir::In x = c.in(0), indices = c.in(1);
  const int points = indices.rank() - 1;
  const int depth = static_cast<int>(indices.shape().back());
  std::vector<Expr> at, index;
  for (int d = 0; d < points; ++d) at.push_back(c.out(d));
  at.push_back(ir::i32(0));
  Expr inside = ir::b1(true);
  for (int d = 0; d < depth; ++d) {
    at.back() = ir::i32(d);
    const Expr i = indices(at);
    inside = inside && in_range(i, x.dim(d));
    index.push_back(clamp_index(i, x.dim(d)));
  }
  for (int d = depth; d < x.rank(); ++d) index.push_back(c.out(points + d - depth));
  const Expr value = x(index);
  return ir::select(inside, value, zero_like(value));
}

std::vector<Tensor> vjp_gather_nd(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor(), Tensor()};
  return {scatter_nd(c.in[1], c.grad[0], c.in[0].shape()), Tensor()};
}

const RegisterOp kGatherND{{
    .name = "gatherND",
    .doc = "out[p...] = x[indices[p..., 0], indices[p..., 1], ...]: each row of indices names an element or slice of "
           "x. An index out of "
           "range gives 0.",
    .family = "index",
    .inputs = {{"x", "any numeric tensor"}, {"indices", "[points..., axes], int32"}},
    .infer = infer_gather_nd,
    .body = body_gather_nd,
    .vjp = vjp_gather_nd,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
