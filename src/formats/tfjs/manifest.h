// The weights manifest of a TensorFlow.js model: which weights there are, how they are stored, and in which files.
//
// A group's weights lie one after another, without gaps, in the concatenation of the group's files ("shards"); a weight
// may span two shards. Several groups follow each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/common/json.h"
#include "formats/common/weight_codec.h"
#include "tessera/tensor.h"

namespace tsr::formats {

struct WeightSpec {
  std::string name;
  TensorType type;    ///< as the graph sees it: float32, int32, bool, complex64 or string
  WeightCodec codec;  ///< how it is stored
  int64_t bytes = 0;  ///< as stored; for strings, which state their lengths themselves, the least it can be
};

struct WeightGroup {
  std::vector<std::string> paths;  ///< shard names, relative to model.json
  size_t first = 0, count = 0;     ///< its weights in Manifest::weights
  int64_t bytes = 0;               ///< sum of its weights' bytes
  bool exact = true;               ///< false: it holds strings, `bytes` is a lower bound
};

struct Manifest {
  std::vector<WeightSpec> weights;
  std::vector<WeightGroup> groups;
  int64_t bytes = 0;  ///< sum over the groups
  bool exact = true;
  int64_t parameters = 0;  ///< elements of all weights
};

/// Reads "weightsManifest" (or the in-memory form's "weightSpecs") of a model.json. Allocates nothing for the weights.
/// Throws kBadFile on a wrong type, an unknown dtype, a shape that is negative or too large, a weight named twice.
Manifest parse_manifest(const Json& root);

}  // namespace tsr::formats
