// What an op's body receives: its inputs, the output index, and a place to put launch-time parameters.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/attrs.h"
#include "core/op_def.h"
#include "ir/expr.h"
#include "ir/kernel.h"

namespace tsr::ir {

class BodyCtx;

/// One input of the op whose body is being built.
class In {
 public:
  int rank() const { return shape().rank(); }
  DType dtype() const;
  Type type() const { return type_of(dtype()); }
  /// The concrete shape: for structural decisions alone ("is this dimension 1, so that it broadcasts"). Extents in
  /// arithmetic come from dim().
  const Shape& shape() const;
  Expr dim(int d) const { return ir::dim(index_, d); }
  /// The element at one i32 index a dimension; it must be in range for every output element (clamp it).
  Expr operator()(std::span<const Expr> index) const;
  Expr operator()(std::initializer_list<Expr> index) const {
    return (*this)(std::span<const Expr>(index.begin(), index.size()));
  }
  Expr operator()(const std::vector<Expr>& index) const { return (*this)(std::span<const Expr>(index)); }
  /// The element at the output index under numpy broadcasting (missing leading dimensions and dimensions of extent 1
  /// read index 0).
  Expr broadcast() const;
  /// The same, converted to another type.
  Expr broadcast(Type as) const { return convert(broadcast(), as); }

 private:
  friend class BodyCtx;
  In(const BodyCtx* ctx, int index) : ctx_(ctx), index_(index) {}
  const BodyCtx* ctx_;
  int index_;
};

class BodyCtx {
 public:
  /// `attrs` outlives this object; `output` says which output of a multi-output op is wanted.
  BodyCtx(std::span<const TensorType> inputs, TensorType out, const Attrs& attrs, int output = 0)
      : inputs_(inputs.begin(), inputs.end()), out_(std::move(out)), attrs_(&attrs), output_(output) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  In in(int k) const;
  Expr out(int d) const { return axis(d); }
  /// {out(0), ..., out(rank - 1)}, to be edited into an index.
  std::vector<Expr> out_index() const { return all_axes(out_rank()); }
  Expr out_dim(int d) const { return ir::out_dim(d); }
  int out_rank() const { return out_.shape.rank(); }
  /// Concrete, for structural decisions alone.
  const Shape& out_shape() const { return out_.shape; }
  DType out_dtype() const { return out_.dtype; }
  int output() const { return output_; }

  /// A launch-time number: give every attribute that is not structural (offsets, pad values, seeds, alpha) through
  /// these.
  Expr pi(int64_t value);
  Expr pf(double value);

  template <typename A>
  const A& attrs() const {
    return attrs_->as<A>();
  }

  const std::vector<TensorType>& input_types() const { return inputs_; }
  const std::vector<ParamValue>& params() const { return params_; }
  /// The finished kernel; `body` is converted to the output's type. Verified.
  Kernel finish(std::string name, Expr body);

 private:
  std::vector<TensorType> inputs_;
  TensorType out_;
  const Attrs* attrs_;
  int output_;
  std::vector<ParamValue> params_;
};

/// The kernel of output `output` of an op that has a body.
Kernel make_kernel(const OpDef& op, std::span<const TensorType> inputs, const TensorType& out, const Attrs& attrs,
                   int output = 0);

}  // namespace tsr::ir
