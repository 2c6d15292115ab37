// Small questions that every tuned factory asks of its group.
#pragma once

#include "runtime/device.h"

namespace tsr::cpu {

/// The group's operand that the anchor's input k is. (An anchor is a group's first node, so its inputs are never internal.)
inline int operand_of(const Group& group, size_t k) { return static_cast<int>(group.anchor().inputs[k].index); }
inline const TensorType& anchor_type(const Group& group, size_t k) {
  return group.operands[static_cast<size_t>(operand_of(group, k))].type;
}
inline const Shape& anchor_shape(const Group& group, size_t k) { return anchor_type(group, k).shape; }

/// Every input and the result of the anchor are float32.
inline bool anchor_is_float(const Group& group) {
  for (size_t k = 0; k < group.anchor().inputs.size(); ++k) {
    if (anchor_type(group, k).dtype != DType::kFloat32) return false;
  }
  return group.anchor().type.dtype == DType::kFloat32;
}

inline const float* floats(BufferView v) { return reinterpret_cast<const float*>(v.host); }

}  // namespace tsr::cpu
