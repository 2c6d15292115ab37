// Host bytes to device words and back. On a device every element is one 32-bit word: float32 and int32 as they are, bool as 0
// or 1, narrow dtypes (storage of weights) widened to float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/gpu/driver.h"
#include "core/dtype.h"

namespace tsr::gpu {

/// How elements of the dtype lie on the device. Throws kUnsupported for complex64 and string.
Element element_of(DType t);

/// The words of `count` elements, padded with zeros to a multiple of four. Points into `data` where nothing has to be changed,
/// else into `scratch`.
std::span<const uint32_t> to_words(DType t, const std::byte* data, size_t count, std::vector<uint32_t>& scratch);

/// Writes `count` elements of float32, int32 or bool. `words` may be longer.
void from_words(DType t, std::span<const uint32_t> words, size_t count, std::byte* out);

}  // namespace tsr::gpu
