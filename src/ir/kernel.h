// A kernel: out[axis 0, axis 1, ...] = body, over inputs whose shapes are known only when it runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/shape.h"
#include "core/dtype.h"
#include "ir/expr.h"

namespace tsr::ir {

/// The type an element has inside expressions: bool b1, int32 i32, everything else f32. Throws for complex64 and
/// string.
Type type_of(DType t);

struct KernelInput {
  DType dtype = DType::kFloat32;
  int rank = 0;
  bool operator==(const KernelInput&) const = default;
};

/// A launch-time number. Expressions refer to it by slot only, so kernels that differ in parameter values share one
/// program.
struct ParamValue {
  Type type = Type::f32;
  float f = 0;    ///< for f32
  int32_t i = 0;  ///< for i32 and b1 (0 or 1)
  static ParamValue f32(double v) { return {Type::f32, static_cast<float>(v), 0}; }
  static ParamValue i32(int64_t v) { return {Type::i32, 0, static_cast<int32_t>(v)}; }
  uint32_t bits() const;  ///< the 32-bit word that launches pass
};

struct Kernel {
  std::string name;  ///< for errors, profiles and shader comments; not part of the structure
  std::vector<KernelInput> inputs;
  int out_rank = 0;
  DType out_dtype = DType::kFloat32;  ///< float32, int32 or bool; the body's type is type_of(out_dtype)
  HeldExpr body;
  std::vector<ParamValue> params;
};

/// Hash of everything but name and parameter values (shapes are not part of a kernel): the key of program caches.
uint64_t structural_hash(const Kernel& k);
/// Equality of what structural_hash hashes.
bool same_structure(const Kernel& a, const Kernel& b);

/// Throws kInternal, naming the kernel and the node, unless types, ranks, slots and axes agree.
void verify(const Kernel& k);

/// For people and for golden tests.
std::string print(const Kernel& k);

/// The index expression of each output axis: {axis(0), ..., axis(rank - 1)}.
std::vector<Expr> all_axes(int rank);

/// True when every load of every input reads at the output index itself, or at 0 in some dimensions (numpy
/// broadcasting), and there is no reduction: out element i then depends on one element of each input.
bool is_elementwise(const Kernel& k);

/// The consumer with its input `j` computed in place by `producer`: each load of j becomes the producer's body at that
/// index. Inputs of the result: the consumer's without j, then the producer's; equal (same_tensor) inputs can be merged
/// afterwards with merge_inputs. Params: the consumer's, then the producer's, then one i32 for each dim(j, d) and each
/// producer out_dim(d) that is used, with the values of `producer_out`, the shape of the tensor fused away. The caller
/// decides whether that pays: a producer that is loaded k times an element is computed k times.
Kernel fuse(const Kernel& consumer, int j, const Kernel& producer, const Shape& producer_out);

/// Makes input `from` the same as input `to` (from > to; equal dtype and rank; the caller knows it to be the same
/// tensor) and removes `from`.
Kernel merge_inputs(const Kernel& k, int to, int from);

/// An element span and shape, as the interpreter and tile programs see an input. `data` holds elements of `dtype`,
/// row-major.
struct InputView {
  const void* data = nullptr;
  DType dtype = DType::kFloat32;
  Shape shape;
};

/// The reference: doubles and wrapped integers, every element independently; slow. `out` holds out_shape.size()
/// elements of k.out_dtype. Throws kInternal when a load's index is out of range.
void interpret(const Kernel& k, std::span<const InputView> inputs, const Shape& out_shape, void* out);

}  // namespace tsr::ir
