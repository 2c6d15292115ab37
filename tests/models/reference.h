// Reference outputs of published models: reading them, making their inputs, comparing with them. README.md beside this
// file says what the files hold.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "formats/common/json.h"
#include "tessera/model.h"

namespace tsr::testing {

/// Largest error of an output, in parts of the reference's range.
inline constexpr double kTolerance = 1e-4;

struct ReferenceValue {
  std::string name;
  Shape shape;
  DType dtype = DType::kFloat32;
  uint32_t seed = 0;  ///< inputs
  std::string file;   ///< outputs; empty when only the statistics are kept
  double min = 0, max = 0, mean = 0;
};

struct Reference {
  std::string path;  ///< of the model, in its package
  std::string package;
  std::vector<ReferenceValue> inputs, outputs;
  std::vector<std::vector<std::string>> sets;
  std::map<std::string, std::vector<int64_t>> exact;

  const ReferenceValue& output(const std::string& name) const {
    for (const ReferenceValue& v : outputs) {
      if (v.name == name) return v;
    }
    fail(ErrorCode::kNotFound, "no reference output '", name, "'");
  }
};

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(ErrorCode::kNotFound, path, " does not exist");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline Reference read_reference(const std::string& folder) {
  const auto doc = formats::parse_json(read_text(folder + "/meta.json"), "meta.json");
  Reference r;
  r.path = formats::string_at(doc, "path", "");
  r.package = formats::string_at(doc, "package", "");
  const auto values = [&](const char* key) {
    std::vector<ReferenceValue> list;
    for (const auto& v : formats::list_at(doc, key, "").items()) {
      ReferenceValue value;
      value.name = formats::string_at(v, "name", key);
      for (const auto& d : formats::list_at(v, "shape", key).items()) value.shape.push_back(formats::int_of(d, key));
      value.dtype = dtype_from_name(formats::string_at(v, "dtype", key));
      if (const auto* seed = formats::member(v, "seed"))
        value.seed = static_cast<uint32_t>(formats::int_of(*seed, key));
      const std::string file = formats::string_or(v, "file", "", key);
      if (!file.empty()) value.file = folder + "/" + file;
      if (const auto* m = formats::member(v, "min")) value.min = formats::number_of(*m, key);
      if (const auto* m = formats::member(v, "max")) value.max = formats::number_of(*m, key);
      if (const auto* m = formats::member(v, "mean")) value.mean = formats::number_of(*m, key);
      list.push_back(std::move(value));
    }
    return list;
  };
  r.inputs = values("inputs");
  r.outputs = values("outputs");
  if (const auto* sets = formats::member(doc, "sets")) {
    for (const auto& set : sets->items()) {
      auto& names = r.sets.emplace_back();
      for (const auto& name : set.items()) names.emplace_back(name.text());
    }
  }
  if (const auto* exact = formats::member(doc, "exact")) {
    for (const auto& m : exact->members()) {
      for (const auto& column : m.value.items()) r.exact[std::string(m.name)].push_back(column.integer());
    }
  }
  return r;
}

/// The generator of the inputs.
class Mulberry32 {
 public:
  explicit Mulberry32(uint32_t seed) : state_(seed) {}
  uint32_t operator()() {
    state_ += 0x6D2B79F5u;
    uint32_t t = (state_ ^ state_ >> 15) * (1 | state_);
    t = (t + (t ^ t >> 7) * (61 | t)) ^ t;
    return t ^ t >> 14;
  }

