// Tensors out of nothing: constants, sequences, identity matrices, one-hot vectors.
#include <cmath>

#include "base/shape.h"
#include "core/array_attrs.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;

void want_kernel_dtype(const InferCtx& c, DType t) {
  c.want(t == value_dtype(t), "attribute 'dtype' must be float32, int32 or bool, got ", name_of(t));
}

// ---- fill
// -----------------------------------------------------------------------------------------------------------------------

void infer_fill(InferCtx& c) {
  const auto& a = c.attrs<FillAttrs>();
  want_kernel_dtype(c, a.dtype);
  c.out(checked_shape(c, "shape", a.shape), a.dtype);
}
Expr body_fill(BodyCtx& c) { return param_of(c, c.out_dtype(), c.attrs<FillAttrs>().value); }

const RegisterOp kFill{{
    .name = "fill",
    .doc = "A tensor whose elements are all the same.",
    .family = "creation",
    .attrs = &AttrSchema::of<FillAttrs>,
    .infer = infer_fill,
    .body = body_fill,
    .zero_gradient = true,
    .tolerance = 0,
}};

// ---- range
// ----------------------------------------------------------------------------------------------------------------------

// TensorFlow.js's rules: the default step turns round when stop is below start; other steps in the wrong direction give
// nothing.
StepsAttrs resolve_range(const char* op, const RangeAttrs& a) {
  require(a.step != 0, "[", op, "] step must not be 0");
  require(std::isfinite(a.start) && std::isfinite(a.stop) && std::isfinite(a.step), "[", op,
          "] start, stop and step must be finite");
  const double step = a.stop < a.start && a.step == 1 ? -1 : a.step;
  const double n = std::ceil((a.stop - a.start) / step);
  require(n <= static_cast<double>(kMaxElements), "[", op, "] has too many elements: ", n);
  return {n > 0 ? static_cast<int64_t>(n) : 0, a.start, step, a.dtype};
}

void infer_range(InferCtx& c) {
  const auto& a = c.attrs<RangeAttrs>();
  c.want(a.dtype == DType::kFloat32 || a.dtype == DType::kInt32, "attribute 'dtype' must be float32 or int32, got ",
         name_of(a.dtype));
  c.out({resolve_range(c.op(), a).num}, a.dtype);
}
std::vector<Tensor> compose_range(const ComposeCtx& c) {
  return {apply1(get_op("steps"), {}, resolve_range(c.op.name, c.attrs<RangeAttrs>()))};
}

void infer_steps(InferCtx& c) {
  const auto& a = c.attrs<StepsAttrs>();
  want_bounded(c, "num", {&a.num, 1});
  c.want(a.num >= 0, "attribute 'num' must not be negative, got ", a.num);
  c.want(a.dtype == DType::kFloat32 || a.dtype == DType::kInt32, "attribute 'dtype' must be float32 or int32, got ",
         name_of(a.dtype));
  c.out({a.num}, a.dtype);
}
Expr body_steps(BodyCtx& c) {
  const auto& a = c.attrs<StepsAttrs>();
  const Expr i = ir::convert(c.out(0), ir::type_of(c.out_dtype()));
  // An integer range with a fractional step truncates each value, as a typed array does.
  if (a.dtype == DType::kInt32 && (a.step != std::trunc(a.step) || a.start != std::trunc(a.start))) {
    return ir::to_i32(ir::to_f32(i) * c.pf(a.step) + c.pf(a.start));
  }
  return i * param_of(c, c.out_dtype(), a.step) + param_of(c, c.out_dtype(), a.start);
}

const RegisterOp kRange{{
    .name = "range",
    .doc = "start, start + step, ... up to but without stop. A step of 1 counts down when stop is below start; any "
           "other step that "
           "leads away from stop gives an empty tensor.",
    .family = "creation",
    .attrs = &AttrSchema::of<RangeAttrs>,
    .infer = infer_range,
    .compose = compose_range,
    .zero_gradient = true,
}};

const RegisterOp kSteps{{
    .name = "steps",
    .doc = "out[i] = start + i * step: what range comes down to.",
    .family = "creation",
    .attrs = &AttrSchema::of<StepsAttrs>,
    .infer = infer_steps,
    .body = body_steps,
    .zero_gradient = true,
    .in_js = false,
    .tolerance = 1e-6,
}};

