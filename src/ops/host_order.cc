// Ops that sort, search or pick by value, on the host: topk, whereIndices, unique, setdiff1d, and booleanMask on top of them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/op_def.h"
#include "ops/op_call.h"

namespace tsr::ops {
namespace {

// ---- topk ---------------------------------------------------------------------------------------------------------------

struct TopkAttrs {
  int64_t k = 1;
  bool sorted = true;
  static void describe(AttrSchema& s) {
    s.field<&TopkAttrs::k>("k", "how many of each row");
    s.field<&TopkAttrs::sorted>("sorted", "largest first (they always are)");
  }
};

void infer_topk(InferCtx& c) {
  c.want_rank_at_least(0, 1);
  c.want_dtype(0, {DType::kFloat32, DType::kInt32, DType::kBool});
  const int64_t k = c.attrs<TopkAttrs>().k;
  Shape s = c.shape(0);
  c.want(k >= 0, "k must not be negative, got ", k);
  c.want(k <= s.back(), "k = ", k, " is more than the ", s.back(), " values in the last dimension of ", s);
  s[s.rank() - 1] = k;
  c.out(s, c.dtype(0));
  c.out(s, DType::kInt32);
}

// NaN counts as larger than everything, as in max and argMax; among equals the lower index comes first.
template <typename T>
bool comes_first(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  }
  return a > b;
}

template <typename T>
void topk_rows(std::span<const T> x, int64_t n, int64_t k, std::span<T> values, std::span<int32_t> indices) {
  if (n == 0 || k == 0) return;
  std::vector<int32_t> order(static_cast<size_t>(k));  // a heap with the last of the best on top: most values are compared with that one alone
  const size_t rows = x.size() / static_cast<size_t>(n);
  for (size_t r = 0; r < rows; ++r) {
    const T* row = x.data() + r * static_cast<size_t>(n);
    std::iota(order.begin(), order.end(), 0);
    const auto before = [row](int32_t a, int32_t b) {
      if (comes_first(row[a], row[b])) return true;
      if (comes_first(row[b], row[a])) return false;
      return a < b;
    };
    std::make_heap(order.begin(), order.end(), before);
    for (int64_t i = k; i < n; ++i) {
      if (!comes_first(row[i], row[order.front()])) continue;  // an equal one stays behind, as its index is higher
      std::pop_heap(order.begin(), order.end(), before);
      order.back() = static_cast<int32_t>(i);
      std::push_heap(order.begin(), order.end(), before);
    }
    std::sort_heap(order.begin(), order.end(), before);
    for (size_t i = 0; i < static_cast<size_t>(k); ++i) {
      indices[r * static_cast<size_t>(k) + i] = order[i];
      values[r * static_cast<size_t>(k) + i] = row[order[i]];
    }
  }
}

void topk_host(HostCtx& c) {
  const int64_t k = c.attrs<TopkAttrs>().k;
  const HostTensor& x = c.in(0);
  const int64_t n = x.type.shape.back();
  const auto indices = c.out(1).as<int32_t>();
  switch (x.type.dtype) {
    case DType::kFloat32: return topk_rows<float>(x.as<float>(), n, k, c.out(0).as<float>(), indices);
    case DType::kInt32: return topk_rows<int32_t>(x.as<int32_t>(), n, k, c.out(0).as<int32_t>(), indices);
    default: return topk_rows<uint8_t>(x.as<uint8_t>(), n, k, c.out(0).as<uint8_t>(), indices);
  }
}

// dx[..., n] = sum over k of dvalues[..., k] where indices[..., k] == n.
std::vector<Tensor> topk_vjp(const VjpCtx& c) {
  if (!c.grad[0].defined()) return std::vector<Tensor>(1);
  const Tensor& g = c.grad[0];
  Shape column = g.shape();
  column.push_back(1);
  const Tensor hot = call1("oneHot", {c.out[1]}, {{"depth", c.in[0].shape().back()}, {"dtype", DType::kFloat32}});
  const Tensor spread = call1("mul", {reshape_to(g, column), hot});
  return {call1("sum", {spread}, {{"axis", std::vector<int64_t>{-2}}})};
}

const RegisterOp kTopk{{
    .name = "topk",
    .doc = "The k largest values of each row of the last dimension, largest first, and their indices; among equals the lower index "
           "comes first, and NaN counts as largest.",
    .family = "sort",
    .inputs = {{"x", "[..., n]"}},
    .outputs = {{"values", "[..., k]"}, {"indices", "[..., k] int32"}},
    .attrs = &AttrSchema::of<TopkAttrs>,
    .infer = infer_topk,
    .host = topk_host,
    .vjp = topk_vjp,
    .tolerance = 0,
}};

// ---- whereIndices -------------------------------------------------------------------------------------------------------

void where_indices_host(HostCtx& c) {
  const HostTensor& x = c.in(0);
  const Shape& s = x.type.shape;
  const auto mask = x.as<uint8_t>();
  const int64_t n = std::count_if(mask.begin(), mask.end(), [](uint8_t v) { return v != 0; });
  const auto out = c.allocate(0, {n, s.rank()}).as<int32_t>();
  const Shape strides = s.strides();
  size_t at = 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) continue;
    auto rest = static_cast<int64_t>(i);
    for (int d = 0; d < s.rank(); ++d) {
      out[at++] = static_cast<int32_t>(rest / strides[d]);
      rest %= strides[d];
    }
  }
}

