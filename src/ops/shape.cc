// Ops that see the same elements under another shape, order or repetition.
#include <algorithm>

#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

// ---- the same bytes
// -------------------------------------------------------------------------------------------------------------

void infer_identity(InferCtx& c) { c.out(c.shape(0), c.dtype(0)); }
std::vector<Tensor> vjp_identity(const VjpCtx& c) { return {c.grad[0]}; }
std::vector<Tensor> vjp_reshape(const VjpCtx& c) { return {reshape(c.grad[0], c.in[0].shape())}; }

void infer_reshape(InferCtx& c) {
  const auto& want = c.attrs<ShapeAttrs>().shape;
  c.want(want.size() <= static_cast<size_t>(kMaxRank), "attribute 'shape' may have at most ", kMaxRank,
         " entries, got ", want.size());
  Shape out(want);
  const int64_t size = c.shape(0).size();
  int unknown = -1;
  int64_t known = 1;
  for (int d = 0; d < out.rank(); ++d) {
    if (out[d] == -1) {
      c.want(unknown < 0, "attribute 'shape' may have one -1, got ", Shape(want));
      unknown = d;
    } else {
      c.want(out[d] >= 0, "attribute 'shape' must not be negative (but for one -1), got ", Shape(want));
      c.want(out[d] == 0 || known <= kMaxElements / out[d], "shape ", Shape(want), " has too many elements");
      known *= out[d];
    }
  }
  if (unknown >= 0) {
    c.want(known > 0 && size % known == 0, "cannot reshape ", c.shape(0), " (", size, " elements) to ", Shape(want));
    out[unknown] = size / known;
  } else {
    c.want(known == size, "cannot reshape ", c.shape(0), " (", size, " elements) to ", Shape(want), " (", known,
           " elements)");
  }
  c.out(out, c.dtype(0));
}

void infer_expand_dims(InferCtx& c) {
  Shape out = c.shape(0);
  c.want(out.rank() < kMaxRank, "the input already has ", kMaxRank, " dimensions");
  out.insert(normalize_axis(c.op(), c.attrs<AxisAttrs>().axis, out.rank() + 1), 1);
  c.out(out, c.dtype(0));
}

void infer_squeeze(InferCtx& c) {
  const Shape& x = c.shape(0);
  const std::vector<int> axes = normalize_axes(c.op(), c.attrs<AxesAttrs>().axis, x.rank(), false);
  for (int d : axes) c.want(x[d] == 1, "axis ", d, " of shape ", x, " has extent ", x[d], ", only 1 can be squeezed");
  Shape out;
  for (int d = 0; d < x.rank(); ++d) {
    const bool drop = axes.empty() ? x[d] == 1 : std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!drop) out.push_back(x[d]);
  }
  c.out(out, c.dtype(0));
}

const RegisterOp kIdentity{{
    .name = "identity",
    .doc = "The tensor itself, as another tensor that shares its memory.",
    .family = "shape",
    .inputs = {{"x", "any tensor"}},
    .infer = infer_identity,
    .vjp = vjp_identity,
    .alias = true,
    .tolerance = 0,
}};

