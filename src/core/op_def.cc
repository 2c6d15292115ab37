#include "core/op_def.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/local_array.h"
#include "core/tensor_size.h"

namespace tsr {
namespace {

struct Registry {
  std::vector<std::unique_ptr<OpDef>> by_id;
  std::map<std::string, const OpDef*, std::less<>> by_name;
};

Registry& registry() {
  static Registry r;
  return r;
}

RecordFn g_record = nullptr;

}  // namespace

void InferCtx::want_rank(int k, int rank) const {
  want(shape(k).rank() == rank, "'", op_.inputs[static_cast<size_t>(k)].name, "' must have rank ", rank, ", got shape ",
       shape(k));
}

void InferCtx::want_rank_at_least(int k, int rank) const {
  want(shape(k).rank() >= rank, "'", op_.inputs[static_cast<size_t>(k)].name, "' must have rank ", rank,
       " or more, got shape ", shape(k));
}

void InferCtx::want_dtype(int k, std::initializer_list<DType> allowed) const {
  if (std::find(allowed.begin(), allowed.end(), dtype(k)) != allowed.end()) return;
  std::string names;
  for (DType t : allowed) names += (names.empty() ? "" : " or ") + std::string(name_of(t));
  const size_t last = op_.inputs.size() - 1;
  error("'", op_.inputs[std::min(static_cast<size_t>(k), last)].name, "' must be ", names, ", got ", name_of(dtype(k)));
}

const OpDef& register_op(OpDef&& def) {
  Registry& r = registry();
  check(r.by_name.find(def.name) == r.by_name.end(), "op '", def.name, "' is registered twice");
  const int ways = (def.body != nullptr) + (def.compose != nullptr) + (def.host != nullptr);
  check(ways == 1 || def.alias, "op '", def.name, "' must have exactly one of body, compose and host");
  check(def.infer != nullptr || def.compose != nullptr, "op '", def.name, "' has no infer");
  def.id = static_cast<int>(r.by_id.size());
  r.by_id.push_back(std::make_unique<OpDef>(std::move(def)));
  const OpDef& op = *r.by_id.back();
  r.by_name.emplace(op.name, &op);
  return op;
}

const OpDef* find_op(std::string_view name) {
  const auto& m = registry().by_name;
  const auto it = m.find(name);
  return it == m.end() ? nullptr : it->second;
}

const OpDef& get_op(std::string_view name) {
  const OpDef* op = find_op(name);
  if (!op) fail(ErrorCode::kNotFound, "op '", name, "' does not exist");
  return *op;
}

const OpDef& op_by_id(int id) {
  const auto& ops = registry().by_id;
  require(id >= 0 && static_cast<size_t>(id) < ops.size(), "op id ", id, " does not exist");
  return *ops[static_cast<size_t>(id)];
}

std::vector<const OpDef*> all_ops() {
  std::vector<const OpDef*> out;
  for (const auto& [name, op] : registry().by_name) out.push_back(op);
  return out;
}

void infer_types(const OpDef& op, std::span<const TensorType> inputs, const Attrs& attrs, std::vector<TensorType>& out) {
  size_t least = 0;
  bool variadic = false;
  for (const InputDef& d : op.inputs) {
    least += d.optional ? 0 : 1;
    variadic = variadic || d.variadic;
  }
  require(inputs.size() >= least && (variadic || inputs.size() <= op.inputs.size()), "[", op.name, "] takes ", least,
          variadic ? " or more" : "", " inputs, got ", inputs.size());
  require(&attrs.schema() == &*op.attrs, "[", op.name, "] got the attributes of another op");
  out.clear();
  InferCtx ctx(op, inputs, attrs, out);
  op.infer(ctx);
  for (const TensorType& t : out) {
    bool known = true;  // dynamic shapes hold -1 where data decides
    for (int64_t d : t.shape.span()) known = known && d >= 0;
    if (known && t.shape.size() > static_cast<int64_t>(kMaxTensorBytes / 16)) {
      check_tensor_bytes(str("[", op.name, "] the result, of shape ", t.shape, ",").c_str(), t.shape.size(), t.dtype);
    }
  }
}

namespace {

// infer_types for tensors.
void infer_for(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs, std::vector<TensorType>& out) {
  LocalArray<TensorType, 4> list(inputs.size());
  const std::span<TensorType> in = list.span();
  for (size_t i = 0; i < inputs.size(); ++i) in[i] = inputs[i].type();
  infer_types(op, in, attrs, out);
}

}  // namespace

std::vector<Tensor> apply(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    require(inputs[i].defined(), "[", op.name, "] input ", i, " is not a tensor (a moved-from or default Tensor)");
  }
  if (op.compose) {
    // infer is optional here, since the composed ops check for themselves; where it exists its errors name this op.
    if (op.infer) {
      std::vector<TensorType> types;
      infer_for(op, inputs, attrs, types);
    }
    return op.compose(ComposeCtx{op, inputs, attrs});
  }
  // A small op is recorded in half a microsecond, so allocations count: the list of results is used again by the next op.
  static thread_local std::vector<TensorType> spare;
  std::vector<TensorType> types = std::move(spare);
  infer_for(op, inputs, attrs, types);
  check(g_record != nullptr, "no engine is installed");
  std::vector<Tensor> out = g_record(op, inputs, std::move(attrs), types);
  spare = std::move(types);
  return out;
}

Tensor apply1(const OpDef& op, std::initializer_list<Tensor> inputs, Attrs attrs) {
  return std::move(apply(op, std::span<const Tensor>(inputs.begin(), inputs.size()), std::move(attrs)).at(0));
}

RecordFn set_recorder(RecordFn fn) { return std::exchange(g_record, fn); }

std::vector<Tensor> call(const char* name, std::span<const Tensor> inputs, std::span<const AttrValue> attrs) {
  const OpDef& op = get_op(name);
  return apply(op, inputs, make_attrs(op.name, *op.attrs, attrs));
}

}  // namespace tsr
