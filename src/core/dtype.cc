#include "core/dtype.h"

#include "base/error.h"

namespace tsr {

DType dtype_from_name(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(DType::kUint16); ++i) {
    const DType t = static_cast<DType>(i);
    if (name == name_of(t)) return t;
  }
  fail(ErrorCode::kInvalidArgument, "dtype '", name,
       "' does not exist; wanted float32, int32, bool, complex64, string, float16, int8, uint8 or uint16");
}

DType promote(const char* op, DType a, DType b) {
  if (a == b) return a;
  const auto level = [](DType t) {
    switch (t) {
      case DType::kBool: return 0;
      case DType::kInt32: return 1;
      case DType::kFloat32: return 2;
      case DType::kComplex64: return 3;
      default: return -1;
    }
  };
  const int la = level(a);
  const int lb = level(b);
  require(la >= 0 && lb >= 0, "[", op, "] cannot combine dtypes ", name_of(a), " and ", name_of(b));
  return la > lb ? a : b;
}

}  // namespace tsr
