// Non-max suppression with the exact arithmetic and order of TensorFlow.js (which follows TensorFlow): doubles throughout, ties to the
// lower index, and Soft-NMS (Bodla et al. 2017) as a re-insertion of the weakened candidate.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/op_def.h"

namespace tsr::ops {
namespace {

struct NmsAttrs {
  int64_t max_output_size = 0;
  double iou_threshold = 0.5;
  double score_threshold = -std::numeric_limits<double>::infinity();
  static void describe(AttrSchema& s) {
    s.field<&NmsAttrs::max_output_size>("maxOutputSize", "at most so many boxes").required();
    s.field<&NmsAttrs::iou_threshold>("iouThreshold", "boxes that overlap a chosen one by this much are dropped, in [0, 1]");
    s.field<&NmsAttrs::score_threshold>("scoreThreshold", "boxes must score above this");
  }
};

struct NmsPaddedAttrs {
  int64_t max_output_size = 0;
  double iou_threshold = 0.5;
  double score_threshold = -std::numeric_limits<double>::infinity();
  bool pad_to_max_output_size = false;
  static void describe(AttrSchema& s) {
    s.field<&NmsPaddedAttrs::max_output_size>("maxOutputSize", "at most so many boxes").required();
    s.field<&NmsPaddedAttrs::iou_threshold>("iouThreshold", "boxes that overlap a chosen one by this much are dropped, in [0, 1]");
    s.field<&NmsPaddedAttrs::score_threshold>("scoreThreshold", "boxes must score above this");
    s.field<&NmsPaddedAttrs::pad_to_max_output_size>("padToMaxOutputSize", "fill up to maxOutputSize with zeros");
  }
};

struct NmsScoreAttrs {
  int64_t max_output_size = 0;
  double iou_threshold = 0.5;
  double score_threshold = -std::numeric_limits<double>::infinity();
  double soft_nms_sigma = 0;
  static void describe(AttrSchema& s) {
    s.field<&NmsScoreAttrs::max_output_size>("maxOutputSize", "at most so many boxes").required();
    s.field<&NmsScoreAttrs::iou_threshold>("iouThreshold", "boxes that overlap a chosen one by this much are dropped, in [0, 1]");
    s.field<&NmsScoreAttrs::score_threshold>("scoreThreshold", "boxes must score above this");
    s.field<&NmsScoreAttrs::soft_nms_sigma>("softNmsSigma",
                                            "above 0: overlap lowers a score by exp(-iou^2 / (2 sigma)) instead of dropping it");
  }
};

void check_common(InferCtx& c, int64_t max_output_size, double iou_threshold) {
  c.want_rank(0, 2);
  c.want_rank(1, 1);
  c.want_dtype(0, {DType::kFloat32});
  c.want_dtype(1, {DType::kFloat32});
  c.want(c.shape(0)[1] == 4, "'boxes' must have shape [n, 4], got ", c.shape(0));
  c.want(c.shape(0)[0] == c.shape(1)[0], "there are ", c.shape(0)[0], " boxes, but ", c.shape(1)[0], " scores");
  c.want(max_output_size >= 0, "maxOutputSize must not be negative, got ", max_output_size);
  c.want(iou_threshold >= 0 && iou_threshold <= 1, "iouThreshold must be in [0, 1], got ", iou_threshold);
}

// Corners in either order. Boxes without area overlap nothing.
double intersection_over_union(const float* i, const float* j) {
  const auto sorted = [](const float* b) {
    return std::array<double, 4>{std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
  };
  const auto a = sorted(i), b = sorted(j);
  const double area_a = (a[2] - a[0]) * (a[3] - a[1]);
  const double area_b = (b[2] - b[0]) * (b[3] - b[1]);
  if (area_a <= 0 || area_b <= 0) return 0;
  const double height = std::max(std::min(a[2], b[2]) - std::max(a[0], b[0]), 0.0);
  const double width = std::max(std::min(a[3], b[3]) - std::max(a[1], b[1]), 0.0);
  const double common = height * width;
  return common / (area_a + area_b - common);
}

struct Selection {
  std::vector<int32_t> indices;
  std::vector<float> scores;
};

Selection select_boxes(std::span<const float> boxes, std::span<const float> scores, int64_t max_output_size, double iou_threshold,
                       double score_threshold, double soft_nms_sigma) {
  struct Candidate {
    double score;
    int32_t index;
    size_t begin;  // selected boxes before this one have already weakened it
  };
  // Ascending, so that the best is at the end; of equal scores the larger index comes first.
  const auto ascending = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score < b.score : a.index > b.index;
  };
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (static_cast<double>(scores[i]) > score_threshold) candidates.push_back({scores[i], static_cast<int32_t>(i), 0});
  }
  std::sort(candidates.begin(), candidates.end(), ascending);

