// Written by tessera_gen from the op registry; do not edit. Every op as a C++ function.
//
// All functions check their arguments at once and throw tsr::Error; the values are computed when they are read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tessera/dtype.h"
#include "tessera/shape.h"
#include "tessera/tensor.h"

namespace tsr {

/// A list of integers as ops take it: axes, a shape, strides. From one number, {1, 2}, a vector or a Shape.
struct Ints {
  std::vector<int64_t> values;
  Ints() = default;
  Ints(int64_t one) : values{one} {}                                // NOLINT: sum(x, 0)
  Ints(std::initializer_list<int64_t> list) : values(list) {}       // NOLINT: sum(x, {0, 1})
  Ints(std::vector<int64_t> list) : values(std::move(list)) {}      // NOLINT
  Ints(const Shape& shape) : values(shape.vector()) {}              // NOLINT: reshape(x, y.shape())
};

}  // namespace tsr
