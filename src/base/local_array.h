// LocalArray<T, N>: a list of a length known when it is made, on the stack when it is short.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tsr {

/// n values of T, default-made. Up to N of them cost no allocation; all N are made in any case.
template <typename T, size_t N>
class LocalArray {
 public:
  explicit LocalArray(size_t n) : size_(n) {
    if (n > N) many_.resize(n);
  }
  LocalArray(const LocalArray&) = delete;
  LocalArray& operator=(const LocalArray&) = delete;

  std::span<T> span() { return {size_ > N ? many_.data() : few_, size_}; }

 private:
  T few_[N]{};
  std::vector<T> many_;
  size_t size_;
};

}  // namespace tsr
