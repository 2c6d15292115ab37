// Tensor: a value handle to one result of the engine. Shape and dtype are known at once, data when somebody asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/dtype.h"
#include "tessera/shape.h"

namespace tsr {

class TensorImpl;  // src/core/tensor_impl.h

/// Shape and element type of a tensor.
struct TensorType {
  Shape shape;
  DType dtype = DType::kFloat32;
  bool operator==(const TensorType&) const = default;
};
std::string to_string(const TensorType& type);  // "float32[2,3]"
std::ostream& operator<<(std::ostream& out, const TensorType& type);

/// Copying a Tensor copies a reference: both name the same immutable value. The memory goes when the last handle goes.
/// Ops record work; values are computed when read (or when the engine's queue is full), all that is pending at once.
/// Thread rule: one engine, one calling thread at a time.
class Tensor {
 public:
  Tensor() = default;  ///< no tensor: defined() is false; passing it to an op is an error
  explicit Tensor(TensorImpl* adopt) : impl_(adopt) {}
  Tensor(const Tensor& o);
  Tensor(Tensor&& o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  Tensor& operator=(Tensor o) noexcept {
    std::swap(impl_, o.impl_);
    return *this;
  }
  ~Tensor();
  Tensor(float scalar);  // NOLINT: add(x, 2.0f) should read like that

  /// New tensors from host values, copied. Throws when values.size() differs from shape.size().
  static Tensor from(std::span<const float> values, const Shape& shape);
  static Tensor from(std::span<const int32_t> values, const Shape& shape);
  static Tensor from_bools(std::span<const uint8_t> values, const Shape& shape);
  static Tensor from_strings(std::vector<std::string> values, const Shape& shape);
  /// From raw little-endian bytes in C order; `bytes` must be shape.size() * size_of(dtype).
  static Tensor from_bytes(std::span<const std::byte> bytes, DType dtype, const Shape& shape);
  static Tensor scalar(double value, DType dtype = DType::kFloat32);

  bool defined() const { return impl_ != nullptr; }
  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
  int rank() const { return shape().rank(); }
  int64_t size() const { return shape().size(); }

  /// Runs what is pending and copies the values out. Throws when T does not match the dtype (float for float32, int32_t for
  /// int32, uint8_t for bool), or when the computation failed.
  template <typename T>
  std::vector<T> to_vector() const;
  std::vector<std::string> to_strings() const;
  /// The raw bytes, little-endian, C order.
  std::vector<std::byte> to_bytes() const;

  TensorImpl* impl() const { return impl_; }
  /// Gives up ownership of the reference without releasing it.
  TensorImpl* release() { return std::exchange(impl_, nullptr); }

 private:
  TensorImpl* impl_ = nullptr;  // one counted reference
};

}  // namespace tsr
