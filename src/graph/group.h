// Group: what one launch computes. A single op, or several fused ones: at most one anchor (a convolution, a reduction, any op
// with a body) followed by elementwise ops that consume it at the output index.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attrs.h"
#include "core/op_def.h"
#include "core/storage.h"
#include "ir/kernel.h"
#include "tessera/tensor.h"

namespace tsr {

/// Where a group's node reads: an operand of the group, or the result of an earlier node in it.
struct GroupRef {
  bool internal = false;
  uint32_t index = 0;
};

struct GroupNode {
  const OpDef* op = nullptr;
  Attrs attrs;
  std::vector<GroupRef> inputs;
  TensorType type;      ///< of this node's result
  int output = 0;       ///< which output of a multi-output op
  uint32_t source = 0;  ///< index of the node in the planned graph: where runtime attributes come from
};

struct GroupOperand {
  TensorType type;
  Ref<Storage> constant;  ///< set when the value never changes (a weight): kernels may prepack it at compile time
};

/// Invariants: nodes are in topological order; the last one is the result; all nodes but the first are elementwise and have
/// the result's shape. A group whose only node is a host op is run by the host.
struct Group {
  std::vector<GroupNode> nodes;
  std::vector<GroupOperand> operands;

  const TensorType& result() const { return nodes.back().type; }
  const GroupNode& anchor() const { return nodes.front(); }
};

/// The group as one pull kernel over its operands (in their order). Needs every op to have a body. Not cheap (microseconds):
/// done when a plan is compiled, or when runtime attributes changed.
ir::Kernel lower(const Group& group);

/// One op as a group: operands = its inputs.
Group single_op_group(const OpDef& op, const Attrs& attrs, std::vector<TensorType> inputs, const TensorType& result,
                      int output = 0);

}  // namespace tsr
