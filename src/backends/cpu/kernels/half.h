// IEEE half precision to float32, exactly.
#pragma once

#include <bit>
#include <cstdint>

namespace tsr::cpu {

inline float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);  // infinity, NaN
  // Shift exponent and fraction into place; a multiplication by 2^112 corrects the bias, denormals included.
  const float f = std::bit_cast<float>(magnitude << 13) * std::bit_cast<float>(0x77800000u);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(f));
}

}  // namespace tsr::cpu
