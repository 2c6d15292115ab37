// Written by tessera_gen from the op registry; do not edit. The functions of tessera/ops.h: each is one call by name.
#include "tessera/ops.h"

#include "base/error.h"
#include "tessera/attr_value.h"

namespace tsr {
namespace {

// The inputs without the optional ones that were left out.
struct Inputs {
  const char* op;
  std::vector<Tensor> list;
  bool ended = false;
  void need(const Tensor& t) { list.push_back(t); }
  void may(const Tensor& t) {
    if (!t.defined()) {
      ended = true;
      return;
    }
    require(!ended, "[", op, "] an optional input may be given only when those before it are");
    list.push_back(t);
  }
  void all(std::span<const Tensor> tensors) { list.insert(list.end(), tensors.begin(), tensors.end()); }
};

Tensor one(std::vector<Tensor> outputs) { return std::move(outputs.at(0)); }

}  // namespace

}  // namespace tsr
