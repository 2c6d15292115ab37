#include "backends/gpu/words.h"

#include <bit>
#include <cstring>

#include "base/error.h"
#include "core/stored_form.h"

namespace tsr::gpu {
namespace {

template <typename T, typename Widen>
void widen(const std::byte* data, size_t count, uint32_t* out, Widen f) {
  for (size_t i = 0; i < count; ++i) {
    T v;
    std::memcpy(&v, data + i * sizeof(T), sizeof(T));
    out[i] = f(v);
  }
}

}  // namespace

Element element_of(DType t) {
  switch (t) {
    case DType::kInt32:
    case DType::kBool: return Element::kInt;
    case DType::kFloat32:
    case DType::kFloat16:
    case DType::kInt8:
    case DType::kUint8:
    case DType::kUint16: return Element::kFloat;
    case DType::kComplex64:
    case DType::kString: break;
  }
  fail(ErrorCode::kUnsupported, "tensors of dtype ", name_of(t), " cannot be kept on a GPU");
}

std::span<const uint32_t> to_words(DType t, const std::byte* data, size_t count, std::vector<uint32_t>& scratch) {
  const bool as_is = t == DType::kFloat32 || t == DType::kInt32;
  if (as_is && count % 4 == 0 && reinterpret_cast<uintptr_t>(data) % alignof(uint32_t) == 0) {
    return {reinterpret_cast<const uint32_t*>(data), count};
  }
  scratch.assign((count + 3) / 4 * 4, 0);
  uint32_t* out = scratch.data();
  const auto as_float = [](auto v) { return std::bit_cast<uint32_t>(static_cast<float>(v)); };
  switch (t) {
    case DType::kFloat32:
    case DType::kInt32: std::memcpy(out, data, count * 4); break;
    case DType::kBool: widen<uint8_t>(data, count, out, [](uint8_t v) { return v != 0 ? 1u : 0u; }); break;
    case DType::kInt8: widen<int8_t>(data, count, out, as_float); break;
    case DType::kUint8: widen<uint8_t>(data, count, out, as_float); break;
    case DType::kUint16: widen<uint16_t>(data, count, out, as_float); break;
    case DType::kFloat16:
      widen<uint16_t>(data, count, out, [](uint16_t v) { return std::bit_cast<uint32_t>(half_to_float(v)); });
      break;
    case DType::kComplex64:
    case DType::kString: element_of(t);  // throws
  }
  return scratch;
}

void from_words(DType t, std::span<const uint32_t> words, size_t count, std::byte* out) {
  check(words.size() >= count, "a readback is shorter than its tensor");
  if (t == DType::kBool) {
    for (size_t i = 0; i < count; ++i) out[i] = words[i] != 0 ? std::byte{1} : std::byte{0};
    return;
  }
  check(t == DType::kFloat32 || t == DType::kInt32, "results on a GPU are float32, int32 or bool");
  if (count > 0) std::memcpy(out, words.data(), count * 4);
}

}  // namespace tsr::gpu
