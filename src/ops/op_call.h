// Calling other ops by name from `compose` and `vjp`, with attributes by name: independent of the generated typed wrappers, which
// come from the very registry that these files fill.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/op_def.h"

namespace tsr::ops {

using NamedAttrs = std::vector<std::pair<std::string, AttrValue>>;

/// All outputs of op(in..., attrs...). Throws as the op does; kNotFound when it is not registered.
inline std::vector<Tensor> call_all(const char* op, std::initializer_list<Tensor> in, const NamedAttrs& attrs = {}) {
  const OpDef& def = get_op(op);
  return apply(def, std::span<const Tensor>(in.begin(), in.size()), make_attrs(def.name, *def.attrs, attrs));
}

/// The first output.
inline Tensor call1(const char* op, std::initializer_list<Tensor> in, const NamedAttrs& attrs = {}) {
  return std::move(call_all(op, in, attrs).at(0));
}

/// call1 with an attribute struct.
template <typename A>
Tensor call_with(const char* op, std::initializer_list<Tensor> in, A attrs) {
  return apply1(get_op(op), in, Attrs(std::move(attrs)));
}

inline Tensor reshape_to(const Tensor& x, const Shape& shape) { return call1("reshape", {x}, {{"shape", shape.vector()}}); }

/// The attribute struct A with the members of `values` that A also has as window members.
template <typename A, typename B>
A window_from(const B& values) {
  A a;
  a.strides = values.strides;
  a.pad = values.pad;
  a.padding = values.padding;
  a.dilations = values.dilations;
  a.dim_rounding_mode = values.dim_rounding_mode;
  return a;
}

}  // namespace tsr::ops
