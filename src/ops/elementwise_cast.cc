// Conversions between dtypes, and constants in the shape of a tensor. Their code on the CPU is the tile program of the
// body.
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

struct CastAttrs {
  DType dtype = DType::kFloat32;
  static void describe(AttrSchema& s) { s.field<&CastAttrs::dtype>("dtype", "float32, int32 or bool").required(); }
};

void infer_cast(InferCtx& c) {
  const DType to = c.attrs<CastAttrs>().dtype;
  want_numeric(c, 0);
  c.want(to == value_dtype(to), "attribute 'dtype' must be float32, int32 or bool, got ", name_of(to));
  c.out(c.shape(0), to);
}
ir::Expr body_cast(ir::BodyCtx& c) { return c.in(0).broadcast(ir::type_of(c.out_dtype())); }
std::vector<Tensor> vjp_cast(const VjpCtx& c) { return {c.grad[0]}; }

const RegisterOp kCast{{
    .name = "cast",
    .doc = "x in another dtype. Floats become integers by dropping the fraction (saturating; NaN gives 0), bool by "
           "comparing with 0.",
    .family = "elementwise",
    .inputs = {{"x", "any shape"}},
    .attrs = &AttrSchema::of<CastAttrs>,
    .infer = infer_cast,
    .body = body_cast,
    .vjp = vjp_cast,
    .elementwise = true,
    .tolerance = 0,
}};

void infer_like(InferCtx& c) { c.out(c.shape(0), want_numeric(c, 0)); }
ir::Expr constant_like(ir::BodyCtx& c, double value) {
  switch (ir::type_of(c.out_dtype())) {
    case ir::Type::f32:
      return ir::f32(value);
    case ir::Type::i32:
      return ir::i32(static_cast<int64_t>(value));
    default:
      return ir::b1(value != 0);
  }
}
ir::Expr body_ones(ir::BodyCtx& c) { return constant_like(c, 1); }
ir::Expr body_zeros(ir::BodyCtx& c) { return constant_like(c, 0); }

const RegisterOp kOnesLike{{
    .name = "onesLike",
    .doc = "Ones in the shape and dtype of x.",
    .family = "elementwise",
    .inputs = {{"x", "any shape; its values are not read"}},
    .infer = infer_like,
    .body = body_ones,
    .elementwise = true,
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kZerosLike{{
    .name = "zerosLike",
    .doc = "Zeros in the shape and dtype of x.",
    .family = "elementwise",
    .inputs = {{"x", "any shape; its values are not read"}},
    .infer = infer_like,
    .body = body_zeros,
    .elementwise = true,
    .zero_gradient = true,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
