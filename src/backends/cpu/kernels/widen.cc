#include "backends/cpu/kernels/copy.h"

namespace tsr::cpu {

void widen(const StoredForm& form, const void* x, int64_t n, float* y, ThreadPool& pool) {
  const auto* in = static_cast<const std::byte*>(x);
  // 32 K elements take some microseconds.
  pool.parallel_for(0, n, 32768, [&](int64_t begin, int64_t end) {
    tsr::widen(form, in + static_cast<size_t>(begin) * form.element_bytes(), static_cast<size_t>(end - begin), y + begin);
  });
}

}  // namespace tsr::cpu
