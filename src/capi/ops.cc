// Ops by number.
#include <algorithm>

#include "capi/errors.h"
#include "capi/tensors.h"
#include "core/op_def.h"

namespace tsr::capi {
namespace {

int count_ops() {
  static const int count = static_cast<int>(all_ops().size());  // ops register before main and never go
  return count;
}

const char* input_name(const OpDef& op, int i) {
  if (op.inputs.empty()) return "input";
  return op.inputs[std::min(static_cast<size_t>(i), op.inputs.size() - 1)].name;
}

int call_op(int id, const tsr_tensor* inputs, int num_inputs, const double* words, int num_words, tsr_tensor* outputs,
            int max_outputs) {
  const OpDef& op = op_by_id(id);
  require(num_inputs >= 0 && (num_inputs == 0 || inputs), "[", op.name, "] inputs is a null pointer");
  require(num_words >= 0 && (num_words == 0 || words), "[", op.name, "] words is a null pointer");
  require(max_outputs >= 0 && (max_outputs == 0 || outputs), "[", op.name, "] outputs is a null pointer");
  Tensors& tensors = Tensors::get();
  std::vector<Tensor> in;
  in.reserve(static_cast<size_t>(num_inputs));
  for (int i = 0; i < num_inputs; ++i) in.push_back(tensors.value(inputs[i], op.name, input_name(op, i)));

  static const Attrs kNone;  // most ops have no attributes: share one empty set
  const bool bare = op.attrs == &AttrSchema::of<NoAttrs>() && num_words == 0;
  const Attrs attrs =
      bare ? kNone : decode_attrs(op.name, *op.attrs, std::span<const double>(words, static_cast<size_t>(num_words)));
  return tensors.add_all(apply(op, in, attrs), outputs, max_outputs);
}

}  // namespace
}  // namespace tsr::capi

using tsr::capi::guard;

extern "C" {

int tsr_op_count(void) { return tsr::capi::count_ops(); }

int tsr_op_id(const char* name) {
  return guard(-1, [&] {
    tsr::require(name != nullptr, "[op] name is a null pointer");
    return tsr::get_op(name).id;
  });
}

const char* tsr_op_name(int op) {
  return guard(static_cast<const char*>(nullptr), [&] { return tsr::op_by_id(op).name; });
}

int tsr_call(int op, const tsr_tensor* inputs, int num_inputs, const double* words, int num_words, tsr_tensor* outputs,
             int max_outputs) {
  return guard(-1,
               [&] { return tsr::capi::call_op(op, inputs, num_inputs, words, num_words, outputs, max_outputs); });
}

}  // extern "C"
