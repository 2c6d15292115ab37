#include "base/shape.h"

#include <algorithm>
#include <ostream>

namespace tsr {

void Shape::insert(int at, int64_t d) {
  push_back(d);
  for (int i = rank_ - 1; i > at; --i) (*this)[i] = (*this)[i - 1];
  (*this)[at] = d;
}

void Shape::erase(int at) {
  for (int i = at; i + 1 < rank_; ++i) (*this)[i] = (*this)[i + 1];
  --rank_;
}

int64_t Shape::size() const {
  int64_t n = 1;
  bool zero = false;
  for (int64_t d : span()) {
    require(d >= 0, "shape ", *this, " has a negative dimension");
    if (d == 0) {
      zero = true;
      continue;
    }
    require(n <= kMaxElements / d, "shape ", *this, " has more than 2^31-1 elements");
    n *= d;
  }
  return zero ? 0 : n;
}

Shape Shape::strides() const {
  Shape s = filled(rank_, 1);
  for (int i = rank_ - 2; i >= 0; --i) s[i] = s[i + 1] * (*this)[i + 1];
  return s;
}

std::string to_string(const Shape& shape) {
  std::string out = "[";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i) out += ",";
    out += std::to_string(shape[i]);
  }
  return out + "]";
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape out = Shape::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {  // i counts from the innermost dimension
    const int64_t da = i < a.rank() ? a.back(i) : 1;
    const int64_t db = i < b.rank() ? b.back(i) : 1;
    if (da != db && da != 1 && db != 1) {
      fail(ErrorCode::kInvalidArgument, "[", op, "] shapes ", a, " and ", b, " cannot be broadcast together: dimension ", i,
           " from the end is ", da, " and ", db);
    }
    out[rank - 1 - i] = da == 1 ? db : da;
  }
  return out;
}

int normalize_axis(const char* op, int64_t axis, int rank) {
  require(axis >= -rank && axis < rank, "[", op, "] axis ", axis, " is out of range for a tensor of rank ", rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int> normalize_axes(const char* op, std::span<const int64_t> axes, int rank, bool empty_means_all) {
  std::vector<int> out;
  if (axes.empty() && empty_means_all) {
    for (int i = 0; i < rank; ++i) out.push_back(i);
    return out;
  }
  for (int64_t a : axes) out.push_back(normalize_axis(op, a, rank));
  std::sort(out.begin(), out.end());
  require(std::adjacent_find(out.begin(), out.end()) == out.end(), "[", op, "] an axis is given twice");
  return out;
}

}  // namespace tsr
