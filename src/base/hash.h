// Hasher: a rolling 64-bit hash for cache keys. Not for untrusted keys: a hit is always verified by comparing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tsr {

class Hasher {
 public:
  /// Mixes one word; the multiplier and shifts are those of Murmur3's 64-bit finaliser (public domain), which spreads every bit.
  void add(uint64_t word) {
    uint64_t k = word + 0x9E3779B97F4A7C15ull + state_;
    k ^= k >> 33;
    k *= 0xFF51AFD7ED558CCDull;
    k ^= k >> 33;
    k *= 0xC4CEB9FE1A85EC53ull;
    k ^= k >> 33;
    state_ = k;
  }
  void bytes(const void* data, size_t n) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (; n >= 8; n -= 8, p += 8) {
      uint64_t w;
      std::memcpy(&w, p, 8);
      add(w);
    }
    uint64_t tail = n;
    for (; n > 0; --n) tail = tail << 8 | *p++;
    add(tail);
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x2545F4914F6CDD1Dull;
};

}  // namespace tsr
