// load_model from memory.
#include <algorithm>
#include <map>

#include "formats/tfjs/loader.h"
#include "tessera/model.h"

namespace tsr {

Model load_model(std::string_view model_json, std::span<const NamedBytes> shards, const LoadOptions& options) {
  // Often enough to show movement, seldom enough to cost nothing.
  constexpr size_t kPiece = size_t{1} << 20;
  formats::TfjsLoader loader(model_json);
  std::map<std::string_view, std::span<const std::byte>> by_name;
  for (const NamedBytes& s : shards) by_name[s.name] = s.bytes;
  for (const formats::WeightGroup& group : loader.manifest().groups) {
    std::vector<int64_t> sizes;
    for (const std::string& path : group.paths) {
      const auto it = by_name.find(path);
      if (it == by_name.end())
        fail(ErrorCode::kNotFound, "shard '", path, "', which the manifest names, was not given");
      sizes.push_back(static_cast<int64_t>(it->second.size()));
    }
    formats::check_shard_sizes(group, sizes);
  }
  const int64_t total = loader.weight_bytes();
  int64_t done = 0;
  for (const formats::WeightGroup& group : loader.manifest().groups) {
    for (const std::string& path : group.paths) {
      std::span<const std::byte> bytes = by_name[path];
      while (!bytes.empty()) {
        const auto piece = bytes.first(std::min(bytes.size(), kPiece));
        loader.add_weights(piece);
        bytes = bytes.subspan(piece.size());
        done += static_cast<int64_t>(piece.size());
        if (options.on_progress && !options.on_progress(done, std::max(total, done))) {
          fail(ErrorCode::kCancelled, "loading the model was cancelled");
        }
      }
    }
  }
  return loader.finish();
}

}  // namespace tsr
