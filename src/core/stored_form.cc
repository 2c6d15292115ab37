#include "core/stored_form.h"

#include <cstring>

#include "base/error.h"

namespace tsr {
namespace {

template <typename Stored, typename Value>
void each(const std::byte* in, size_t n, float* out, Value value) {
  for (size_t i = 0; i < n; ++i) {
    Stored q;
    std::memcpy(&q, in + i * sizeof(Stored), sizeof(Stored));
    out[i] = value(q);
  }
}

}  // namespace

void widen(const StoredForm& form, const std::byte* in, size_t n, float* out) {
  const double scale = form.scale, min = form.min;
  const auto affine = [scale, min](auto q) { return static_cast<float>(q * scale + min); };
  switch (form.dtype) {
    case DType::kFloat32:
      if (n > 0) std::memcpy(out, in, n * sizeof(float));
      return;
    case DType::kFloat16: return each<uint16_t>(in, n, out, half_to_float);
    case DType::kUint8: return each<uint8_t>(in, n, out, affine);
    case DType::kInt8: return each<int8_t>(in, n, out, affine);
    case DType::kUint16: return each<uint16_t>(in, n, out, affine);
    default: fail(ErrorCode::kInternal, "internal fault: a float32 weight cannot be stored as ", name_of(form.dtype));
  }
}

}  // namespace tsr
