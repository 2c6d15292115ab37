// TfjsLoader: a TensorFlow.js graph model, from the text of model.json and the bytes of its shards to a Model.
//
//   TfjsLoader loader(json);                        // everything that can be wrong with the JSON is found here
//   for (piece of the shards, in order) loader.add_weights(piece);
//   Model model = loader.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tfjs/manifest.h"
#include "runtime/model.h"
#include "runtime/warm.h"

namespace tsr::formats {

class TfjsLoader {
 public:
  /// Parses and checks model.json: the graph, the signature, the manifest, and that every op is known. The text is not
  /// kept. Throws kBadFile, or kUnsupported with the list of all unknown ops.
  explicit TfjsLoader(std::string_view json);
  ~TfjsLoader();
  TfjsLoader(TfjsLoader&&) noexcept;
  TfjsLoader& operator=(TfjsLoader&&) noexcept;

  /// What the manifest declares: groups, shards, bytes.
  const Manifest& manifest() const;
  /// Bytes of all shards together (a lower bound when there are string weights: see Manifest::exact).
  int64_t weight_bytes() const { return manifest().bytes; }
  /// Known before any weight has come.
  const ModelInfo& info() const;

  /// The next bytes of the shards, in the manifest's order; any pieces. Throws kBadFile when there are too many.
  void add_weights(std::span<const std::byte> bytes);
  /// Memory that the next bytes can be written to directly; empty when they must pass through add_weights().
  std::span<std::byte> weight_room();
  /// So many bytes of weight_room() are written.
  void weight_filled(size_t bytes);
  /// What to run meanwhile, for engines that compile code better once it has run: see runtime/warm.h.
  std::vector<WarmWork> warm_works() const;
  /// Throws kBadFile when weights are missing, or when the graph does not fit together. The loader is spent afterwards.
  Model finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Checks the sizes of a group's shards against the manifest before anything is read; `sizes` has one entry a path.
/// Throws kBadFile naming the shards, the bytes wanted and found.
void check_shard_sizes(const WeightGroup& group, std::span<const int64_t> sizes);

}  // namespace tsr::formats
