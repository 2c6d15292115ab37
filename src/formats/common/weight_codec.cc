#include "formats/common/weight_codec.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace tsr::formats {
namespace {

// Clamped, because a cast of what int32 cannot hold is undefined. Rounds halves up, as JavaScript does.
template <typename Stored>
void to_int32(const WeightCodec& c, const std::byte* in, size_t n, std::byte* out) {
  for (size_t i = 0; i < n; ++i) {
    Stored q;
    std::memcpy(&q, in + i * sizeof(Stored), sizeof(Stored));
    const double r = std::floor(q * c.scale + c.min + 0.5);
    const auto w = static_cast<int32_t>(std::isnan(r) ? 0.0 : std::clamp(r, -2147483648.0, 2147483647.0));
    std::memcpy(out + i * 4, &w, 4);
  }
}

}  // namespace

size_t WeightCodec::stored_size() const {
  if (kind == Kind::kRaw) return size_of(dtype);
  return kind == Kind::kStrings ? 4 : form().element_bytes();
}

StoredForm WeightCodec::form() const {
  switch (kind) {
    case Kind::kHalf: return {DType::kFloat16};
    case Kind::kUint8: return {DType::kUint8, scale, min};
    case Kind::kUint16: return {DType::kUint16, scale, min};
    case Kind::kRaw:
    case Kind::kStrings: break;
  }
  return {};
}

void WeightCodec::decode(const std::byte* in, size_t n, std::byte* out) const {
  if (kind == Kind::kUint8) return to_int32<uint8_t>(*this, in, n, out);
  to_int32<uint16_t>(*this, in, n, out);
}

}  // namespace tsr::formats