  const double scale = soft_nms_sigma > 0 ? -0.5 / soft_nms_sigma : 0.0;
  Selection out;
  while (static_cast<int64_t>(out.indices.size()) < max_output_size && !candidates.empty()) {
    Candidate c = candidates.back();
    candidates.pop_back();
    const double original = c.score;
    if (original < score_threshold) break;

    bool dropped = false;
    // Backwards: boxes chosen lately are the likeliest to overlap.
    for (size_t j = out.indices.size(); j-- > c.begin;) {
      const double iou = intersection_over_union(&boxes[static_cast<size_t>(c.index) * 4], &boxes[static_cast<size_t>(out.indices[j]) * 4]);
      if (iou >= iou_threshold) {
        dropped = true;
        break;
      }
      c.score *= std::exp(scale * iou * iou);
      if (c.score <= score_threshold) break;
    }
    c.begin = out.indices.size();
    if (dropped) continue;
    if (c.score == original) {
      out.indices.push_back(c.index);
      out.scores.push_back(static_cast<float>(c.score));
    } else if (c.score > score_threshold) {
      candidates.insert(std::lower_bound(candidates.begin(), candidates.end(), c, ascending), c);
    }
  }
  return out;
}

template <typename T>
void emit(HostCtx& c, int k, const std::vector<T>& values) {
  const auto out = c.allocate(k, {static_cast<int64_t>(values.size())}).template as<T>();
  std::copy(values.begin(), values.end(), out.begin());
}

const std::vector<InputDef> kInputs = {{"boxes", "[n, 4]: y1, x1, y2, x2; the corners in either order"}, {"scores", "[n]"}};

const RegisterOp kNms{{
    .name = "nonMaxSuppression",
    .doc = "Indices of boxes, best score first, each overlapping (intersection over union) all better ones by less than iouThreshold. "
           "TensorFlow's NonMaxSuppressionV3.",
    .family = "image",
    .inputs = kInputs,
    .attrs = &AttrSchema::of<NmsAttrs>,
    .infer =
        [](InferCtx& c) {
          const auto& a = c.attrs<NmsAttrs>();
          check_common(c, a.max_output_size, a.iou_threshold);
          c.out({-1}, DType::kInt32);
        },
    .host =
        [](HostCtx& c) {
          const auto& a = c.attrs<NmsAttrs>();
          emit(c, 0,
               select_boxes(c.in(0).as<float>(), c.in(1).as<float>(), a.max_output_size, a.iou_threshold, a.score_threshold, 0).indices);
        },
    .dynamic_outputs = true,
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kNmsPadded{{
    .name = "nonMaxSuppressionPadded",
    .doc = "nonMaxSuppression with the result padded to maxOutputSize if asked for; the second output says how many are real. "
           "TensorFlow's NonMaxSuppressionV4.",
    .family = "image",
    .inputs = kInputs,
    .outputs = {{"selectedIndices", "[k] int32"}, {"validOutputs", "how many are real, a scalar"}},
    .attrs = &AttrSchema::of<NmsPaddedAttrs>,
    .infer =
        [](InferCtx& c) {
          const auto& a = c.attrs<NmsPaddedAttrs>();
          check_common(c, a.max_output_size, a.iou_threshold);
          c.out({a.pad_to_max_output_size ? a.max_output_size : -1}, DType::kInt32);
          c.out({}, DType::kInt32);
        },
    .host =
        [](HostCtx& c) {
          const auto& a = c.attrs<NmsPaddedAttrs>();
          auto s = select_boxes(c.in(0).as<float>(), c.in(1).as<float>(), a.max_output_size, a.iou_threshold, a.score_threshold, 0);
          const auto valid = static_cast<int32_t>(s.indices.size());
          if (a.pad_to_max_output_size) s.indices.resize(static_cast<size_t>(a.max_output_size), 0);
          emit(c, 0, s.indices);
          c.allocate(1, {}).as<int32_t>()[0] = valid;
        },
    .dynamic_outputs = true,
    .zero_gradient = true,
    .tolerance = 0,
}};

const RegisterOp kNmsWithScore{{
    .name = "nonMaxSuppressionWithScore",
    .doc = "nonMaxSuppression that also returns the scores, lowered by Soft-NMS when softNmsSigma is above 0. TensorFlow's "
           "NonMaxSuppressionV5.",
    .family = "image",
    .inputs = kInputs,
    .outputs = {{"selectedIndices", "[k] int32"}, {"selectedScores", "[k]"}},
    .attrs = &AttrSchema::of<NmsScoreAttrs>,
    .infer =
        [](InferCtx& c) {
          const auto& a = c.attrs<NmsScoreAttrs>();
          check_common(c, a.max_output_size, a.iou_threshold);
          c.want(a.soft_nms_sigma >= 0 && a.soft_nms_sigma <= 1, "softNmsSigma must be in [0, 1], got ", a.soft_nms_sigma);
          c.out({-1}, DType::kInt32);
          c.out({-1}, DType::kFloat32);
        },
    .host =
        [](HostCtx& c) {
          const auto& a = c.attrs<NmsScoreAttrs>();
          const auto s = select_boxes(c.in(0).as<float>(), c.in(1).as<float>(), a.max_output_size, a.iou_threshold, a.score_threshold,
                                      a.soft_nms_sigma);
          emit(c, 0, s.indices);
          emit(c, 1, s.scores);
        },
    .dynamic_outputs = true,
    .zero_gradient = true,
    .tolerance = 1e-6,
}};

}  // namespace
}  // namespace tsr::ops
