// Matrix products and norms.
#include <cmath>

#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

// ---- matMul
// ---------------------------------------------------------------------------------------------------------------------

Shape batch_of(const Shape& s) { return Shape(s.span().first(static_cast<size_t>(s.rank()) - 2)); }

void infer_mat_mul(InferCtx& c) {
  const auto& a = c.attrs<MatMulAttrs>();
  const DType t = sum_dtype(common_dtype(c, 0, 1));
  c.want_rank_at_least(0, 2);
  c.want_rank_at_least(1, 2);
  const Shape &x = c.shape(0), &y = c.shape(1);
  const int64_t rows = x.back(a.transpose_a ? 0 : 1), inner = x.back(a.transpose_a ? 1 : 0);
  const int64_t inner_b = y.back(a.transpose_b ? 0 : 1), columns = y.back(a.transpose_b ? 1 : 0);
  c.want(inner == inner_b, "inner extents ", inner, " and ", inner_b, " of shapes ", x, " and ", y,
         " with transposeA = ", a.transpose_a ? "true" : "false", ", transposeB = ", a.transpose_b ? "true" : "false",
         " differ");
  Shape out = broadcast(c.op(), batch_of(x), batch_of(y));
  out.push_back(rows);
  out.push_back(columns);
  c.out(out, t);
}

// Index of the matrix element (row, column) of input k in the output's batch.
std::vector<Expr> matrix_index(BodyCtx& c, int k, const Expr& row, const Expr& column) {
  const ir::In x = c.in(k);
  const int lead = c.out_rank() - x.rank();
  std::vector<Expr> index;
  for (int d = 0; d + 2 < x.rank(); ++d) index.push_back(x.shape()[d] == 1 ? ir::i32(0) : c.out(lead + d));
  index.push_back(row);
  index.push_back(column);
  return index;
}

Expr body_mat_mul(BodyCtx& c) {
  const auto& a = c.attrs<MatMulAttrs>();
  const ir::In x = c.in(0), y = c.in(1);
  const ir::Type as = ir::type_of(c.out_dtype());
  const Expr row = c.out(c.out_rank() - 2), column = c.out(c.out_rank() - 1);
  const Expr inner = x.dim(x.rank() - (a.transpose_a ? 2 : 1));
  return ir::reduce(ir::Reduce::sum, inner, [&](Expr k) {
    const Expr left = x(a.transpose_a ? matrix_index(c, 0, k, row) : matrix_index(c, 0, row, k));
    const Expr right = y(a.transpose_b ? matrix_index(c, 1, column, k) : matrix_index(c, 1, k, column));
    return ir::convert(left, as) * ir::convert(right, as);
  });
}

std::vector<Tensor> vjp_mat_mul(const VjpCtx& c) {
  const auto& at = c.attrs<MatMulAttrs>();
  const Tensor &a = c.in[0], &b = c.in[1], &dy = c.grad[0];
  const bool ta = at.transpose_a, tb = at.transpose_b;
  Tensor da, db;
  if (c.needs[0] && is_float(a.dtype())) {
    da = ta ? mat_mul(b, dy, tb, true) : mat_mul(dy, b, false, !tb);
    da = sum_to(da, a.shape());
  }
  if (c.needs[1] && is_float(b.dtype())) {
    db = tb ? mat_mul(dy, a, true, ta) : mat_mul(a, dy, !ta, false);
    db = sum_to(db, b.shape());
  }
  return {da, db};
}

const RegisterOp kMatMul{{
    .name = "matMul",
    .doc =
        "Matrix product over the last two axes: out[i, j] = sum over k of a[i, k] * b[k, j]. Leading axes broadcast.",
    .family = "linalg",
    .inputs = {{"a", "numeric, rank 2 or more"}, {"b", "numeric, rank 2 or more"}},
    .attrs = &AttrSchema::of<MatMulAttrs>,
    .infer = infer_mat_mul,
    .body = body_mat_mul,
    .vjp = vjp_mat_mul,
    .tolerance = 1e-4,  // sums of thousands of products in another order
}};

// ---- dot, outerProduct
// ----------------------------------------------------------------------------------------------------------

std::vector<Tensor> compose_dot(const ComposeCtx& c) {
  const Tensor &a = c.in[0], &b = c.in[1];
  const int ra = a.rank(), rb = b.rank();
  require((ra == 1 || ra == 2) && (rb == 1 || rb == 2), "[dot] both tensors must have rank 1 or 2, got shapes ",
          a.shape(), " and ", b.shape());
  require(a.shape().back() == b.shape()[0], "[dot] inner extents ", a.shape().back(), " and ", b.shape()[0],
          " of shapes ", a.shape(), " and ", b.shape(), " differ");
  const Tensor left = ra == 1 ? reshape(a, {1, -1}) : a;
  const Tensor right = rb == 1 ? reshape(b, {-1, 1}) : b;
  Shape out;
  if (ra == 2) out.push_back(a.shape()[0]);
  if (rb == 2) out.push_back(b.shape()[1]);
  return {reshape(mat_mul(left, right), out)};
}

