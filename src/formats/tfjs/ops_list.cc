// TensorFlow's lists of tensors: TensorList (a value, as here) and TensorArray (a handle and a "flow" that carries the
// order of reads and writes). A TensorArray becomes a list that travels along the flow; its handle is only what the
// list was when it was made.
#include <limits>
#include <vector>

#include "formats/tfjs/convert.h"

namespace tsr::formats {
namespace {

ValueId joint(NodeCtx& c, NodeKind kind, std::vector<ValueId> in, uint32_t outputs = 1) {
  return c.graph.add_joint(kind, in, outputs, {}, c.node.name);
}

// Input k, which must be a list.
ValueId list(NodeCtx& c, size_t k) {
  if (!c.is_list(k)) c.bad("its input ", k, " must be a tensor list");
  return c.in(k);
}

// Input k, which must not be one.
ValueId tensor(NodeCtx& c, size_t k) {
  if (c.is_list(k)) c.bad("its input ", k, " must be a tensor, not a tensor list");
  return c.in(k);
}

void out_list(NodeCtx& c, ValueId v) {
  c.graph.mark_list(v);
  c.out(v);
}

void empty(NodeCtx& c, const char*) {
  const int32_t none = 0;
  out_list(c, joint(c, NodeKind::kListReserve, {c.add_constant(Shape{}, std::span<const int32_t>(&none, 1))}));
}

// (element_shape, num_elements)
void reserve(NodeCtx& c, const char*) { out_list(c, joint(c, NodeKind::kListReserve, {tensor(c, 1)})); }
// (tensor, element_shape)
void from_tensor(NodeCtx& c, const char*) { out_list(c, joint(c, NodeKind::kListFromTensor, {tensor(c, 0)})); }
// (list, index, element_shape)
void get(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListGet, {list(c, 0), tensor(c, 1)})); }
// (list, index, element)
void set(NodeCtx& c, const char*) {
  out_list(c, joint(c, NodeKind::kListSet, {list(c, 0), tensor(c, 1), tensor(c, 2)}));
}
void stack(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListStack, {list(c, 0)})); }
void push(NodeCtx& c, const char*) { out_list(c, joint(c, NodeKind::kListPush, {list(c, 0), tensor(c, 1)})); }
void pop(NodeCtx& c, const char*) {
  const ValueId first = joint(c, NodeKind::kListPop, {list(c, 0)}, 2);
  c.graph.mark_list(first);
  c.out(first, 2);
}
void length(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListLength, {list(c, 0)})); }
void concat(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListConcat, {list(c, 0)})); }
// (list, indices, element_shape)
void gather(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListGather, {list(c, 0), tensor(c, 1)})); }
// (tensor, indices, element_shape[, num_elements])
void scatter(NodeCtx& c, const char*) {
  ValueId size;
  if (c.num_inputs() > 3) {
    size = tensor(c, 3);
  } else {
    const int32_t any = -1;  // as many as the largest index asks for
    size = c.add_constant(Shape{}, std::span<const int32_t>(&any, 1));
  }
  out_list(c, joint(c, NodeKind::kListScatter, {tensor(c, 0), tensor(c, 1), size}));
}
// (tensor, element_shape, lengths)
void split(NodeCtx& c, const char*) { out_list(c, joint(c, NodeKind::kListSplit, {tensor(c, 0), tensor(c, 2)})); }
// (list, size)
void resize(NodeCtx& c, const char*) { out_list(c, joint(c, NodeKind::kListResize, {list(c, 0), tensor(c, 1)})); }

// ---- TensorArray: (handle, ..., flow)

// (size) -> (handle, flow)
void array(NodeCtx& c, const char*) {
  const ValueId made = joint(c, NodeKind::kListReserve, {tensor(c, 0)});
  out_list(c, made);
  c.out(made);
}
// (handle, index, value, flow) -> flow
void array_write(NodeCtx& c, const char*) {
  out_list(c, joint(c, NodeKind::kListSet, {list(c, 3), tensor(c, 1), tensor(c, 2)}));
}
// (handle, index, flow)
void array_read(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListGet, {list(c, 2), tensor(c, 1)})); }
// (handle, indices, flow)
void array_gather(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListGather, {list(c, 2), tensor(c, 1)})); }
// (handle, indices, value, flow) -> flow
void array_scatter(NodeCtx& c, const char*) {
  const ValueId size = joint(c, NodeKind::kListLength, {list(c, 3)});
  out_list(c, joint(c, NodeKind::kListScatter, {tensor(c, 2), tensor(c, 1), size}));
}
// (handle, flow) -> (value, lengths): nothing that TensorFlow.js wrote reads the lengths
void array_concat(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListConcat, {list(c, 1)})); }
// (handle, value, lengths, flow) -> flow
void array_split(NodeCtx& c, const char*) { out_list(c, joint(c, NodeKind::kListSplit, {tensor(c, 1), tensor(c, 2)})); }
// (handle, flow)
void array_size(NodeCtx& c, const char*) { c.out(joint(c, NodeKind::kListLength, {list(c, 1)})); }
void array_close(NodeCtx&, const char*) {}

// ---- Conditionals outside loops

void switch_(NodeCtx& c, const char*) {
  const ValueId first = joint(c, NodeKind::kSwitch, {c.in(0), tensor(c, 1)}, 2);
  if (c.is_list(0)) {
    c.graph.mark_list(first);
    c.graph.mark_list(first + 1);
  }
  c.out(first, 2);
}

void merge(NodeCtx& c, const char*) {
  c.in(0);
  const ValueId first = joint(c, NodeKind::kMerge, c.inputs(), 2);
  if (c.is_list(0)) c.graph.mark_list(first);
  c.out(first, 2);
}

}  // namespace

std::span<const TfOp> list_tf_ops() {
  static const std::vector<TfOp> table = {
      {"EmptyTensorList", nullptr, empty},
      {"TensorListReserve", nullptr, reserve},
      {"TensorListFromTensor", nullptr, from_tensor},
      {"TensorListGetItem", nullptr, get},
      {"TensorListSetItem", nullptr, set},
      {"TensorListStack", nullptr, stack},
      {"TensorListPushBack", nullptr, push},
      {"TensorListPopBack", nullptr, pop},
      {"TensorListLength", nullptr, length},
      {"TensorListConcat", nullptr, concat},
      {"TensorListConcatV2", nullptr, concat},
      {"TensorListGather", nullptr, gather},
      {"TensorListScatter", nullptr, scatter},
      {"TensorListScatterV2", nullptr, scatter},
      {"TensorListSplit", nullptr, split},
      {"TensorListResize", nullptr, resize},
      {"TensorArrayV3", nullptr, array},
      {"TensorArrayWriteV3", nullptr, array_write},
      {"TensorArrayReadV3", nullptr, array_read},
      {"TensorArrayGatherV3", nullptr, array_gather},
      {"TensorArrayScatterV3", nullptr, array_scatter},
      {"TensorArrayConcatV3", nullptr, array_concat},
      {"TensorArraySplitV3", nullptr, array_split},
      {"TensorArraySizeV3", nullptr, array_size},
      {"TensorArrayCloseV3", nullptr, array_close},
      {"Switch", nullptr, switch_},
      {"Merge", nullptr, merge},
  };
  return table;
}

}  // namespace tsr::formats
