#include "ir/body.h"

namespace tsr::ir {

DType In::dtype() const { return ctx_->input_types()[static_cast<size_t>(index_)].dtype; }
const Shape& In::shape() const { return ctx_->input_types()[static_cast<size_t>(index_)].shape; }

Expr In::operator()(std::span<const Expr> index) const {
  check(static_cast<int>(index.size()) == rank(), "input ", index_, " has rank ", rank(), ", but is read with ",
        index.size(), " indices");
  return load(index_, type(), index);
}

Expr In::broadcast() const {
  const int lead = ctx_->out_rank() - rank();
  check(lead >= 0, "input ", index_, " of rank ", rank(), " does not broadcast to rank ", ctx_->out_rank());
  std::vector<Expr> index;
  for (int d = 0; d < rank(); ++d) {
    const bool repeated = shape()[d] == 1 && ctx_->out_shape()[lead + d] != 1;
    index.push_back(repeated ? i32(0) : axis(lead + d));
  }
  return (*this)(index);
}

In BodyCtx::in(int k) const {
  check(k >= 0 && k < num_inputs(), "a body reads input ", k, " of ", num_inputs());
  return In(this, k);
}

Expr BodyCtx::pi(int64_t value) {
  params_.push_back(ParamValue::i32(value));
  return param(static_cast<int>(params_.size()) - 1, Type::i32);
}
Expr BodyCtx::pf(double value) {
  params_.push_back(ParamValue::f32(value));
  return param(static_cast<int>(params_.size()) - 1, Type::f32);
}

Kernel BodyCtx::finish(std::string name, Expr body) {
  check(static_cast<bool>(body), "the body of ", name, " is empty");
  Kernel k;
  k.name = std::move(name);
  for (const TensorType& t : inputs_) k.inputs.push_back({t.dtype, t.shape.rank()});
  k.out_rank = out_rank();
  k.out_dtype = out_dtype();
  k.body = convert(std::move(body), type_of(out_dtype()));
  k.params = params_;
  verify(k);
  return k;
}

Kernel make_kernel(const OpDef& op, std::span<const TensorType> inputs, const TensorType& out, const Attrs& attrs,
                   int output) {
  check(op.body != nullptr, "op ", op.name, " has no body");
  BodyCtx ctx(inputs, out, attrs, output);
  Expr body = op.body(ctx);
  return ctx.finish(op.name, std::move(body));
}

}  // namespace tsr::ir
