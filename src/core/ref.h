// Ref<T>: an intrusive counted pointer, and RefCounted, the base that carries the count.
#pragma once

#include <atomic>
#include <utility>

namespace tsr {

/// Atomic, because tensors may be dropped while the executor thread still holds the storage of another.
class RefCounted {
 public:
  void retain() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  /// True when this was the last reference: the caller deletes.
  bool release_ref() const { return refs_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  int refs() const { return refs_.load(std::memory_order_acquire); }

 protected:
  RefCounted() = default;
  ~RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

 private:
  mutable std::atomic<int> refs_{0};
};

/// Owns one reference; null when empty. T must derive from RefCounted and be complete where Ref is destroyed.
template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(T* p) : p_(p) {  // NOLINT: a raw pointer becomes a counted one
    if (p_) p_->retain();
  }
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_ && p_->release_ref()) delete p_;
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ref& o) const { return p_ == o.p_; }

 private:
  T* p_ = nullptr;
};

}  // namespace tsr
