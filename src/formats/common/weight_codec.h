// How weights are stored in files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/stored_form.h"

namespace tsr::formats {

/// kRaw: the tensor's own bytes. Otherwise each stored element stands for stored * scale + min (kHalf: its value) in the
/// tensor's dtype, float32 (core/stored_form.h) or int32 (rounded).
struct WeightCodec {
  enum class Kind : uint8_t { kRaw, kHalf, kUint8, kUint16, kStrings };
  Kind kind = Kind::kRaw;
  DType dtype = DType::kFloat32;  ///< of the tensor
  double scale = 1, min = 0;

  /// Bytes an element takes in the file (kStrings: of its length, which is the least it can take).
  size_t stored_size() const;
  /// float32 weights stay in memory as the file has them, in this form. int32 ones are decoded: no kernel reads those narrow.
  bool keeps_form() const { return kind != Kind::kRaw && kind != Kind::kStrings && dtype == DType::kFloat32; }
  StoredForm form() const;
  /// Decodes `n` elements from `in` to `out`, which holds n int32s. For kUint8 and kUint16.
  void decode(const std::byte* in, size_t n, std::byte* out) const;
};

}  // namespace tsr::formats
