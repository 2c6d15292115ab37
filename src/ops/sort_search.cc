// Searching in sorted rows and ranking in unsorted ones: counts, so they are pull kernels.
#include "core/op_def.h"
#include "ir/body.h"
#include "ops/op_call.h"

namespace tsr::ops {
namespace {

using ir::BodyCtx;
using ir::Expr;
using ir::Reduce;

// ---- searchSorted, lowerBound, upperBound -------------------------------------------------------------------------------

enum class Side : uint8_t { kLeft, kRight };

struct SearchSortedAttrs {
  Side side = Side::kLeft;
  static void describe(AttrSchema& s) {
    s.field<&SearchSortedAttrs::side>("side", "'left': before equal elements; 'right': after them", {"left", "right"});
  }
};

void infer_search(InferCtx& c) {
  c.want_rank_at_least(0, 1);
  c.want_dtype(0, {DType::kFloat32, DType::kInt32});
  c.want_dtype(1, {DType::kFloat32, DType::kInt32});
  const Shape &sorted = c.shape(0), &values = c.shape(1);
  c.want(c.dtype(0) == c.dtype(1), "'sortedSequence' is ", name_of(c.dtype(0)), ", but 'values' is ", name_of(c.dtype(1)));
  bool rows_fit = sorted.rank() == values.rank();
  for (int d = 0; rows_fit && d + 1 < sorted.rank(); ++d) rows_fit = sorted[d] == values[d];
  c.want(rows_fit, "'sortedSequence' ", sorted, " and 'values' ", values, " must agree in all but the last dimension");
  c.out(values, DType::kInt32);
}

Expr search_body(BodyCtx& ctx) {
  const bool left = ctx.attrs<SearchSortedAttrs>().side == Side::kLeft;
  const auto sorted = ctx.in(0), values = ctx.in(1);
  const int last = ctx.out_rank() - 1;
  const Expr value = values(ctx.out_index());
  return reduce(Reduce::sum, sorted.dim(last), [&](const Expr& k) {
    auto index = ctx.out_index();
    index[static_cast<size_t>(last)] = k;
    const Expr element = sorted(index);
    return to_i32(left ? element < value : element <= value);
  });
}

const RegisterOp kSearchSorted{{
    .name = "searchSorted",
    .doc = "For each value, the number of elements of its sorted row that are less than it (side 'left') or not greater ('right'): where it "
           "would be inserted to keep the order.",
    .family = "sort",
    .inputs = {{"sortedSequence", "[..., n], ascending along the last dimension"}, {"values", "[..., m]"}},
    .attrs = &AttrSchema::of<SearchSortedAttrs>,
    .infer = infer_search,
    .body = search_body,
    .zero_gradient = true,
    .tolerance = 0,
}};

std::vector<Tensor> bound_compose(const ComposeCtx& c, Side side) {
  return {call_with("searchSorted", {c.in[0], c.in[1]}, SearchSortedAttrs{side})};
}

const RegisterOp kLowerBound{{
    .name = "lowerBound",
    .doc = "searchSorted with side 'left'.",
    .family = "sort",
    .inputs = {{"sortedSequence", "[..., n], ascending along the last dimension"}, {"values", "[..., m]"}},
    .infer = infer_search,
    .compose = [](const ComposeCtx& c) { return bound_compose(c, Side::kLeft); },
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kUpperBound{{
    .name = "upperBound",
    .doc = "searchSorted with side 'right'.",
    .family = "sort",
    .inputs = {{"sortedSequence", "[..., n], ascending along the last dimension"}, {"values", "[..., m]"}},
    .infer = infer_search,
    .compose = [](const ComposeCtx& c) { return bound_compose(c, Side::kRight); },
    .zero_gradient = true,
    .tolerance = 0,
}};

// ---- inTopK -------------------------------------------------------------------------------------------------------------

struct InTopKAttrs {
  int64_t k = 1;
  static void describe(AttrSchema& s) { s.field<&InTopKAttrs::k>("k", "how many of the largest count").runtime(); }
};

void infer_in_top_k(InferCtx& c) {
  c.want_rank_at_least(0, 2);
  c.want_dtype(0, {DType::kFloat32});
  c.want_dtype(1, {DType::kInt32});
  const Shape &p = c.shape(0), &t = c.shape(1);
  bool fits = t.rank() == p.rank() - 1;
  for (int d = 0; fits && d < t.rank(); ++d) fits = t[d] == p[d];
  c.want(fits, "'targets' ", t, " must have the shape of 'predictions' ", p, " without its last dimension");
  const int64_t k = c.attrs<InTopKAttrs>().k;
  c.want(k >= 1 && k <= p.back(), "k must be in [1, ", p.back(), "], got ", k);
  c.out(t, DType::kBool);
}

Expr in_top_k_body(BodyCtx& ctx) {
  const auto predictions = ctx.in(0), targets = ctx.in(1);
  const Expr classes = predictions.dim(ctx.out_rank());
  const Expr target = targets(ctx.out_index());
  const auto at = [&](const Expr& k) {
    auto index = ctx.out_index();
    index.push_back(k);
    return predictions(index);
  };
  const Expr value = at(clamp(target, 0, max(classes - 1, 0)));
  const Expr before = reduce(Reduce::sum, classes, [&](const Expr& k) {
    const Expr other = at(k);
    return to_i32(other > value || (other == value && k < target));
  });
  const Expr valid = target >= 0 && target < classes;
  return valid && (is_finite(value) && before < ctx.pi(ctx.attrs<InTopKAttrs>().k));
}

const RegisterOp kInTopK{{
    .name = "inTopK",
    .doc = "Whether the target class is among the k largest predictions of its row; among equals the lower index comes first. False for "
           "targets that are no class, and where the prediction is not finite.",
    .family = "sort",
    .inputs = {{"predictions", "[..., classes]"}, {"targets", "[...] int32"}},
    .attrs = &AttrSchema::of<InTopKAttrs>,
    .infer = infer_in_top_k,
    .body = in_top_k_body,
    .zero_gradient = true,
    .tolerance = 0,
}};

}  // namespace
}  // namespace tsr::ops
