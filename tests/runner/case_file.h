// Reads tests/cases/*.json (format: tests/cases/README.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/op_def.h"
#include "tessera/attr_value.h"
#include "tessera/tensor.h"

namespace tsr::cases {

struct Expected {
  std::optional<Shape> shape;
  std::optional<DType> dtype;
  std::optional<Tensor> values;  ///< flat: shape [n], of the expected dtype
};

struct Case {
  std::string name;
  std::vector<Tensor> inputs;
  Attrs attrs;
  std::string error;               ///< part of the expected error's sentence; empty when none is expected
  std::vector<Expected> expected;  ///< empty: the reference alone decides
  bool grad_all = false;
  std::vector<int> grad;  ///< inputs, when not all
  bool grad2 = false;
  std::optional<double> tolerance;
  std::map<std::string, std::string> exclude;  ///< device -> reason
  std::string attr_error;  ///< what building the attributes threw; itself possibly the expected error
};

struct CaseFile {
  const OpDef* op = nullptr;
  std::vector<Case> cases;
};

/// Throws kBadFile naming the file and the place when it does not follow the format or names an unknown op.
CaseFile read_case_file(const std::string& path);

/// Paths of all case files of a folder, sorted.
std::vector<std::string> case_files(const std::string& folder);

/// mulberry32, as in tests/cases/README.md.
class Mulberry32 {
 public:
  explicit Mulberry32(uint32_t seed) : a_(seed) {}
  uint32_t next();
  double unit() { return static_cast<double>(next() >> 8) / 16777216.0; }

 private:
  uint32_t a_;
};

/// `n` values of a generator in double precision; throws kBadFile for an unknown one.
std::vector<double> generate(const std::string& gen, DType dtype, int64_t n, uint32_t seed, std::optional<double> lo,
                             std::optional<double> hi);

}  // namespace tsr::cases
