// TensorFlow's arithmetic, comparisons, reductions and matrix products.
#include <vector>

#include "formats/tfjs/convert.h"

namespace tsr::formats {
namespace {

/// All inputs in order, no attributes.
void plain(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  for (ValueId v : c.inputs()) call.in(v);
  c.out(call.emit());
}

void unary(NodeCtx& c, const char* op) { c.out(c.call(op, {c.in(0)})); }
void binary(NodeCtx& c, const char* op) { c.out(c.call(op, {c.in(0), c.in(1)})); }

/// The sum of any number of tensors.
void add_n(NodeCtx& c, const char* op) {
  ValueId sum = c.in(0);
  for (size_t k = 1; k < c.num_inputs(); ++k) sum = c.call(op, {sum, c.in(k)});
  c.out(sum);
}

void clip(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).bind("clipValueMin", 1).bind("clipValueMax", 2).emit());
}

void leaky_relu(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).set("alpha", c.node.get_float("alpha", 0.2)).emit());
}

void cast(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).set("dtype", c.node.get_dtype("DstT", DType::kFloat32)).emit());
}

void reduce(NodeCtx& c, const char* op) {
  ConstantData axes;
  // TensorFlow reduces over no axis at all where the list is empty; our ops over all of them.
  if (c.constant(1, axes) && axes.values.empty()) return c.out(c.in(0));
  c.out(c.op(op).in(c.in(0)).bind("axis", 1).set("keepDims", c.node.get_bool("keep_dims", false)).emit());
}

void euclidean_norm(NodeCtx& c, const char* op) {
  c.out(c.op(op).in(c.in(0)).bind("axis", 1).set("keepDims", c.node.get_bool("keep_dims", false)).emit());
}

void arg_reduce(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  call.in(c.in(0));
  if (c.num_inputs() > 1) call.bind("axis", 1);
  c.out(call.emit());
}

void cumulative(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .in(c.in(0))
            .bind("axis", 1)
            .set("exclusive", c.node.get_bool("exclusive", false))
            .set("reverse", c.node.get_bool("reverse", false))
            .emit());
}

void mat_mul(NodeCtx& c, const char* op) {
  const bool batched = c.node.has("adj_x") || c.node.has("adj_y");
  c.out(c.op(op)
            .in({c.in(0), c.in(1)})
            .set("transposeA", c.node.get_bool(batched ? "adj_x" : "transpose_a", false))
            .set("transposeB", c.node.get_bool(batched ? "adj_y" : "transpose_b", false))
            .emit());
}

void einsum(NodeCtx& c, const char* op) {
  OpCall call = c.op(op);
  for (ValueId v : c.inputs()) call.in(v);
  c.out(call.set("equation", c.node.get_string("equation", "")).emit());
}

void bincount(NodeCtx& c, const char* op) {
  // (values, size, weights)
  c.out(c.op(op).in({c.in(0), c.in(2)}).bind("size", 1).emit());
}

void dense_bincount(NodeCtx& c, const char* op) {
  c.out(c.op(op)
            .in({c.in(0), c.in(2)})
            .bind("size", 1)
            .set("binaryOutput", c.node.get_bool("binary_output", false))
            .emit());
}

}  // namespace

std::span<const TfOp> math_tf_ops() {
  static const std::vector<TfOp> table = {
      {"Add", "add", binary},
      {"AddV2", "add", binary},
      {"AddN", "add", add_n},
      {"Sub", "sub", binary},
      {"Mul", "mul", binary},
      {"Div", "div", binary},
      {"RealDiv", "div", binary},
      {"DivNoNan", "divNoNan", binary},
      {"FloorDiv", "floorDiv", binary},
      {"FloorMod", "mod", binary},
      {"Mod", "mod", binary},
      {"Pow", "pow", binary},
      {"Maximum", "maximum", binary},
      {"Minimum", "minimum", binary},
      {"SquaredDifference", "squaredDifference", binary},
      {"Atan2", "atan2", binary},
      {"Prelu", "prelu", binary},
      {"Complex", "complex", binary},

      {"Abs", "abs", unary},
      {"Acos", "acos", unary},
      {"Acosh", "acosh", unary},
      {"Asin", "asin", unary},
      {"Asinh", "asinh", unary},
      {"Atan", "atan", unary},
      {"Atanh", "atanh", unary},
      {"Ceil", "ceil", unary},
      {"ComplexAbs", "abs", unary},
      {"Cos", "cos", unary},
      {"Cosh", "cosh", unary},
      {"Elu", "elu", unary},
      {"Erf", "erf", unary},
      {"Exp", "exp", unary},
      {"Expm1", "expm1", unary},
      {"Floor", "floor", unary},
      {"Imag", "imag", unary},
      {"IsFinite", "isFinite", unary},
      {"IsInf", "isInf", unary},
      {"IsNan", "isNaN", unary},
      {"Log", "log", unary},
      {"Log1p", "log1p", unary},
      {"Neg", "neg", unary},
      {"Real", "real", unary},
      {"Reciprocal", "reciprocal", unary},
      {"Inv", "reciprocal", unary},
      {"Relu", "relu", unary},
      {"Relu6", "relu6", unary},
      {"Round", "round", unary},
      {"Rsqrt", "rsqrt", unary},
      {"Selu", "selu", unary},
      {"Sigmoid", "sigmoid", unary},
      {"Sign", "sign", unary},
      {"Sin", "sin", unary},
      {"Sinh", "sinh", unary},
      {"Softplus", "softplus", unary},
      {"Sqrt", "sqrt", unary},
      {"Square", "square", unary},
      {"Tan", "tan", unary},
      {"Tanh", "tanh", unary},
      {"LogSoftmax", "logSoftmax", unary},
      {"Softmax", "softmax", unary},
      {"LeakyRelu", "leakyRelu", leaky_relu},
      {"ClipByValue", "clipByValue", clip},
      {"Cast", "cast", cast},

      {"Equal", "equal", binary},
      {"NotEqual", "notEqual", binary},
      {"Greater", "greater", binary},
      {"GreaterEqual", "greaterEqual", binary},
      {"Less", "less", binary},
      {"LessEqual", "lessEqual", binary},
      {"LogicalAnd", "logicalAnd", binary},
      {"LogicalOr", "logicalOr", binary},
      {"LogicalNot", "logicalNot", unary},
      {"BitwiseAnd", "bitwiseAnd", binary},
      {"Select", "where", plain},
      {"SelectV2", "where", plain},

      {"All", "all", reduce},
      {"Any", "any", reduce},
      {"Max", "max", reduce},
      {"Mean", "mean", reduce},
      {"Min", "min", reduce},
      {"Prod", "prod", reduce},
      {"Sum", "sum", reduce},
      {"EuclideanNorm", "norm", euclidean_norm},
      {"ArgMax", "argMax", arg_reduce},
      {"ArgMin", "argMin", arg_reduce},
      {"Cumsum", "cumsum", cumulative},
      {"Cumprod", "cumprod", cumulative},
      {"Bincount", "bincount", bincount},
      {"DenseBincount", "denseBincount", dense_bincount},

      {"MatMul", "matMul", mat_mul},
      {"BatchMatMul", "matMul", mat_mul},
      {"BatchMatMulV2", "matMul", mat_mul},
      {"Einsum", "einsum", einsum},

      {"FFT", "fft", unary},
      {"IFFT", "ifft", unary},
      {"RFFT", "rfft", unary},
      {"IRFFT", "irfft", unary},
  };
  return table;
}

}  // namespace tsr::formats
