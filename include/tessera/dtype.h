// Element types: what arithmetic sees, and what only storage holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tsr {

/// The numbers are part of the C ABI and never change. The first five take part in arithmetic, as in TensorFlow.js; the rest
/// are storage for weights, widened to float32 when a kernel reads them.
enum class DType : uint8_t {
  kFloat32 = 0,
  kInt32 = 1,
  kBool = 2,       ///< one byte an element, 0 or 1
  kComplex64 = 3,  ///< (re, im) pairs of float32
  kString = 4,     ///< byte strings on the host
  kFloat16 = 5,
  kInt8 = 6,
  kUint8 = 7,
  kUint16 = 8,
};

/// Bytes an element takes in memory; 0 for kString.
constexpr size_t size_of(DType t) {
  switch (t) {
    case DType::kFloat32:
    case DType::kInt32: return 4;
    case DType::kComplex64: return 8;
    case DType::kFloat16:
    case DType::kUint16: return 2;
    case DType::kBool:
    case DType::kInt8:
    case DType::kUint8: return 1;
    case DType::kString: return 0;
  }
  return 0;
}

/// "float32", "int32", "bool", "complex64", "string", "float16", "int8", "uint8", "uint16".
constexpr const char* name_of(DType t) {
  switch (t) {
    case DType::kFloat32: return "float32";
    case DType::kInt32: return "int32";
    case DType::kBool: return "bool";
    case DType::kComplex64: return "complex64";
    case DType::kString: return "string";
    case DType::kFloat16: return "float16";
    case DType::kInt8: return "int8";
    case DType::kUint8: return "uint8";
    case DType::kUint16: return "uint16";
  }
  return "?";
}

/// The dtype of that name; throws kInvalidArgument naming the ones that exist.
DType dtype_from_name(std::string_view name);

/// TensorFlow.js's promotion: bool < int32 < float32 < complex64; string only with string (throws otherwise).
DType promote(const char* op, DType a, DType b);

}  // namespace tsr
