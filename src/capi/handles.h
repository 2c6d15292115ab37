// HandleTable<T>: integers for the world outside, values inside. A handle names a slot and the slot's generation, so that a handle
// used after its end is told apart from the slot's next tenant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tsr::capi {

/// Layout of a handle, from the top: sign bit 0; the table's tag; the generation; the slot. Never 0, because generations start
/// at 1. A slot is reused only when `min_free` others wait before it, so that even generations that wrap around (after
/// min_free * 2^generation_bits handles) leave a stale handle recognisable for a long time.
struct HandleLayout {
  const char* what;     ///< for errors: "tensor"
  int slot_bits;
  int generation_bits;
  uint32_t tag;         ///< already shifted to the bits above
  uint32_t min_free;
};

template <typename T>
class HandleTable {
 public:
  explicit HandleTable(const HandleLayout& layout) : layout_(layout) {}

  /// Takes the value; throws kOutOfMemory when every slot is alive.
  int32_t add(T value) {
    const uint32_t slot = take_slot();
    Slot& s = slots_[slot];
    s.value = std::move(value);
    s.alive = true;
    ++alive_;
    return handle_of(slot);
  }

  /// The value, or null when the handle is not alive. The pointer holds until the next add().
  T* find(int32_t handle) {
    const uint32_t slot = slot_of(handle);
    if (slot == kNone) return nullptr;
    return &slots_[slot].value;
  }

  /// The value; throws kDisposed.
  T& get(int32_t handle) {
    T* p = find(handle);
    if (!p) fail(ErrorCode::kDisposed, "the ", layout_.what, " was disposed of, or never existed (handle ", handle, ")");
    return *p;
  }

  /// Ends the handle and returns its value (a default T when it was not alive).
  T remove(int32_t handle) {
    const uint32_t slot = slot_of(handle);
    if (slot == kNone) return T{};
    Slot& s = slots_[slot];
    T value = std::exchange(s.value, T{});
    s.alive = false;
    s.generation = s.generation == generation_mask() ? 1 : s.generation + 1;
    s.next_free = kNone;
    if (free_tail_ == kNone) {
      free_head_ = slot;
    } else {
      slots_[free_tail_].next_free = slot;
    }
    free_tail_ = slot;
    ++free_;
    --alive_;
    return value;
  }

  /// Handles alive.
  size_t size() const { return alive_; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Slot {
    T value{};
    uint32_t generation = 1;
    uint32_t next_free = kNone;
    bool alive = false;
  };

  uint32_t slot_mask() const { return (uint32_t{1} << layout_.slot_bits) - 1; }
  uint32_t generation_mask() const { return (uint32_t{1} << layout_.generation_bits) - 1; }
  int32_t handle_of(uint32_t slot) const {
    return static_cast<int32_t>(layout_.tag | slots_[slot].generation << layout_.slot_bits | slot);
  }
  uint32_t slot_of(int32_t handle) const {
    const uint32_t bits = static_cast<uint32_t>(handle);
    const uint32_t slot = bits & slot_mask();
    if (slot >= slots_.size() || !slots_[slot].alive || handle_of(slot) != handle) return kNone;
    return slot;
  }
  uint32_t take_slot() {
    const bool full = slots_.size() > slot_mask();
    if (free_ > 0 && (free_ > layout_.min_free || full)) {
      const uint32_t slot = free_head_;
      free_head_ = slots_[slot].next_free;
      if (free_head_ == kNone) free_tail_ = kNone;
      --free_;
      return slot;
    }
    if (full) {
      fail(ErrorCode::kOutOfMemory, "more than ", slots_.size(), " ", layout_.what,
           "s are alive; free them with dispose() or wrap the code in tidy()");
    }
    slots_.emplace_back();
    return static_cast<uint32_t>(slots_.size() - 1);
  }

  HandleLayout layout_;
  std::vector<Slot> slots_;
  uint32_t free_head_ = kNone, free_tail_ = kNone;
  uint32_t free_ = 0;
  size_t alive_ = 0;
};

}  // namespace tsr::capi
