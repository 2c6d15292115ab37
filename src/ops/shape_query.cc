// The shape of a tensor as a tensor, which graphs of TensorFlow compute with. Known as soon as the input's type is, so these are constants:
// nothing runs and the input is not read.
#include <cstdint>
#include <vector>

#include "core/op_def.h"

namespace tsr::ops {
namespace {

Tensor int_scalar(int64_t v) {
  const auto n = static_cast<int32_t>(v);
  return Tensor::from(std::span<const int32_t>(&n, 1), Shape{});
}

const RegisterOp kShape{{
    .name = "shape",
    .doc = "The extents of x, [rank].",
    .family = "shape",
    .inputs = {{"x", "any tensor"}},
    .infer = [](InferCtx& c) { c.out({c.shape(0).rank()}, DType::kInt32); },
    .compose =
        [](const ComposeCtx& c) {
          const Shape& s = c.in[0].shape();
          std::vector<int32_t> dims;
          for (int64_t d : s) dims.push_back(static_cast<int32_t>(d));
          return std::vector<Tensor>{Tensor::from(std::span<const int32_t>(dims), {s.rank()})};
        },
    .zero_gradient = true,
    .in_js = false,
    .tolerance = 0,
}};

const RegisterOp kSize{{
    .name = "size",
    .doc = "The number of elements of x, a scalar.",
    .family = "shape",
    .inputs = {{"x", "any tensor"}},
    .infer = [](InferCtx& c) { c.out({}, DType::kInt32); },
    .compose = [](const ComposeCtx& c) { return std::vector<Tensor>{int_scalar(c.in[0].size())}; },
    .zero_gradient = true,
    .in_js = false,
    .tolerance = 0,
}};

const RegisterOp kRank{{
    .name = "rank",
    .doc = "The number of dimensions of x, a scalar.",
    .family = "shape",
    .inputs = {{"x", "any tensor"}},
    .infer = [](InferCtx& c) { c.out({}, DType::kInt32); },
    .compose = [](const ComposeCtx& c) { return std::vector<Tensor>{int_scalar(c.in[0].rank())}; },
    .zero_gradient = true,
    .in_js = false,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