// ---- linspace
// -------------------------------------------------------------------------------------------------------------------

void infer_linspace(InferCtx& c) {
  const int64_t n = c.attrs<LinspaceAttrs>().num;
  want_bounded(c, "num", {&n, 1});
  c.want(n >= 1, "attribute 'num' must be at least 1, got ", n);
  c.out({n}, DType::kFloat32);
}
Expr body_linspace(BodyCtx& c) {
  const auto& a = c.attrs<LinspaceAttrs>();
  const double step = a.num > 1 ? (a.stop - a.start) / static_cast<double>(a.num - 1) : 0;
  const Expr y = ir::to_f32(c.out(0)) * c.pf(step) + c.pf(a.start);
  // The last value is stop itself, whatever rounding did on the way.
  return a.num > 1 ? ir::select(c.out(0) == c.out_dim(0) - 1, c.pf(a.stop), y) : y;
}

const RegisterOp kLinspace{{
    .name = "linspace",
    .doc = "num values from start to stop, both included, at equal distances.",
    .family = "creation",
    .attrs = &AttrSchema::of<LinspaceAttrs>,
    .infer = infer_linspace,
    .body = body_linspace,
    .zero_gradient = true,
    .tolerance = 1e-6,
}};

// ---- eye
// ------------------------------------------------------------------------------------------------------------------------

void infer_eye(InferCtx& c) {
  const auto& a = c.attrs<EyeAttrs>();
  want_kernel_dtype(c, a.dtype);
  Shape out = checked_shape(c, "batchShape", a.batch_shape);
  want_bounded(c, "numRows", {&a.num_rows, 1});
  want_bounded(c, "numColumns", {&a.num_columns, 1});
  c.want(a.num_rows >= 0 && a.num_columns >= -1, "numRows and numColumns must not be negative, got ", a.num_rows,
         " and ", a.num_columns);
  c.want(out.rank() + 2 <= kMaxRank, "attribute 'batchShape' may have at most ", kMaxRank - 2, " entries");
  out.push_back(a.num_rows);
  out.push_back(a.num_columns < 0 ? a.num_rows : a.num_columns);
  c.out(out, a.dtype);
}
Expr body_eye(BodyCtx& c) { return c.out(c.out_rank() - 2) == c.out(c.out_rank() - 1); }

const RegisterOp kEye{{
    .name = "eye",
    .doc = "The identity matrix, repeated over the batch axes.",
    .family = "creation",
    .attrs = &AttrSchema::of<EyeAttrs>,
    .infer = infer_eye,
    .body = body_eye,
    .zero_gradient = true,
    .tolerance = 0,
}};

// ---- oneHot
// ---------------------------------------------------------------------------------------------------------------------

void infer_one_hot(InferCtx& c) {
  const auto& a = c.attrs<OneHotAttrs>();
  c.want_dtype(0, {DType::kInt32});
  want_kernel_dtype(c, a.dtype);
  want_bounded(c, "depth", {&a.depth, 1});
  c.want(a.depth >= 1, "attribute 'depth' must be at least 1, got ", a.depth);
  Shape out = c.shape(0);
  c.want(out.rank() < kMaxRank, "'indices' already has ", kMaxRank, " dimensions");
  out.push_back(a.depth);
  c.out(out, a.dtype);
}
Expr body_one_hot(BodyCtx& c) {
  const auto& a = c.attrs<OneHotAttrs>();
  std::vector<Expr> index = c.out_index();
  index.pop_back();
  const Expr on = param_of(c, c.out_dtype(), a.on_value);
  const Expr off = param_of(c, c.out_dtype(), a.off_value);
  return ir::select(c.in(0)(index) == c.out(c.out_rank() - 1), on, off);
}

const RegisterOp kOneHot{{
    .name = "oneHot",
    .doc = "A new last axis with onValue at the place that each index names and offValue elsewhere; an index outside "
           "of [0, depth) gives "
           "offValue everywhere.",
    .family = "creation",
    .inputs = {{"indices", "an int32 tensor"}},
    .attrs = &AttrSchema::of<OneHotAttrs>,
    .infer = infer_one_hot,
    .body = body_one_hot,
    .zero_gradient = true,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
