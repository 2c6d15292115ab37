// How stored weights become tensors: the one place that knows about half floats and quantisation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"

namespace tsr::formats {

/// kRaw: the tensor's own bytes. Otherwise each stored element becomes stored * scale + min (kHalf: its value) in the
/// tensor's dtype, float32 or int32 (rounded).
struct WeightCodec {
  enum class Kind : uint8_t { kRaw, kHalf, kUint8, kUint16, kStrings };
  Kind kind = Kind::kRaw;
  DType dtype = DType::kFloat32;  ///< of the tensor
  double scale = 1, min = 0;

  /// Bytes an element takes in the file (kStrings: of its length, which is the least it can take).
  size_t stored_size() const;
  /// Decodes `n` elements from `in` to `out`, which holds n elements of `dtype`. Not for kRaw and kStrings.
  void decode(const std::byte* in, size_t n, std::byte* out) const;
};

/// The value of an IEEE half float: exact, subnormals, infinities and NaN included.
float half_to_float(uint16_t bits);

}  // namespace tsr::formats
