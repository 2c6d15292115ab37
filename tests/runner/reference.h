// The reference engine: every op runs at once, its body in the double-precision interpreter or its host function, and gradients come
// from a tape of its own. It shares nothing with the runtime but the op definitions, so the two check each other.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/op_def.h"
#include "tessera/tensor.h"

namespace tsr::cases {

/// While one exists, op calls of this thread's process go through it; the recorder installed before comes back at the end. Not
/// reentrant.
class Reference {
 public:
  Reference();
  ~Reference();
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// apply(), for symmetry.
  std::vector<Tensor> run(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs);

  /// d(sum of y * dy) / dx for each x, for what was called since the last forget(). Undefined Tensor where y does not depend on x.
  /// Throws kUnsupported naming the op when one on the way has no gradient.
  std::vector<Tensor> grad(std::span<const Tensor> ys, std::span<const Tensor> dys, std::span<const Tensor> xs);
  void forget() { tape_.clear(); }

 private:
  struct Record {
    const OpDef* op;
    std::vector<Tensor> in, out;
    Attrs attrs;
  };
  static std::vector<Tensor> record(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs, std::vector<TensorType>& out_types);

  RecordFn previous_;
  std::vector<Record> tape_;
};

/// Runs one op that is not composed on host tensors and returns its outputs.
std::vector<Tensor> run_on_reference(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
                                     std::span<const TensorType> out_types);

}  // namespace tsr::cases
