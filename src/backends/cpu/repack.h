// Weights in a kernel's own order, in the memory that they lay in before.
#pragma once

#include <functional>

#include "base/thread_pool.h"
#include "core/storage.h"

namespace tsr::cpu {

/// Puts `weight`'s bytes into another order for good: `pack(from, to)` writes `bytes` bytes, and `unpack` gives the first order again to
/// whoever asks the storage for its bytes later. Where the packed form is no larger and nobody else holds the bytes, it takes their place:
/// a model's first run then touches no fresh memory for it, which costs more than the copy made on the way (decision 0009).
/// Both callbacks see the form that `weight` has now. Throws kOutOfMemory; the weight is then as it was.
Ref<HostBuffer> repack(Storage& weight, size_t bytes, FunctionRef<void(const std::byte* from, std::byte* to)> pack,
                       std::function<void(const std::byte* packed, std::byte* to)> unpack);

}  // namespace tsr::cpu
