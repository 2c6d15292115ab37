#include "formats/tfjs/const_value.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tsr::formats {
namespace {

struct Field {
  const char* key;
  bool integers;
};

// Where TensorProto keeps a type's values, when not as raw bytes.
Field field_of(const std::string& type) {
  if (type == "DT_FLOAT") return {"floatVal", false};
  if (type == "DT_DOUBLE") return {"doubleVal", false};
  if (type == "DT_INT64") return {"int64Val", true};
  if (type == "DT_BOOL") return {"boolVal", true};
  return {"intVal", true};
}

// Bytes of an element in tensorContent, and how to read one as a double; 0 for types that this does not read.
size_t raw_size(const std::string& type) {
  if (type == "DT_FLOAT" || type == "DT_INT32") return 4;
  if (type == "DT_DOUBLE" || type == "DT_INT64") return 8;
  if (type == "DT_BOOL" || type == "DT_UINT8" || type == "DT_INT8") return 1;
  return 0;
}

template <typename T>
double read(const char* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return static_cast<double>(v);
}

double raw_element(const std::string& type, const char* p) {
  if (type == "DT_FLOAT") return read<float>(p);
  if (type == "DT_INT32") return read<int32_t>(p);
  if (type == "DT_DOUBLE") return read<double>(p);
  if (type == "DT_INT64") return read<int64_t>(p);
  if (type == "DT_INT8") return read<int8_t>(p);
  return read<uint8_t>(p);
}

void store(std::byte* out, DType dtype, int64_t i, double v) {
  if (dtype == DType::kFloat32) {
    const auto f = static_cast<float>(v);
    std::memcpy(out + i * 4, &f, 4);
  } else if (dtype == DType::kInt32) {
    // Values that int32 cannot hold saturate.
    const auto n = v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : static_cast<int32_t>(v);
    std::memcpy(out + i * 4, &n, 4);
  } else {
    out[i] = v != 0 ? std::byte{1} : std::byte{0};
  }
}

const Json* tensor_of(const TfNode& node) {
  const Json* a = node.attr("value");
  return a ? member(*a, "tensor") : nullptr;
}

Shape shape_of(const Json& tensor, const std::string& where) {
  Shape shape;
  const Json* s = member(tensor, "tensorShape");
  const Json* dims = s ? member(*s, "dim") : nullptr;
  if (!dims) return shape;
  if (!dims->is_list() || dims->size() > kMaxRank)
    fail(ErrorCode::kBadFile, where, ": its value has a malformed shape");
  int64_t elements = 1;
  for (const Json& d : dims->items()) {
    const Json* size = member(d, "size");
    const int64_t n = size ? int_of(*size, where) : 0;
    if (n < 0 || (n > 0 && elements > kMaxElements / n))
      fail(ErrorCode::kBadFile, where, ": its value has an impossible dimension ", n);
    elements *= n;
    shape.push_back(n);
  }
  return shape;
}

}  // namespace

bool has_value(const TfNode& node) {
  const Json* t = tensor_of(node);
  if (!t) return false;
  for (const char* key : {"tensorContent", "floatVal", "intVal", "boolVal", "doubleVal", "int64Val", "stringVal"}) {
    if (member(*t, key)) return true;
  }
  return false;
}

Weight value_of_const(const TfNode& node) {
  const Json& tensor = *tensor_of(node);
  const std::string where = node.where();
  const Json* type_json = member(tensor, "dtype");
  const std::string type = type_json ? tf_type_name(*type_json, where) : node.get_type_name("dtype");
  Weight w;
  if (!dtype_of_tf(type, w.type.dtype) || w.type.dtype == DType::kComplex64) {
    fail(ErrorCode::kUnsupported, where, ": a value of type '", type, "' is not supported");
  }
  w.type.shape = shape_of(tensor, where);
  const int64_t n = w.type.shape.size();
  if (w.type.dtype == DType::kString) {
    std::vector<std::string> strings;
    if (const Json* list = member(tensor, "stringVal"); list && list->is_list()) {
      for (const Json& s : list->items()) {
        std::string text;
        if (!s.is_string() || !decode_base64(s.text(), text)) {
          fail(ErrorCode::kBadFile, where, ": its value is not base64");
        }
        strings.push_back(std::move(text));
      }
    }
    if (static_cast<int64_t>(strings.size()) != n)
      fail(ErrorCode::kBadFile, where, ": its shape wants ", n, " strings, found ", strings.size());
    w.storage = Ref<Storage>(new Storage(w.type.dtype, n));
    w.storage->set_strings(std::move(strings));
    return w;
  }
  std::vector<double> values;
  if (const Json* content = member(tensor, "tensorContent");
      content && content->is_string() && !content->text().empty()) {
    std::string bytes;
    const size_t size = raw_size(type);
    if (size == 0) fail(ErrorCode::kUnsupported, where, ": a value of type ", type, " is not supported");
    if (!decode_base64(content->text(), bytes)) fail(ErrorCode::kBadFile, where, ": its value is not base64");
    if (bytes.size() != static_cast<size_t>(n) * size) {
      fail(ErrorCode::kBadFile, where, ": its shape wants ", static_cast<size_t>(n) * size, " bytes, found ",
           bytes.size());
    }
    for (size_t i = 0; i < bytes.size(); i += size) values.push_back(raw_element(type, bytes.data() + i));
  } else if (const Json* list = member(tensor, field_of(type).key)) {
    if (!list->is_list()) fail(ErrorCode::kBadFile, where, ": its value must be a list, found ", kind_of(*list));
    for (const Json& v : list->items()) {
      if (v.is_bool())
        values.push_back(v.boolean());
      else
        values.push_back(field_of(type).integers ? static_cast<double>(int_of(v, where)) : number_of(v, where));
    }
  }
  // A single value stands for all elements; none at all for zeros.
  if (values.size() > 1 && static_cast<int64_t>(values.size()) != n) {
    fail(ErrorCode::kBadFile, where, ": its shape wants ", n, " values, found ", values.size());
  }
  w.storage = Ref<Storage>(new Storage(w.type.dtype, n));
  w.storage->set_host(Ref<HostBuffer>(new HostBuffer(w.storage->logical_bytes())));
  for (int64_t i = 0; i < n; ++i) {
    const double v = values.empty() ? 0 : values.size() == 1 ? values[0] : values[static_cast<size_t>(i)];
    store(w.storage->host(), w.type.dtype, i, v);
  }
  return w;
}

}  // namespace tsr::formats
