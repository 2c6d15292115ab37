// The most that one tensor can hold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"

namespace tsr {

/// Half of the address space: sums of two sizes cannot wrap.
inline constexpr size_t kMaxTensorBytes = ~size_t{0} / 2;

/// Throws kOutOfMemory "<what> would have ..." when that many elements are more than kMaxTensorBytes.
void check_tensor_bytes(const char* what, int64_t elements, DType dtype);

}  // namespace tsr
