// StoredForm: how the elements of a float32 weight lie in memory when they take less than four bytes. The one place that says what
// a quantised value means; kernels that widen in vectors are tested against widen().
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/dtype.h"

namespace tsr {

/// A stored integer q (kUint8, kInt8, kUint16) stands for q * scale + min, computed in double and rounded to float32; a half
/// (kFloat16) for its value, exactly, without scale and min. kFloat32: the values themselves.
struct StoredForm {
  DType dtype = DType::kFloat32;
  double scale = 1, min = 0;

  bool narrow() const { return dtype != DType::kFloat32; }
  size_t element_bytes() const { return size_of(dtype); }
};

/// Writes the float32 values of `n` elements. About a nanosecond an element.
void widen(const StoredForm& form, const std::byte* in, size_t n, float* out);

/// The value of an IEEE half float: exact, subnormals, infinities and NaN included.
inline float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);  // infinity, NaN
  // Shift exponent and fraction into place; a multiplication by 2^112 corrects the bias, denormals included.
  const float f = std::bit_cast<float>(magnitude << 13) * std::bit_cast<float>(0x77800000u);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(f));
}

}  // namespace tsr
