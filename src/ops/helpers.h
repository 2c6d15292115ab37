// What op definitions share: dtype rules and the pieces that gradients are made of.
#pragma once

#include <span>
#include <vector>

#include "core/op_def.h"
#include "ir/body.h"
#include "tessera/ops.h"

namespace tsr::ops {

/// The dtype in which kernels compute and write values of `t`: bool, int32 and float32 themselves, narrow storage
/// float32.
DType value_dtype(DType t);
/// value_dtype of input k; throws for complex64 and string, which no kernel takes.
DType want_numeric(const InferCtx& c, int k);
/// The common value_dtype of two such inputs: bool < int32 < float32.
DType common_dtype(const InferCtx& c, int a, int b);
/// Integer sums: bool counts as int32.
inline DType sum_dtype(DType t) { return t == DType::kBool ? DType::kInt32 : t; }

/// True when gradients flow into tensors of this dtype (floats; integers and bools have none).
bool is_float(DType t);

/// Every entry of `shape` is at least 0; throws naming the op and the attribute otherwise. Also checks rank and element
/// count.
Shape checked_shape(const InferCtx& c, const char* attribute, const std::vector<int64_t>& shape);
/// Throws unless every number lies within +-kMaxElements, so that sums and products of two of them do not overflow.
void want_bounded(const InferCtx& c, const char* attribute, std::span<const int64_t> values);
/// axis in [-rank, rank) as [0, rank), with the op's name in the error.
int axis_of(const InferCtx& c, int64_t axis, int rank);

/// x's shape with the extents of `axes` set to 1.
Shape keep_dims_shape(const Shape& x, const std::vector<int>& axes);
/// x's shape without `axes`, or with extent 1 there.
Shape reduced_shape(const Shape& x, const std::vector<int>& axes, bool keep_dims);

/// grad, which has the shape of a reduction of a tensor of shape `to` over `axes`, repeated along these axes.
Tensor spread(const Tensor& grad, const Shape& to, const std::vector<int>& axes);
/// The transpose of broadcasting: grad summed down to `shape`, which broadcasts to grad's.
Tensor sum_to(const Tensor& grad, const Shape& shape);
/// Number of elements that are folded into one.
double fold_count(const Shape& x, const std::vector<int>& axes);

/// A launch-time number in the type that `dtype` has in expressions.
ir::Expr param_of(ir::BodyCtx& c, DType dtype, double value);
/// i clamped to [0, extent): loads must be in range also where their value is dropped.
ir::Expr clamp_index(ir::Expr i, const ir::Expr& extent);

}  // namespace tsr::ops
