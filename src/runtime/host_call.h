// Calling a host op on storages that are on the host, outputs allocated here: for ops whose output shapes depend on data.
#pragma once

#include <span>
#include <vector>

#include "core/op_def.h"
#include "core/storage.h"

namespace tsr {

struct TypedStorage {
  TensorType type;
  Ref<Storage> storage;
};

/// Runs op.host. Inputs must be ready on the host. `types` are infer's; dims of -1 are filled by the op's allocate().
std::vector<TypedStorage> call_host_op(const OpDef& op, const Attrs& attrs, std::span<const TypedStorage> inputs,
                                       std::span<const TensorType> types);

}  // namespace tsr
