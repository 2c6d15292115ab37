#include "backends/cpu/repack.h"

#include <cstring>
#include <utility>

namespace tsr::cpu {
namespace {

// Bytes that a HostBuffer's last cache line belongs to: packed sizes are whole lines.
size_t whole_lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Whether the storage's are the only bytes in the buffer, and `bytes` of them fit. (Two references: the storage's and `found`'s.)
bool can_replace(const Storage& weight, const Storage::HostBytes& found, size_t unpacked, size_t bytes) {
  return weight.on_host() && found.owner->refs() == 2 && found.data == found.owner->data() && found.owner->size() == unpacked &&
         bytes <= whole_lines(unpacked);
}

}  // namespace

Ref<HostBuffer> repack(Storage& weight, size_t bytes, FunctionRef<void(const std::byte* from, std::byte* to)> pack,
                       std::function<void(const std::byte* packed, std::byte* to)> unpack) {
  const size_t unpacked = static_cast<size_t>(weight.elements()) * weight.form().element_bytes();
  const Storage::HostBytes found = weight.stored();
  const bool in_place = can_replace(weight, found, unpacked, bytes);
  const Ref<HostBuffer> copy(in_place ? new HostBuffer(unpacked) : nullptr);
  const Ref<HostBuffer> packed = in_place ? found.owner : Ref<HostBuffer>(new HostBuffer(bytes));
  // Made before the bytes change their order: from there on nothing may fail.
  std::function<Ref<HostBuffer>()> remake = [packed, unpacked, unpack = std::move(unpack)] {
    Ref<HostBuffer> again(new HostBuffer(unpacked));
    unpack(packed->data(), again->data());
    return again;
  };
  if (in_place) std::memcpy(copy->data(), found.data, unpacked);
  pack(in_place ? copy->data() : found.data, packed->data());
  weight.release_host(std::move(remake));
  return packed;
}

}  // namespace tsr::cpu