const RegisterOp kDot{{
    .name = "dot",
    .doc = "Product of two vectors (a scalar), a matrix and a vector, or two matrices.",
    .family = "linalg",
    .inputs = {{"t1", "rank 1 or 2"}, {"t2", "rank 1 or 2"}},
    .compose = compose_dot,
    .tolerance = 1e-4,
}};

std::vector<Tensor> compose_outer_product(const ComposeCtx& c) {
  const Tensor &a = c.in[0], &b = c.in[1];
  require(a.rank() == 1 && b.rank() == 1, "[outerProduct] both tensors must have rank 1, got shapes ", a.shape(),
          " and ", b.shape());
  return {mat_mul(reshape(a, {-1, 1}), reshape(b, {1, -1}))};
}

const RegisterOp kOuterProduct{{
    .name = "outerProduct",
    .doc = "out[i, j] = v1[i] * v2[j].",
    .family = "linalg",
    .inputs = {{"v1", "a vector"}, {"v2", "a vector"}},
    .compose = compose_outer_product,
    .tolerance = 1e-6,
}};

// ---- norm
// -----------------------------------------------------------------------------------------------------------------------

enum class Norm { kOne, kTwo, kMax, kMin };

Norm norm_of(const std::string& ord) {
  if (ord == "euclidean" || ord == "fro" || ord == "2") return Norm::kTwo;
  if (ord == "1") return Norm::kOne;
  if (ord == "Infinity" || ord == "inf") return Norm::kMax;
  if (ord == "-Infinity" || ord == "-inf") return Norm::kMin;
  fail(ErrorCode::kInvalidArgument,
       "[norm] attribute 'ord' must be 'euclidean', 'fro', 1, 2, Infinity or -Infinity, got '", ord, "'");
}

std::vector<Tensor> compose_norm(const ComposeCtx& c) {
  const auto& at = c.attrs<NormAttrs>();
  const Norm kind = norm_of(at.ord);
  const Tensor x = is_float(c.in[0].dtype()) ? c.in[0] : cast(c.in[0], DType::kFloat32);
  const std::vector<int> axes = normalize_axes("norm", at.axis, x.rank(), true);
  require(at.axis.size() <= 2, "[norm] attribute 'axis' may have one entry or two, got ", at.axis.size());
  Tensor y;
  if (at.axis.size() == 2) {
    // A matrix norm: sums along one axis, then the extreme of them along the other.
    require(at.ord != "2", "[norm] the norm 2 of matrices is not supported, use 'fro' for the Frobenius norm");
    const int64_t rows = normalize_axis("norm", at.axis[0], x.rank());
    const int64_t columns = normalize_axis("norm", at.axis[1], x.rank());
    switch (kind) {
      case Norm::kOne:
        y = max(sum(abs(x), rows, true), columns, true);
        break;
      case Norm::kMax:
        y = max(sum(abs(x), columns, true), rows, true);
        break;
      case Norm::kMin:
        y = min(sum(abs(x), columns, true), rows, true);
        break;
      case Norm::kTwo:
        y = sqrt(sum(square(x), {rows, columns}, true));
        break;
    }
  } else {
    switch (kind) {
      case Norm::kOne:
        y = sum(abs(x), at.axis, true);
        break;
      case Norm::kMax:
        y = max(abs(x), at.axis, true);
        break;
      case Norm::kMin:
        y = min(abs(x), at.axis, true);
        break;
      case Norm::kTwo:
        y = sqrt(sum(square(x), at.axis, true));
        break;
    }
  }
  return {at.keep_dims ? y : reshape(y, reduced_shape(x.shape(), axes, false))};
}

const RegisterOp kNorm{{
    .name = "norm",
    .doc = "Norm of vectors (one axis, or all elements as one vector) or of matrices (two axes): the root of the sum "
           "of squares, the "
           "sum (1) or the extremes (Infinity, -Infinity) of absolute values; for matrices of the columns' (1) or "
           "rows' sums.",
    .family = "linalg",
    .inputs = {{"x", "any numeric tensor"}},
    .attrs = &AttrSchema::of<NormAttrs>,
    .compose = compose_norm,
}};

}  // namespace
}  // namespace tsr::ops
