// Ops that move blocks of space into the batch or the channels and back.
#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

double num(int64_t v) { return static_cast<double>(v); }

// ---- spaceToBatchND, batchToSpaceND
// -----------------------------------------------------------------------------------------------

// Checks the lists against the rank; returns the product of the block extents.
int64_t check_blocks(const InferCtx& c, const char* edges_name, const std::vector<int64_t>& block,
                     const std::vector<int64_t>& edges) {
  const size_t m = block.size();
  c.want(static_cast<size_t>(c.shape(0).rank()) >= m + 1, "shape ", c.shape(0), " needs a batch and ", m,
         " spatial axes");
  c.want(edges.size() == 2 * m, "attribute '", edges_name, "' must have ", 2 * m, " numbers, got ", edges.size());
  want_bounded(c, "blockShape", block);
  want_bounded(c, edges_name, edges);
  int64_t product = 1;
  for (size_t k = 0; k < m; ++k) {
    c.want(block[k] >= 1, "block extents must be at least 1, got ", block[k]);
    c.want(edges[2 * k] >= 0 && edges[2 * k + 1] >= 0, edges_name, " must not be negative");
    c.want(product <= kMaxElements / block[k], "a block of this size has too many elements");
    product *= block[k];
  }
  return product;
}

void infer_space_to_batch(InferCtx& c) {
  const auto& a = c.attrs<SpaceToBatchAttrs>();
  const DType t = want_numeric(c, 0);
  const int64_t product = check_blocks(c, "paddings", a.block_shape, a.edges);
  Shape out = c.shape(0);
  out[0] *= product;
  for (size_t k = 0; k < a.block_shape.size(); ++k) {
    const int d = static_cast<int>(k) + 1;
    const int64_t n = out[d] + a.edges[2 * k] + a.edges[2 * k + 1];
    c.want(n % a.block_shape[k] == 0, "axis ", d, " has extent ", n, " with paddings, which block extent ",
           a.block_shape[k], " does not divide");
    out[d] = n / a.block_shape[k];
  }
  c.out(out, t);
}

// Output batch = (position in the block) * batch + batch index; the position counts the last spatial axis fastest.
Expr body_space_to_batch(BodyCtx& c) {
  const auto& a = c.attrs<SpaceToBatchAttrs>();
  const ir::In x = c.in(0);
  std::vector<Expr> index = c.out_index();
  Expr position = c.out(0) / x.dim(0);
  index[0] = c.out(0) % x.dim(0);
  Expr inside = ir::b1(true);
  for (size_t k = a.block_shape.size(); k-- > 0;) {
    const int d = static_cast<int>(k) + 1;
    const Expr offset = position % num(a.block_shape[k]);
    position = position / num(a.block_shape[k]);
    const Expr i = c.out(d) * num(a.block_shape[k]) + offset - num(a.edges[2 * k]);
    inside = inside && i >= 0 && i < x.dim(d);
    index[k + 1] = clamp_index(i, x.dim(d));
  }
  index[0] = clamp_index(index[0], x.dim(0));
  return ir::select(inside, x(index), ir::like(x(index), 0));
}

std::vector<Tensor> vjp_space_to_batch(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  const auto& a = c.attrs<SpaceToBatchAttrs>();
  return {batch_to_space_nd(c.grad[0], a.block_shape, a.edges)};
}

void infer_batch_to_space(InferCtx& c) {
  const auto& a = c.attrs<BatchToSpaceAttrs>();
  const DType t = want_numeric(c, 0);
  const int64_t product = check_blocks(c, "crops", a.block_shape, a.edges);
  Shape out = c.shape(0);
  c.want(out[0] % product == 0, "the batch of shape ", out, " is not a multiple of ", product, ", the size of a block");
  out[0] /= product;
  for (size_t k = 0; k < a.block_shape.size(); ++k) {
    const int d = static_cast<int>(k) + 1;
    const int64_t n = out[d] * a.block_shape[k];
    const int64_t crop = a.edges[2 * k] + a.edges[2 * k + 1];
    c.want(crop <= n, "crops of axis ", d, " take ", crop, " of ", n);
    out[d] = n - crop;
  }
  c.out(out, t);
}

Expr body_batch_to_space(BodyCtx& c) {
  const auto& a = c.attrs<BatchToSpaceAttrs>();
  const ir::In x = c.in(0);
  std::vector<Expr> index = c.out_index();
  Expr position = ir::i32(0);
  for (size_t k = 0; k < a.block_shape.size(); ++k) {
    const Expr i = c.out(static_cast<int>(k) + 1) + num(a.edges[2 * k]);
    index[k + 1] = i / num(a.block_shape[k]);
    position = position * num(a.block_shape[k]) + i % num(a.block_shape[k]);
  }
  index[0] = position * c.out_dim(0) + c.out(0);
  return x(index);
}

std::vector<Tensor> vjp_batch_to_space(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  const auto& a = c.attrs<BatchToSpaceAttrs>();
  return {space_to_batch_nd(c.grad[0], a.block_shape, a.edges)};
}

const RegisterOp kSpaceToBatch{{
    .name = "spaceToBatchND",
    .doc = "Pads the spatial axes with zeros and moves each position within blocks of blockShape into the batch.",
    .family = "shape",
    .inputs = {{"x", "[batch, spatial..., rest...]"}},
    .attrs = &AttrSchema::of<SpaceToBatchAttrs>,
    .infer = infer_space_to_batch,
    .body = body_space_to_batch,
    .vjp = vjp_space_to_batch,
    .tolerance = 0,
}};

