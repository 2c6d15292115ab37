// InlineVec<T, N>: a vector of trivially copyable values whose first N live inside the object (no allocation).
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>

namespace tsr {

template <typename T, size_t N>
class InlineVec {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  InlineVec() = default;
  InlineVec(std::initializer_list<T> v) { assign({v.begin(), v.size()}); }
  explicit InlineVec(std::span<const T> v) { assign(v); }
  InlineVec(const InlineVec& o) { assign(o); }
  InlineVec(InlineVec&& o) noexcept { take(o); }
  InlineVec& operator=(const InlineVec& o) {
    if (this != &o) assign(o);
    return *this;
  }
  InlineVec& operator=(InlineVec&& o) noexcept {
    if (this != &o) take(o);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& back() { return data()[size_ - 1]; }
  operator std::span<const T>() const { return {data(), size_}; }  // NOLINT
  void clear() { size_ = 0; }
  void push_back(T v) {
    reserve(size_ + 1);
    data()[size_++] = v;
  }
  void assign(std::span<const T> v) {
    size_ = 0;
    reserve(v.size());
    std::copy(v.begin(), v.end(), data());
    size_ = v.size();
  }
  bool operator==(const InlineVec& o) const { return std::equal(begin(), end(), o.begin(), o.end()); }

 private:
  void reserve(size_t n) {
    const size_t cap = heap_ ? capacity_ : N;
    if (n <= cap) return;
    const size_t grown = std::max(n, cap * 2);
    auto bigger = std::make_unique<T[]>(grown);
    std::copy(begin(), end(), bigger.get());
    heap_ = std::move(bigger);
    capacity_ = grown;
  }
  void take(InlineVec& o) {
    heap_ = std::move(o.heap_);
    capacity_ = o.capacity_;
    size_ = o.size_;
    if (!heap_) std::copy(o.inline_, o.inline_ + o.size_, inline_);
    o.size_ = 0;
  }

  T inline_[N]{};
  std::unique_ptr<T[]> heap_;
  size_t capacity_ = 0;
  size_t size_ = 0;
};

}  // namespace tsr
