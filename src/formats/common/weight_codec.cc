#include "formats/common/weight_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tsr::formats {
namespace {

template <typename Stored>
void dequantise(const WeightCodec& c, const std::byte* in, size_t n, std::byte* out) {
  for (size_t i = 0; i < n; ++i) {
    Stored q;
    std::memcpy(&q, in + i * sizeof(Stored), sizeof(Stored));
    const double v = q * c.scale + c.min;
    if (c.dtype == DType::kInt32) {
      // Clamped, because a cast of what int32 cannot hold is undefined. Rounds halves up, as JavaScript does.
      const double r = std::floor(v + 0.5);
      const auto w = static_cast<int32_t>(std::isnan(r) ? 0.0 : std::clamp(r, -2147483648.0, 2147483647.0));
      std::memcpy(out + i * 4, &w, 4);
    } else {
      const auto f = static_cast<float>(v);
      std::memcpy(out + i * 4, &f, 4);
    }
  }
}

}  // namespace

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 0x1F;
  const uint32_t fraction = bits & 0x3FF;
  if (exponent == 0) {
    // Zero or subnormal: fraction * 2^-24, exact in float32.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  // 31 (infinity, NaN) stays all ones; other exponents move from a bias of 15 to one of 127.
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

size_t WeightCodec::stored_size() const {
  switch (kind) {
    case Kind::kRaw:
      return size_of(dtype);
    case Kind::kUint8:
      return 1;
    case Kind::kHalf:
    case Kind::kUint16:
      return 2;
    case Kind::kStrings:
      return 4;
  }
  return 0;
}

void WeightCodec::decode(const std::byte* in, size_t n, std::byte* out) const {
  switch (kind) {
    case Kind::kUint8:
      return dequantise<uint8_t>(*this, in, n, out);
    case Kind::kUint16:
      return dequantise<uint16_t>(*this, in, n, out);
    case Kind::kHalf:
      for (size_t i = 0; i < n; ++i) {
        uint16_t h;
        std::memcpy(&h, in + i * 2, 2);
        const float f = half_to_float(h);
        std::memcpy(out + i * 4, &f, 4);
      }
      return;
    case Kind::kRaw:
    case Kind::kStrings:
      return;
  }
}

}  // namespace tsr::formats
