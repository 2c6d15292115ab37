// scatterND, tensorScatterUpdate, unsortedSegmentSum, bincount. As pull kernels each result element searches all
// updates: the reference, and what a backend without a scatter of its own runs.
#include <functional>

#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

// Folds body() over dimensions [from, to) of input k, whose variables it puts into `index`.
Expr fold_dims(BodyCtx& c, ir::Reduce r, int k, int from, int to, std::vector<Expr>& index,
               const std::function<Expr()>& body) {
  if (from == to) return body();
  return ir::reduce(r, c.in(k).dim(from), [&](Expr v) {
    index[static_cast<size_t>(from)] = v;
    return fold_dims(c, r, k, from + 1, to, index, body);
  });
}

// Checks indices [points..., depth] and updates [points..., rest of shape]; the inputs' numbers are given.
void check_scatter(const InferCtx& c, int indices_input, int updates_input, const Shape& shape) {
  c.want_dtype(indices_input, {DType::kInt32});
  c.want_rank_at_least(indices_input, 1);
  const Shape &indices = c.shape(indices_input), &updates = c.shape(updates_input);
  const int64_t depth = indices.back();
  c.want(depth <= shape.rank(), "indices of shape ", indices, " name ", depth, " axes of shape ", shape);
  Shape want;
  c.want(indices.rank() - 1 + shape.rank() - depth <= kMaxRank, "updates would have more than ", kMaxRank,
         " dimensions");
  for (int d = 0; d + 1 < indices.rank(); ++d) want.push_back(indices[d]);
  for (int d = static_cast<int>(depth); d < shape.rank(); ++d) want.push_back(shape[d]);
  c.want(updates == want, "'updates' must have shape ", want, " for indices ", indices, " into ", shape, ", got ",
         updates);
}

// True where the point `at` of input k (its last entry is overwritten) names the output element.
Expr names_output(BodyCtx& c, int k, std::vector<Expr>& at) {
  const ir::In indices = c.in(k);
  Expr hit = ir::b1(true);
  for (int d = 0; d < static_cast<int>(indices.shape().back()); ++d) {
    at.back() = ir::i32(d);
    hit = hit && indices(at) == c.out(d);
  }
  return hit;
}

// ---- scatterND
// ------------------------------------------------------------------------------------------------------------------

void infer_scatter_nd(InferCtx& c) {
  const DType t = want_numeric(c, 1);
  c.want(t != DType::kBool, "'updates' must be float32 or int32, got bool");
  const Shape out = checked_shape(c, "shape", c.attrs<ShapeAttrs>().shape);
  check_scatter(c, 0, 1, out);
  c.out(out, t);
}

Expr body_scatter_nd(BodyCtx& c) {
  const ir::In indices = c.in(0), updates = c.in(1);
  const int points = indices.rank() - 1;
  const int depth = static_cast<int>(indices.shape().back());
  std::vector<Expr> at(static_cast<size_t>(points) + 1);
  return fold_dims(c, ir::Reduce::sum, 0, 0, points, at, [&] {
    std::vector<Expr> from(at.begin(), at.end() - 1);
    for (int d = depth; d < c.out_rank(); ++d) from.push_back(c.out(d));
    return ir::select(names_output(c, 0, at), updates(from), 0);
  });
}

std::vector<Tensor> vjp_scatter_nd(const VjpCtx& c) {
  if (!is_float(c.in[1].dtype())) return {Tensor(), Tensor()};
  return {Tensor(), gather_nd(c.grad[0], c.in[0])};
}

const RegisterOp kScatterND{{
    .name = "scatterND",
    .doc = "Zeros of the given shape with each update added at the place that its row of indices names; updates of one "
           "place add up, those "
           "out of range are dropped.",
    .family = "index",
    .inputs = {{"indices", "[points..., axes], int32"}, {"updates", "[points..., rest of shape]"}},
    .attrs = &AttrSchema::of<ShapeAttrs>,
    .infer = infer_scatter_nd,
    .body = body_scatter_nd,
    .vjp = vjp_scatter_nd,
    .tolerance = 1e-5,
}};

// ---- tensorScatterUpdate
// --------------------------------------------------------------------------------------------------------

