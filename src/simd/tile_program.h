// Tile programs: any verified kernel on the CPU, as a list of instructions over tiles of elements that stay in the L1
// cache.
//
// compile() specialises a kernel for concrete shapes: extents become numbers, output axes that memory does not tell
// apart are merged, what does not depend on the inner axis moves out of the tile loop, loads become pointers
// (contiguous), strided copies or gathers. Reductions run as loops over tiles; a reduction that yields one value a row
// runs along its own variable instead. Float sums are blocked and compensated. run() executes a range of output
// elements, so that a thread pool or an 8 ms slice can take a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/shape.h"
#include "ir/kernel.h"

namespace tsr::simd {

struct TileCode;  // tile_code.h

/// Immutable once compiled; may run on several threads at once, each with its own scratch. Cheap to copy.
class TileProgram {
 public:
  TileProgram() = default;
  /// Throws kInternal when the kernel is not valid or an index that can be checked now is out of range. Costs some 10
  /// to 100 us.
  static TileProgram compile(const ir::Kernel& kernel, std::span<const Shape> inputs, const Shape& out);

  explicit operator bool() const { return code_ != nullptr; }
  /// Output elements.
  int64_t size() const;
  /// Best length of a part, in elements: parts that start at multiples of it cut no tile or row.
  int64_t grain() const;
  /// A rough cost of one output element in nanoseconds, to decide how finely to split.
  double cost() const;
  /// Bytes that run() needs as scratch, 64-aligned.
  size_t scratch_bytes() const;

  /// Computes out[begin, end) in row-major order. `inputs` point to row-major elements of the kernel's input dtypes
  /// (bool: bytes) and may not be written meanwhile, except that `out` may be an input's memory if the kernel is
  /// elementwise and that input is not broadcast. Allocates nothing, throws nothing; an index that data drives out of
  /// range reads some other element of the same tensor.
  void run(std::span<const void* const> inputs, void* out, std::span<const ir::ParamValue> params, int64_t begin,
           int64_t end, void* scratch) const;

 private:
  std::shared_ptr<const TileCode> code_;
};

}  // namespace tsr::simd
