#include "ops/elementwise.h"

#include <algorithm>
#include <cstring>

#include "ir/scalar.h"
#include "ops/helpers.h"

namespace tsr::ops {
namespace {

Shape broadcast_inputs(const InferCtx& c) {
  Shape out = c.shape(0);
  for (int k = 1; k < c.num_inputs(); ++k) out = broadcast(c.op(), out, c.shape(k));
  return out;
}

DType common_of_inputs(const InferCtx& c) {
  DType t = want_numeric(c, 0);
  for (int k = 1; k < c.num_inputs(); ++k) t = promote(c.op(), t, want_numeric(c, k));
  return t;
}

}  // namespace

void infer_elementwise_float(InferCtx& c) {
  common_of_inputs(c);
  c.out(broadcast_inputs(c), DType::kFloat32);
}
void infer_elementwise_same(InferCtx& c) {
  const DType t = common_of_inputs(c);
  c.out(broadcast_inputs(c), t == DType::kBool ? DType::kInt32 : t);
}
void infer_elementwise_bool(InferCtx& c) {
  common_of_inputs(c);
  c.out(broadcast_inputs(c), DType::kBool);
}
void infer_elementwise_logical(InferCtx& c) {
  for (int k = 0; k < c.num_inputs(); ++k) c.want_dtype(k, {DType::kBool});
  c.out(broadcast_inputs(c), DType::kBool);
}
void infer_elementwise_int(InferCtx& c) {
  for (int k = 0; k < c.num_inputs(); ++k) c.want_dtype(k, {DType::kInt32});
  c.out(broadcast_inputs(c), DType::kInt32);
}
void infer_elementwise_quotient(InferCtx& c) {
  common_of_inputs(c);
  c.out(broadcast_inputs(c), DType::kInt32);
}
void infer_elementwise_where(InferCtx& c) {
  c.want_dtype(0, {DType::kBool});
  const DType t = common_dtype(c, 1, 2);
  c.out(broadcast_inputs(c), t);
}

ir::Type common_type(ir::BodyCtx& c) {
  ir::Type type = ir::Type::b1;
  for (int k = 0; k < c.num_inputs(); ++k) type = std::min(type, c.in(k).type());  // the enum starts with f32
  return type;
}

std::vector<ir::Expr> elementwise_operands(ir::BodyCtx& c, size_t inputs, ir::Type type,
                                           std::span<const double> bound) {
  std::vector<ir::Expr> out;
  for (size_t k = 0; k < inputs; ++k) out.push_back(c.in(static_cast<int>(k)).broadcast(type));
  for (const double v : bound) out.push_back(type == ir::Type::i32 ? c.pi(ir::to_int_saturated(v)) : c.pf(v));
  return out;
}

void run_in_vectors(const ElementwiseArgs& a, size_t inputs, int lanes, void (*whole)(const ElementwiseArgs& a)) {
  constexpr size_t kMaxInputs = 3;
  constexpr size_t kVectorBytes = 64;  // of the widest vector of any instruction set
  check(inputs <= kMaxInputs, "elementwise code of ", inputs, " inputs");
  if (a.n <= 0) return;
  alignas(kVectorBytes) std::byte splat[kMaxInputs][kVectorBytes];
  const void* in[kMaxInputs];
  for (size_t k = 0; k < inputs; ++k) {
    in[k] = a.in[k];
    if (a.step[k]) continue;
    const size_t size = size_of(a.in_dtype[k]);
    for (int i = 0; i < lanes; ++i) std::memcpy(splat[k] + static_cast<size_t>(i) * size, a.in[k], size);
    in[k] = splat[k];
  }
  ElementwiseArgs part = a;
  part.in = in;
  part.n = a.n / lanes * lanes;
  if (part.n > 0) whole(part);
  const size_t rest = static_cast<size_t>(a.n - part.n);
  if (rest == 0) return;
  alignas(kVectorBytes) std::byte tail[kMaxInputs][kVectorBytes] = {};
  alignas(kVectorBytes) std::byte out[kVectorBytes];
  for (size_t k = 0; k < inputs; ++k) {
    if (a.step[k] == 0) continue;
    const size_t size = size_of(a.in_dtype[k]);
    std::memcpy(tail[k], static_cast<const std::byte*>(a.in[k]) + static_cast<size_t>(part.n) * size, rest * size);
    in[k] = tail[k];
  }
  const size_t size = size_of(a.out_dtype);
  std::byte* end = static_cast<std::byte*>(a.out) + static_cast<size_t>(part.n) * size;
  part.out = out;
  part.n = lanes;
  whole(part);
  std::memcpy(end, out, rest * size);
}

OpDef&& complete_elementwise(OpDef&& def, size_t inputs, AttrSchemaRef attrs, void (*infer)(InferCtx&),
                           ir::Expr (*body)(ir::BodyCtx&), ElementwiseFn (*code)()) {
  if (!*def.family) def.family = "elementwise";
  if (def.inputs.empty() && inputs == 1) def.inputs = {{"x", "any shape"}};
  if (def.inputs.empty() && inputs == 2) def.inputs = {{"a", "any shape"}, {"b", "a shape that broadcasts with a's"}};
  if (def.attrs.none()) def.attrs = attrs;
  if (!def.infer) def.infer = infer;
  def.body = body;
  def.elementwise_fn = code;
  def.elementwise = true;
  return std::move(def);
}

}  // namespace tsr::ops