void infer_tensor_scatter_update(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  c.want(want_numeric(c, 2) == t, "'updates' must be ", name_of(t), " like 'tensor', got ", name_of(c.dtype(2)));
  check_scatter(c, 1, 2, c.shape(0));
  c.out(c.shape(0), t);
}

Expr body_tensor_scatter_update(BodyCtx& c) {
  const ir::In tensor = c.in(0), indices = c.in(1), updates = c.in(2);
  const int points = indices.rank() - 1;
  const int depth = static_cast<int>(indices.shape().back());
  std::vector<Expr> at(static_cast<size_t>(points) + 1);
  // The last point (in row-major order) that names this element, or -1.
  const Expr last = fold_dims(c, ir::Reduce::max, 1, 0, points, at, [&] {
    Expr number = ir::i32(0);
    for (int d = 0; d < points; ++d) number = number * indices.dim(d) + at[static_cast<size_t>(d)];
    return ir::select(names_output(c, 1, at), number, -1);
  });
  std::vector<Expr> from(static_cast<size_t>(points));
  Expr rest = ir::max(last, 0);
  for (int d = points - 1; d >= 0; --d) {
    from[static_cast<size_t>(d)] = clamp_index(rest % indices.dim(d), indices.dim(d));
    rest = rest / indices.dim(d);
  }
  for (int d = depth; d < c.out_rank(); ++d) from.push_back(c.out(d));
  return ir::select(last >= 0, updates(from), tensor(c.out_index()));
}

// Only the gradient of `updates` is wrong where several updates name one place: each receives it, as in TensorFlow.
std::vector<Tensor> vjp_tensor_scatter_update(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor(), Tensor(), Tensor()};
  const Tensor zeros = broadcast_to(Tensor::scalar(0), c.in[2].shape());
  return {tensor_scatter_update(c.grad[0], c.in[1], zeros), Tensor(), gather_nd(c.grad[0], c.in[1])};
}

const RegisterOp kTensorScatterUpdate{{
    .name = "tensorScatterUpdate",
    .doc = "The tensor with the elements or slices that indices name replaced by updates. The last of several updates "
           "of one place "
           "counts; those out of range are dropped.",
    .family = "index",
    .inputs = {{"tensor", "any numeric tensor"},
               {"indices", "[points..., axes], int32"},
               {"updates", "[points..., rest of shape]"}},
    .infer = infer_tensor_scatter_update,
    .body = body_tensor_scatter_update,
    .vjp = vjp_tensor_scatter_update,
    .tolerance = 0,
}};

// ---- unsortedSegmentSum
// ---------------------------------------------------------------------------------------------------------

void infer_segment_sum(InferCtx& c) {
  const DType t = sum_dtype(want_numeric(c, 0));
  c.want_dtype(1, {DType::kInt32});
  const Shape &x = c.shape(0), &ids = c.shape(1);
  bool prefix = ids.rank() <= x.rank();
  for (int d = 0; prefix && d < ids.rank(); ++d) prefix = ids[d] == x[d];
  c.want(prefix, "'segmentIds' of shape ", ids, " must have the leading axes of x, ", x);
  const int64_t n = c.attrs<SegmentAttrs>().num_segments;
  want_bounded(c, "numSegments", {&n, 1});
  c.want(n >= 0, "attribute 'numSegments' must not be negative, got ", n);
  c.want(x.rank() - ids.rank() < kMaxRank, "the result would have more than ", kMaxRank, " dimensions");
  Shape out{n};
  for (int d = ids.rank(); d < x.rank(); ++d) out.push_back(x[d]);
  c.out(out, t);
}

Expr body_segment_sum(BodyCtx& c) {
  const ir::In x = c.in(0), ids = c.in(1);
  const ir::Type as = ir::type_of(c.out_dtype());
  std::vector<Expr> at(static_cast<size_t>(ids.rank()));
  return fold_dims(c, ir::Reduce::sum, 1, 0, ids.rank(), at, [&] {
    std::vector<Expr> from = at;
    for (int d = 1; d < c.out_rank(); ++d) from.push_back(c.out(d));
    return ir::select(ids(at) == c.out(0), ir::convert(x(from), as), 0);
  });
}