const RegisterOp kWhereIndices{{
    .name = "whereIndices",
    .doc = "The coordinates of the true elements, one row each, in row-major order (TensorFlow's where with one argument, "
           "TensorFlow.js's whereAsync).",
    .family = "sort",
    .inputs = {{"condition", "bool, any shape"}},
    .infer =
        [](InferCtx& c) {
          c.want_dtype(0, {DType::kBool});
          c.out({-1, c.shape(0).rank()}, DType::kInt32);
        },
    .host = where_indices_host,
    .dynamic_outputs = true,
    .zero_gradient = true,
    .tolerance = 0,
}};

// ---- booleanMask --------------------------------------------------------------------------------------------------------

struct BooleanMaskAttrs {
  int64_t axis = 0;
  static void describe(AttrSchema& s) { s.field<&BooleanMaskAttrs::axis>("axis", "where the mask's dimensions begin in the tensor's"); }
};

std::vector<Tensor> boolean_mask_compose(const ComposeCtx& c) {
  const Tensor &x = c.in[0], &mask = c.in[1];
  require(mask.dtype() == DType::kBool, "[booleanMask] 'mask' must be bool, got ", name_of(mask.dtype()));
  require(mask.rank() >= 1, "[booleanMask] 'mask' must have rank 1 or more, got shape ", mask.shape());
  require(x.rank() >= mask.rank(), "[booleanMask] 'mask' ", mask.shape(), " has more dimensions than 'tensor' ", x.shape());
  const int axis = normalize_axis("booleanMask", c.attrs<BooleanMaskAttrs>().axis, x.rank());
  require(axis + mask.rank() <= x.rank(), "[booleanMask] 'mask' ", mask.shape(), " does not fit 'tensor' ", x.shape(), " at axis ", axis);
  Shape flat;
  for (int d = 0; d < axis; ++d) flat.push_back(x.shape()[d]);
  flat.push_back(mask.size());
  for (int d = 0; d < mask.rank(); ++d) {
    require(x.shape()[axis + d] == mask.shape()[d], "[booleanMask] 'mask' ", mask.shape(), " does not match 'tensor' ", x.shape(),
            " at axis ", axis);
  }
  for (int d = axis + mask.rank(); d < x.rank(); ++d) flat.push_back(x.shape()[d]);
  const Tensor rows = call1("whereIndices", {reshape_to(mask, {mask.size()})});
  const Tensor indices = call1("reshape", {rows}, {{"shape", std::vector<int64_t>{-1}}});
  return {call1("gather", {reshape_to(x, flat), indices}, {{"axis", static_cast<int64_t>(axis)}})};
}

const RegisterOp kBooleanMask{{
    .name = "booleanMask",
    .doc = "The slices of a tensor where the mask is true, in row-major order, along one new dimension in place of the mask's.",
    .family = "sort",
    .inputs = {{"tensor", "any shape"}, {"mask", "bool; its shape equals the tensor's from `axis` on"}},
    .attrs = &AttrSchema::of<BooleanMaskAttrs>,
    .compose = boolean_mask_compose,
    .tolerance = 0,
}};

// ---- unique -------------------------------------------------------------------------------------------------------------

struct UniqueAttrs {
  int64_t axis = 0;
  static void describe(AttrSchema& s) { s.field<&UniqueAttrs::axis>("axis", "slices along this axis are compared"); }
};

// Appends bytes by which equal values are equal: one NaN, one zero.
void append_key(std::string& key, const HostTensor& x, size_t i) {
  if (x.type.dtype == DType::kString) {
    const std::string& s = (*x.strings)[i];
    const auto n = static_cast<uint32_t>(s.size());
    key.append(reinterpret_cast<const char*>(&n), sizeof(n));
    key += s;
    return;
  }
  const size_t bytes = size_of(x.type.dtype);
  if (x.type.dtype == DType::kFloat32) {
    float v = x.as<float>()[i];
    if (std::isnan(v)) v = std::nanf("");
    if (v == 0) v = 0;
    key.append(reinterpret_cast<const char*>(&v), sizeof(v));
  } else {
    key.append(reinterpret_cast<const char*>(x.bytes) + i * bytes, bytes);
  }
}

void copy_element(const HostTensor& from, size_t i, HostTensor& to, size_t j) {
  if (from.type.dtype == DType::kString) {
    (*to.strings)[j] = (*from.strings)[i];
  } else {
    const size_t bytes = size_of(from.type.dtype);
    std::memcpy(to.bytes + j * bytes, from.bytes + i * bytes, bytes);
  }
}