const RegisterOp kBatchToSpace{{
    .name = "batchToSpaceND",
    .doc = "The inverse of spaceToBatchND: lays batches out as blocks of blockShape, then crops the spatial axes.",
    .family = "shape",
    .inputs = {{"x", "[batch, spatial..., rest...]"}},
    .attrs = &AttrSchema::of<BatchToSpaceAttrs>,
    .infer = infer_batch_to_space,
    .body = body_batch_to_space,
    .vjp = vjp_batch_to_space,
    .tolerance = 0,
}};

// ---- depthToSpace, spaceToDepth
// ---------------------------------------------------------------------------------------------------

struct Axes {
  int h, w, c;
};
Axes axes_for(DataFormat f) { return f == DataFormat::kNHWC ? Axes{1, 2, 3} : Axes{2, 3, 1}; }

void infer_depth_to_space(InferCtx& c) {
  const auto& a = c.attrs<DepthToSpaceAttrs>();
  const DType t = want_numeric(c, 0);
  c.want_rank(0, 4);
  const int64_t b = a.block_size;
  want_bounded(c, "blockSize", {&b, 1});
  c.want(b >= 1, "blockSize must be at least 1, got ", b);
  const Axes ax = axes_for(a.data_format);
  Shape out = c.shape(0);
  c.want(out[ax.c] % (b * b) == 0, "the channels of shape ", out, " are not a multiple of blockSize squared, ", b * b);
  out[ax.h] *= b;
  out[ax.w] *= b;
  out[ax.c] /= b * b;
  c.out(out, t);
}

// Channel = (row in the block * block + column in the block) * depth + depth index.
Expr body_depth_to_space(BodyCtx& c) {
  const auto& a = c.attrs<DepthToSpaceAttrs>();
  const Axes ax = axes_for(a.data_format);
  const double b = num(a.block_size);
  std::vector<Expr> index = c.out_index();
  const Expr y = c.out(ax.h), x = c.out(ax.w);
  index[static_cast<size_t>(ax.h)] = y / b;
  index[static_cast<size_t>(ax.w)] = x / b;
  index[static_cast<size_t>(ax.c)] = (y % b * b + x % b) * c.out_dim(ax.c) + c.out(ax.c);
  return c.in(0)(index);
}

void infer_space_to_depth(InferCtx& c) {
  const auto& a = c.attrs<DepthToSpaceAttrs>();
  const DType t = want_numeric(c, 0);
  c.want_rank(0, 4);
  const int64_t b = a.block_size;
  want_bounded(c, "blockSize", {&b, 1});
  c.want(b >= 1, "blockSize must be at least 1, got ", b);
  const Axes ax = axes_for(a.data_format);
  Shape out = c.shape(0);
  c.want(out[ax.h] % b == 0 && out[ax.w] % b == 0, "height and width of shape ", out,
         " are not multiples of blockSize ", b);
  out[ax.h] /= b;
  out[ax.w] /= b;
  out[ax.c] *= b * b;
  c.out(out, t);
}

Expr body_space_to_depth(BodyCtx& c) {
  const auto& a = c.attrs<DepthToSpaceAttrs>();
  const Axes ax = axes_for(a.data_format);
  const double b = num(a.block_size);
  const ir::In x = c.in(0);
  std::vector<Expr> index = c.out_index();
  const Expr position = c.out(ax.c) / x.dim(ax.c);
  index[static_cast<size_t>(ax.c)] = clamp_index(c.out(ax.c) % x.dim(ax.c), x.dim(ax.c));
  index[static_cast<size_t>(ax.h)] = c.out(ax.h) * b + position / b;
  index[static_cast<size_t>(ax.w)] = c.out(ax.w) * b + position % b;
  return x(index);
}

// Each is the other's transpose.
std::vector<Tensor> vjp_depth_to_space(const VjpCtx& c) {
  return {apply1(get_op("spaceToDepth"), {c.grad[0]}, c.raw_attrs)};
}
std::vector<Tensor> vjp_space_to_depth(const VjpCtx& c) {
  return {apply1(get_op("depthToSpace"), {c.grad[0]}, c.raw_attrs)};
}

const RegisterOp kDepthToSpace{{
    .name = "depthToSpace",
    .doc = "Lays groups of blockSize^2 channels out as squares of space.",
    .family = "shape",
    .inputs = {{"x", "a numeric tensor of rank 4"}},
    .attrs = &AttrSchema::of<DepthToSpaceAttrs>,
    .infer = infer_depth_to_space,
    .body = body_depth_to_space,
    .vjp = vjp_depth_to_space,
    .tolerance = 0,
}};

const RegisterOp kSpaceToDepth{{
    .name = "spaceToDepth",
    .doc = "The inverse of depthToSpace: moves squares of blockSize x blockSize pixels into the channels.",
    .family = "shape",
    .inputs = {{"x", "a numeric tensor of rank 4"}},
    .attrs = &AttrSchema::of<DepthToSpaceAttrs>,
    .infer = infer_space_to_depth,
    .body = body_space_to_depth,
    .vjp = vjp_space_to_depth,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