std::vector<Tensor> vjp_segment_sum(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor(), Tensor()};
  return {gather(c.grad[0], c.in[1]), Tensor()};
}

const RegisterOp kUnsortedSegmentSum{{
    .name = "unsortedSegmentSum",
    .doc = "Sums the slices of x that have the same segment id: out[s] = sum of x[i] with segmentIds[i] = s. Ids "
           "outside of "
           "[0, numSegments) are dropped.",
    .family = "index",
    .inputs = {{"x", "any numeric tensor"}, {"segmentIds", "int32, with the leading axes of x"}},
    .attrs = &AttrSchema::of<SegmentAttrs>,
    .infer = infer_segment_sum,
    .body = body_segment_sum,
    .vjp = vjp_segment_sum,
    .tolerance = 1e-5,
}};

// ---- bincount
// -------------------------------------------------------------------------------------------------------------------

bool has_weights(const Shape& weights) { return weights.size() > 0; }

void check_bincount(const InferCtx& c, int64_t size) {
  c.want_dtype(0, {DType::kInt32});
  c.want_dtype(1, {DType::kFloat32, DType::kInt32});
  want_bounded(c, "size", {&size, 1});
  c.want(size >= 0, "attribute 'size' must not be negative, got ", size);
  c.want(!has_weights(c.shape(1)) || c.shape(1) == c.shape(0), "'weights' must have x's shape ", c.shape(0),
         " or no elements, got ", c.shape(1));
}

// Sum over x's last axis of the weights (or ones) where x has the output's last index.
Expr count(BodyCtx& c, bool binary) {
  const ir::In x = c.in(0), weights = c.in(1);
  const bool weighted = has_weights(weights.shape()) && !binary;
  const ir::Type as = ir::type_of(c.out_dtype());
  std::vector<Expr> at;
  for (int d = 0; d + 1 < x.rank(); ++d) at.push_back(c.out(d));
  at.emplace_back();
  return ir::reduce(binary ? ir::Reduce::any : ir::Reduce::sum, x.dim(x.rank() - 1), [&](Expr v) {
    at.back() = v;
    const Expr hit = x(at) == c.out(c.out_rank() - 1);
    if (binary) return hit;
    return weighted ? ir::select(hit, ir::convert(weights(at), as), 0) : ir::convert(hit, as);
  });
}

void infer_bincount(InferCtx& c) {
  const int64_t size = c.attrs<BincountAttrs>().size;
  check_bincount(c, size);
  c.want_rank(0, 1);
  c.out({size}, c.dtype(1));
}
Expr body_bincount(BodyCtx& c) { return count(c, false); }

void infer_dense_bincount(InferCtx& c) {
  const int64_t size = c.attrs<DenseBincountAttrs>().size;
  check_bincount(c, size);
  c.want(c.shape(0).rank() == 1 || c.shape(0).rank() == 2, "'x' must have rank 1 or 2, got shape ", c.shape(0));
  Shape out = c.shape(0);
  out[out.rank() - 1] = size;
  c.out(out, c.dtype(1));
}
Expr body_dense_bincount(BodyCtx& c) { return count(c, c.attrs<DenseBincountAttrs>().binary_output); }

const RegisterOp kBincount{{
    .name = "bincount",
    .doc = "How often each of 0 .. size - 1 occurs in x, or the sum of the weights there. Other values are dropped.",
    .family = "index",
    .inputs = {{"x", "int32 vector"}, {"weights", "x's shape, or no elements; its dtype is the result's"}},
    .attrs = &AttrSchema::of<BincountAttrs>,
    .infer = infer_bincount,
    .body = body_bincount,
    .tolerance = 1e-5,
}};

const RegisterOp kDenseBincount{{
    .name = "denseBincount",
    .doc = "bincount of a vector, or of each row of a matrix.",
    .family = "index",
    .inputs = {{"x", "int32 vector or matrix"}, {"weights", "x's shape, or no elements; its dtype is the result's"}},
    .attrs = &AttrSchema::of<DenseBincountAttrs>,
    .infer = infer_dense_bincount,
    .body = body_dense_bincount,
    .tolerance = 1e-5,
}};

}  // namespace
}  // namespace tsr::ops
