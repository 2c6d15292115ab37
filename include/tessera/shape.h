// Shapes: the extents of a tensor, outermost first, held inline (no allocation).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tessera/error.h"

namespace tsr {

/// Highest rank a tensor may have. TensorFlow.js stops at 6; two more leave room for reshapes inside ops (space_to_batch).
inline constexpr int kMaxRank = 8;

/// Highest number of elements, so that an int32 index (what GPUs have) always reaches.
inline constexpr int64_t kMaxElements = (int64_t{1} << 31) - 1;

/// A fixed-capacity list of int64 extents (or axes, strides, paddings: any short list of integers per dimension).
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) {
    require(dims.size() <= kMaxRank, "a tensor may have at most ", kMaxRank, " dimensions, got ", dims.size());
    for (int64_t d : dims) push_back(d);
  }
  explicit Shape(const std::vector<int64_t>& dims) : Shape(std::span<const int64_t>(dims)) {}
  static Shape filled(int rank, int64_t value) {
    Shape s;
    for (int i = 0; i < rank; ++i) s.push_back(value);
    return s;
  }

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t operator[](int i) const { return dims_[static_cast<size_t>(i)]; }
  int64_t& operator[](int i) { return dims_[static_cast<size_t>(i)]; }
  /// Extent counted from the end: back(0) is the innermost.
  int64_t back(int i = 0) const { return dims_[static_cast<size_t>(rank_ - 1 - i)]; }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + rank_; }
  std::span<const int64_t> span() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  std::vector<int64_t> vector() const { return {begin(), end()}; }

  void push_back(int64_t d) {
    require(rank_ < kMaxRank, "a tensor may have at most ", kMaxRank, " dimensions");
    dims_[static_cast<size_t>(rank_++)] = d;
  }
  void insert(int at, int64_t d);
  void erase(int at);

  /// Number of elements; 1 for rank 0. Throws when it exceeds kMaxElements or a dimension is negative.
  int64_t size() const;
  /// Row-major strides in elements.
  Shape strides() const;

  bool operator==(const Shape& o) const {
    if (rank_ != o.rank_) return false;
    for (int i = 0; i < rank_; ++i)
      if ((*this)[i] != o[i]) return false;
    return true;
  }

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

/// "[2,3,4]"; "[]" for a scalar.
std::string to_string(const Shape& shape);
std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// numpy's broadcast of two shapes; throws "[op] shapes [2,3] and [4] do not broadcast" when they do not.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

/// Turns axis in [-rank, rank) into [0, rank); throws naming the op otherwise.
int normalize_axis(const char* op, int64_t axis, int rank);

/// Normalised, sorted, distinct axes; all axes when `axes` is empty and `empty_means_all`.
std::vector<int> normalize_axes(const char* op, std::span<const int64_t> axes, int rank, bool empty_means_all);

}  // namespace tsr