 private:
  uint32_t state_;
};

inline Tensor make_input(const ReferenceValue& v) {
  Mulberry32 random(v.seed);
  const auto n = static_cast<size_t>(v.shape.size());
  if (v.dtype == DType::kInt32) {
    std::vector<int32_t> values(n);
    for (int32_t& x : values) x = static_cast<int32_t>(random() % 256);
    return Tensor::from(std::span<const int32_t>(values), v.shape);
  }
  std::vector<float> values(n);
  for (float& x : values) x = static_cast<float>(random() >> 8) / 16777216.0f;
  return Tensor::from(std::span<const float>(values), v.shape);
}

/// Numbers of a tensor, whatever its dtype.
inline std::vector<double> numbers(const Tensor& t) {
  std::vector<double> out;
  if (t.dtype() == DType::kInt32) {
    for (int32_t v : t.to_vector<int32_t>()) out.push_back(v);
  } else if (t.dtype() == DType::kBool) {
    for (uint8_t v : t.to_vector<uint8_t>()) out.push_back(v);
  } else {
    for (float v : t.to_vector<float>()) out.push_back(v);
  }
  return out;
}

inline std::vector<double> read_values(const ReferenceValue& v) {
  const auto n = static_cast<size_t>(v.shape.size());
  std::vector<char> bytes(n * 4 + 1);
  gzFile file = gzopen(v.file.c_str(), "rb");
  if (!file) fail(ErrorCode::kNotFound, v.file, " does not exist");
  const int got = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  if (got != static_cast<int>(n * 4)) fail(ErrorCode::kBadFile, v.file, " must hold ", n * 4, " bytes, found ", got);
  std::vector<double> out(n);
  for (size_t i = 0; i < n; ++i) {
    if (v.dtype == DType::kInt32) {
      int32_t x;
      std::memcpy(&x, &bytes[i * 4], 4);
      out[i] = x;
    } else {
      float x;
      std::memcpy(&x, &bytes[i * 4], 4);
      out[i] = x;
    }
  }
  return out;
}

/// What a value may be off by: a part of the reference's range; of the value itself where all values are the same.
inline double allowed_error(const ReferenceValue& v, double tolerance) {
  const double range = v.max - v.min;
  return tolerance * (range > 0 ? range : std::max(std::fabs(v.max), 1e-30));
}

/// Faults, one sentence each; empty when the outputs (by name) agree with the reference. `worst` gets the largest error
/// found, in parts of the range.
inline std::vector<std::string> compare(const Reference& r, const std::map<std::string, Tensor>& outputs,
                                        double tolerance, double& worst) {
  std::vector<std::string> faults;
  std::map<std::string, std::vector<double>> got, want;
  const auto limit = [&](const std::string& name, int64_t column) {
    const auto it = r.exact.find(name);
    if (it != r.exact.end() && std::find(it->second.begin(), it->second.end(), column) != it->second.end()) return 0.0;
    return allowed_error(r.output(name), tolerance);
  };
  const auto fits = [&](double a, double b, double allowed) {
    return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= allowed;
  };
  for (const ReferenceValue& v : r.outputs) {
    const auto it = outputs.find(v.name);
    if (it == outputs.end()) {
      faults.push_back("output '" + v.name + "' is missing");
      continue;
    }
    if (!(it->second.shape() == v.shape)) {
      faults.push_back(str("output '", v.name, "' has shape ", it->second.shape(), ", wanted ", v.shape));
      continue;
    }
    got[v.name] = numbers(it->second);
    if (!v.file.empty()) {
      want[v.name] = read_values(v);
      continue;
    }
    // Statistics alone.
    const std::vector<double>& x = got[v.name];
    double sum = 0;
    for (double e : x) sum += e;
    const double allowed = allowed_error(v, tolerance);
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    if (!fits(*low, v.min, allowed) || !fits(*high, v.max, allowed) ||
        !fits(sum / static_cast<double>(x.size()), v.mean, allowed)) {
      faults.push_back(str("output '", v.name, "' has min ", *low, ", max ", *high, ", mean ",
                           sum / static_cast<double>(x.size()), ", wanted ", v.min, ", ", v.max, ", ", v.mean));
    }
  }
  if (!faults.empty()) return faults;

  std::vector<std::string> in_sets;
  for (const auto& set : r.sets) {
    const int64_t rows = r.output(set[0]).shape[1];
    std::vector<bool> used(static_cast<size_t>(rows), false);
    in_sets.insert(in_sets.end(), set.begin(), set.end());
    // Row i of the reference and row j of the result, all outputs of the set.
    const auto same = [&](int64_t i, int64_t j) {
      for (const std::string& name : set) {
        const int64_t columns = r.output(name).shape.size() / rows;
        for (int64_t c = 0; c < columns; ++c) {
          const double a = want[name][static_cast<size_t>(i * columns + c)],
                       b = got[name][static_cast<size_t>(j * columns + c)];
          if (!fits(a, b, limit(name, c))) return false;
        }
      }
      return true;
    };
    for (int64_t i = 0; i < rows; ++i) {
      // Its own place first: rows rarely move, and ties are close by.
      int64_t found = !used[static_cast<size_t>(i)] && same(i, i) ? i : -1;
      for (int64_t j = 0; found < 0 && j < rows; ++j) {
        if (!used[static_cast<size_t>(j)] && same(i, j)) found = j;
      }
      if (found < 0) {
        faults.push_back(str("no row of the set with '", set[0], "' is the reference's row ", i));
        if (faults.size() > 5) return faults;
      } else {
        used[static_cast<size_t>(found)] = true;
      }
    }
  }
  for (const ReferenceValue& v : r.outputs) {
    if (v.file.empty() || std::find(in_sets.begin(), in_sets.end(), v.name) != in_sets.end()) continue;
    const std::vector<double>&a = want[v.name], &b = got[v.name];
    const int64_t columns = v.shape.rank() > 0 ? v.shape.back() : 1;
    const double unit = allowed_error(v, 1.0);
    for (size_t i = 0; i < a.size(); ++i) {
      if (std::isfinite(a[i]) && std::isfinite(b[i])) worst = std::max(worst, std::fabs(a[i] - b[i]) / unit);
      if (fits(a[i], b[i], limit(v.name, static_cast<int64_t>(i) % columns))) continue;
      faults.push_back(str("output '", v.name, "' differs at element ", i, ": ", b[i], ", wanted ", a[i], " (range ",
                           v.min, " to ", v.max, ")"));
      break;
    }
  }
  return faults;
}

}  // namespace tsr::testing
