// Ops by number.
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/local_array.h"
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

// Attributes from the words of a call. A program calls an op mostly with the same ones, which are then decoded once: they are
// immutable and shared anyway.
Attrs attrs_of(const OpDef& op, std::span<const double> words) {
  if (op.attrs.none() && words.empty()) return {};
  struct Last {
    std::vector<double> words;
    std::optional<Attrs> attrs;
  };
  static std::vector<Last> by_op;
  constexpr size_t kFewWords = 32;  // long lists are not worth keeping
  if (words.size() > kFewWords) return decode_attrs(op.name, *op.attrs, words);
  if (by_op.empty()) by_op.resize(static_cast<size_t>(count_ops()));
  Last& last = by_op[static_cast<size_t>(op.id)];
  // By their bits: NaN stands for a default.
  const bool same = last.attrs && last.words.size() == words.size() &&
                    (words.empty() || std::memcmp(last.words.data(), words.data(), words.size_bytes()) == 0);
  if (!same) {
    last.attrs.reset();  // should what follows fail
    Attrs attrs = decode_attrs(op.name, *op.attrs, words);
    last.words.assign(words.begin(), words.end());
    last.attrs = std::move(attrs);
  }
  return *last.attrs;
}

int call_op(int id, const tsr_tensor* inputs, int num_inputs, const double* words, int num_words, tsr_tensor* outputs,
            int max_outputs, int32_t* info) {
  const OpDef& op = op_by_id(id);
  require(num_inputs >= 0 && (num_inputs == 0 || inputs), "[", op.name, "] inputs is a null pointer");
  require(num_words >= 0 && (num_words == 0 || words), "[", op.name, "] words is a null pointer");
  require(max_outputs >= 0 && (max_outputs == 0 || outputs), "[", op.name, "] outputs is a null pointer");
  Tensors& tensors = Tensors::get();
  LocalArray<Tensor, 4> list(static_cast<size_t>(num_inputs));
  const std::span<Tensor> in = list.span();
  for (size_t i = 0; i < in.size(); ++i) in[i] = tensors.value(inputs[i], op.name, input_name(op, static_cast<int>(i)));

  std::vector<Tensor> made = apply(op, in, attrs_of(op, {words, static_cast<size_t>(num_words)}));
  if (info && made.size() == 1) write_info(made[0].type(), info);
  return tensors.add_all(std::move(made), outputs, max_outputs);
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
             int max_outputs, int32_t* info) {
  return guard(-1, [&] { return tsr::capi::call_op(op, inputs, num_inputs, words, num_words, outputs, max_outputs, info); });
}

}  // extern "C"