const RegisterOp kStopGradient{{
    .name = "stopGradient",
    .doc = "The tensor itself, which gradients take for a constant.",
    .family = "shape",
    .inputs = {{"x", "any tensor"}},
    .infer = infer_identity,
    .alias = true,
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kReshape{{
    .name = "reshape",
    .doc = "The same elements in the same order under another shape, of which one entry may be -1: what is left over.",
    .family = "shape",
    .inputs = {{"x", "any tensor"}},
    .attrs = &AttrSchema::of<ShapeAttrs>,
    .infer = infer_reshape,
    .vjp = vjp_reshape,
    .alias = true,
    .tolerance = 0,
}};

const RegisterOp kExpandDims{{
    .name = "expandDims",
    .doc = "Inserts an axis of extent 1 before the given one; -1 appends it.",
    .family = "shape",
    .inputs = {{"x", "any tensor"}},
    .attrs = &AttrSchema::of<AxisAttrs>,
    .infer = infer_expand_dims,
    .vjp = vjp_reshape,
    .alias = true,
    .tolerance = 0,
}};

const RegisterOp kSqueeze{{
    .name = "squeeze",
    .doc = "Drops axes of extent 1: the given ones, or all of them.",
    .family = "shape",
    .inputs = {{"x", "any tensor"}},
    .attrs = &AttrSchema::of<AxesAttrs>,
    .infer = infer_squeeze,
    .vjp = vjp_reshape,
    .alias = true,
    .tolerance = 0,
}};

// ---- transpose
// ------------------------------------------------------------------------------------------------------------------

std::vector<int64_t> perm_of(const std::vector<int64_t>& perm, int rank) {
  std::vector<int64_t> out;
  for (int d = 0; d < rank; ++d) {
    const int64_t p = perm.empty() ? rank - 1 - d : perm[static_cast<size_t>(d)];
    out.push_back(p < 0 ? p + rank : p);
  }
  return out;
}

void infer_transpose(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  const Shape& x = c.shape(0);
  const auto& given = c.attrs<TransposeAttrs>().perm;
  c.want(given.empty() || given.size() == static_cast<size_t>(x.rank()), "attribute 'perm' must have ", x.rank(),
         " entries for shape ", x, ", got ", given.size());
  Shape out;
  unsigned seen = 0;
  for (int64_t p : perm_of(given, x.rank())) {
    c.want(p >= 0 && p < x.rank() && !(seen >> p & 1u), "attribute 'perm' must name each axis of ", x, " once, got ",
           Shape(given));
    seen |= 1u << p;
    out.push_back(x[static_cast<int>(p)]);
  }
  c.out(out, t);
}

Expr body_transpose(BodyCtx& c) {
  const ir::In x = c.in(0);
  const std::vector<int64_t> perm = perm_of(c.attrs<TransposeAttrs>().perm, x.rank());
  std::vector<Expr> index(perm.size());
  for (size_t d = 0; d < perm.size(); ++d) index[static_cast<size_t>(perm[d])] = c.out(static_cast<int>(d));
  return x(index);
}

std::vector<Tensor> vjp_transpose(const VjpCtx& c) {
  const std::vector<int64_t> perm = perm_of(c.attrs<TransposeAttrs>().perm, c.in[0].rank());
  std::vector<int64_t> inverse(perm.size());
  for (size_t d = 0; d < perm.size(); ++d) inverse[static_cast<size_t>(perm[d])] = static_cast<int64_t>(d);
  return {transpose(c.grad[0], inverse)};
}

const RegisterOp kTranspose{{
    .name = "transpose",
    .doc = "Reorders the axes: out[i_0, i_1, ...] = x[j_0, j_1, ...] with j_perm[d] = i_d.",
    .family = "shape",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<TransposeAttrs>,
    .infer = infer_transpose,
    .body = body_transpose,
    .vjp = vjp_transpose,
    .tolerance = 0,
}};

// ---- broadcastTo
// ----------------------------------------------------------------------------------------------------------------

void infer_broadcast_to(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  const Shape& x = c.shape(0);
  const Shape out = checked_shape(c, "shape", c.attrs<ShapeAttrs>().shape);
  const int lead = out.rank() - x.rank();
  bool fits = lead >= 0;
  for (int d = 0; fits && d < x.rank(); ++d) fits = x[d] == 1 || x[d] == out[d + lead];
  c.want(fits, "shape ", x, " does not broadcast to ", out);
  c.out(out, t);
}
Expr body_broadcast_to(BodyCtx& c) { return c.in(0).broadcast(); }
std::vector<Tensor> vjp_broadcast_to(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  return {sum_to(c.grad[0], c.in[0].shape())};
}

const RegisterOp kBroadcastTo{{
    .name = "broadcastTo",
    .doc = "Repeats axes of extent 1, and adds leading ones, until the shape is the wanted one.",
    .family = "shape",
    .inputs = {{"x", "a numeric tensor whose shape broadcasts to `shape`"}},
    .attrs = &AttrSchema::of<ShapeAttrs>,
    .infer = infer_broadcast_to,
    .body = body_broadcast_to,
    .vjp = vjp_broadcast_to,
    .elementwise = true,  // so that it fuses into what reads it: most gradients of reductions begin with one
    .tolerance = 0,
}};

// ---- reverse
// --------------------------------------------------------------------------------------------------------------------

void infer_reverse(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  normalize_axes(c.op(), c.attrs<AxesAttrs>().axis, c.shape(0).rank(), true);
  c.out(c.shape(0), t);
}
Expr body_reverse(BodyCtx& c) {
  const ir::In x = c.in(0);
  std::vector<Expr> index = c.out_index();
  for (int d : normalize_axes("reverse", c.attrs<AxesAttrs>().axis, x.rank(), true)) {
    index[static_cast<size_t>(d)] = x.dim(d) - 1 - c.out(d);
  }
  return x(index);
}
std::vector<Tensor> vjp_reverse(const VjpCtx& c) { return {reverse(c.grad[0], c.attrs<AxesAttrs>().axis)}; }

const RegisterOp kReverse{{
    .name = "reverse",
    .doc = "Turns the order of the elements along the axes round.",
    .family = "shape",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<AxesAttrs>,
    .infer = infer_reverse,
    .body = body_reverse,
    .vjp = vjp_reverse,
    .tolerance = 0,
}};

// ---- tile
// -----------------------------------------------------------------------------------------------------------------------

void infer_tile(InferCtx& c) {
  const DType t = want_numeric(c, 0);
  const Shape reps = checked_shape(c, "reps", c.attrs<TileAttrs>().reps);
  const Shape& x = c.shape(0);
  c.want(reps.rank() == x.rank(), "attribute 'reps' must have ", x.rank(), " entries for shape ", x, ", got ", reps);
  Shape out;
  for (int d = 0; d < x.rank(); ++d) out.push_back(x[d] * reps[d]);
  c.out(out, t);
}
Expr body_tile(BodyCtx& c) {
  const ir::In x = c.in(0);
  const auto& reps = c.attrs<TileAttrs>().reps;
  std::vector<Expr> index = c.out_index();
  for (size_t d = 0; d < reps.size(); ++d) {
    if (reps[d] != 1) index[d] = index[d] % x.dim(static_cast<int>(d));
  }
  return x(index);
}
// One axis at a time, so that the rank stays at 4.
std::vector<Tensor> vjp_tile(const VjpCtx& c) {
  const Tensor& x = c.in[0];
  if (!is_float(x.dtype())) return {Tensor()};
  const auto& reps = c.attrs<TileAttrs>().reps;
  Tensor g = c.grad[0];
  int64_t before = 1;
  int64_t after = g.size();
  if (after == 0) return {broadcast_to(Tensor::scalar(0), x.shape())};
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t rep = reps[static_cast<size_t>(d)];
    const int64_t n = x.shape()[d];
    after /= rep * n;
    if (rep != 1) g = sum(reshape(g, {before, rep, n, after}), 1);
    before *= n;
  }
  return {reshape(g, x.shape())};
}

const RegisterOp kTile{{
    .name = "tile",
    .doc = "Repeats the whole tensor reps[d] times along each axis d.",
    .family = "shape",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<TileAttrs>,
    .infer = infer_tile,
    .body = body_tile,
    .vjp = vjp_tile,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
