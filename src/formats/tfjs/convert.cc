#include "formats/tfjs/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace tsr::formats {
namespace {

double element(const std::byte* bytes, DType dtype, int64_t i) {
  switch (dtype) {
    case DType::kFloat32: {
      float f;
      std::memcpy(&f, bytes + i * 4, 4);
      return f;
    }
    case DType::kInt32: {
      int32_t n;
      std::memcpy(&n, bytes + i * 4, 4);
      return n;
    }
    case DType::kBool:
      return bytes[i] != std::byte{0};
    default:
      return std::nan("");
  }
}

bool numeric(DType t) { return t == DType::kFloat32 || t == DType::kInt32 || t == DType::kBool; }

template <typename T>
ValueId add_constant_of(Graph& graph, DType dtype, const Shape& shape, std::span<const T> values) {
  Ref<Storage> storage(new Storage(dtype, shape.size()));
  storage->set_host(Ref<HostBuffer>(new HostBuffer(values.size_bytes())));
  if (!values.empty()) std::memcpy(storage->host(), values.data(), values.size_bytes());
  return graph.add_constant({shape, dtype}, std::move(storage));
}

}  // namespace

std::vector<int64_t> ConstantData::ints() const {
  std::vector<int64_t> out;
  for (double v : values) out.push_back(std::fabs(v) < 9e15 ? static_cast<int64_t>(v) : 0);
  return out;
}

OpCall::OpCall(NodeCtx& ctx, const char* op) : ctx_(ctx), op_(get_op(op)) {}

OpCall& OpCall::in(ValueId v) {
  if (ctx_.graph.value(v).is_list) ctx_.bad("takes a tensor, but its input is a tensor list");
  inputs_.push_back(v);
  return *this;
}

OpCall& OpCall::in(std::initializer_list<ValueId> vs) {
  for (ValueId v : vs) in(v);
  return *this;
}

OpCall& OpCall::set(const char* attr, AttrValue value) {
  attrs_.emplace_back(attr, std::move(value));
  return *this;
}

OpCall& OpCall::bind(const char* attr, size_t k) {
  const int field = op_.attrs->find(attr);
  check(field >= 0, "op '", op_.name, "' has no attribute '", attr, "'");
  const AttrKind kind = op_.attrs->fields()[static_cast<size_t>(field)].kind;
  ConstantData data;
  if (!ctx_.constant(k, data)) {
    if (ctx_.is_list(k)) ctx_.bad("its input ", k, " must be a tensor, not a tensor list");
    late_.push_back({field, ctx_.in(k), -1});
    // Holds the place of a required attribute until the value is known.
    switch (kind) {
      case AttrKind::kInts:
        return set(attr, std::vector<int64_t>{});
      case AttrKind::kFloats:
        return set(attr, std::vector<double>{});
      case AttrKind::kBool:
        return set(attr, false);
      case AttrKind::kFloat:
        return set(attr, 0.0);
      default:
        return set(attr, int64_t{0});
    }
  }
  switch (kind) {
    case AttrKind::kInts:
      return set(attr, data.ints());
    case AttrKind::kFloats:
      return set(attr, data.values);
    default:
      break;
  }
  if (data.values.size() != 1) {
    ctx_.bad("its input ", k, " must be a single number, found shape ", data.shape);
  }
  if (kind == AttrKind::kFloat) return set(attr, data.values[0]);
  if (kind == AttrKind::kBool) return set(attr, data.values[0] != 0);
  return set(attr, data.ints()[0]);
}

ValueId OpCall::emit(uint32_t outputs) {
  return ctx_.graph.add_op(op_, inputs_, make_attrs(op_.name, *op_.attrs, attrs_), outputs, std::move(late_),
                           ctx_.node.name);
}

ValueId NodeCtx::in(size_t k) const {
  if (k >= inputs_.size()) bad("needs at least ", k + 1, " inputs, found ", inputs_.size());
  return inputs_[k];
}

bool NodeCtx::constant(size_t k, ConstantData& data) const {
  const ValueInfo& info = graph.value(in(k));
  if (info.kind != ValueInfo::Kind::kConstant || !numeric(info.type.dtype)) return false;
  data.shape = info.type.shape;
  data.dtype = info.type.dtype;
  data.values.clear();
  const int64_t n = data.shape.size();
  // An attribute is a handful of numbers; reading a large weight as one would be a mistake, and slow.
  if (n > 1 << 20) bad("its input ", k, " has ", n, " elements, far too many for what it says");
  for (int64_t i = 0; i < n; ++i) data.values.push_back(element(info.constant->host(), data.dtype, i));
  return true;
}

std::vector<int64_t> NodeCtx::constant_ints(size_t k, const char* what) const {
  ConstantData data;
  if (!constant(k, data)) unsupported(what, " must be a constant");
  return data.ints();
}

ValueId NodeCtx::add_constant(const Shape& shape, std::span<const float> values) {
  return add_constant_of(graph, DType::kFloat32, shape, values);
}

ValueId NodeCtx::add_constant(const Shape& shape, std::span<const int32_t> values) {
  return add_constant_of(graph, DType::kInt32, shape, values);
}

ValueId NodeCtx::transposed(ValueId x, std::vector<int64_t> perm) {
  return op("transpose").in(x).set("perm", std::move(perm)).emit();
}

// ---- The tables as one

namespace {

const std::unordered_map<std::string_view, const TfOp*>& index() {
  static const auto map = [] {
    std::unordered_map<std::string_view, const TfOp*> m;
    for (const TfOp* op : all_tf_ops()) m.emplace(op->name, op);
    return m;
  }();
  return map;
}

}  // namespace

std::vector<const TfOp*> all_tf_ops() {
  std::vector<const TfOp*> rows;
  for (const auto table : {math_tf_ops(), array_tf_ops(), neural_tf_ops(), list_tf_ops()}) {
    for (const TfOp& op : table) rows.push_back(&op);
  }
  return rows;
}

const TfOp* find_tf_op(std::string_view name) {
  const auto it = index().find(name);
  if (it == index().end()) return nullptr;
  return !it->second->op || find_op(it->second->op) ? it->second : nullptr;
}

}  // namespace tsr::formats
