// AttrValue: one attribute of an op call, before it is checked against the op's schema.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tessera/dtype.h"
#include "tessera/tensor.h"

namespace tsr {

/// monostate means "use the default". Integers are accepted where floats are wanted, and a single integer where a list is.
using AttrValue =
    std::variant<std::monostate, bool, int64_t, double, std::vector<int64_t>, std::vector<double>, DType, std::string>;

/// Calls an op by its name with attributes in the order of its schema (missing ones at the end take their defaults).
/// The functions of tessera/ops.h are typed wrappers of this. Throws when the op, an input or an attribute is wrong.
std::vector<Tensor> call(const char* op, std::span<const Tensor> inputs, std::span<const AttrValue> attrs = {});

}  // namespace tsr
