#include "formats/tfjs/tf_outputs.h"

namespace tsr::formats {

uint32_t first_output_named(std::string_view op, std::string_view name) {
  struct Row {
    std::string_view op, name;
    uint32_t index;
  };
  // Outputs other than an op's first.
  static constexpr Row kRows[] = {
      {"FusedBatchNorm", "batch_mean", 1},
      {"FusedBatchNorm", "batch_variance", 2},
      {"FusedBatchNormV2", "batch_mean", 1},
      {"FusedBatchNormV2", "batch_variance", 2},
      {"FusedBatchNormV3", "batch_mean", 1},
      {"FusedBatchNormV3", "batch_variance", 2},
      {"ListDiff", "idx", 1},
      {"MaxPoolWithArgmax", "argmax", 1},
      {"Merge", "value_index", 1},
      {"NonMaxSuppressionV4", "valid_outputs", 1},
      {"NonMaxSuppressionV5", "selected_scores", 1},
      {"NonMaxSuppressionV5", "valid_outputs", 2},
      {"SparseFillEmptyRows", "output_values", 1},
      {"SparseFillEmptyRows", "empty_row_indicator", 2},
      {"SparseFillEmptyRows", "reverse_index_map", 3},
      {"SparseReshape", "output_shape", 1},
      {"StringNGrams", "ngrams_splits", 1},
      {"StringSplit", "values", 1},
      {"StringSplit", "shape", 2},
      {"Switch", "output_true", 1},
      {"TensorArrayConcatV3", "lengths", 1},
      {"TensorArrayV3", "flow", 1},
      {"TensorListConcat", "lengths", 1},
      {"TensorListConcatV2", "lengths", 1},
      {"TensorListPopBack", "tensor", 1},
      {"TopKV2", "indices", 1},
      {"Unique", "idx", 1},
      {"UniqueV2", "idx", 1},
      {"RaggedGather", "output_dense_values", 1},
      {"RaggedRange", "rt_dense_values", 1},
  };
  for (const Row& r : kRows) {
    if (r.op == op && r.name == name) return r.index;
  }
  return 0;
}

}  // namespace tsr::formats
