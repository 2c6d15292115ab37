#include "case_file.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>

namespace tsr::cases {
namespace {

using Json = rapidjson::Value;

template <typename... Parts>
[[noreturn]] void bad(const Parts&... parts) {
  fail(ErrorCode::kBadFile, parts...);
}

double number_of(const Json& v, const std::string& where) {
  if (v.IsNumber()) return v.GetDouble();
  if (v.IsBool()) return v.GetBool();
  if (v.IsString()) {
    const std::string s = v.GetString();
    if (s == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (s == "Infinity") return std::numeric_limits<double>::infinity();
    if (s == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  bad(where, ": expected a number, a boolean, 'NaN', 'Infinity' or '-Infinity'");
}

std::string string_of(const Json& v, const std::string& where) {
  if (!v.IsString()) bad(where, ": expected a string");
  return {v.GetString(), v.GetStringLength()};
}

Shape shape_of(const Json& v, const std::string& where) {
  if (!v.IsArray()) bad(where, ": 'shape' must be a list");
  Shape s;
  for (const Json& d : v.GetArray()) s.push_back(static_cast<int64_t>(number_of(d, where)));
  return s;
}

void check_fields(const Json& v, std::initializer_list<const char*> allowed, const std::string& where) {
  if (!v.IsObject()) bad(where, ": expected an object");
  for (const auto& m : v.GetObject()) {
    const std::string name = m.name.GetString();
    if (std::none_of(allowed.begin(), allowed.end(), [&](const char* a) { return name == a; })) bad(where, ": unknown field '", name, "'");
  }
}

// float32 -> float16, rounding to nearest even; enough for test inputs.
uint16_t half_of(double v) {
  const auto f = static_cast<float>(v);
  if (std::isnan(f)) return 0x7e00;
  const uint16_t sign = std::signbit(f) ? 0x8000 : 0;
  const double a = std::fabs(static_cast<double>(f));
  if (a >= 65520) return sign | 0x7c00;
  if (a < std::ldexp(1.0, -14)) return sign | static_cast<uint16_t>(std::nearbyint(std::ldexp(a, 24)));
  int e = 0;
  const double m = std::frexp(a, &e);  // [0.5, 1)
  const auto bits = static_cast<uint32_t>(std::nearbyint(std::ldexp(m, 11)));  // [1024, 2048]
  return static_cast<uint16_t>(sign | (((static_cast<uint32_t>(e + 14) << 10) + (bits - 1024u))));
}

Tensor tensor_from(const std::vector<double>& values, DType dtype, const Shape& shape) {
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  const auto fill = [&]<typename T>(T) {
    auto* p = reinterpret_cast<T*>(bytes.data());
    for (size_t i = 0; i < values.size(); ++i) p[i] = static_cast<T>(values[i]);
  };
  switch (dtype) {
    case DType::kFloat32: fill(float{}); break;
    case DType::kInt32: fill(int32_t{}); break;
    case DType::kBool:
    case DType::kUint8: fill(uint8_t{}); break;
    case DType::kInt8: fill(int8_t{}); break;
    case DType::kUint16: fill(uint16_t{}); break;
    case DType::kFloat16: {
      auto* p = reinterpret_cast<uint16_t*>(bytes.data());
      for (size_t i = 0; i < values.size(); ++i) p[i] = half_of(values[i]);
      break;
    }
    case DType::kComplex64: {
      // Values come as re, im, re, im, ...
      bytes.resize(values.size() * sizeof(float));
      auto* p = reinterpret_cast<float*>(bytes.data());
      for (size_t i = 0; i < values.size(); ++i) p[i] = static_cast<float>(values[i]);
      break;
    }
    case DType::kString: bad("a string tensor needs string values");
  }
  return Tensor::from_bytes(bytes, dtype, shape);
}

DType dtype_of(const Json& v, const std::string& where) {
  return v.HasMember("dtype") ? dtype_from_name(string_of(v["dtype"], where)) : DType::kFloat32;
}

Tensor values_of(const Json& list, DType dtype, std::optional<Shape> shape, const std::string& where) {
  if (!list.IsArray()) bad(where, ": 'values' must be a list");
  int64_t n = list.Size();
  if (dtype == DType::kString) {
    std::vector<std::string> strings;
    for (const Json& s : list.GetArray()) strings.push_back(string_of(s, where));
    return Tensor::from_strings(std::move(strings), shape.value_or(Shape{n}));
  }
  std::vector<double> values;
  for (const Json& v : list.GetArray()) values.push_back(number_of(v, where));
  if (dtype == DType::kComplex64) n /= 2;
  return tensor_from(values, dtype, shape.value_or(Shape{n}));
}

Tensor input_of(const Json& v, size_t number, const std::string& where) {
  check_fields(v, {"shape", "dtype", "gen", "seed", "lo", "hi", "values"}, where);
  const DType dtype = dtype_of(v, where);
  std::optional<Shape> shape;
  if (v.HasMember("shape")) shape = shape_of(v["shape"], where);
  if (v.HasMember("values")) return values_of(v["values"], dtype, shape, where);
  if (!shape) bad(where, ": an input needs 'shape' or 'values'");
  const auto optional_number = [&](const char* name) -> std::optional<double> {
    if (!v.HasMember(name)) return {};
    return number_of(v[name], where);
  };
  std::string gen = dtype == DType::kInt32 ? "ints" : dtype == DType::kBool ? "bools" : "normal";
  if (v.HasMember("gen")) gen = string_of(v["gen"], where);
  const auto seed = static_cast<uint32_t>(optional_number("seed").value_or(1234.0 + static_cast<double>(number)));
  const int64_t n = shape->size() * (dtype == DType::kComplex64 ? 2 : 1);
  return tensor_from(generate(gen, dtype, n, seed, optional_number("lo"), optional_number("hi")), dtype, *shape);
}

AttrValue attr_of(const Json& v, AttrKind kind, const std::string& where) {
  const auto numbers = [&] {
    std::vector<double> list;
    for (const Json& x : v.GetArray()) list.push_back(number_of(x, where));
    return list;
  };
  if (v.IsNull()) return {};
  if (v.IsBool()) return v.GetBool();
  if (v.IsArray()) return numbers();
  if (v.IsInt64()) return v.GetInt64();
  if (v.IsNumber()) return v.GetDouble();
  if (v.IsString() && kind == AttrKind::kFloat) return number_of(v, where);
  if (v.IsString()) return string_of(v, where);
  bad(where, ": an attribute must be a number, a boolean, a string or a list");
}

Attrs attrs_of(const OpDef& op, const Json& c, const std::string& where) {
  std::vector<std::pair<std::string, AttrValue>> values;
  if (c.HasMember("attrs")) {
    if (!c["attrs"].IsObject()) bad(where, ": 'attrs' must be an object");
    for (const auto& m : c["attrs"].GetObject()) {
      const std::string name = m.name.GetString();
      const int i = op.attrs->find(name);
      const AttrKind kind = i < 0 ? AttrKind::kInt : op.attrs->fields()[static_cast<size_t>(i)].kind;
      values.emplace_back(name, attr_of(m.value, kind, where + ", attribute '" + name + "'"));
    }
  }
  return make_attrs(op.name, *op.attrs, values);
}

Case case_of(const OpDef& op, const Json& v, const std::string& file) {
  check_fields(v, {"name", "inputs", "attrs", "expect", "grad", "grad2", "tolerance", "exclude"}, file);
  Case c;
  if (!v.HasMember("name")) bad(file, ": a case has no name");
  c.name = string_of(v["name"], file);
  const std::string where = file + ", case '" + c.name + "'";
  if (v.HasMember("inputs")) {
    if (!v["inputs"].IsArray()) bad(where, ": 'inputs' must be a list");
    for (const Json& in : v["inputs"].GetArray()) c.inputs.push_back(input_of(in, c.inputs.size(), where));
  }
  if (v.HasMember("expect")) {
    const Json& e = v["expect"];
    if (e.IsObject()) {
      check_fields(e, {"error"}, where);
      c.error = string_of(e["error"], where);
    } else if (e.IsArray()) {
      for (const Json& o : e.GetArray()) {
        check_fields(o, {"shape", "dtype", "values"}, where);
        Expected x;
        if (o.HasMember("shape")) x.shape = shape_of(o["shape"], where);
        if (o.HasMember("dtype")) x.dtype = dtype_of(o, where);
        if (o.HasMember("values")) x.values = values_of(o["values"], dtype_of(o, where), {}, where);
        c.expected.push_back(std::move(x));
      }
    } else {
      bad(where, ": 'expect' must be a list of outputs or {\"error\": ...}");
    }
  }
  try {
    c.attrs = attrs_of(op, v, where);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kBadFile || c.error.empty()) throw;
    c.attr_error = e.what();
  }
  if (v.HasMember("grad")) {
    const Json& g = v["grad"];
    if (g.IsBool()) {
      c.grad_all = g.GetBool();
    } else if (g.IsArray()) {
      for (const Json& i : g.GetArray()) c.grad.push_back(static_cast<int>(number_of(i, where)));
    } else {
      bad(where, ": 'grad' must be a boolean or a list of input numbers");
    }
  }
  if (v.HasMember("grad2")) c.grad2 = v["grad2"].IsTrue();
  if (v.HasMember("tolerance")) c.tolerance = number_of(v["tolerance"], where);
  if (v.HasMember("exclude")) {
    for (const auto& m : v["exclude"].GetObject()) c.exclude[m.name.GetString()] = string_of(m.value, where);
  }
  return c;
}

}  // namespace

uint32_t Mulberry32::next() {
  a_ += 0x6D2B79F5u;
  uint32_t t = (a_ ^ (a_ >> 15)) * (1u | a_);
  t = (t + (t ^ (t >> 7)) * (61u | t)) ^ t;
  return t ^ (t >> 14);
}

std::vector<double> generate(const std::string& gen, DType dtype, int64_t n, uint32_t seed, std::optional<double> lo,
                             std::optional<double> hi) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<double> special_floats = {0,   -0.0, 1,    -1,    0.5,   -0.5, 2,    -2,
                                                     kNan, kInf, -kInf, 1e-30, 1e30, 3.25, 100, -100};
  static const std::vector<double> special_ints = {0, 1, -1, 2, -2, 7, -7, 127, 46341, -46341, 2147483647.0, -2147483648.0};
  Mulberry32 r(seed);
  std::vector<double> out(static_cast<size_t>(n));
  if (gen == "normal") {
    for (double& v : out) {
      double sum = r.unit();
      for (int k = 0; k < 3; ++k) sum += r.unit();
      v = (sum - 2) * std::sqrt(3.0);
    }
  } else if (gen == "uniform") {
    const double a = lo.value_or(-2), b = hi.value_or(2);
    for (double& v : out) v = a + (b - a) * r.unit();
  } else if (gen == "ints") {
    const double a = lo.value_or(-10), b = hi.value_or(10);
    for (double& v : out) v = a + static_cast<double>(r.next() % static_cast<uint32_t>(b - a));
  } else if (gen == "bools") {
    for (double& v : out) v = r.next() >> 31;
  } else if (gen == "distinct") {
    std::vector<size_t> p(out.size());
    std::iota(p.begin(), p.end(), size_t{0});
    for (size_t k = p.size(); k-- > 1;) std::swap(p[k], p[r.next() % (k + 1)]);
    for (size_t i = 0; i < out.size(); ++i) out[i] = (static_cast<double>(p[i]) - static_cast<double>(p.size() / 2)) * 0.125;
  } else if (gen == "range") {
    for (size_t i = 0; i < out.size(); ++i) out[i] = lo.value_or(0) + static_cast<double>(i) * hi.value_or(1);
  } else if (gen == "special") {
    const auto& list = dtype == DType::kInt32 ? special_ints : special_floats;
    for (size_t i = 0; i < out.size(); ++i) out[i] = list[i % list.size()];
  } else {
    bad("unknown generator '", gen, "'");
  }
  return out;
}

CaseFile read_case_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(ErrorCode::kNotFound, "cannot open ", path);
  std::stringstream text;
  text << in.rdbuf();
  const std::string content = text.str();
  rapidjson::Document doc;
  doc.Parse<rapidjson::kParseFullPrecisionFlag>(content.data(), content.size());
  const std::string file = std::filesystem::path(path).filename().string();
  if (doc.HasParseError()) {
    bad(file, ": ", rapidjson::GetParseError_En(doc.GetParseError()), " at byte ", doc.GetErrorOffset());
  }
  check_fields(doc, {"op", "cases"}, file);
  if (!doc.HasMember("op") || !doc.HasMember("cases") || !doc["cases"].IsArray()) bad(file, ": needs 'op' and a list 'cases'");
  CaseFile out;
  const std::string op = string_of(doc["op"], file);
  out.op = find_op(op);
  if (!out.op) bad(file, ": op '", op, "' does not exist");
  for (const Json& c : doc["cases"].GetArray()) out.cases.push_back(case_of(*out.op, c, file));
  return out;
}

std::vector<std::string> case_files(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& e : std::filesystem::directory_iterator(folder)) {
    if (e.path().extension() == ".json") out.push_back(e.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace tsr::cases