void unique_host(HostCtx& c) {
  const HostTensor& x = c.in(0);
  const Shape& s = x.type.shape;
  const int axis = normalize_axis("unique", c.attrs<UniqueAttrs>().axis, s.rank());
  size_t outer = 1, inner = 1;
  for (int d = 0; d < axis; ++d) outer *= static_cast<size_t>(s[d]);
  for (int d = axis + 1; d < s.rank(); ++d) inner *= static_cast<size_t>(s[d]);
  const auto n = static_cast<size_t>(s[axis]);

  std::unordered_map<std::string, int32_t> seen;
  std::vector<size_t> first;
  std::vector<int32_t> number(n);
  std::string key;
  for (size_t i = 0; i < n; ++i) {
    key.clear();
    for (size_t o = 0; o < outer; ++o) {
      for (size_t k = 0; k < inner; ++k) append_key(key, x, (o * n + i) * inner + k);
    }
    const auto [it, fresh] = seen.try_emplace(key, static_cast<int32_t>(first.size()));
    if (fresh) first.push_back(i);
    number[i] = it->second;
  }
  Shape out_shape = s;
  out_shape[axis] = static_cast<int64_t>(first.size());
  HostTensor& values = c.allocate(0, out_shape);
  for (size_t o = 0; o < outer; ++o) {
    for (size_t u = 0; u < first.size(); ++u) {
      for (size_t k = 0; k < inner; ++k) copy_element(x, (o * n + first[u]) * inner + k, values, (o * first.size() + u) * inner + k);
    }
  }
  const auto indices = c.allocate(1, {s[axis]}).as<int32_t>();
  std::copy(number.begin(), number.end(), indices.begin());
}

const RegisterOp kUnique{{
    .name = "unique",
    .doc = "The distinct slices along an axis in the order of their first appearance, and for each slice the number of its equal. NaNs "
           "count as equal.",
    .family = "sort",
    .inputs = {{"x", "rank 1 or more"}},
    .outputs = {{"values", "the distinct slices"}, {"indices", "[n] int32: the number of each slice's equal"}},
    .attrs = &AttrSchema::of<UniqueAttrs>,
    .infer =
        [](InferCtx& c) {
          c.want_rank_at_least(0, 1);
          c.want_dtype(0, {DType::kFloat32, DType::kInt32, DType::kBool, DType::kString});
          Shape s = c.shape(0);
          const int axis = normalize_axis(c.op(), c.attrs<UniqueAttrs>().axis, s.rank());
          const int64_t n = s[axis];
          s[axis] = -1;
          c.out(s, c.dtype(0));
          c.out({n}, DType::kInt32);
        },
    .host = unique_host,
    .dynamic_outputs = true,
    .zero_gradient = true,
    .tolerance = 0,
}};

// ---- setdiff1d ----------------------------------------------------------------------------------------------------------

void setdiff_host(HostCtx& c) {
  const HostTensor &x = c.in(0), &y = c.in(1);
  const auto n = static_cast<size_t>(x.type.shape.size());
  std::unordered_set<std::string> excluded;
  std::string key;
  for (size_t i = 0; i < static_cast<size_t>(y.type.shape.size()); ++i) {
    key.clear();
    append_key(key, y, i);
    excluded.insert(key);
  }
  std::vector<size_t> kept;
  for (size_t i = 0; i < n; ++i) {
    key.clear();
    append_key(key, x, i);
    if (!excluded.count(key)) kept.push_back(i);
  }
  const Shape shape{static_cast<int64_t>(kept.size())};
  HostTensor& values = c.allocate(0, shape);
  for (size_t i = 0; i < kept.size(); ++i) copy_element(x, kept[i], values, i);
  const auto indices = c.allocate(1, shape).as<int32_t>();
  for (size_t i = 0; i < kept.size(); ++i) indices[i] = static_cast<int32_t>(kept[i]);
}

const RegisterOp kSetdiff1d{{
    .name = "setdiff1d",
    .doc = "The values of x that are not in y, in x's order with repetitions, and their indices in x.",
    .family = "sort",
    .inputs = {{"x", "[n]"}, {"y", "[m], of x's dtype"}},
    .outputs = {{"values", "[k]"}, {"indices", "[k] int32"}},
    .infer =
        [](InferCtx& c) {
          c.want_rank(0, 1);
          c.want_rank(1, 1);
          c.want_dtype(0, {DType::kFloat32, DType::kInt32, DType::kBool, DType::kString});
          c.want(c.dtype(0) == c.dtype(1), "'x' is ", name_of(c.dtype(0)), ", but 'y' is ", name_of(c.dtype(1)));
          c.out({-1}, c.dtype(0));
          c.out({-1}, DType::kInt32);
        },
    .host = setdiff_host,
    .dynamic_outputs = true,
    .zero_gradient = true,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
