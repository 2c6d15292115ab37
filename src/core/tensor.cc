#include "tessera/tensor.h"

#include <cstring>
#include <ostream>

#include "core/op_def.h"
#include "core/tensor_impl.h"

namespace tsr {
namespace {

ReadFn g_read = nullptr;

Tensor concrete(DType dtype, const Shape& shape, const void* data, size_t bytes) {
  const int64_t n = shape.size();
  Ref<Storage> storage(new Storage(dtype, n));
  if (n > 0) {
    Ref<HostBuffer> buffer(new HostBuffer(bytes));
    std::memcpy(buffer->data(), data, bytes);
    storage->set_host(std::move(buffer));
  }
  Ref<TensorImpl> impl(new TensorImpl({shape, dtype}, std::move(storage)));
  impl->retain();
  return Tensor(impl.get());
}

template <typename T>
Tensor from_values(std::span<const T> values, DType dtype, const Shape& shape) {
  require(static_cast<int64_t>(values.size()) == shape.size(), "a tensor of shape ", shape, " needs ", shape.size(),
          " values, got ", values.size());
  return concrete(dtype, shape, values.data(), values.size() * sizeof(T));
}

const Storage& read(const Tensor& t) {
  require(t.defined(), "cannot read a Tensor that was never set or was moved from");
  TensorImpl& impl = *t.impl();
  if (!impl.storage->on_host() && impl.storage->elements() > 0 && impl.type.dtype != DType::kString) {
    check(g_read != nullptr, "no engine is installed");
    g_read(impl);
  }
  return *impl.storage;
}

template <typename T>
constexpr DType dtype_for() {
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  return DType::kBool;
}

}  // namespace

void set_reader(ReadFn fn) { g_read = fn; }

std::string to_string(const TensorType& type) { return std::string(name_of(type.dtype)) + to_string(type.shape); }
std::ostream& operator<<(std::ostream& out, const TensorType& type) { return out << to_string(type); }

Tensor::Tensor(const Tensor& o) : impl_(o.impl_) {
  if (impl_) impl_->retain();
}

Tensor::~Tensor() {
  if (impl_ && impl_->release_ref()) delete impl_;
}

Tensor::Tensor(float value) : Tensor(scalar(value)) {}

Tensor Tensor::from(std::span<const float> values, const Shape& shape) {
  return from_values(values, DType::kFloat32, shape);
}
Tensor Tensor::from(std::span<const int32_t> values, const Shape& shape) {
  return from_values(values, DType::kInt32, shape);
}

Tensor Tensor::from_bools(std::span<const uint8_t> values, const Shape& shape) {
  std::vector<uint8_t> clean(values.begin(), values.end());
  for (uint8_t& v : clean) v = v != 0;  // a bool holds 0 or 1 and nothing else
  return from_values<uint8_t>(clean, DType::kBool, shape);
}

Tensor Tensor::from_strings(std::vector<std::string> values, const Shape& shape) {
  require(static_cast<int64_t>(values.size()) == shape.size(), "a tensor of shape ", shape, " needs ", shape.size(),
          " strings, got ", values.size());
  Ref<Storage> storage(new Storage(DType::kString, shape.size()));
  storage->set_strings(std::move(values));
  Ref<TensorImpl> impl(new TensorImpl({shape, DType::kString}, std::move(storage)));
  impl->retain();
  return Tensor(impl.get());
}

Tensor Tensor::from_bytes(std::span<const std::byte> bytes, DType dtype, const Shape& shape) {
  require(dtype != DType::kString, "string tensors are made with from_strings");
  const size_t wanted = static_cast<size_t>(shape.size()) * size_of(dtype);
  require(bytes.size() == wanted, "a ", name_of(dtype), " tensor of shape ", shape, " needs ", wanted, " bytes, got ",
          bytes.size());
  if (dtype == DType::kBool) {
    return from_bools({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, shape);
  }
  return concrete(dtype, shape, bytes.data(), bytes.size());
}

Tensor Tensor::scalar(double value, DType dtype) {
  switch (dtype) {
    case DType::kFloat32: {
      const float v = static_cast<float>(value);
      return concrete(dtype, {}, &v, 4);
    }
    case DType::kInt32: {
      const auto v = static_cast<int32_t>(value);
      return concrete(dtype, {}, &v, 4);
    }
    case DType::kBool: {
      const uint8_t v = value != 0;
      return concrete(dtype, {}, &v, 1);
    }
    default: fail(ErrorCode::kInvalidArgument, "a scalar must be float32, int32 or bool, got ", name_of(dtype));
  }
}

const TensorType& Tensor::type() const {
  require(impl_ != nullptr, "the Tensor was never set or was moved from");
  return impl_->type;
}

template <typename T>
std::vector<T> Tensor::to_vector() const {
  require(dtype() == dtype_for<T>(), "the tensor is ", name_of(dtype()), "; it cannot be read as ",
          name_of(dtype_for<T>()));
  const Storage& s = read(*this);
  std::vector<T> out(static_cast<size_t>(size()));
  if (!out.empty()) std::memcpy(out.data(), s.read_host().data, out.size() * sizeof(T));
  return out;
}
template std::vector<float> Tensor::to_vector<float>() const;
template std::vector<int32_t> Tensor::to_vector<int32_t>() const;
template std::vector<uint8_t> Tensor::to_vector<uint8_t>() const;

std::vector<std::string> Tensor::to_strings() const {
  require(dtype() == DType::kString, "the tensor is ", name_of(dtype()), ", not string");
  return read(*this).strings();
}

std::vector<std::byte> Tensor::to_bytes() const {
  const size_t bytes = static_cast<size_t>(size()) * size_of(dtype());
  const Storage& s = read(*this);
  std::vector<std::byte> out(bytes);
  if (bytes) std::memcpy(out.data(), s.read_host().data, bytes);
  return out;
}

}  // namespace tsr
