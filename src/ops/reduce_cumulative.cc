// cumsum and cumprod: prefix sums and products along one axis.
#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

void infer_cumulative(InferCtx& c) {
  const DType t = sum_dtype(want_numeric(c, 0));
  axis_of(c, c.attrs<CumulativeAttrs>().axis, c.shape(0).rank());
  c.out(c.shape(0), t);
}

// The extent of a reduction is uniform, so each element visits the whole axis and keeps what lies on its side: the
// reference, and what GPUs run for short axes.
Expr body_cumulative(BodyCtx& c, ir::Reduce r, double neutral) {
  const auto& a = c.attrs<CumulativeAttrs>();
  const ir::In x = c.in(0);
  const int axis = normalize_axis("cumsum", a.axis, x.rank());
  const ir::Type as = ir::type_of(c.out_dtype());
  std::vector<Expr> index = c.out_index();
  const Expr here = c.out(axis);
  return ir::reduce(r, x.dim(axis), [&](Expr v) {
    index[static_cast<size_t>(axis)] = v;
    const Expr value = ir::convert(x(index), as);
    const Expr counts = a.reverse ? (a.exclusive ? v > here : v >= here) : (a.exclusive ? v < here : v <= here);
    return ir::select(counts, value, ir::like(value, neutral));
  });
}
Expr body_cumsum(BodyCtx& c) { return body_cumulative(c, ir::Reduce::sum, 0); }
Expr body_cumprod(BodyCtx& c) { return body_cumulative(c, ir::Reduce::prod, 1); }

std::vector<Tensor> vjp_cumsum(const VjpCtx& c) {
  if (!is_float(c.in[0].dtype())) return {Tensor()};
  const auto& a = c.attrs<CumulativeAttrs>();
  return {cumsum(c.grad[0], a.axis, a.exclusive, !a.reverse)};
}

// With P(i, j) the product of x over (i, j] and L(i) that over [0, i):
//   dx(i) = L(i) * sum over j >= i of dy(j) * P(i, j)
// No division, so zeros are right; n^2 memory a row, of ordinary ops, so that it can be differentiated again.
std::vector<Tensor> vjp_cumprod(const VjpCtx& c) {
  const Tensor& x = c.in[0];
  if (!is_float(x.dtype())) return {Tensor()};
  const auto& a = c.attrs<CumulativeAttrs>();
  const int rank = x.rank();
  const int axis = normalize_axis("cumprod", a.axis, rank);
  const int64_t n = x.shape()[axis];
  if (x.size() == 0) return {c.grad[0]};
  // Bring it to rows, forwards and inclusive.
  std::vector<int64_t> swap;
  for (int d = 0; d < rank; ++d) swap.push_back(d == axis ? rank - 1 : d == rank - 1 ? axis : d);
  const int64_t rows = x.size() / n;
  const auto to_rows = [&](const Tensor& t) {
    const Tensor r = reshape(transpose(t, swap), {rows, n});
    return a.reverse ? reverse(r, 1) : r;
  };
  const Tensor xr = to_rows(x);
  Tensor dy = to_rows(c.grad[0]);
  if (a.exclusive) dy = pad(slice(dy, {0, 1}, {rows, n - 1}), {0, 0, 0, 1});
  const Tensor column = reshape(range(0, static_cast<double>(n), 1, DType::kInt32), {n, 1});
  const Tensor row = reshape(column, {1, n});
  const Tensor zero = Tensor::scalar(0), one = Tensor::scalar(1);
  const Tensor factors = where(greater(row, column), reshape(xr, {rows, 1, n}), one);
  const Tensor products = cumprod(factors, 2);
  const Tensor terms = where(greater_equal(row, column), mul(products, reshape(dy, {rows, 1, n})), zero);
  Tensor dx = mul(cumprod(xr, 1, true, false), sum(terms, 2));
  if (a.reverse) dx = reverse(dx, 1);
  Shape swapped;
  for (int64_t d : swap) swapped.push_back(x.shape()[static_cast<int>(d)]);
  return {transpose(reshape(dx, swapped), swap)};
}

const RegisterOp kCumsum{{
    .name = "cumsum",
    .doc = "Sum of all elements up to each one along an axis. bool counts as int32.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor of rank 1 or more"}},
    .attrs = &AttrSchema::of<CumulativeAttrs>,
    .infer = infer_cumulative,
    .body = body_cumsum,
    .vjp = vjp_cumsum,
    .tolerance = 1e-5,
}};

const RegisterOp kCumprod{{
    .name = "cumprod",
    .doc = "Product of all elements up to each one along an axis. bool counts as int32.",
    .family = "reduce",
    .inputs = {{"x", "any numeric tensor of rank 1 or more"}},
    .attrs = &AttrSchema::of<CumulativeAttrs>,
    .infer = infer_cumulative,
    .body = body_cumprod,
    .vjp = vjp_cumprod,
    .tolerance = 1e-5,
}};

}  // namespace
}  // namespace tsr::ops
