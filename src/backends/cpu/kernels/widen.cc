#include <bit>

#include "backends/cpu/kernels/copy.h"
#include "backends/cpu/kernels/half.h"
#include "base/error.h"

namespace tsr::cpu {

void widen(DType dtype, const void* x, float scale, float min, int64_t n, float* y, ThreadPool& pool) {
  // One loop a type, simple enough for the compiler to vectorise. 32 K elements take some microseconds.
  auto run = [&](auto* data, auto to_float) {
    pool.parallel_for(0, n, 32768, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = to_float(data[i]) * scale + min;
    });
  };
  auto plain = [](auto v) { return static_cast<float>(v); };
  switch (dtype) {
    case DType::kFloat32: return run(static_cast<const float*>(x), plain);
    case DType::kInt32: return run(static_cast<const int32_t*>(x), plain);
    case DType::kFloat16: return run(static_cast<const uint16_t*>(x), half_to_float);
    case DType::kInt8: return run(static_cast<const int8_t*>(x), plain);
    case DType::kBool:
    case DType::kUint8: return run(static_cast<const uint8_t*>(x), plain);
    case DType::kUint16: return run(static_cast<const uint16_t*>(x), plain);
    default: fail(ErrorCode::kInternal, "internal fault: ", name_of(dtype), " cannot be widened to float32");
  }
}

}  // namespace tsr::cpu
